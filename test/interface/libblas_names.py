#!/usr/bin/env python3
"""libblas_names.py NM REFUSED SUBROUTINE-NAMES (OBJECT NAMES)...: a drop-in object exports what the list of routines
says and netlib's helpers, and with them every name of the libraries installed here whose place it takes, but for those
that the list REFUSED gives a reason for. Reports in TAP."""
import glob
import os
import re
import sys

import symbols
import tap

HELPERS = set("""scabs1_ dcabs1_ cblas_scabs1 cblas_dcabs1 scabs1sub_ dcabs1sub_ lsame_ xerbla_
                 xerbla_array_ cblas_xerbla RowMajorStrg CBLAS_CallFromC""".split())
OPENBLAS = {f"{of}_{name}" for of in ("openblas", "goto") for name in ("set_num_threads", "get_num_procs")} | {
    f"openblas_{name}" for name in """get_num_threads get_parallel get_config get_corename set_num_threads_
                                      get_num_threads_ get_num_procs_ get_parallel_""".split()} | {
    f"cblas_{t}dot{form}" for t in "cz" for form in "cu"}
# Who has a library of that name, wherever distributions put it.
PLACES = {"libblas.so.3": ("blas/libblas.so.3", "blis*/libblas.so.3", "atlas/lib*blas.so.3"),
          "libblas64.so.3": ("blas64/libblas64.so.3",),
          "libopenblas.so.0": ("openblas*/libopenblas.so.0", "openblas*/libblas.so.3")}


def read_refused(path):
    """Patterns of names; each line is a pattern and a reason."""
    with open(path) as f:
        lines = [line.split(None, 1) for line in f if line.strip() and line[0] != "#"]
    return [re.compile(line[0]) for line in lines if len(line) == 2]


def lapack(nm):
    """Its names are in another library, which libopenblas.so.0 brings."""
    found = glob.glob("/usr/lib/*/lapack/liblapack.so.3")
    return set(symbols.exports(nm, found[0])) if found else set()


def compare(nm, have, place, refused):
    """What a header or Fortran can name: inside of OpenBLAS there is far more."""
    missing, names = set(), {n for n in symbols.exports(nm, place) if re.fullmatch("(cblas|LAPACKE|openblas|goto)_.*|.*_", n)}
    for name in names - have:
        if not any(p.fullmatch(name) for p in refused):
            missing.add(f"missing: {name}")
    n_refused = len(names - have) - len(missing)
    tap.report(f"{place}: {len(names)} names, {n_refused} refused", sorted(missing))


def main():
    nm, refused, subroutine_names, *rest = sys.argv[1:]
    common = set(open(subroutine_names).read().split()) | HELPERS
    refused = read_refused(refused)
    for library, names in zip(rest[::2], rest[1::2]):
        name = os.path.basename(library)
        is_openblas = name == "libopenblas.so.0"
        have = set(symbols.exports(nm, library))
        wanted = set(open(names).read().split()) | common | (OPENBLAS if is_openblas else set())
        symbols.compare(f"{name}: names", have, wanted)
        beside = lapack(nm) if is_openblas else set()
        for place in sorted({p for pattern in PLACES[name] for p in glob.glob("/usr/lib/*/" + pattern)}):
            compare(nm, have | beside, place, refused)
    print(f"1..{tap.number}")


main()
