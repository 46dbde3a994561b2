"""The table of doc/testing.md that says what each instruction set was last tested on:

    tested.py COLUMN ISA...   puts today's date and the commit of the tree into it

Rows are the instruction sets of lib/core/kernels.c; what is emulated there (`amx-emulated`) stands in
the row of what it emulates."""
import datetime
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = "doc/testing.md"
BEGIN, END = "<!-- tools/lib/tested.py writes this table -->\n", "<!-- its end -->\n"
COLUMNS = ["native", "Bochs", "qemu", "in C"]
NEVER = "–"


def isas(root=ROOT):
    """Each once, in the order of the tables of kernels."""
    table = (root / "lib/core/kernels.c").read_text()
    names = re.findall(r'\{"([\w-]+)", &exb_kernels', table)
    return [n for n in dict.fromkeys(names) if "emulated" not in n]


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def render(cells):
    """cells: by instruction set, by column."""
    text = row(["instruction set", *COLUMNS]) + "|---" * (len(COLUMNS) + 1) + "|\n"
    return text + "".join(row([isa, *(of.get(c, NEVER) for c in COLUMNS)]) for isa, of in cells.items())


def block(page):
    """What stands before the table, the table, and the rest."""
    before, rest = page.split(BEGIN)
    table, after = rest.split(END)
    return before + BEGIN, table, END + after


def read(page, root=ROOT):
    cells = {isa: {} for isa in isas(root)}
    for line in block(page)[1].splitlines()[2:]:
        name, *found = [c.strip() for c in line.strip("|").split("|")]
        cells[name] = {c: text for c, text in zip(COLUMNS, found) if text != NEVER}
    return cells


def wrong(root=ROOT):
    """What is wrong with the table, or nothing."""
    page = (root / PAGE).read_text(encoding="utf-8")
    cells = read(page, root)
    if list(cells) != isas(root):
        return "rows are not the instruction sets of lib/core/kernels.c"
    if render(cells) != block(page)[1]:
        return "not as tools/lib/tested.py writes it"
    form = re.compile(r"\d{4}-\d\d-\d\d [0-9a-f]{7,}")
    bad = [text for of in cells.values() for text in of.values() if not form.fullmatch(text)]
    return f"not a date and a commit: {bad[0]}" if bad else ""


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def record(column, names):
    if git("status", "--porcelain", "--untracked-files=no", "--", "lib", "test", "include"):
        sys.exit("nothing is recorded: lib/, test/ or include/ differ from the commit; commit first")
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    before, _, after = block(page)
    cells = read(page)
    now = f"{datetime.date.today()} {git('rev-parse', '--short=7', 'HEAD')}"
    for name in names:
        base = re.sub("-emulated.*", "", name)
        cells[base]["in C" if base != name else column] = now
    (ROOT / PAGE).write_text(before + render(cells) + after, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COLUMNS or set(sys.argv[2:]) - set(isas()):
        sys.exit(__doc__)
    record(sys.argv[1], sys.argv[2:])
