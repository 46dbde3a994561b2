#!/usr/bin/env python3
"""The sources of the library, from the folders of lib/.

    sources.py once SYSTEM      files that are compiled once for an operating system (Meson's name of it)
    sources.py type T           files that are compiled for type T (s, d, c, z; b, h, sb, sh of 16 bits)
    sources.py kernels ISA      kernels that are compiled once for an instruction set
    sources.py kernels ISA T    kernels that are compiled for an instruction set and type T
    sources.py --help

A file says in the comment at its head what it is compiled for: `Types: s d.`, `Systems: linux.` if not
for all, and a kernel that is not for every instruction set, `Instruction sets: avx512vnni.` Kernels are the files in folders
called kernels. Prints paths below lib/, one a line.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent
FOLDERS = ("core", "observe", "element", "acc", "level1", "level2", "level3", "half", "sparse", "lapack")


def marked(text, mark):
    """The words after `mark: ` in the comment at the head of a file, or none."""
    head = text.split("*/", 1)[0] if text.startswith("/*") else ""
    found = re.search(rf"\b{mark}: ([\w -]+)\.", head)
    return found.group(1).split() if found else []


def sources():
    """Path, types, instruction sets, systems and whether it is a kernel, of every source."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.c")):
            text = path.read_text(encoding="utf-8")
            yield (path.relative_to(ROOT).as_posix(), marked(text, "Types"),
                   marked(text, "Instruction sets"), marked(text, "Systems"), path.parent.name == "kernels")


def wanted(arguments):
    kind, *rest = arguments
    for path, types, isas, systems, is_kernel in sources():
        if is_kernel != (kind == "kernels"):
            continue
        if kind == "once" and not types and (not systems or rest[0] in systems):
            yield path
        if kind == "type" and rest[0] in types:
            yield path
        if kind == "kernels" and (rest[0] in isas if isas else rest[0] in BASES):
            if types == [] if len(rest) == 1 else rest[1] in types:
                yield path


# Instruction sets that every kernel is compiled for; others only add kernels to one of these.
BASES = ("generic", "avx2", "avx512", "neon")


def main(arguments):
    if arguments in ([], ["--help"]):
        print(__doc__, end="")
        return 0 if arguments else 2
    sizes = {"once": (2,), "type": (2,), "kernels": (2, 3)}
    if len(arguments) not in sizes.get(arguments[0], ()):
        print(f"sources.py: not understood: {' '.join(arguments)}", file=sys.stderr)
        return 2
    print("\n".join(wanted(arguments)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
