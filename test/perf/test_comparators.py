#!/usr/bin/env python3
"""test_comparators.py EXBLAS-BENCH: the methods that the benchmarks compare with, for each instruction set, are within
the bounds of their papers. Reports in TAP."""
import ctypes
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bindings/python"))
import tap  # noqa: E402

native = ctypes.CDLL(os.path.join(os.path.dirname(sys.argv[1]), "libexblas_bench.so"))
DOUBLE, VECTOR = ctypes.c_double, ctypes.POINTER(ctypes.c_double)
for of_exblas in (native.exblas_acc_to_double, native.exdsum_, native.exdasum_, native.exdnrm2_, native.exddot_):
    of_exblas.restype = DOUBLE
SUM, DOT = ctypes.CFUNCTYPE(DOUBLE, ctypes.c_int64, VECTOR), ctypes.CFUNCTYPE(DOUBLE, ctypes.c_int64, VECTOR, VECTOR)
# As comparators.h has them.
METHODS = {"plain": {"sum": SUM, "asum": SUM, "sumsq": SUM, "dot": DOT},
           "comparators": {"pairwise": SUM, "neumaier": SUM, "two_pass": SUM, "binned2": SUM, "binned3": SUM,
                           "dot2": DOT}}
SIZES = (0, 1, 2, 7, 8, 9, 31, 32, 33, 127, 129, 1000, 4095, 4096, 4097, 8193, 20000)
KINDS = ("uniform", "normal", "exp(2 normal)", "10^60", "condition 2^60", "integers of 11 bits")
U = 2.0**-53


def methods(isa):
    found = {}
    for table, types in METHODS.items():
        places = (ctypes.c_void_p * len(types)).in_dll(native, f"{table}_{isa}")
        found |= {name: kind(place) for (name, kind), place in zip(types.items(), places)}
    return found


def error(result, n, x, y=None):
    """|result - exact|, where the exact value is the sum of x or of x y."""
    sum_of, size = ctypes.create_string_buffer(4096), ctypes.c_int64(n)
    native.exblas_acc_init(sum_of)
    if y is None:
        native.exblas_acc_add_vector(sum_of, size, x, ctypes.c_int64(1))
    else:
        native.exblas_acc_add_dot(sum_of, size, x, ctypes.c_int64(1), y, ctypes.c_int64(1))
    native.exblas_acc_sub(sum_of, DOUBLE(result))
    return abs(native.exblas_acc_to_double(sum_of))


def by(function, n, *vectors):
    """ExBLAS's own."""
    one = ctypes.byref(ctypes.c_int(1))
    return function(ctypes.byref(ctypes.c_int(n)), *(word for v in vectors for word in (v, one)))


def beyond(m, n, x, y):
    """Names of methods whose error is larger than its bound."""
    total, exact, norm = by(native.exdasum_, n, x), abs(by(native.exdsum_, n, x)), by(native.exdnrm2_, n, x)
    terms, most = n + 1.0, max(map(abs, x[:n]), default=0.0)
    products, dot = sum(abs(a * b) for a, b in zip(x[:n], y[:n])), abs(by(native.exddot_, n, x, y))
    # What slice K of a binned sum leaves: half a unit, 2^(1 - 40 (K - 1)) most, or of the lowest bins.
    rounded = 2 * U * exact + 16 * U * U * terms * most
    unit = {k: max(most * 2.0**(2 - 40 * (k - 1)), 2.0**-900) for k in (2, 3)}
    bounds = {"sum": terms * U * total, "pairwise": (math.log2(terms) + 128) * U * total,
              "neumaier": 2 * U * exact + 2 * terms**2 * U**2 * total,
              # What the second slice leaves: at most sigma2 u each, sigma2 <= 64 n^2 u most; and a rounding.
              "two_pass": U * exact + 64 * terms**3 * U**2 * most,
              "binned2": terms * unit[2] + rounded, "binned3": terms * unit[3] + rounded}
    yield from (name for name, bound in bounds.items() if not error(m[name](n, x), n, x) <= bound)
    others = {"asum": (m["asum"](n, x) - total, terms * U * total),
              "sumsq": (math.sqrt(m["sumsq"](n, x)) - norm, 2 * terms * U * norm),
              "dot": (error(m["dot"](n, x, y), n, x, y), 2 * terms * U * products),
              "dot2": (error(m["dot2"](n, x, y), n, x, y), 2 * U * dot + 4 * terms**2 * U**2 * products)}
    yield from (name for name, (off, bound) in others.items() if not abs(off) <= bound)


for isa in ("generic", "avx2", "avx512")[:native.comparators_width() + 1]:
    m, wrong = methods(isa), []
    for kind in KINDS:
        for n in SIZES:
            x, y = ((DOUBLE * max(n, 1))() for _ in range(2))
            for seed, v in enumerate((x, y), 1):
                native.data_fill(kind.encode(), ctypes.c_int64(n), v, ctypes.c_uint64(seed), 0)
            wrong += [f"{name}, {n} of {kind}" for name in beyond(m, n, x, y)]
    tap.check(f"{isa}: errors are within the bounds", wrong, [])
    # Where a plain sum has lost everything.
    z, ones = (DOUBLE * 4)(1, 2.0**60, 1, -2.0**60), (DOUBLE * 4)(1, 1, 1, 1)
    got = [m[name](4, z) for name in ("neumaier", "two_pass", "binned3")] + [m["dot2"](4, z, ones)]
    tap.check(f"{isa}: compensation helps", got, [2.0] * 4)
tap.finish()
