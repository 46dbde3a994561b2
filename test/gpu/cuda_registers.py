#!/usr/bin/env python3
"""cuda_registers.py [--table] LIST TABLE [USAGE...]: kernels take no more of a multiprocessor than TABLE says.

USAGE are the remarks of ptxas (-Xptxas -v), a file for each program of the list of instances (instances.txt), named
after it. TABLE has a row for each kernel: registers for doubles and for floats, bytes of the stack, each the most of a
kernel's instances, on sm_90. Every kernel has a row that is not exceeded, and no row is of another kernel. Nothing,
kernel or function, spills on any architecture that the remarks are of. --table prints the rows. Without USAGE:
skipped. Prints TAP."""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
arguments = [a for a in sys.argv[1:] if a != "--table"]
LIST, TABLE, USAGE = pathlib.Path(arguments[0]), pathlib.Path(arguments[1]), [pathlib.Path(a) for a in arguments[2:]]
sys.path.insert(0, str(LIST.parent))
import instances  # noqa: E402

ENTRY = re.compile(
    r"for 'sm_90'\nptxas info\s*: Function properties for _ZN(\d+)instance_(\w+)\n\s*(\d+) bytes stack frame.*\n"
    r".*?Used (\d+) registers")
COMPILED = re.compile(r"for '(sm_\w+)'")
SPILLS = re.compile(r"Function properties for (\w+)\n.* (\d+) bytes spill stores, (\d+) bytes spill loads")
ROW = re.compile(r"^\| `([^`]+)` \| (\d+) \| (\d+) \| (\d+) \|$", re.M)
COLUMNS = ("registers for doubles", "registers for floats", "bytes of stack")


def row_name(kernel, options):
    """Those of complex elements differ."""
    return f"{kernel}, complex" if "EXB_PARTS=2" in options else kernel


def parts_of(length, mangled):
    """The number and the name in 14residue_finish... behind _ZN11instance_15: lengths come before names."""
    n_digits = int(length) - len("instance_")
    number, rest = mangled[:n_digits], mangled[n_digits:].lstrip("L")
    name_length = re.match(r"\d+", rest)[0]
    return int(number), rest[len(name_length):len(name_length) + int(name_length)]


def measured(programs):
    rows = {}
    for path in USAGE:
        options = programs[path.name.split(".")[0]]
        for length, mangled, stack, registers in ENTRY.findall(path.read_text()):
            number, kernel = parts_of(length, mangled)
            is_s = "EXB_IS_S=1" in options[number]
            row = rows.setdefault(row_name(kernel, options[number]), [0, 0, 0])
            new = [0 if is_s else registers, registers if is_s else 0, stack]
            row[:] = [max(a, int(b)) for a, b in zip(row, new)]
    return rows


def spills(remarks):
    """The architectures; of what spills on one of them its name, the architecture and how many bytes."""
    found, architecture, seen = [], "", set()
    for entry in re.split(r"(?=ptxas info\s*: (?:Compiling entry|Function properties))", remarks):
        compiled, properties = COMPILED.search(entry), SPILLS.search(entry)
        architecture = compiled[1] if compiled else architecture
        seen.add(architecture)
        n_bytes = int(properties[2]) + int(properties[3]) if properties else 0
        if n_bytes > 0:
            found.append((properties[1], architecture, n_bytes))
    return seen - {""}, found


def report_spills(number):
    seen, found = set(), []
    for path in USAGE:
        program = path.name.split(".")[0]
        architectures, all_of_them = spills(path.read_text())
        seen |= architectures
        found += [f"{program}: {name} on {architecture}: {n} bytes" for name, architecture, n in all_of_them]
    failed = bool(found) or not seen
    print(f"{'not ok' if failed else 'ok'} {number} - nothing spills on {', '.join(sorted(seen))}"
          + "".join(f"\n# {w}" for w in found))
    return failed


def main():
    if not USAGE:
        print("1..0 # SKIP nvcc is not here, or libexblas_cuda is not built")
        return 0
    programs = instances.read(LIST)
    rows = measured(programs)
    if "--table" in sys.argv:
        for name, row in sorted(rows.items()):
            print(f"| `{name}` | " + " | ".join(map(str, row)) + " |")
        return 0
    limits = {name: list(map(int, row)) for name, *row in ROW.findall(TABLE.read_text())}
    failed = 0
    for i, name in enumerate(sorted(rows.keys() | limits.keys()), 1):
        limit, row = limits.get(name), rows.get(name)
        wrong = ["there is no such row"] if not limit else ["there is no such kernel"] if not row else [
            f"{m} {what}, not {most}" for m, most, what in zip(row, limit, COLUMNS) if m > most]
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {i} - {name}" + "".join(f"\n# {w}" for w in wrong))
    n = len(rows.keys() | limits.keys()) + 1
    failed += report_spills(n)
    print(f"1..{n}")
    return failed != 0


sys.exit(main())
