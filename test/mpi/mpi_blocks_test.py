"""Vectors and matrices in blocks over processes, of all types: the bits of the serial routine, in what belongs to this
process and nowhere else; what is wrong on one process is an error on all."""
import ctypes
from ctypes import byref, c_double, c_float, c_int, c_size_t

from over_mpi import (ERR_ARG, KIND, LAYOUTS, PARTS, RANK, SIZE, SUCCESS, WORLD, Pool, address, check, code_of,
                      elements, lib, memory, mpi, random_of, returning, rounds, run, serial, shares)

MOST, SIDE, ROWS, COLS = 40, 43, 1, 2
# Also numbers whose products pass the range of doubles, and cancel.
POOLS = {kind: [Pool(random_of(f"pool {kind}"), kind, 8000, spread, rate)
                for spread, rate in ((12, 0), (60, 0), (most, 0), (12, 1 / 400))]
         for kind, most in ((c_float, 120), (c_double, 1020))}
LAST = RANK == SIZE - 1


class Draw:
    """Operands and scalars of one round, the same on all processes."""

    def __init__(self, r, letter, number):
        self.r, self.letter, self.number = r, letter, number
        self.kind, self.size = KIND[letter], ctypes.sizeof(KIND[letter]) * PARTS[letter]
        self.pool = POOLS[self.kind][number % 4]
        lib.exblas_set_workspace(c_size_t((0, 1, 60000)[number % 3]))  # for all rows at once, or few

    def numbers(self, n=SIDE * SIDE):
        return memory(self.pool.take(self.r, n * PARTS[self.letter]))

    def order(self):
        return self.r.randint(0 if self.r.random() < 1 / 9 else 1, MOST)

    def scalar(self):
        tiny, large = (2.0**-149, 2.0**100) if self.kind is c_float else (2.0**-1074, 2.0**900)
        parts = [self.r.choice((1, 0, -0.75, tiny, large)) for _ in range(PARTS[self.letter])]
        return elements(self.kind, parts if self.r.random() < 1 / 2 else [*parts[:1], 0][:len(parts)])

    def axis(self, n, shift=0):
        """Where shares begin."""
        return shares((self.number + shift) % LAYOUTS, n)

    def over_processes(self, name, *arguments, result=c_int):
        """Scalars of real types are passed by value."""
        function = getattr(lib, f"exblas_mpi_{name}")
        function.restype = result
        if PARTS[self.letter] == 1:
            arguments = [self.kind(a[0]) if isinstance(a, self.kind * 1) else a for a in arguments]
        return function(*arguments, WORLD)

    def at(self, buffer, i):
        return address(buffer, i * self.size)


def draws(name, n):
    for letter in KIND:
        r = random_of(f"{name} {letter}")
        for number in range(rounds(n)):
            yield Draw(r, letter, number)
    lib.exblas_set_workspace(c_size_t(0))


def reductions():
    for d in draws("reductions", 30):
        n, inc = d.r.randint(0, MOST), 1 if d.number % 2 else 3
        begin, end = d.axis(n)[RANK:RANK + 2]
        x, y = d.numbers(3 * MOST), d.numbers(3 * MOST)
        here, there = (d.at(v, begin * inc) for v in (x, y))
        t, suffix = d.letter, "_64" if d.number % 3 else ""
        m = ctypes.c_int64(end - begin) if suffix else end - begin
        inc_passed = ctypes.c_int64(inc) if suffix else inc
        norm = {"c": "sc", "z": "dz"}.get(t, t)
        cases = [(t + "sum", False), (norm + "asum", False), (norm + "nrm2", False)]
        cases += [(t + dot, True) for dot in (("dot",) if PARTS[t] == 1 else ("dotu", "dotc"))]
        for name, is_dot in cases:
            vectors = [here, inc_passed] + ([there, inc_passed] if is_dot else [])
            wanted = serial(name, n=n, x=x, incx=inc, y=y, incy=inc)
            if len(wanted) == d.size and PARTS[t] == 2:
                got = (d.kind * 2)()
                check(d.over_processes(name + suffix, m, *vectors, got) == SUCCESS)
            else:
                got = d.kind(d.over_processes(name + suffix, m, *vectors, result=d.kind))
            check(bytes(got) == wanted, name, n, inc)


def part_of(d, v, axis, inc):
    """This process's part of a vector over an axis, as BLAS has it."""
    begin, end = axis[RANK:RANK + 2]
    return d.at(v, begin * inc if inc > 0 else (axis[-1] - end) * -inc)


def gemv():
    for d in draws("gemv", 40):
        m, n, trans = d.order(), d.order(), d.r.choice("NTC")
        incx, incy, by_rows = 1 if d.number % 2 else -2, 1 if d.number % 3 else -3, d.number % 4 < 2
        alpha, beta, axis = d.scalar(), d.scalar(), d.axis(m if by_rows else n)
        begin, here = axis[RANK], axis[RANK + 1] - axis[RANK]
        a, x, wanted = d.numbers(), d.numbers(3 * MOST), d.numbers(3 * MOST)
        got = memory(wanted)
        serial(d.letter + "gemv", trans=trans, m=m, n=n, alpha=alpha, a=a, lda=SIDE, x=x, incx=incx, beta=beta,
               y=wanted, incy=incy)
        is_split = by_rows == (trans != "N")
        form = (ROWS, code_of("trans", trans), here, n) if by_rows else (COLS, code_of("trans", trans), m, here)
        check(d.over_processes(d.letter + "gemv", *form, alpha, d.at(a, begin if by_rows else begin * SIDE), SIDE,
                               part_of(d, x, axis, incx) if is_split else x, incx, beta, got, incy) == SUCCESS)
        check(bytes(got) == bytes(wanted), d.letter, by_rows, trans, m, n)


def rows_of(d, axis, full, old):
    """Of a matrix: `full` in this process's rows, `old` elsewhere."""
    merged, size = bytearray(old), d.size
    for j in range(SIDE):
        begin, end = ((j * SIDE + i) * size for i in axis[RANK:RANK + 2])
        merged[begin:end] = full[begin:end]
    return bytes(merged)


def gemm():
    for d in draws("gemm", 50):
        transa, transb, sizes = d.r.choice("NTC"), d.r.choice("NTC"), [d.order() for _ in range(3)]
        axes = [d.axis(n, i * (d.number % 2)) for i, n in enumerate(sizes)]
        here = [axis[RANK + 1] - axis[RANK] for axis in axes]
        alpha, beta, a, b, old = d.scalar(), d.scalar(), d.numbers(), d.numbers(), d.numbers()
        wanted, got = memory(old), memory(old)
        serial(d.letter + "gemm", transa=transa, transb=transb, **dict(zip("mnk", sizes)), alpha=alpha, a=a, lda=SIDE,
               b=b, ldb=SIDE, beta=beta, c=wanted, ldc=SIDE)
        rows_of_a, rows_of_b = axes[0 if transa == "N" else 2][RANK], axes[2 if transb == "N" else 1][RANK]
        check(d.over_processes(d.letter + "gemm", code_of("trans", transa), code_of("trans", transb), *here, alpha,
                               d.at(a, rows_of_a), SIDE, d.at(b, rows_of_b), SIDE, beta,
                               d.at(got, axes[0][RANK]), SIDE) == SUCCESS)
        check(bytes(got) == rows_of(d, axes[0], bytes(wanted), bytes(old)), d.letter, transa, transb, sizes)


def trsv():
    for d in draws("trsv", 50):
        n, incx = d.r.randint(0, MOST), 1 if d.number % 2 else -3
        options, axis = {"uplo": d.r.choice("UL"), "trans": d.r.choice("NTC"), "diag": d.r.choice("NU")}, d.axis(n)
        a, wanted = d.numbers(), d.numbers(3 * MOST)
        got = memory(wanted)
        serial(d.letter + "trsv", **options, n=n, a=a, lda=SIDE, x=wanted, incx=incx)
        check(d.over_processes(d.letter + "trsv", *(code_of(*o) for o in options.items()), axis[RANK + 1] - axis[RANK],
                               n, d.at(a, axis[RANK]), SIDE, got, incx) == SUCCESS)
        check(bytes(got) == bytes(wanted), d.letter, options, n)


# --- errors: one process says something else; nothing is written, and the next call works ----


def refuses(name, legal, others, alone):
    """Each of these changes is refused, those of the second table where there is another process that it differs
    from."""
    comm = returning(WORLD)
    for change in others + (alone if SIZE > 1 else ()):
        arguments = {**legal, **(change if LAST else {})}
        check(getattr(lib, f"exblas_mpi_{name}")(*arguments.values(), comm) == ERR_ARG, name, change)
    mpi("Comm_free", byref(comm))


def illegal_products():
    a, b, c = ((c_double * 16)() for _ in range(3))
    legal = {"transa": 111, "transb": 111, "m": 1, "n": 1, "k": 1, "alpha": c_double(1), "a": a, "lda": 1, "b": b,
             "ldb": 1, "beta": c_double(0), "c": c, "ldc": 1}
    refuses("dgemm", legal, ({"transa": 110}, {"transb": 114}, {"m": -1}, {"n": -1}, {"k": -1}, {"m": 2, "ldc": 2},
                             {"k": 2}, {"m": 2, "lda": 2}, {"transa": 112, "k": 2, "ldb": 2}, {"transb": 112, "n": 2}),
            ({"transa": 112}, {"transb": 113}, {"alpha": c_double(0)}))
    check(bytes(c) == bytes(128))
    a[0] = b[0] = 1
    check(lib.exblas_mpi_dgemm(*{**legal, "m": int(LAST), "n": int(LAST), "k": int(LAST)}.values(), WORLD) == SUCCESS)
    check(c[0] == LAST)


def illegal_vector_products():
    a, x, y = ((c_double * 16)() for _ in range(3))
    legal = {"split": ROWS, "trans": 111, "m": 2, "n": 2, "alpha": c_double(1), "a": a, "lda": 2, "x": x, "incx": 1,
             "beta": c_double(1), "y": y, "incy": 1}
    refuses("dgemv", legal, ({"split": 3}, {"trans": 114}, {"m": -1}, {"n": -2}, {"m": 4, "lda": 3},
                             {"split": COLS, "trans": 112, "incx": 0}, {"split": COLS, "incy": 0}),
            ({"n": 3}, {"split": COLS}, {"trans": 112}))
    check(bytes(y) == bytes(128))
    check(lib.exblas_mpi_dgemv(*{**legal, "m": 0, "lda": 1}.values(), WORLD) == SUCCESS)


def illegal_systems():
    a, x = elements(c_double, [3] * 16), elements(c_double, [3] * 4)
    legal = {"uplo": 121, "trans": 111, "diag": 131, "m": 1, "n": SIZE, "a": a, "lda": 1, "x": x, "incx": 1}
    refuses("dtrsv", legal, ({"uplo": 120}, {"trans": 110}, {"diag": 133}, {"m": -1}, {"lda": 0}, {"incx": 0},
                             {"n": SIZE + 1}, {"m": 2, "lda": 2}), ({"uplo": 122}, {"trans": 112}, {"diag": 132}))
    check(x[0] == 3)
    check(lib.exblas_mpi_dtrsv(*{**legal, "m": int(LAST), "n": 1}.values(), WORLD) == SUCCESS)
    check(x[0] == 1)


run(reductions, gemv, gemm, trsv, illegal_vector_products, illegal_products, illegal_systems)
