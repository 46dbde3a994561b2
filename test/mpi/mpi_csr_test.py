"""Sparse matrices over processes: the bits of the serial product, and the serial solver's history of residuals, in
every layout."""
import math
from ctypes import Structure, byref, c_double, c_int, c_int32, c_int64, c_void_p, cast

from over_mpi import (ERR_ARG, LAYOUTS, RANK, SIZE, SUCCESS, WORLD, Pool, address, check, elements, lib, memory,
                      random_of, rounds, run, shares)

SIDE, BLOCK, HISTORY = 12, 4, 120
N = SIDE * SIDE
CONVERGED, EINVAL = 1, 1


class Options(Structure):
    _fields_ = [("tolerance", c_double), ("most_steps", c_int), ("restart", c_int), ("precondition", c_void_p),
                ("precondition_context", c_void_p), ("dot", c_void_p), ("dot_context", c_void_p), ("step", c_void_p),
                ("step_context", c_void_p), ("history", c_void_p), ("history_size", c_int)]


class Result(Structure):
    _fields_ = [("reason", c_int), ("steps", c_int), ("residual", c_double)]


class Serial(Structure):
    """exblas_dcsr."""
    _fields_ = [("n", c_int32), ("row_start", c_void_p), ("column", c_void_p), ("value", c_void_p)]


class Rows:
    """A matrix of rows of (column, value), whole on each process."""

    def __init__(self, rows):
        self.m = len(rows)
        start = [0]
        for row in rows:
            start.append(start[-1] + len(row))
        self.start, self.column = elements(c_int64, start), elements(c_int64, [j for row in rows for j, _ in row])
        self.value = elements(c_double, [x for row in rows for _, x in row])

    def serial(self):
        self.narrow = elements(c_int32, self.start), elements(c_int32, self.column)
        return Serial(self.m, *(cast(a, c_void_p).value for a in (*self.narrow, self.value)))

    def share(self, rows, columns):
        """What process begins with, over processes."""
        a = c_void_p()
        first, m = rows[RANK], rows[RANK + 1] - rows[RANK]
        check(lib.exblas_mpi_dcsr_create(c_int64(m), c_int64(columns[RANK + 1] - columns[RANK]),
                                         address(self.start, 8 * first), self.column, self.value, WORLD,
                                         byref(a)) == SUCCESS)
        assert a, "no matrix"
        return a


def products():
    r = random_of("mpi_csr")
    pools = [Pool(r, c_double, 2000, spread) for spread in (12, 60, 1020)]
    for i in range(rounds(60)):
        m, n, pool = r.randint(1, 120), r.randint(1, 120), pools[i % 3]
        x, y = (memory(pool.take(r, 120)) for _ in range(2))
        lengths = [r.randint(0, 12) for _ in range(m)]
        matrix = Rows([[(r.randrange(n), c_double.from_buffer_copy(pool.take(r, 1)).value) for _ in range(length)]
                       for length in lengths])
        alpha, beta, wanted = c_double(1 if i % 3 else -0.75), c_double(0 if i % 2 else 3), memory(y)
        check(lib.exblas_dcsrmv_64(111, c_int64(m), c_int64(n), alpha, matrix.start, matrix.column, matrix.value, x,
                                   beta, wanted) == 0)
        rows, columns = shares(i % LAYOUTS, m), shares((i + 2) % LAYOUTS, n)
        begin, end = (8 * row for row in rows[RANK:RANK + 2])
        a = matrix.share(rows, columns)
        for _ in range(2):
            got = memory(y)
            check(lib.exblas_mpi_dcsr_mv(a, alpha, address(x, 8 * columns[RANK]), beta, address(got, begin)) == SUCCESS)
            check(bytes(got) == bytes(y)[:begin] + bytes(wanted)[begin:end] + bytes(y)[end:])
        check(lib.exblas_mpi_dcsr_free(a) == SUCCESS)


def differences(wind):
    """Five-point differences with varying coefficients."""
    rows = []
    for i in range(N):
        rows.append([])
        for dx, dy in ((0, -1), (-1, 0), (0, 0), (1, 0), (0, 1)):
            u, v = i % SIDE + dx, i // SIDE + dy
            if 0 <= u < SIDE and 0 <= v < SIDE:
                j = v * SIDE + u
                rows[-1].append((j, 7.3 if i == j else -1 - 0.1 * ((i + j) % 5) + wind * dx))
    return Rows(rows)


def function(name):
    return cast(getattr(lib, name), c_void_p)


def inverse_of(matrix, block):
    inverse = Rows([[(0, 0.0)] * block] * N)
    check(lib.exblas_dcsr_block_inverse_64(c_int64(N), c_int64(block), matrix.start, matrix.column, matrix.value,
                                           inverse.start, inverse.column, inverse.value) == 0)
    return inverse


def solve(method, n, multiply, context, b, options):
    """The solution, the history and how it ended."""
    x, history, result = (c_double * N)(), (c_double * HISTORY)(), Result()
    options.history, options.history_size, options.restart = cast(history, c_void_p), HISTORY, 11
    check(getattr(lib, f"exblas_d{method}_64")(c_int64(n), function(multiply), context, b, x, byref(options),
                                               byref(result)) == 0)
    return bytes(x)[:8 * n], bytes(history), (result.reason, result.steps)


def solve_and_compare(method, matrix, block, layout):
    b = elements(c_double, [math.sin(i + 1) for i in range(N)])
    inverse = inverse_of(matrix, block) if block else None
    options, a, m = Options(), matrix.serial(), inverse and inverse.serial()
    if inverse:
        options.precondition, options.precondition_context = function("exblas_dcsr_apply"), cast(byref(m), c_void_p)
    wanted, history, end = solve(method, N, "exblas_dcsr_apply", byref(a), b, options)
    check(end[0] == CONVERGED and 3 < end[1] < HISTORY)
    begin = [BLOCK * i for i in shares(layout, N // BLOCK)]  # processes begin at whole blocks
    a, p, at, n = matrix.share(begin, begin), c_void_p(), begin[RANK], begin[RANK + 1] - begin[RANK]
    if block:
        check(lib.exblas_mpi_dcsr_block_inverse(a, c_int64(block), byref(p)) == SUCCESS)
        options.precondition, options.precondition_context = function("exblas_mpi_dcsr_apply"), p
    options.dot, options.dot_context = function("exblas_mpi_dproduct"), cast(byref(WORLD), c_void_p)
    got = solve(method, n, "exblas_mpi_dcsr_apply", a, address(b, 8 * at), options)
    check(got == (wanted[8 * at:8 * (at + n)], history, end), method, block, layout)
    for handle in (a, p):
        lib.exblas_mpi_dcsr_free(handle)


def solvers():
    for number, method in enumerate(("cg", "bicgstab", "gmres")):
        for i, block in enumerate((0, 1, BLOCK)):
            solve_and_compare(method, differences(0.2 if number else 0), block, (number + i) % LAYOUTS)


def bad_arguments():
    """Wrong on one process: refused on all."""
    start, down, column, far = (elements(c_int64, v) for v in ([0, 1, 2], [1, 0, 2], [0, 1], [0, 2 * SIZE]))
    value, a, p, last = elements(c_double, [1, 2]), c_void_p(), c_void_p(), RANK == SIZE - 1

    def create(m=2, row_start=start, columns=column):
        return lib.exblas_mpi_dcsr_create(c_int64(m), c_int64(2), row_start, columns, value, WORLD, byref(a))

    for other in ({"row_start": down}, {"columns": far}, {"m": -1}):
        check(create(**other if last else {}) == ERR_ARG and not a, other)
    check(create() == SUCCESS)
    check(lib.exblas_mpi_dcsr_block_inverse(a, c_int64(0), byref(p)) == ERR_ARG)
    check(SIZE == 1 or lib.exblas_mpi_dcsr_block_inverse(a, c_int64(4), byref(p)) == ERR_ARG)
    check(lib.exblas_mpi_dcsr_apply(a, c_int64(1), value, value) == EINVAL)
    check(not p)
    lib.exblas_mpi_dcsr_free(a)
    check(lib.exblas_mpi_dcsr_free(None) == SUCCESS)


run(products, solvers, bad_arguments)
