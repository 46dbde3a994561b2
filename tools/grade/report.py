"""What was found, for people: a table on one screen, a page, C programs."""
import html as escape
import os
import re
import sys

import lapack

NOTES = ("runs", "threads", "callers", "alignment", "column", "environment", "flags", "0·Inf", "Inf", "first NaN",
         "overflow", "increments")
HEADS = ("runs", "thr", "call", "algn", "col", "env", "flag", "0·∞", "∞", "NaN", "ovfl", "inc")
COLOURS = {"A": "32", "B": "33", "C": "33", "F": "31", "✓": "32", "·": "33", "✗": "31"}


def paint(text, colour):
    return f"\x1b[{colour}m{text}\x1b[0m" if colour and sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


def rows(library):
    """The routines of a library by their names without types."""
    by_base = {}
    for r in library["routines"]:
        by_base.setdefault(r["base"], []).append(r)
    return sorted(by_base.items(), key=lambda kv: (kv[0] in lapack.DRIVERS, kv[0]))


def note(group, name):
    states = [r["notes"][name] for r in group if name in r["notes"]]
    return " " if not states else "✓" if all(states) else "·"


def share(group):
    n = sum(r["results"] for r in group)
    return 100 * sum(r["rounded"] for r in group) / n if n else None


def percent(x):
    return "  - " if x is None else "100 " if x == 100 else f"{min(x, 99.9):4.1f}"


def show(g):
    print(f"\n{g['name']} ({g['library']}): {len(g['routines'])} routines, {g['seconds']:.0f} s")
    print(f"{'':20} {'types':6} grade  {'ulps':>8} rounded  " + " ".join(f"{h:>4}" for h in HEADS) + "  findings")
    for base, group in rows(g):
        worst = max(r["grade"] for r in group)
        found = sum(len(r["findings"]) for r in group)
        ticks = " ".join(paint(f"{t:>4}", COLOURS.get(t)) for t in (note(group, n) for n in NOTES))
        types = "".join(sorted({r["type"] for r in group}, key="sdczbh".index))
        print(f"{base:20} {types:6} {paint(f'{worst:5}', COLOURS[worst])} {max(r['ulps'] for r in group):9.3g}"
              f" {percent(share(group)):>6}%  {ticks}  " + (paint(f"✗ {found}", "31") if found else paint("0", "32")))
    findings = [(r, f) for r in g["routines"] for f in r["findings"]]
    print(f"grade {max((r['grade'] for r in g['routines']), default='A')}, "
          f"{percent(share(g['routines'])).strip()} % correctly rounded, {len(findings)} findings")
    for _, f in findings:
        print(f"  {f['what']} ({f['calls']}): {f['text']}")
    sys.stdout.flush()


def show_beside(graded):
    """A row for each routine, a column for each library: the grade, and the number of findings."""
    bases = dict.fromkeys(base for g in graded for base, _ in rows(g))
    cells = [["routine"] + [g["name"] for g in graded]]
    for base in sorted(bases, key=lambda b: (b in lapack.DRIVERS, b)):
        line = [base]
        for g in graded:
            group = dict(rows(g)).get(base)
            found = sum(len(r["findings"]) for r in group or [])
            line.append(max(r["grade"] for r in group) + (f" {found}" if found else "") if group else "")
        cells.append(line)
    groups = [g["routines"] for g in graded]
    cells.append(["findings"] + [str(sum(len(r["findings"]) for r in group)) for group in groups])
    cells.append(["rounded, %"] + [percent(share(group)).strip() for group in groups])
    for name in NOTES:
        cells.append([name] + [note(group, name) for group in groups])
    width = [max(map(len, column)) for column in zip(*cells)]
    for i, line in enumerate(cells):
        print("| " + " | ".join(f"{c:{w}}" for c, w in zip(line, width)) + " |")
        if i == 0:
            print("|" + "|".join("-" * (w + 2) for w in width) + "|")


def file_name(name, r, f):
    name = re.sub("[^A-Za-z0-9]+", "-", name).strip("-")
    return f"{name}-{r['routine']}-{re.sub('[^a-z0-9]+', '-', f['what'].lower()).strip('-')}.c"


def write_programs(graded, folder):
    os.makedirs(folder, exist_ok=True)
    for g in graded:
        for r in g["routines"]:
            for f in r["findings"]:
                if f["program"]:
                    path = os.path.join(folder, file_name(g["name"], r, f))
                    with open(path, "w", encoding="utf-8") as out:
                        out.write(f["program"])


STYLE = """body{font:14px/1.4 system-ui,sans-serif;margin:2em;max-width:75em}table{border-collapse:collapse}
td,th{padding:.15em .5em;text-align:left;border-bottom:1px solid #ddd}
.bar{display:inline-block;height:.7em;background:#3a7}
.A,.yes{color:#283}.B,.C,.part{color:#a60}.F{color:#c22;font-weight:bold}
pre{font-size:12px;background:#f6f6f6;padding:1em}"""


def html(out):
    """A page that needs nothing else."""
    body = f"<h1>exblas grade</h1><p>{out['mode']}, seed {out['seed']}, {out['machine']}</p>"
    for g in out["libraries"]:
        body += f"<h2>{escape.escape(g['name'])}</h2><p>{escape.escape(g['library'])}</p><table><tr>" + "".join(
            f"<th>{n}" for n in ("routine", "types", "grade", "ulps", "rounded", *NOTES, "findings")) + "</tr>"
        for base, group in rows(g):
            worst, part = max(r["grade"] for r in group), share(group)
            marks = "".join(f"<td class={'yes' if t == '✓' else 'part'}>{t}" for t in (note(group, n) for n in NOTES))
            body += (f"<tr><td>{base}<td>{''.join(r['type'] for r in group)}<td class={worst}>{worst}"
                     f"<td>{max(r['ulps'] for r in group):.3g}<td><span class=bar style='width:{part or 0:.0f}px'></span>"
                     f" {percent(part)} %{marks}<td>{sum(len(r['findings']) for r in group) or ''}</tr>")
        body += "</table>"
        for r in g["routines"]:
            for f in r["findings"]:
                body += (f"<details><summary>{escape.escape(f['what'])}: {escape.escape(f['text'])}</summary>"
                         f"<pre>{escape.escape(f['program'])}</pre></details>")
    return f"<!doctype html><meta charset=utf-8><title>exblas grade</title><style>{STYLE}</style>{body}\n"
