"""Two tables of what was last tested where:

    tested.py COLUMN ISA...             doc/testing.md: today's date and the commit of the tree
    tested.py PROCESSOR SYSTEM ran|linked    README.md: the same behind what was done

Rows of the first are the instruction sets of lib/core/kernels.c; what is emulated there (`amx-emulated`)
stands in the row of what it emulates."""
import datetime
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, PLATFORMS = "doc/testing.md", "README.md"
BEGIN, END = "<!-- tools/lib/tested.py writes this table -->\n", "<!-- its end -->\n"
COLUMNS = ["native", "Bochs", "qemu", "in C"]
SYSTEMS = ["Linux with musl", "Windows", "FreeBSD", "macOS"]
PROCESSORS = ["x86-64", "AArch64"]
NEVER = "–"


def isas(root=ROOT):
    """Each once, in the order of the tables of kernels."""
    table = (root / "lib/core/kernels.c").read_text()
    names = re.findall(r'\{"([\w-]+)", &exb_kernels', table)
    return [n for n in dict.fromkeys(names) if "emulated" not in n]


def shape(page, root=ROOT):
    """What the rows are called, the rows, the columns and the form of a cell."""
    form = r"\d{4}-\d\d-\d\d [0-9a-f]{7,}"
    if page == PAGE:
        return "instruction set", isas(root), COLUMNS, form
    return "system", SYSTEMS, PROCESSORS, "(ran|linked) " + form


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def render(page, cells, root=ROOT):
    """cells: by row, by column."""
    what, _, columns, _ = shape(page, root)
    text = row([what, *columns]) + "|---" * (len(columns) + 1) + "|\n"
    return text + "".join(row([name, *(of.get(c, NEVER) for c in columns)]) for name, of in cells.items())


def block(text):
    """What stands before the table, the table, and the rest."""
    before, rest = text.split(BEGIN)
    table, after = rest.split(END)
    return before + BEGIN, table, END + after


def read(page, root=ROOT):
    _, rows, columns, _ = shape(page, root)
    cells = {name: {} for name in rows}
    for line in block((root / page).read_text(encoding="utf-8"))[1].splitlines()[2:]:
        name, *found = [c.strip() for c in line.strip("|").split("|")]
        cells[name] = {c: text for c, text in zip(columns, found) if text != NEVER}
    return cells


def wrong(page, root=ROOT):
    """What is wrong with the table of a page, or nothing."""
    _, rows, _, form = shape(page, root)
    cells = read(page, root)
    if list(cells) != rows:
        return f"rows are not {', '.join(rows)}"
    if render(page, cells, root) != block((root / page).read_text(encoding="utf-8"))[1]:
        return "not as tools/lib/tested.py writes it"
    bad = [text for of in cells.values() for text in of.values() if not re.fullmatch(form, text)]
    return f"not a date and a commit: {bad[0]}" if bad else ""


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def record(column, names, done=""):
    if git("status", "--porcelain", "--untracked-files=no", "--", "lib", "test", "include"):
        sys.exit("nothing is recorded: lib/, test/ or include/ differ from the commit; commit first")
    page = PLATFORMS if done else PAGE
    text, cells = (ROOT / page).read_text(encoding="utf-8"), read(page)
    before, _, after = block(text)
    now = f"{done} {datetime.date.today()} {git('rev-parse', '--short=7', 'HEAD')}".strip()
    for name in names:
        base = name if done else re.sub("-emulated.*", "", name)
        cells[base]["in C" if base != name else column] = now
    (ROOT / page).write_text(before + render(page, cells) + after, encoding="utf-8")


def main(arguments):
    column, *names = arguments or [""]
    if column in COLUMNS and names and set(names) <= set(isas()):
        record(column, names)
    elif column in PROCESSORS and len(names) == 2 and names[0] in SYSTEMS and names[1] in ("ran", "linked"):
        record(column, names[:1], names[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
