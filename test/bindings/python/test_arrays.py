#!/usr/bin/env python3
"""test_arrays.py: functions of the Python package on NumPy's arrays of every type and layout, against fractions. Reports in
TAP; TEST_ROUNDS: how many calls of each random part, default 60; TEST_SEED: of the first."""
import contextlib
import itertools
import sys
import warnings
from fractions import Fraction
from math import inf, nan

import tap

np = tap.needed("numpy")
import exblas
from exact import COMPLEX, FLOATS, INTEGERS, add, fractions, laid_out, multiply, number, rounded, same, total, values


def array(r, codes, *shape):
    """Of finite numbers, in any layout; without a shape a vector."""
    shape = shape or (r.randrange(1, 5),)
    return laid_out(r, values(r, int(np.prod(shape)), r.choice(codes)).reshape(shape))


def expect(function, wanted):
    """The result, or OverflowError where an exact integer has no room."""
    try:
        got = function()
    except OverflowError:
        values = np.asarray(wanted, object).ravel()
        assert any(isinstance(v, int) and not -2 ** 63 <= v < 2 ** 63 for v in values), wanted
        return
    assert np.shape(got) == np.shape(wanted), (np.shape(got), np.shape(wanted))
    for g, w in zip(np.asarray(got).ravel().tolist(), np.asarray(wanted, object).ravel().tolist()):
        assert same(g, w), (g, w)


@tap.seeded(60)
def other_types(r):
    x, code = array(r, FLOATS, *(r.randrange(1, 4) for _ in range(r.randrange(1, 4)))), r.choice(FLOATS)
    wanted, out = rounded(total(fractions(x).ravel())[0], code), np.zeros((), code)
    flat, ones = x.reshape(-1), np.ones(x.size, x.dtype.newbyteorder("="))
    for call in (lambda: exblas.dot(flat, ones, out), lambda: exblas.matmul(flat, ones, out), lambda: exblas.einsum("i,i", flat, ones, out=out)):
        out[...] = 5
        assert call() is out and same(out.item(), wanted), (x, code, out, wanted)


@tap.seeded(60)
def scaled_products(r):
    m, k, n = (r.randrange(1, 5) for _ in range(3))
    code, alpha, beta = r.choice("fd"), r.choice((1.0, -0.5, 3.0)), r.choice((0.0, 1.0, 0.25))
    a, b = array(r, [code], m, k), array(r, [code], k, n)
    p, q = fractions(a), fractions(b)
    c = np.ones((a.shape[0], b.shape[1]), a.dtype) / 3
    wanted = [[rounded(Fraction(alpha) * total(map(multiply, p[i], q[:, k]))[0] + Fraction(beta) * Fraction(float(c[i, k])),
                       a.dtype.char) for k in range(b.shape[1])] for i in range(a.shape[0])]
    expect(lambda: exblas.gemm(a, b, alpha, beta, c), wanted)
    expect(lambda: exblas.gemv(a, b[:, 0], alpha, beta, c[:, 0]), [row[0] for row in wanted])


@tap.seeded(60)
def by_index(r):
    x = array(r, ["f", "d"] + COMPLEX)
    index = np.array([r.randrange(3) for _ in x])
    parts = fractions(x)
    wanted = [number(total(p for p, i in zip(parts, index) if i == k), x) for k in range(3)]
    expect(lambda: exblas.scatter_add(index, x, 3), wanted)
    y = np.ones(3, x.dtype.newbyteorder("="))
    exblas.add_at(y, index - 3, x)  # negative indices count from the end
    one = (Fraction(1), Fraction(0))
    expect(lambda: y, [number(add(one, total(p for p, i in zip(parts, index) if i == k)), x) for k in range(3)])
    ends = [0, len(x) // 2, len(x) // 2, len(x)]
    expect(lambda: exblas.segment_sum(x, ends), [number(total(parts[a:b]), x) for a, b in zip(ends, ends[1:])])


@tap.seeded(60)
def weights(r):
    """bincount gives doubles or their complex numbers, histogram the type of the weights."""
    x = array(r, ["f", "d"] + COMPLEX + INTEGERS[:-2])
    index = np.array([r.randrange(3) for _ in x])
    totals = [total(p for p, i in zip(fractions(x), index) if i == k) for k in range(3)]
    double = np.zeros(1, "D" if x.dtype.kind == "c" else "d")
    expect(lambda: exblas.bincount(index, x, minlength=3), [number(t, double) for t in totals])
    own = x if x.dtype.kind in "fc" else double
    sums, edges = exblas.histogram(index + 0.5, bins=3, range=(0, 3), weights=x)
    expect(lambda: sums, [number(t, own) for t in totals])
    assert edges.tolist() == [0, 1, 2, 3] and sums.dtype.kind == own.dtype.kind


def plain_cases():
    """What needs no random numbers."""
    frame = np.arange(24.0).reshape(2, 3, 4)
    assert exblas.einsum("iij->j", np.ones((2, 2, 3))).tolist() == [2.0] * 3
    assert exblas.einsum("i,j->", np.array([1, 2]), np.array([3, 4])) == 21
    assert exblas.einsum("bij,bjk->bik", np.ones((2, 2, 3)), np.ones((2, 3, 1))).tolist() == [[[3.0]] * 2] * 2
    assert exblas.bincount([0, 1, 1], [1e16, 1, 2], minlength=4).tolist() == [1e16, 3.0, 0.0, 0.0]
    sums, edges = exblas.histogram([0.0, 0.5, 1.0, 2.0], bins=2, range=(0, 1), weights=[1, 2, 4, 8])
    assert sums.tolist() == [1.0, 6.0] and edges.tolist() == [0.0, 0.5, 1.0]
    for axis in (None, 0, 1):
        assert same(np.max(exblas.sum(np.array([[inf, 1.0], [1.0, nan]]), axis=axis)), nan)
        assert np.all(exblas.var(np.zeros((0, 0)), axis=axis) == 0) or axis is None
    single, out = np.array([2 ** 24, 1], "f"), np.zeros(())
    assert exblas.dot(single, np.ones(2, "f"), out) is out and out == 2 ** 24 + 1
    whole = np.full((), 7)
    tap.refused(TypeError, "", lambda: exblas.dot(single, single, whole))
    assert whole == 7
    z = np.array([[1 + 2j, 3], [3 - 1j, -1j]])
    assert np.array_equal(exblas.matmul(z, z, dtype="F"), z @ z)
    wide = np.ones((300, 1000), np.int8) * -128
    assert exblas.sum(wide, axis=0).tolist() == [-128 * 300] * 1000
    many = np.full((3, 1000), 2 ** 64 - 1, np.uint64)
    assert kinds(lambda: exblas.sum(many, axis=0), lambda: exblas.sum(many, dtype="i4"),
                 lambda: exblas.sum(frame, axis=3), lambda: exblas.sum(frame, dtype=int),
                 lambda: exblas.einsum("i,i,i", *[np.full(2, inf)] * 3), lambda: exblas.matmul(2, frame),
                 lambda: exblas.dot(np.ma.array([1.0]), [1.0]), lambda: exblas.add_at(np.zeros(2), [2], 1.0)) == [
        OverflowError, OverflowError, getattr(np, "exceptions", np).AxisError, TypeError, ValueError, ValueError, TypeError, ValueError]
    tap.refused(ValueError, "not in 0 ... 2", lambda: exblas.scatter_add([3], [1.0], 3))
    grid = np.random.default_rng(1).standard_normal((50, 60))
    assert np.array_equal(exblas.sum(grid, axis=0), [exblas.sum(c) for c in grid.T])
    assert np.array_equal(exblas.sum(grid.T, axis=0), [exblas.sum(r) for r in grid])
    assert [type(exblas.sum(grid.astype(code))) for code in "dfiB"] == [np.float64, np.float32, np.int64, np.uint64]
    assert kinds(*[lambda v=v, a=a: exblas.sum(v, axis=a) for v in (many[0], np.full(3, 2 ** 62)) for a in (None, 0)]) == [
        OverflowError] * 4
    assert str(exblas.vdot(np.array([inf + 1j]), np.array([inf + 1j]))) == "(inf+nanj)"
    assert type(exblas.sum(grid + 1j)) is np.complex128 and exblas.sum(np.full((3, 2), 1 + 2j, "F"), axis=0).dtype == np.complex64


def solved(a, b):
    """RN of the solution by fractions, None for a singular matrix."""
    n = len(a)
    rows = [[v[0] for v in p] + [v[0] for v in q] for p, q in zip(fractions(a), fractions(b))]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    return [[rounded(v / rows[k][k], a.dtype.char) for v in rows[k][n:]] for k in range(n)]


@tap.seeded(60)
def solutions(r):
    n, k, code = r.randrange(1, 5), r.randrange(1, 4), r.choice("fd")
    a, b = array(r, [code], n, n), array(r, [code], n, k)
    if r.random() < 0.5:
        a, b = (np.array([r.randrange(-2, 3) for _ in x.flat], code).reshape(x.shape) for x in (a, b))
    wanted = solved(a, b)
    if wanted is None:
        tap.refused(np.linalg.LinAlgError, "singular", lambda: exblas.solve(a, b))
        return
    assert np.array_equal(exblas.solve(a, b), np.array(wanted, a.dtype))
    assert np.array_equal(exblas.solve(a, b[:, 0]), np.array(wanted, a.dtype)[:, 0])
    assert np.array_equal(exblas.solve(np.array([a, a]), b)[1], np.array(wanted, a.dtype))


def plain_systems():
    assert exblas.solve([[3, 0], [1, 4]], [1, 2]).tolist() == [1 / 3, 5 / 12]
    assert exblas.solve(np.zeros((0, 0)), np.zeros((0, 2))).shape == (0, 2)
    assert exblas.solve(np.ones((3, 1, 1)), np.ones((3, 1, 2))).shape == (3, 1, 2)
    eye = np.eye(2)
    assert kinds(lambda: exblas.solve(eye, [1, inf]), lambda: exblas.solve(eye * nan, [1, 1]),
                 lambda: exblas.solve(eye, [1, 2, 3]), lambda: exblas.solve(np.ones(2), [1, 2]),
                 lambda: exblas.solve(eye.astype("g"), [1, 1]), lambda: exblas.solve(eye, [2 ** 53 + 1, 1])) == [
        ValueError, ValueError, ValueError, ValueError, TypeError, ValueError]


def kinds(*functions):
    """Of the errors that they end in, or of what they give."""
    found = []
    for function in functions:
        try:
            found.append(type(function()))
        except Exception as error:
            found.append(type(error))
    return found


class Foreign:
    """An array of another library: what DLPack hands over, and nothing else."""
    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def foreign_arrays():
    x = np.array([[1e16, 1.0], [1.0, 2.0], [-1e16, 4.0]])
    assert exblas.sum(Foreign(x)) == 8 and exblas.sum(Foreign(x.T), axis=1).tolist() == [1.0, 7.0]
    assert (exblas.matmul(Foreign(x.T), x) == exblas.matmul(x.T, x)).all() and exblas.dot(Foreign(x[:, 0]), x[:, 1]) == 2 - 3e16
    assert exblas.mean(Foreign(np.arange(4, dtype=np.int32))) == 1.5
    assert exblas.fsum(Foreign(x)) == 8 and float(exblas.Accumulator(Foreign(x))) == 8
    assert float(exblas.Accumulator().add_dot(Foreign(x[:, 0]), x[:, 1])) == 2 - 3e16


class OnDevice:
    """An array whose numbers the processor cannot read."""
    __cuda_array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (4096, False), "version": 3}


class TensorOnDevice:
    def __dlpack__(self, **options):
        raise AssertionError("its memory was asked for")

    def __dlpack_device__(self):
        return (2, 0)  # CUDA


ONE_ARRAY = (exblas.sum, exblas.mean, exblas.var, exblas.std, exblas.asum, exblas.norm, exblas.cumsum, exblas.cov, exblas.corrcoef,
             exblas.fsum, exblas.Accumulator, exblas.histogram, exblas.bincount, lambda x: exblas.scatter_add([0, 1, 2], x),
             lambda x: exblas.segment_sum(x, [0, 3]), lambda x: exblas.add_at(x, [0], [1.0]))
TWO_ARRAYS = (exblas.dot, exblas.vdot, exblas.matmul, exblas.tensordot, exblas.gemv, exblas.gemm, exblas.solve, exblas.lstsq,
              lambda x, y: exblas.einsum("i,i", x, y), lambda x, y: exblas.bincount(x, y))


def arrays_of_gpus():
    """Refused in one line that says why, by every function of one and of two arrays."""
    for x in (OnDevice(), TensorOnDevice()):
        here = np.arange(3.0)
        for call in [lambda f=f: f(x) for f in ONE_ARRAY] + [lambda f=f: f(here, x) for f in TWO_ARRAYS]:
            tap.refused(TypeError, "lies on a GPU", call)


def released_arrays():
    """No function keeps an array, whether it takes it or refuses it: a type, a shape, or another beside it. One that is kept
    keeps its memory, and an array.array from growing."""
    odd = [np.zeros(3, code) for code in ("D", "d", "q", "?", "g", "O", "U1", "M8[s]", "V8")]
    odd += [np.array(1.0), np.zeros((0, 3)), np.zeros((2, 3)), np.zeros((2, 2, 2), "F"), np.zeros(4)]
    two = (*TWO_ARRAYS, lambda x, y: exblas.Accumulator().add_dot(x, y), lambda x, y: exblas.Accumulator().add_dot(y, x),
           lambda x, y: exblas.scatter_add(x, y), lambda x, y: exblas.segment_sum(x, y), lambda x, y: exblas.add_at(x, [0], y),
           lambda x, y: exblas.sum(x, axis=0, out=y))
    before = sys.getrefcount(exblas.Accumulator)
    assert not exblas.Accumulator() and sys.getrefcount(exblas.Accumulator) == before
    for x, here in itertools.product(odd, (np.arange(3.0), np.eye(3))):
        calls = [(f, (x,)) for f in ONE_ARRAY] + [(f, pair) for f in two for pair in ((here, x), (x, here))]
        for f, arguments in calls:
            before = [sys.getrefcount(a) for a in arguments]
            for _ in range(3):
                with contextlib.suppress(Exception), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    f(*arguments)
            after = [sys.getrefcount(a) for a in arguments]
            assert after == before, (f, [(a.dtype, a.shape) for a in arguments])


def outputs_of_other_shapes():
    """What the compiled part is given, whatever the functions before it let pass."""
    from exblas import _core
    for shape in ((2, 2), (3, 3), (6,), (2, 3, 1)):
        tap.refused(ValueError, "shape", lambda: _core.cumsum(np.ones((2, 3)), np.zeros(shape), 53))


tap.run(other_types, scaled_products, by_index, weights, solutions, plain_systems, plain_cases,
        foreign_arrays, arrays_of_gpus, released_arrays, outputs_of_other_shapes)
