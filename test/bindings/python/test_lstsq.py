#!/usr/bin/env python3
"""exblas.lstsq against rational arithmetic and NumPy's shapes. Reports in TAP."""
from fractions import Fraction

import tap

np = tap.needed("numpy")
import exblas
from exact import rounded

SHAPES = [(8, 3, None), (8, 3, 2), (3, 8, 2), (4, 4, None), (5, 1, 1), (3, 0, None), (0, 2, 1)]


def squares(a, b, x):
    return sum((Fraction(t) - sum(Fraction(u) * Fraction(v) for u, v in zip(row, x))) ** 2 for row, t in zip(a, b))


def shapes_of_numpy():
    for m, n, k in SHAPES:
        r = np.random.default_rng(m)
        a, b = r.normal(size=(m, n)), r.normal(size=m if k is None else (m, k))
        ours, theirs = exblas.lstsq(a, b), np.linalg.lstsq(a, b, rcond=None)
        for x, y in zip(ours, theirs):
            assert np.shape(x) == np.shape(y) and np.allclose(x, y), (m, n, k, x, y)
        if m > n > 0:
            columns, solutions = b.reshape(m, -1).T, ours[0].reshape(n, -1).T
            assert ours[1].tolist() == [float(squares(a, c, x)) for c, x in zip(columns, solutions)]


def rounded_once():
    assert exblas.lstsq([[3, 4]], [1])[0].tolist() == [3 / 25, 4 / 25]
    assert exblas.lstsq([[4], [5], [6]], [3, 4, 4])[0].tolist() == [8 / 11]
    x, squared, rank, _ = exblas.lstsq(np.float32([[1, 2], [3, 4], [5, 7]]), np.float32([1, 2, 3]))
    assert x.dtype == squared.dtype == np.float32 and rank == 2
    assert x.tolist() == np.float32([-1 / 14, 1 / 2]).tolist()


def bits_below_subnormal_numbers():
    for dtype, a, b in [(np.float32, [[2.0 ** -100], [1]], [1 + 2.0 ** -12, -2.0 ** -60]),
                        (np.float64, [[2.0 ** -600], [1]], [1.5 + 2.0 ** -26, -2.0 ** -500])]:
        a, b = np.array(a, dtype), np.array(b, dtype)
        x, squared, _, _ = exblas.lstsq(a, b)
        want = squares(a.tolist(), b.tolist(), x.tolist())
        assert squared.tolist() == [rounded(want, dtype().dtype.char)], (squared, want)


def refusals():
    for wanted, a, b, keywords in [
            (np.linalg.LinAlgError, [[1, 2], [2, 4], [3, 6]], [1, 2, 3], {}), (ValueError, [[1, np.inf]], [1], {}),
            (ValueError, np.eye(2), [1, 2, 3], {}), (ValueError, np.eye(2), [1, 2], {"rcond": 1e-3}),
            (ValueError, np.ones(2), [1, 2], {}), (TypeError, np.eye(2) * 1j, [1, 2], {})]:
        tap.refused(wanted, "", lambda: exblas.lstsq(a, b, **keywords))


tap.run(shapes_of_numpy, rounded_once, bits_below_subnormal_numbers, refusals)
