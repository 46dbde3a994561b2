"""exblas bench: runs suites of measurements, and writes what they found as text, CSV, JSON, pictures by gnuplot, and a
page of results: a table for each instruction set, and pictures. What is measured is added to that at once, and what the
page has is not measured again, so that it can be made in pieces.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import textwrap
import time

import programs
from programs import COLUMNS

SUITES = {
    "level1": "sums, norms and dot products of several kinds, over OpenBLAS",
    "level2": "routines of Level 2, over OpenBLAS",
    "level3": "routines of Level 3 and kinds of data, over OpenBLAS",
    "solve": "correctly rounded solutions, over OpenBLAS",
    "numpy": "whole NumPy programs, over the same without exblas-run",
    "r": "whole R programs, over the same without exblas-run",
    "prices": "every routine of the BLAS, in all types, over OpenBLAS",
    "size": "sums against n, beside other methods",
    "dot": "dot products against n, beside OpenBLAS and others",
    "gemm": "matrix products against n, every method, beside OpenBLAS",
    "range": "sums against dynamic range, every method",
    "accuracy-sum": "error of sums against condition number",
    "accuracy-dot": "error of dot products against condition number",
    "atomics": "sums at random places against their number",
    "sparse": "sparse products, beside plain loops",
    "mpi": "one sum over more and more processes",
}
USAGE = """usage: exblas bench [SUITE...] [OPTION...]
       mpirun -n PROCESSES exblas-bench-mpi [N]     the suite mpi alone: one sum of N doubles

{suites}
Without a SUITE all, some minutes; with --report what the page is made of. Everything that is compared
runs in turn on one processor; values are of the fastest of many runs, CSV and JSON have the median too.

  --quick           fewer sizes and samples: seconds
  --csv, --json     in place of tables
  --plot FOLDER     also each suite there as CSV, SVG and PNG (by gnuplot)
  --report FILE     a page of results in Markdown: tables, and the pictures of --plot
  --append          the page goes on with what it lacks: after --seconds, or for other instruction
                    sets (EXBLAS_ISA)
  --seconds N       nothing more for the page is begun after so many seconds
  --cpu N           the processor to run on (default 0)
  --functions       numpy: instead, functions of the Python package over NumPy's (--help)
  --openblas PATH   the OpenBLAS to compare with (default libopenblas.so.0)
  --blas PATH       another BLAS, in dot and gemm; up to four of them

Exit status: 0 done; 1 the page lacks something (--seconds); 2 usage; 3 no memory, no gnuplot, or a
file cannot be written.
"""
FIGURES = ["min_ns", "median_ns", "ns_per_element", "cycles_per_element", "gb_s", "gflop_s", "ratio", "worst_ratio"]

# Suites whose rows are in the page's tables, with the last one of each, and what is said of its pictures.
LAST_ROWS = {"level1": "ddot that cancels", "level2": "dger, alpha of 53 bits", "level3": "dgemm, every exponent",
             "solve": "dgels, 200 n equations, condition 1e12", "numpy": "NumPy, geometric mean",
             "r": "R, geometric mean"}
TEXTS = {
    "prices":
        "Matrices of n x n numbers, vectors of n²/4, OpenBLAS's time = 1; T, C: op(A) is the transpose or its "
        "conjugate. Scalars have 53 bits in each part.",
    "size":
        "Certifying costs time while vectors are short; from memory it costs nothing. The methods of the literature "
        "are our own implementations (`perf/support/comparators_tmpl.c`). Two-pass and binned sums are reproducible, "
        "not exact. MPFR's sum is exact; its numbers are made before the time is taken.",
    "dot":
        "OpenBLAS, other libraries that are named (`--blas PATH`), and Dot2, which computes as if in twice the "
        "precision.",
    "gemm":
        "The named methods compute every element exactly; they exist to be compared with each other. auto encloses "
        "the product, certifies each element, and computes exactly what is left ([gemm.md](gemm.md)). The broken line "
        "is the peak of the processor's units.",
    "range":
        "Magnitudes spread over so many powers of ten. Expansions of p terms (fpe2 ... fpe8) are fast until the data "
        "need more terms than they have. The default, auto, does not depend on the range.",
    "accuracy-sum":
        "The largest error of 64 problems with 1000 terms each, in units of the last place; 10^20 and above is drawn "
        "as 10^20, 0.01 and below as 0.01. Condition: 2 Σ|x| / |Σx|. A correctly rounded result is off by at most "
        "half a unit.",
    "accuracy-dot":
        "As for sums; condition: 2 Σ|xy| / |Σxy|.",
    "atomics":
        "`exblas_dscatter_add` is one call that leaves every place exact ([accumulators.md](accumulators.md)). Atomic "
        "operations take one term at a time, from any thread.",
}
HEAD = """# Results

Written by these commands, which make it again on your machine (in a build tree: `build/tools/cli/exblas`):

```text
exblas bench --report doc/results.md --plot doc/figures
for isa in avx512 avx2 generic; do
    EXBLAS_ISA=$isa exblas bench --report doc/results.md --append
done
```

What is compared runs in turn in one process, on one processor and one thread. Programs are two
processes that take turns. Each cell is our time divided by that of OpenBLAS, with its kernels for
the same instruction set. For dsum, dasum and dnrm2 it is divided by that of a plain loop. It is the
best of three rounds of minima.

Data are uniform; those of Level 3 are normal, where nothing else is named. Matrices are n x n,
and those of programs too. Triangles have a large diagonal. Systems have singular values from 1 down
at equal ratios between dense orthogonal factors.
"""

# --- the page -----------------------------------------------------------------------


def wrapped(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def cell(x):
    return "" if x is None else f" {x:.{2 if x < 9.95 else 1 if x < 99.5 else 0}f}"


class Page:
    """Sections, each from "\\n## " on; that of the instruction set is `own`."""

    def __init__(self, path, append, machine):
        self.path, title = path, f"\n## Kernels: {machine['kernels']}\n\n"
        text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        self.sections = re.split(r"(?=\n## )", text)
        if not append or not text:  # what other commands measured stays
            self.sections = [HEAD] + [s for s in self.sections if s.startswith(("\n## Device: ", "\n## Data frames: "))]
        self.own = next((k for k, s in enumerate(self.sections) if s.startswith(title)), None)
        if self.own is None:
            self.own = sum(s.startswith("\n## Kernels: ") for s in self.sections) + 1
            self.sections.insert(self.own, title + self.begun(machine))
        elif machine["commit"] not in self.sections[self.own]:
            raise OSError(None, "its rows are of another commit; begin again, without --append", path)
        self.save()

    @staticmethod
    def begun(machine):
        columns = "".join(f" {n} |" for n in COLUMNS)
        return wrapped(time.strftime("%Y-%m-%d", time.gmtime()) + ", {machine}, {processors} processors, load average "
                       "{load:.1f} before the run. ExBLAS {version}, commit {commit}, compiler {compiler}; {openblas}."
                       .format(processors=os.cpu_count(), load=os.getloadavg()[0], **machine)
                       ) + f"\n| n |{columns}\n|{'---|' * (1 + len(COLUMNS))}\n"

    def save(self):
        with open(self.path, "w", encoding="utf-8") as f:
            f.write("".join(self.sections))

    def lacks(self, suite, folder):
        if suite in LAST_ROWS:
            return f"\n| {LAST_ROWS[suite]} |" not in self.sections[self.own]
        return suite in TEXTS and folder and f"/{suite}.svg)\n" not in "".join(self.sections)

    def add(self, found, folder):
        if found["suite"] in LAST_ROWS:
            value = {(row["series"], row["x"]): row["value"] for row in found["rows"]}
            for name in found["series"]:
                if f"\n| {name} |" not in self.sections[self.own]:
                    cells = "".join(cell(value.get((name, n))) + " |" for n in COLUMNS)
                    self.sections[self.own] += f"| {name} |{cells}\n"
        else:
            base = os.path.dirname(self.path) + "/" if "/" in self.path else ""
            seen = folder[len(base):] if folder.startswith(base) else folder
            self.sections.append(f"\n## {found['title']}\n\n{wrapped(TEXTS[found['suite']])}\n"
                                 f"![{found['title']}]({seen}/{found['suite']}.svg)\n")
        self.save()


# --- pictures -----------------------------------------------------------------------

# A method has one colour in all pictures, found by how its name begins, after ExBLAS if that is there: expansions go
# from yellow to violet by their terms. Others take what is left, in turn.
COLOURS = {
    "superacc": "#0072b2", "fpe4ee": "#a6761d", "fpe6ee": "#666666", "fpe8ee": "#1a237e", "fpe2": "#f0c808",
    "fpe3": "#e69f00", "fpe4": "#7cae00", "fpe5": "#009e73", "fpe6": "#17becf", "fpe7": "#6a7fdb", "fpe8": "#9467bd",
    "filter": "#8c564b", "plain loop": "#7f7f7f", "OpenBLAS": "#000000", "dgemm, OpenBLAS": "#000000",
    "libblas.so.3": "#b8860b", "pairwise": "#ff7f0e", "Neumaier": "#2ca02c", "Dot2": "#2ca02c",
    "binned, K = 2": "#e377c2", "binned": "#ad1457", "two-pass": "#bcbd22", "Hallberg": "#795548", "HP(2": "#98df8a",
    "HP(3": "#26a69a", "HP(6": "#00695c", "fixed point": "#00695c", "MPFR": "#5e35b1"}
OTHERS = ["#8c564b", "#ff7f0e", "#e377c2", "#aec7e8", "#c49c94", "#c5b0d5", "#f7b6d2", "#dbdb8d"]
TITLE = 'set title "{{/:Bold {title}}}\\n{{/*0.8 {caption}}}" enhanced\n'


def block(name, rows):
    return f"${name} << END\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows) + "END\n"


def outputs(folder, suite, size, font, plot):
    """The same picture twice."""
    ends = {"svg": "svg", "pngcairo": "png"}
    return "".join(f"set terminal {kind} size {size} font 'sans,{font}' background 'white'\n"
                   f"set output '{folder}/{suite}.{end}'\n{plot}\n" for kind, end in ends.items())


def curves(found, points, folder):
    """The last series, our default, in red; it and the baseline are thick."""
    series, n_others, drawn, data = found["series"], 0, [], ""
    for j, name in enumerate(series):
        if not points[name]:
            continue
        ours, base = j == len(series) - 1, j == found["base"]
        colour = next((c for begin, c in COLOURS.items() if name.removeprefix("ExBLAS ").startswith(begin)), None)
        if not ours and not colour:
            colour, n_others = OTHERS[n_others % len(OTHERS)], n_others + 1
        data += block(f"series{j}", points[name])
        drawn.append(f"$series{j} using 1:2 with linespoints lw {2.5 if ours or base else 1.5} pt "
                     f"{6 if base else 7 if ours else 1 + j % 13} ps 0.7 lc rgb '{'#d00000' if ours else colour}' "
                     f"title '{name}'")
    if found["ceiling"]:
        title, level = found["ceiling"]
        drawn.append(f"{level} with lines lw 2 dt 2 lc rgb '#000000' title '{title}'")
    # Where the names begin, from 0 to 1: so that the longest has room to the right of its sample.
    edge = 1 - 0.055 - 0.0078 * max(23, *map(len, series))
    return (data + f"set rmargin at screen {edge - 0.01:g}\nset key at screen {edge:g}, 0.9 left top Left reverse\n"
            "set key noenhanced samplen 2.5 spacing 1.15\nset grid lt 1 lw 0.5 lc rgb '#d0d0d0'\nset border 3\n"
            "set tics nomirror\n" + axes(found, sorted({x for p in points.values() for x, _ in p}))
            + outputs(folder, found["suite"], "1200,675", 13, "plot " + ", ".join(drawn)))


def axes(found, xs):
    """Few whole numbers are named one by one."""
    room = (xs[-1] / xs[0]) ** 0.01 if found["x_log"] else (xs[-1] - xs[0]) * 0.01
    low, high = (xs[0] / room, xs[-1] * room) if found["x_log"] else (xs[0] - room, xs[-1] + room)
    named = len(xs) <= 8 and all(x == math.floor(x) and x < 1e8 for x in xs)
    return (f"set xlabel '{found['x']}'\nset ylabel '{found['y']}'\nset xrange [{low:.9g}:{high:.9g}]\n"
            + ("set logscale x\nset format x '10^{%L}'\nset mxtics 10\n" if found["x_log"] else "")
            + ("set xtics (" + ", ".join(f"'{x:.9g}' {x:.9g}" for x in xs) + ")\n" if named else "")
            + ("set logscale y\nset mytics 10\n" if found["y_log"] else "set yrange [0:*]\n")
            + f"set format y '{'10^{%L}' if found['y_powers'] else '%g'}'\n")


def heat(found, points, folder):
    """Points below each other, series side by side, values as colours and numbers."""
    labels, series = list(dict.fromkeys(row["x"] for row in found["rows"])), found["series"]
    values = {name: dict(p) for name, p in points.items()}
    rows = [[f"{values[name].get(label, math.nan):.3g}" for name in series] for label in labels]
    tics = [", ".join(f"'{name}' {k}" for k, name in enumerate(names)) for names in (labels, series)]
    wide = f"[-0.5:{len(series) - 1}.5]"
    numbers = "1:2:($3 > 0 ? sprintf('%.3g', $3) : '')"
    return (block("heat", rows) + "unset key\nunset colorbox\n"
            f"set yrange [{len(labels) - 1}.5:-0.5]\nset xrange {wide}\nset tics nomirror scale 0\n"
            "set logscale cb\nset cbrange [1:16]\nset palette defined (0 '#ffffff', 0.5 '#fdae61', 1 '#d7191c')\n"
            f"set ytics ({tics[0]})\nset x2tics ({tics[1]})\nset x2range {wide}\nunset xtics\n"
            + outputs(folder, found["suite"], "1200,1500", 11,
                      f"plot $heat matrix with image pixels, $heat matrix using {numbers} with labels"))


def draw(found, folder, caption):
    """FOLDER/SUITE.csv, .svg and .png."""
    with open(os.path.join(folder, found["suite"] + ".csv"), "w", encoding="utf-8") as f:
        write_csv(f, [found])
    points = {name: [(row["x"], row["value"]) for row in found["rows"] if row["series"] == name]
              for name in found["series"]}
    picture = heat if isinstance(found["rows"][0]["x"], str) else curves
    script = TITLE.format(title=found["title"], caption=caption) + picture(found, points, folder)
    try:
        good = subprocess.run(["gnuplot"], input=script, text=True, check=False).returncode == 0
    except FileNotFoundError:
        good = False
    if not good:
        raise OSError(None, "failed (Debian's package gnuplot-nox has it)", "gnuplot")


# --- tables -------------------------------------------------------------------------


def shown(x, width=0):
    return f"{x:>{width}}" if isinstance(x, str) else f"{x:>{width}.9g}"


def write_csv(f, all_found):
    f.write(",".join(["suite", "series", "x", "value", "median", "unit", *FIGURES]) + "\n")
    for found in all_found:
        for row in found["rows"]:
            figures = ",".join(f"{row[name]:.6g}" if name in row else "" for name in FIGURES)
            f.write(f"{found['suite']},\"{row['series']}\",{shown(row['x'])},{row['value']:.6g},{row['median']:.6g},"
                    f"{found['unit']},{figures}\n")
        f.flush()


def write_cells(found, title, cell):
    widths = {name: max(10, len(name)) for name in found["series"]}
    cells = {(row["x"], row["series"]): cell(row) for row in found["rows"]}
    print(f"\n{found['suite']}: {title}\n" + 12 * " " + "".join(f"  {name:>{width}}" for name, width in widths.items()))
    for x in dict.fromkeys(row["x"] for row in found["rows"]):
        print(shown(x, 12) + "".join(f"  {cells.get((x, name), '-'):>{width}}" for name, width in widths.items()))


def write_text(found):
    """Values, and ratios to the baseline with their spread."""
    write_cells(found, f"{found['title']}\n{found['unit']}, over {found['x']}", lambda row: f"{row['value']:.4g}")
    if any("ns_per_element" in row for row in found["rows"]):
        base = found["series"][found["base"]]
        write_cells(found, f"time in units of that of {base}, best of three rounds (worst round)",
                    lambda row: f"{row['ratio']:.2f} ({row['worst_ratio']:.2f})")
    sys.stdout.flush()


def write(o, machine, all_found):
    """To standard output, as it comes."""
    if o.json:
        print(json.dumps(machine)[:-1] + ', "suites": [', flush=True)
        for k, found in enumerate(all_found):
            print("," * (k > 0) + json.dumps(found), flush=True)
        print("]}")
        return
    print("# {machine}, processor {cpu}\n# ExBLAS {version}, commit {commit}, kernels {kernels}, compiler {compiler}"
          .format(**machine), flush=True)
    if o.csv:
        write_csv(sys.stdout, all_found)
        return
    for found in all_found:
        write_text(found)


# --- the run ------------------------------------------------------------------------


def parse(words):
    p = argparse.ArgumentParser(usage=argparse.SUPPRESS, allow_abbrev=False, add_help=False)
    p.error = lambda text: sys.exit(print(f"exblas-bench: {text}, see --help", file=sys.stderr) or 2)
    p.add_argument("suites", nargs="*")
    for flag in ("--quick", "--csv", "--json", "--append", "--help"):
        p.add_argument(flag, action="store_true")
    p.add_argument("-h", dest="help", action="store_true")
    p.add_argument("--plot")
    p.add_argument("--report")
    p.add_argument("--seconds", type=int, default=1 << 16)
    p.add_argument("--cpu", type=int, default=0)
    p.add_argument("--openblas", default="libopenblas.so.0")
    p.add_argument("--blas", action="append", default=[])
    o = p.parse_args(words)
    if o.help:
        print(USAGE.format(suites="".join(f"  {name:16} {what}\n" for name, what in SUITES.items())), end="")
        sys.exit(0)
    for word in o.suites:
        if word not in SUITES:
            p.error(f"{word}: no such suite")
    if len(o.blas) > 4 or any(set("'\"\\\n") & set(word) for word in [o.plot or "", *o.blas]):
        p.error("at most four BLAS, and no quotes and backslashes in their names and that of the folder")
    if not 0 <= o.cpu < 1 << 16:
        p.error(f"--cpu {o.cpu}: no such processor")
    o.round_ns = 2.5e7 if o.quick else 5e7 if o.report else 5e8
    return o


def suites_of(o, page):
    """Those that were asked for, or all, or those that a page is made of: what it lacks."""
    named = [s for s in SUITES if s in o.suites] or [s for s in SUITES if not page or s in LAST_ROWS or s in TEXTS]
    return [s for s in named if not page or s in ("sparse", "mpi") or page.lacks(s, o.plot)]


def measured(o, names, machine):
    """What all of them found, whole programs last; none is begun after so many seconds."""
    import suites
    end = time.monotonic() + o.seconds
    for k, suite in enumerate(sorted(names, key=lambda s: s in programs.SUITES)):
        if k > 0 and time.monotonic() > end:
            sys.exit(1)
        if sys.stderr.isatty():
            print(f"{suite} ...", file=sys.stderr)
        found = suites.SUITES[suite](o) if suite in suites.SUITES else programs.SUITES[suite](o.quick, machine)
        suites.native.exblas_set_method(None)
        if found:
            yield found
        else:
            print(f"exblas-bench: {suite}: left out, it cannot be run here", file=sys.stderr)


def kept(o, page, machine, all_found):
    """The same, drawn and added to the page."""
    caption = (f"{machine['machine']}, ExBLAS {machine['version']}, commit {machine['commit']}"
               + (", a quick run of few samples" if o.quick else ""))
    for found in all_found:
        if o.plot and found["suite"] not in (LAST_ROWS if page else ()):
            draw(found, o.plot, caption)
        if page and page.lacks(found["suite"], o.plot):
            page.add(found, o.plot)
        yield found


def run(words):
    if words[:2] == ["numpy", "--functions"]:
        os.execvp("python3", ["python3", os.path.join(programs.HERE, "numpy_functions.py"), *words[2:]])
    o = parse(words)
    import suites  # which loads what is measured: --help does without
    machine = suites.prepare(o)
    if o.plot:
        os.makedirs(o.plot, exist_ok=True)
    page = Page(o.report, o.append, machine) if o.report else None
    names = suites_of(o, page)
    late = page and names and o.seconds <= 0
    write(o, machine, kept(o, page, machine, measured(o, names, machine) if names and not late else []))
    return int(bool(late))


def main(words):
    try:
        return run(words)
    except KeyboardInterrupt:
        return 130
    except MemoryError:
        print("exblas-bench: not enough memory", file=sys.stderr)
    except OSError as error:
        print(f"exblas-bench: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
    return 3
