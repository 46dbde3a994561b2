#!/usr/bin/env python3
"""test_netlib.py HANDLERS SHIM: the drop-in object beside netlib's own BLAS. For every combination of good and bad
arguments both report the same argument, of the same routine, in the same way, to the same one of the program's
handlers, with the same RowMajorStrg and CBLAS_CallFromC. Reports in TAP."""
import ctypes
import glob
import itertools
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python"))
import tap  # noqa: E402

NETLIB = glob.glob("/usr/lib/*/blas/libblas.so.3")
if not NETLIB:
    tap.skip("netlib's BLAS is not installed")
handlers = ctypes.CDLL(sys.argv[1], mode=os.RTLD_GLOBAL)  # before either, so that both find them
libraries = [ctypes.CDLL(path) for path in (NETLIB[0], sys.argv[2])]
reports = (ctypes.c_char * 256).in_dll(handlers, "reports")
flags = [ctypes.c_int.in_dll(handlers, name) for name in ("RowMajorStrg", "CBLAS_CallFromC")]

# Kinds of options behind the layout, and arguments: m n k dimensions, x y z strides, a b c arrays, 1 and 0 scalars.
ROUTINES = {"gemm": ("tt", "mnk1axby0cz"), "gemv": ("t", "mn1axby0cz"), "trsv": ("utd", "maxcy"),
            "syrk": ("ut", "mn1ax0cy")}
# Some that CBLAS does not know; as letters of Fortran.
OPTIONS = {"l": (101, 102, 100), "t": (111, 112, 113, 114, 78), "u": (121, 122, 120), "d": (131, 132, 133)}
LETTERS = {111: b"N", 112: b"t", 113: b"C", 121: b"u", 122: b"L", 131: b"n", 132: b"U"}
VALUES = {letter: (0, 1, 3, -1) for letter in "mnk"} | {letter: (0, 1, 2, 3, -2) for letter in "xyz"}
ARRAYS = {letter: (ctypes.c_double * 64)(*[1] * 64) for letter in "abc"}
SCALARS = {"0": ctypes.c_double(0), "1": ctypes.c_double(1)}
INTEGERS = {value: ctypes.c_int(value) for values in VALUES.values() for value in values}
# Where netlib's row-major branches name the wrong option: a bad transb of gemm as 2, a bad uplo of syrk as 3.
SLIPS = {("cblas_xerbla(2, cblas_dgemm); ", "cblas_xerbla(3, cblas_dgemm); "),
         ("cblas_xerbla(3, cblas_dsyrk); ", "cblas_xerbla(2, cblas_dsyrk); ")}


def listen(function, arguments):
    """What the program's handlers heard."""
    reports.value = b""
    function(*arguments)
    assert not any(flag.value for flag in flags)
    return reports.value.decode()


def different(name, step):
    """How many calls were reported, and those that the two report in different ways."""
    kinds, words = ROUTINES[name]
    by_c, by_fortran = ([getattr(library, form.format(name)) for library in libraries]
                        for form in ("cblas_d{}", "d{}_"))
    varying = [w for w in words if w in VALUES]
    every = itertools.product(*(OPTIONS[k] for k in "l" + kinds), *(VALUES[w] for w in varying))
    n_reported, wrong = 0, []
    for combination in itertools.islice(every, 0, None, step):
        options, values = combination[:len(kinds) + 1], dict(zip(varying, combination[len(kinds) + 1:]))
        by_value = [values[w] if w in values else ARRAYS.get(w) or SCALARS[w] for w in words]
        by_address = [INTEGERS[values[w]] if w in values else ARRAYS.get(w) or SCALARS[w] for w in words]
        calls = ((by_c, [*options, *by_value]), (by_fortran, [
            *(LETTERS.get(o, b"?") for o in options[1:]), *map(ctypes.byref, by_address)]))
        for functions, arguments in calls:
            theirs, ours = (listen(f, arguments) for f in functions)
            n_reported += theirs != ""
            if theirs != ours and not (options[0] == 101 and functions is by_c and (theirs, ours) in SLIPS):
                wrong.append(f"{combination}: netlib {theirs} ours {ours}")
    return n_reported, wrong[:10]


for routine in ROUTINES:
    number, faults = different(routine, 7 if routine == "gemm" else 1)
    tap.check(f"{routine}: the same reports", (number > 1000, faults), (True, []))
tap.finish()
