#!/usr/bin/python3
"""usage: exblas bench numpy [--n N,...] [--only NAME,...] [--samples N] [--cpu N] [--run RUN]... [--markdown]
       exblas bench r       the same
       exblas bench numpy --sums [--only TYPE,...] [--shapes NxN,...] [--samples N] [--cpu N] [--markdown]
       exblas bench numpy --functions [--only TYPE or FUNCTION,...] [--samples N] [--cpu N] [--markdown]

Whole programs of NumPy or R under exblas-run beside the same ones without. NumPy: inv, eigh, eigvalsh, svd,
pinv, qr, solve, det, lstsq, cholesky, eig, A@B, T.T@T, corrcoef. R: inv (solve of one matrix), solve, det, chol,
qr, qr(LAPACK), svd, eigen(symmetric), eigen, A%*%B, crossprod, lm (lm.fit), prcomp, cor. Prints, for each
program and size, the time without, the time under each RUN (an exblas-run; default that beside this
program) and their ratio, and the geometric means; with --markdown a table for a page, and the machine.

Each side is a process that stays; they take turns, one thread each, all on processor --cpu (default
0), and the fastest of --samples calls (default 9) counts. OPENBLAS_CORETYPE=SkylakeX is set where
AVX-512 is there and the variable is not set: OpenBLAS takes old kernels on processors it does not
know. Exit status: 0 done; 2 usage; 3 a side cannot be started.

--sums: exblas.sum of the Python package beside numpy.sum, in turns in one process, one thread: for
10^6 elements in three shapes, or those of --shapes, along all axes and along each, processor time of the one by the
other's: fastest by fastest, and the median of the ratios of neighbours. For 100 numbers microseconds;
and what the process grew by meanwhile. --samples is 41 there if not given.

--functions: the same for the other functions of the package: processor time by that of NumPy's function of the same
name, fastest by fastest, for each type of a and b; of lists by math.fsum's, of columns of pandas, polars and Arrow by that of
exblas.sum of an array. "-": not offered, or not installed. --samples is 9 there.
"""
import argparse
import importlib
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
# Beside this program; in a build tree; from the sources to their build tree.
RUNS = ["exblas-run", "../tools/run/exblas-run", "../../build/tools/run/exblas-run"]
# Beside this program; installed.
R_SIDES = ["r_programs.R", "../share/exblas-bench/r_programs.R"]
PROGRAMS = {"numpy": ["inv", "eigh", "eigvalsh", "svd", "pinv", "qr", "solve", "det", "lstsq", "cholesky",
                      "eig", "A@B", "T.T@T", "corrcoef"],
            "r": ["inv", "solve", "det", "chol", "qr", "qr(LAPACK)", "svd", "eigen(symmetric)", "eigen",
                  "A%*%B", "crossprod", "lm", "prcomp", "cor"]}
NAMES = {"numpy": "NumPy", "r": "R"}


def beside(paths):
    """Those of the paths, relative to this program, that are there."""
    return [path for path in (os.path.join(HERE, path) for path in paths) if os.path.exists(path)]


def programs(n):
    """Functions of a side, by name, with their data."""
    import numpy as np

    r = np.random.default_rng(1)
    a, b, t = (r.standard_normal(shape) for shape in ((n, n), n, (4 * n, n // 2)))
    symmetric, positive = (a + a.T) / 2, a @ a.T / n + np.eye(n)
    line = t[:, 0].copy()
    return {"inv": lambda: np.linalg.inv(a), "eigh": lambda: np.linalg.eigh(symmetric),
            "eigvalsh": lambda: np.linalg.eigvalsh(symmetric), "svd": lambda: np.linalg.svd(a),
            "pinv": lambda: np.linalg.pinv(a), "qr": lambda: np.linalg.qr(a),
            "solve": lambda: np.linalg.solve(a, b), "det": lambda: np.linalg.det(a),
            "lstsq": lambda: np.linalg.lstsq(t, line, rcond=None),
            "cholesky": lambda: np.linalg.cholesky(positive), "eig": lambda: np.linalg.eig(a),
            "A@B": lambda: a @ symmetric, "T.T@T": lambda: t.T @ t,
            "corrcoef": lambda: np.corrcoef(t.T)}


def seconds_of(call, least=0.02):
    """Processor time of one call, of as many as fill 20 ms: other programs on a shared processor are left out."""
    count, total = 0, 0.0
    while total < least:
        begin = time.thread_time()
        call()
        total += time.thread_time() - begin
        count += 1
    return total / count


def serve():
    """A side: lines `NAME N` come in, seconds go out."""
    known = {}
    for line in sys.stdin:
        name, n = line.split()
        if n not in known:
            known[n] = programs(int(n))
        print(seconds_of(known[n][name]), flush=True)


class Side:
    """A process that computes what it is told to, and says how long it took."""

    def __init__(self, language, run, cpu):
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", EXBLAS_NUM_THREADS="1")
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
            if "avx512f" in f.read():
                environment.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
        self.language = language
        command = [sys.executable, __file__, "numpy", "--serve"]
        if language == "r":
            command = ["Rscript", "--vanilla", *beside(R_SIDES)[:1]]
        self.process = subprocess.Popen(
            ["taskset", "-c", str(cpu)] + run + command,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def seconds(self, name, n):
        try:
            self.process.stdin.write(f"{name} {n}\n")
            self.process.stdin.flush()
            return float(self.process.stdout.readline())
        except (OSError, ValueError):
            print(f"exblas-bench-programs: a side ended (is {NAMES[self.language]} there?)", file=sys.stderr)
            sys.exit(3)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def fastest(sides, name, n, samples):
    best = [math.inf] * len(sides)
    for _ in range(samples):
        for i, side in enumerate(sides):
            best[i] = min(best[i], side.seconds(name, n))
    return best


def write_row(o, cells):
    if o.markdown:
        print("| " + " | ".join(cells) + " |", flush=True)
        return
    head = f"{cells[0]:16} {cells[1]:>6}  {cells[2]:>10}"
    print(head + "".join(f"  {cells[i]:>10} {cells[i + 1]:>7}" for i in range(3, len(cells), 2)),
          flush=True)


def write_head(o, runs):
    if o.markdown:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
            name = next((line.split(":")[1].strip() for line in f if "model name" in line), "?")
        print(f"{name}, {os.cpu_count()} processors, load average "
              f"{os.getloadavg()[0]:.1f} before the run, {o.samples} samples.\n")
    write_row(o, ["program", "n", "plain ms"] + ["exblas ms", "ratio"] * len(runs))
    if o.markdown:
        write_row(o, ["---"] * (3 + 2 * len(runs)))


def report(o, sides, names, n):
    logs = [0.0] * (len(sides) - 1)
    for name in names:
        best = fastest(sides, name, n, o.samples)
        ratios = [x / best[0] for x in best[1:]]
        logs = [s + math.log(x) for s, x in zip(logs, ratios)]
        cells = [c for x, q in zip(best[1:], ratios) for c in (f"{1e3 * x:.3f}", f"{q:.2f}")]
        write_row(o, [name, str(n), f"{1e3 * best[0]:.3f}"] + cells)
    means = [c for s in logs for c in ("", f"{math.exp(s / len(names)):.2f}")]
    write_row(o, ["mean", str(n), ""] + means)


TYPES = ["float64", "float32", "complex128", "complex64", "int64", "int32", "int8"]
AXES = [None, 0, 1]


def in_turns(plain, ours, samples, least):
    """Seconds of a call of each, the fastest; and the median of the ratios, each of `least` seconds or more."""
    seconds = [[], []]
    counts = [max(1, int(least / seconds_of(call, least))) for call in (plain, ours)]
    for _ in range(samples):
        for call, count, of in zip((plain, ours), counts, seconds):
            begin = time.thread_time()
            for _ in range(count):
                call()
            of.append((time.thread_time() - begin) / count)
    return min(seconds[0]), min(seconds[1]), statistics.median(b / a for a, b in zip(*seconds))


def random_array(np, kind, shape):
    r = np.random.default_rng(1)
    if kind.startswith("int"):
        return r.integers(-100, 100, shape).astype(kind)
    a = r.standard_normal(shape)
    return (a + 1j * r.standard_normal(shape) if kind.startswith("complex") else a).astype(kind)


def compare_sums(o, kinds):
    try:
        import exblas
        import numpy as np
    except ImportError as error:
        print(f"exblas-bench-programs: {error}", file=sys.stderr)
        return 3
    os.sched_setaffinity(0, {o.cpu})
    exblas.set_num_threads(1)
    arrays = [(kind, shape, random_array(np, kind, shape)) for kind in kinds for shape in [*o.shapes, (100,)]]
    grown = 0
    write_cells(o, ["type", "shape", *(f"axis {axis}" for axis in AXES)], True)
    for kind, shape, a in arrays:
        before, cells = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, []
        for axis in AXES[:len(shape) + 1 if len(shape) > 1 else 1]:
            x, y, median = in_turns(lambda: np.sum(a, axis=axis), lambda: exblas.sum(a, axis=axis), o.samples, 1e-3)
            cells.append(f"{1e6 * y:.2f} by {1e6 * x:.2f} us" if len(shape) == 1 else f"{y / x:.2f} ({median:.2f})")
        grown = max(grown, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        write_cells(o, [kind, " x ".join(map(str, shape)), *cells], False)
    print(f"\nThe process grew by {grown} KiB at most in a row.")
    return 0


# Calls, by the shape of a and b. What is long along one axis of a matrix is short along the other.
FUNCTIONS = {
    (10,): ["sum(a)", "mean(a)", "dot(a, b)"],
    (10000,): ["mean(a)", "norm(a)", "dot(a, b)", "vdot(a, a)"],
    (1000000,): ["mean(a)", "mean(a[::2])", "var(a)", "norm(a)", "cumsum(a)", "dot(a, b)", "vdot(a, a)"],
    (10, 100000): ["mean(a, 0)", "var(a, 0)", "norm(a, axis=0)", "cumsum(a, 0)", "mean(a, 1)"],
    (100000, 10): ["mean(a, 1)", "var(a, 1)", "norm(a, axis=1)", "cumsum(a, 1)", "mean(a, 0)"],
    (20, 50000): ["cov(a)"], (50, 1000): ["corrcoef(a)"],
    (8, 8): ["matmul(a, b)"], (200, 200): ["matmul(a, b)", "matmul(a.T, b[::-1])"],
    (1000, 8, 8): ["matmul(a, b)", "einsum('ijk,ikl->ijl', a, b)"],
}
# Calls and what they are compared with, for a list and an array of 10^6 numbers, and columns of that array.
COLUMNS = {"fsum(list)": "math.fsum(list)", "sum(list)": "math.fsum(list)", "Accumulator(list)": "math.fsum(list)",
           "sum(pandas.Series(array))": "sum(array)", "sum(pandas.Series(array, dtype='Float64'))": "sum(array)",
           "sum(polars.Series(array))": "sum(array)", "sum(pyarrow.array(array))": "sum(array)"}


def ratio_of(o, call, other, names, other_names):
    """Their times' ratio as a cell; the objects that a call makes of columns are made before."""
    try:
        calls = [eval(f"lambda: {text}", scope) for text, scope in ((other, other_names), (call, names))]
        for each in calls:
            each()
    except (NameError, TypeError, AttributeError):
        return "-"
    x, y, _ = in_turns(*calls, o.samples, 1e-3)
    return f"{y / x:.2f}"


def compare_functions(o, names):
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    try:
        import exblas
        import numpy as np
    except ImportError as error:
        print(f"exblas-bench-programs: {error}", file=sys.stderr)
        return 3
    os.sched_setaffinity(0, {o.cpu})
    exblas.set_num_threads(1)
    ours, numpys = vars(exblas), {**vars(np), "norm": np.linalg.norm}
    kinds = [kind for kind in TYPES if kind in names] or TYPES
    functions = set(names) - set(TYPES) or set(FUNCTION_NAMES)
    write_cells(o, ["call", "shape", *kinds], True)
    for shape, calls in FUNCTIONS.items():
        arrays = {kind: random_array(np, kind, (2, *shape)) for kind in kinds}
        for call in calls:
            if call.partition("(")[0] in functions:
                cells = [ratio_of(o, call, call, {**ours, "a": a, "b": b}, {**numpys, "a": a, "b": b})
                         for a, b in arrays.values()]
                write_cells(o, [call, " x ".join(map(str, shape)), *cells], False)
    compare_columns(o, ours, functions & set(COLUMN_NAMES), random_array(np, "float64", (1000000,)))
    return 0


def compare_columns(o, ours, functions, array):
    scope = {**ours, "math": math, "array": array, "list": array.tolist()}
    for name in ("pandas", "polars", "pyarrow"):
        try:
            scope[name] = importlib.import_module(name)
        except ImportError:
            pass
    for call, other in COLUMNS.items():
        name, _, source = call[:-1].partition("(")
        if name in functions:
            try:
                scope["column"] = eval(source, scope)
                cell = ratio_of(o, f"{name}(column)", other, scope, scope)
            except NameError:
                cell = "-"
            write_cells(o, [call, "1000000", cell], False)


FUNCTION_NAMES = sorted({call.partition("(")[0] for calls in [*FUNCTIONS.values(), COLUMNS] for call in calls})
COLUMN_NAMES = [call.partition("(")[0] for call in COLUMNS]


def write_cells(o, cells, is_head):
    if o.markdown:
        print("| " + " | ".join(cells) + " |" + ("\n|" + "---|" * len(cells) if is_head else ""), flush=True)
    elif o.functions:
        print(f"{cells[0]:40} {cells[1]:>14}" + "".join(f"{cell:>11}" for cell in cells[2:]), flush=True)
    else:
        print("".join(f"{cell:>16}" for cell in cells), flush=True)


def parse():
    p = argparse.ArgumentParser(description=__doc__, usage=argparse.SUPPRESS, add_help=True,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("language", choices=PROGRAMS)
    p.add_argument("--n", default="100,800")
    p.add_argument("--only")
    p.add_argument("--sums", action="store_true")
    p.add_argument("--functions", action="store_true")
    p.add_argument("--shapes", default="1000x1000,100x10000,10000x100")
    p.add_argument("--samples", type=int)
    p.add_argument("--cpu", type=int, default=0)
    p.add_argument("--run", action="append")
    p.add_argument("--markdown", action="store_true")
    p.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    o = p.parse_args()
    known = TYPES if o.sums else TYPES + FUNCTION_NAMES if o.functions else PROGRAMS[o.language]
    if (o.sums or o.functions) and o.language != "numpy":
        p.error("--sums and --functions compare with NumPy: exblas bench numpy")
    names, sizes = o.only.split(",") if o.only else known, o.n.split(",")
    if not re.fullmatch(r"[1-9]\d*x[1-9]\d*(,[1-9]\d*x[1-9]\d*)*", o.shapes):
        p.error("--shapes are as 3x1000,1000x3")
    o.shapes = [tuple(map(int, shape.split("x"))) for shape in o.shapes.split(",")]
    o.samples = o.samples or (41 if o.sums else 9)
    if o.samples < 1 or not set(names) <= set(known) or not all(
            n.isdigit() and int(n) >= 2 for n in sizes):
        p.error("a program or a number is not understood, see --help")
    return o, names, [int(n) for n in sizes]


def main():
    o, names, sizes = parse()
    if o.serve:
        serve()
        return 0
    if o.sums or o.functions:
        return compare_sums(o, names) if o.sums else compare_functions(o, names)
    runs = o.run or beside(RUNS)[:1]
    try:
        sides = [Side(o.language, run, o.cpu) for run in [[]] + [[r] for r in runs]]
    except OSError as e:
        print(f"exblas-bench-programs: {e}", file=sys.stderr)
        return 3
    write_head(o, runs)
    for n in sizes:
        report(o, sides, names, n)
    for side in sides:
        side.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
