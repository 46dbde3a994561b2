"""A program that knows nothing of ExBLAS: each process has a share of two vectors, and adds up dot products, sums of
magnitudes and squares of norms, as solvers do. Prints the bits of the sums."""
import os
from ctypes import byref, c_double, c_float, c_void_p

from over_mpi import (IN_PLACE, RANK, REAL, ROOT_HERE, SIZE, SUM, WORLD, Handle, answer, elements, lib, mpi)

N, DOUBLE = 1000, REAL[c_double]
lib.cblas_ddot.restype = lib.cblas_dasum.restype = lib.cblas_dnrm2.restype = c_double
lib.cblas_sdot.restype = c_float
# Elements i = rank, rank + size, ... of vectors whose products cancel.
own = range(RANK, N, SIZE)
x = elements(c_double, [(-1.0 if i % 2 else 1.0) / (i // 2 + 3) for i in own])
y = elements(c_double, [1e7 / (i // 2 + 1) + (1e-6 / (i + 1) if i % 2 else 0) for i in own])
narrow_x, narrow_y = elements(c_float, x), elements(c_float, y)
n = len(own)


def finish(request):
    mpi("Wait", byref(request), (c_double * 8)())


def add_up():
    request, unused, squares, everything = Handle(), (c_double * 2)(), c_double(), (c_double * 3)()
    narrow = c_float(lib.cblas_sdot(n, narrow_x, 1, narrow_y, 1))
    sums = elements(c_double, [lib.cblas_ddot(n, x, 1, y, 1), lib.cblas_dasum(n, x, 1), lib.cblas_dnrm2(n, y, 1)**2])
    for k in range(20):  # the dot products that it calls itself are nobody's shares
        lib.cblas_zdotu_sub(4, byref(x, 8 * k), 1, y, 1, unused)
    mpi("Allreduce", sums, everything, 3, DOUBLE, SUM, WORLD)
    mpi("Iallreduce", IN_PLACE, byref(narrow), 1, REAL[c_float], SUM, WORLD, byref(request))
    last = c_double(lib.cblas_ddot(n, y, 1, y, 1))
    finish(request)
    mpi("Reduce", byref(last), byref(squares), 1, DOUBLE, SUM, 0, WORLD)
    mpi("Bcast", byref(squares), 1, DOUBLE, 0, WORLD)
    last = c_double(lib.cblas_dasum(n, x, 0))
    mpi("Allreduce", IN_PLACE, byref(last), 1, DOUBLE, SUM, WORLD)
    if last.value != 0:
        print("sums of nothing:", last.value.hex())
    line = " ".join(value.hex() for value in (*everything, narrow.value, squares.value))
    os.write(1, f"{line}\n".encode())  # at once, beside those of others


def add_up_between():
    """Process 0 gets a sum of the others, where its own buffer means nothing."""
    given, sums, request = c_void_p(16) if RANK == 0 else byref(c_double(1)), (c_double * 2)(), Handle()
    half = answer("Comm_split", WORLD, int(RANK == 0), RANK, kind=Handle)
    between = answer("Intercomm_create", half, 0, WORLD, int(RANK == 0), 7, kind=Handle)
    root = ROOT_HERE if RANK == 0 else 0
    mpi("Reduce", given, sums, 1, DOUBLE, SUM, root, between)
    mpi("Ireduce", given, byref(sums, 8), 1, DOUBLE, SUM, root, between, byref(request))
    finish(request)
    if RANK == 0 and list(sums) != [SIZE - 1] * 2:
        print("between:", *sums)
    for comm in (between, half):
        mpi("Comm_free", byref(comm))


add_up()
if SIZE > 1:
    add_up_between()
mpi("Finalize")
