"""pblas_program.py ROWS COLUMNS [unequal]: a program for ScaLAPACK that knows nothing of this library. It factors one
matrix of order 150 on the grid that its arguments give, and prints a hash of the factors and of the solution; or
multiplies with another option on one process.

Environment: TEST_SCALAPACK."""
import ctypes
import os
import sys
from ctypes import byref, c_double, c_int, c_int64

N, BLOCK = 150, 16
ctypes.CDLL(os.environ["TEST_SCALAPACK"], ctypes.RTLD_GLOBAL)
lib = ctypes.CDLL(None)
shape = [int(word) for word in sys.argv[1:3]]
context, place, info, one, n = c_int(), (c_int * 4)(), c_int(), byref(c_int(1)), byref(c_int(N))
lib.blacs_pinfo_(byref(c_int()), byref(c_int()))
lib.blacs_get_(byref(c_int(-1)), byref(c_int(0)), byref(context))
lib.blacs_gridinit_(byref(context), b"R", *(byref(c_int(size)) for size in shape))
lib.blacs_gridinfo_(byref(context), *(byref(place, 4 * i) for i in range(4)))
rows, columns = ([i for i in range(N) if i // BLOCK % parts == part] for parts, part in zip(shape, place[2:]))
desc = (c_int * 9)(1, context.value, N, N, BLOCK, BLOCK, 0, 0, len(rows) + 1)


def element(i, j, is_symmetric):
    """Between -1 and 1, and heavy on the diagonal if it has to be positive definite."""
    a, b = (j, i) if is_symmetric and i < j else (i, j)
    x = (a * N + b + 1) * 0x9e3779b97f4a7c15 % 2**64
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9 % 2**64
    return c_int64(x).value * 2.0**-63 + (30 if is_symmetric and i == j else 0)


def matrix(n_columns, is_symmetric=False):
    a = (c_double * ((len(rows) + 1) * N))()
    for at, j in enumerate(columns):
        for k, i in enumerate(rows if j < n_columns else ()):
            a[k + at * (len(rows) + 1)] = element(i, j, is_symmetric)
    return a


def hash_of(a, n_columns, is_symmetric=False):
    """A sum that does not depend on who has what: of element bits times odd numbers that stand for their places. Of a
    symmetric matrix, the lower triangle."""
    own = 0
    for at, j in enumerate(columns):
        for k, i in enumerate(rows if j < n_columns else ()):
            bits = int.from_bytes(bytes(c_double(a[k + at * (len(rows) + 1)])), "little")
            own += (bits ^ bits >> 31) * (2 * (i + j * N) + 1) * (i >= j or not is_symmetric)
    parts = (c_int * 4)(*(own % 2**64 >> shift & 0xffff for shift in (0, 16, 32, 48)))
    lib.igsum2d_(byref(context), b"All", b" ", byref(c_int(4)), one, parts, byref(c_int(4)), byref(c_int(-1)),
                 byref(c_int(-1)))
    return sum(part << 16 * k for k, part in enumerate(parts)) % 2**64


a, b = matrix(N), matrix(1)
if sys.argv[3:]:
    trans = b"NT"[place[3] == 1:][:1]
    lib.pdgemm_(trans, b"N", n, n, n, byref(c_double(1)), a, one, one, desc, a, one, one, desc, byref(c_double(1)), b,
                one, one, desc)
lib.pdgesv_(n, one, a, one, one, desc, (c_int * (N + BLOCK))(), b, one, one, desc, byref(info))
hashes = [hash_of(a, N), hash_of(b, 1)]
a = matrix(N, True)
lib.pdpotrf_(b"L", n, a, one, one, desc, byref(info))
hashes.append(hash_of(a, N, True))
if list(place[2:]) == [0, 0]:
    print("hashes", *(f"{h:016x}" for h in hashes))
lib.blacs_exit_(byref(c_int(0)))
