#!/usr/bin/env python3
"""lapack_sources.py SOURCE [ROUTINE...]: the files of a Reference-LAPACK's library, one a line.

They are those that its SRC/Makefile lists, but for what needs XBLAS and what a BLAS brings along
(XERBLA, LSAME). With routines: those that have these or what they name.
"""
import pathlib
import re
import sys

OF_BLAS = {"xerbla", "xerbla_array", "lsame"}
TIMER = "INT_ETIME"  # the kind of clock that gfortran has


def listed(makefile):
    """The objects that the variables of a makefile name."""
    text = makefile.read_text(encoding="utf-8").replace("\\\n", " ")
    for name, value in re.findall(r"^(\w+) *=(.*)$", text, re.M):
        if not name.endswith("XLASRC"):
            yield from re.findall(r"(\S+)\.o\b", value.replace("$(TIMER)", TIMER))


def named(path):
    """The words of a file, comments left out."""
    lines = path.read_text(encoding="utf-8", errors="replace").lower().splitlines()
    fixed = path.suffix in (".f", ".F")
    kept = [line.split("!")[0] for line in lines if not (fixed and line[:1] in ("*", "c"))]
    return set(re.findall(r"[a-z]\w*", "\n".join(kept)))


def reached(files, routines):
    """The files of routines, of what these name, and so on."""
    by_stem = {f.stem.lower(): f for f in files}
    found, ahead = set(), [by_stem[r] for r in routines]
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            ahead += [by_stem[word] for word in named(path) & by_stem.keys()]
    return found


def main(source, *routines):
    folder = pathlib.Path(source, "SRC").resolve()
    found = set()
    for stem in sorted(set(listed(folder / "Makefile"))):
        if pathlib.Path(stem).name in OF_BLAS:
            continue
        files = [folder / (stem + end) for end in (".f", ".F", ".f90", ".F90")]
        found.add(next(f.resolve() for f in files if f.exists()))
    if routines:
        found = reached(found, routines)
    print("\n".join(str(f) for f in sorted(found)))


if __name__ == "__main__":
    main(*sys.argv[1:])
