#!/usr/bin/env python3
"""symbols.py NM LIBRARY SHIM NAMES SHIM-NAMES HEADER...: what the library and the drop-in
object export is what the list of routines and the public headers say. Reports in TAP."""
import re
import subprocess
import sys

from tap import report


def exports(nm, library):
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    fields = [line.split() for line in lines]
    return {f[-1].split("@")[0]: f[-1] for f in fields if f[-2] != "A"}


def declared(headers):
    """The exblas_* functions that the headers declare."""
    names = set()
    for header in headers:
        text = re.sub(r"/\*.*?\*/", "", open(header).read(), flags=re.S)
        names |= set(re.findall(r"EXBLAS_API[^;(]*?\b(exblas_\w+)\s*\(", text))
    return names


def compare(title, have, wanted):
    report(title, sorted({f"missing: {n}" for n in wanted - have} | {f"surplus: {n}" for n in have - wanted}))


def main():
    nm, library, shim, names, shim_names, *headers = sys.argv[1:]
    print("1..3")
    have = exports(nm, library)
    private = {n for n, full in have.items() if full.endswith("EXBLAS_PRIVATE")}
    public = set(have) - private
    wanted = set(open(names).read().split()) | declared(headers)
    compare("public names", public, wanted)
    report("private names are entries and option letters",
           [n for n in private if not re.fullmatch(r"exb_(entry|watched)_\w+|exb_\w+_of|exb_watch_(begin|end|load)|exb_report_(lapack|own|distributed|sent)|exb_lapack_passed|exb_region_(check|spoil)|exb_watching|exb_routines|exb_method_(current|find)|exb_own_object|exb_objects_(visit|hold|release|at)|exb_config_get|exb_memory_limit", n)])
    wanted = set(open(shim_names).read().split()) | {"xerbla_", "xerbla_64_", "cblas_xerbla", "RowMajorStrg",
                                                      "CBLAS_CallFromC"}
    compare("drop-in names", set(exports(nm, shim)), wanted)


if __name__ == "__main__":
    main()
