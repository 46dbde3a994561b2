"""PBLAS with another argument on one process: an error with the argument's number on all, nothing written, nobody
waits."""
import signal
from ctypes import c_double, c_int

from grids import Grid, call, in_one_piece
from over_mpi import RANK, WORLD, check, elements, mpi, output, run

N, BLOCK, SECONDS = 256, 16, 150
# The position that is reported, the routine, and what differs: an argument, of a matrix also a field or a number in its
# descriptor; 0: the routine.
DIFFERENT = (
    (1, "gemm", "transa", "T"), (2, "gemm", "transb", "C"), (3, "gemm", "m", -1), (4, "gemm", "n", -1),
    (5, "gemm", "k", -1), (6, "gemm", "alpha", 0), (8, "gemm", "a", "i", 2), (9, "gemm", "a", "j", 2),
    (10, "gemm", "a", 4, BLOCK // 2), (10, "gemm", "a", 5, BLOCK // 2), (15, "gemm", "beta", 0),
    (0, "gemm", "symm"), (1, "symm", "side", "R"), (2, "symm", "uplo", "U"), (1, "syrk", "uplo", "U"),
    (2, "syrk", "trans", "T"), (1, "trsm", "side", "R"), (3, "trsm", "trans", "T"), (4, "trsm", "diag", "U"),
    (7, "trsm", "alpha", 0), (1, "gemv", "trans", "T"), (14, "gemv", "beta", 0), (13, "gemv", "x", "inc", N),
    (1, "symv", "uplo", "U"), (2, "trsv", "trans", "T"))
OF_ONE_COLUMN = ((1, "nrm2", "n", -1), (4, "nrm2", "x", "i", 2), (1, "dot", "n", -1), (1, "amax", "n", -1),
                 (6, "amax", "x", "j", 2))
unit, twos = [float(i // N == i % N) for i in range(N * N)], [2.0] * N * N
memory = [elements(c_double, values) for values in (unit, unit, twos)]
untouched = [bytes(local) for local in memory]


def arguments(grid, n):
    """Vectors are columns of b and c; what nrm2 and amax read is one of them."""
    q = {name: in_one_piece(grid, memory["abcbc".index(name) if name in "abc" else 1 + (name == "y")], N, BLOCK, N)
         for name in "abcxy"}
    q.update(transa="N", transb="N", side="L", uplo="L", trans="N", diag="N", m=n, n=n, k=n, result=(c_double * 1)(),
             index=(c_int * 1)(), alpha=elements(c_double, [1]), beta=elements(c_double, [1]))
    return q


def make_different(q, name, *value):
    if len(value) > 1 and isinstance(value[0], int):
        q[name].desc[value[0]] = value[1]
    elif len(value) > 1:
        setattr(q[name], *value)
    elif name in ("m", "n", "k"):
        q[name] -= 1
    else:
        q[name] = elements(c_double, value) if name in ("alpha", "beta") else value[0]


def expect(grid, n, position, routine, *different):
    q = arguments(grid, n)
    if RANK == 1 and len(different) > 1:
        make_different(q, *different)
    text = output(lambda: call("d" + (different[0] if RANK == 1 and len(different) == 1 else routine), q))
    words = f"argument {position} is not the same on all processes"
    words = words if position else "other processes call another routine"
    check(f": {words}; nothing was computed\n" in text, routine, *different, text)
    check([bytes(local) for local in memory] == untouched, routine, *different)
    mpi("Barrier", WORLD)


def other_arguments():
    for shape in ((2, 2), (1, 4), (4, 1)):
        grid = Grid(*shape)
        for n in (4 * BLOCK, N - BLOCK):
            for case in DIFFERENT + (OF_ONE_COLUMN if shape == (4, 1) else ()):
                expect(grid, n, *case)
        grid.close()


def arguments_that_may_differ():
    grid = Grid(2, 2)
    q = arguments(grid, 4 * BLOCK)
    q["a"].desc[8] = q["c"].desc[8] = N - RANK  # the leading dimension
    q["transa"] = "nN"[RANK % 2]
    check(output(lambda: call("dgemm", q)) == "")
    grid.close()


signal.alarm(SECONDS)
run(other_arguments, arguments_that_may_differ)
