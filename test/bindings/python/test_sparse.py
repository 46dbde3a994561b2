#!/usr/bin/env python3
"""exblas.csrmv and linear_operator against fractions; skipped without SciPy. Reports in TAP."""
import inspect
import random
from fractions import Fraction

import tap

numpy, scipy = map(tap.needed, ("numpy", "scipy"))
import exblas
import scipy.sparse.linalg
from rounding import rounded


def entries(seed, m, n, count):
    r = random.Random(seed)
    row, column = [[r.randrange(k) for _ in range(count)] for k in (m, n)]
    return numpy.array(row), numpy.array(column), numpy.array([r.gauss(0, 1) * 10.0 ** r.randrange(-9, 9) for _ in row])


def product(row, column, value, x, m):
    sums = [Fraction(0)] * m
    for i, j, a in zip(row, column, value):
        sums[i] += Fraction(float(a)) * Fraction(float(x[j]))
    return sums


def check_formats():
    """Every format gives the bits of the exact product, duplicates included."""
    row, column, value = entries(1, 30, 20, 300)
    x = numpy.array([random.Random(2).gauss(0, 1) for _ in range(20)])
    coo = scipy.sparse.coo_array((value, (row, column)), shape=(30, 20))
    wanted = [rounded(s) for s in product(row, column, value, x, 30)]
    assert exblas.csrmv(coo, x).tolist() == wanted
    merged = coo.tocsr().tocoo()  # duplicates rounded by SciPy
    wanted = [rounded(s) for s in product(merged.row, merged.col, merged.data, x, 30)]
    for name in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia"):
        assert exblas.csrmv(merged.asformat(name), x).tolist() == wanted, name
    assert exblas.csrmv(scipy.sparse.csr_matrix(merged), x).tolist() == wanted


def check_types():
    row, column = numpy.array([0, 0, 1]), numpy.array([0, 1, 1])
    for dtype in (numpy.float32, numpy.complex64, numpy.complex128):
        a = scipy.sparse.csr_array((numpy.array([1, 2, 4], dtype), (row, column)), shape=(2, 2))
        y = exblas.csrmv(a, numpy.array([3, 5], dtype))
        assert y.dtype == dtype and y.tolist() == [13, 20]
    integers = scipy.sparse.csr_array((numpy.array([1, 2, 4]), (row, column)), shape=(2, 2))
    assert exblas.csrmv(integers, [3, 5]).tolist() == [13, 20]
    z = scipy.sparse.csr_array((numpy.array([1j, 2, 4]), (row, column)), shape=(2, 2))
    operator = exblas.linear_operator(z)
    assert operator.rmatvec(numpy.array([1, 1j])).tolist() == [-1j, 2 + 4j]
    assert exblas.linear_operator(z.tocsc()).rmatvec(numpy.array([1, 1j])).tolist() == [-1j, 2 + 4j]
    assert exblas.csrmv(z, numpy.array([[1, 2], [3, 4]])).tolist() == [[6 + 1j, 8 + 2j], [12, 16]]
    assert exblas.csrmv(scipy.sparse.csr_array((0, 3)), [1.0, 2, 3]).shape == (0,)


def check_refusals():
    a = scipy.sparse.csr_array(numpy.eye(3))
    large = scipy.sparse.csr_array(numpy.array([[2 ** 53 + 1]]))
    tap.refused(ValueError, "do not fit", lambda: exblas.csrmv(a, [1.0, 2]))
    tap.refused(TypeError, "no sparse matrix", lambda: exblas.csrmv(numpy.eye(3), [1.0, 2, 3]))
    tap.refused(ValueError, "equals some of the integers", lambda: exblas.csrmv(large, [1.0]))
    a.indices[1] = 7
    for call in (lambda: exblas.csrmv(a, [1.0, 2, 3]), lambda: exblas.linear_operator(a)):
        tap.refused(ValueError, "out of range", call)
    a.indices[1], a.indptr = 1, a.indptr[:3]
    tap.refused(TypeError, "of indices are needed", lambda: exblas.csrmv(a, [1.0, 2, 3]))


def check_solver():
    """SciPy's own cg takes the operator, and ends at the solution."""
    n = 50
    a = scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(n, n), format="csr")
    solve = scipy.sparse.linalg.cg
    tolerance = "rtol" if "rtol" in inspect.signature(solve).parameters else "tol"
    x, status = solve(exblas.linear_operator(a), numpy.ones(n), **{tolerance: 1e-10})
    assert status == 0 and numpy.abs(a @ x - 1).max() < 1e-8


def check_operators():
    """Operators have the bits of csrmv, whatever the format and type, and keep the matrix that they were made of."""
    row, column, value = entries(3, 40, 40, 500)
    for dtype in (numpy.float64, numpy.float32):
        coo = scipy.sparse.coo_array((value.astype(dtype), (row, column)), shape=(40, 40))
        x = numpy.array([random.Random(4).gauss(0, 1) for _ in range(40)], dtype)
        for name in ("coo", "csr", "csc", "dia"):
            a = coo if name == "coo" else coo.tocsr().asformat(name)
            operator, wanted = exblas.linear_operator(a), exblas.csrmv(a, x)
            a.data[:] = 0
            assert operator.matvec(x).tobytes() == wanted.tobytes(), (dtype, name)
            assert (operator @ x.reshape(40, 1)).tobytes() == wanted.tobytes(), (dtype, name)
            doubles = operator @ x.astype(numpy.float64)
            assert doubles.dtype == numpy.float64 and doubles.shape == (40,)


tap.run(check_formats, check_types, check_refusals, check_solver, check_operators)
