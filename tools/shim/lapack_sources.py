#!/usr/bin/env python3
"""lapack_sources.py SOURCE: the files of a Reference-LAPACK's library, one a line.

They are those that its SRC/Makefile lists, but for what needs XBLAS and what a BLAS brings along
(XERBLA, LSAME).
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


def main(source):
    folder = pathlib.Path(source, "SRC").resolve()
    found = set()
    for stem in sorted(set(listed(folder / "Makefile"))):
        if pathlib.Path(stem).name in OF_BLAS:
            continue
        files = [folder / (stem + end) for end in (".f", ".F", ".f90", ".F90")]
        found.add(next(f.resolve() for f in files if f.exists()))
    print("\n".join(str(f) for f in sorted(found)))


if __name__ == "__main__":
    main(*sys.argv[1:])
