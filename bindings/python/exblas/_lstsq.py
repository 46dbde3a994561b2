"""Least squares."""
from exblas._numbers import load_numpy, ndarray_of, refuse
from exblas._products import dot, gemv
from exblas._rational import integers, quotients
from exblas._solve import floats_of, solution


def lstsq(a, b, rcond=None):
    """The x that minimises |b - a x|, or of all with a x = b the shortest, every component RN of the exact one.

    Shapes and results as numpy.linalg.lstsq: (x, residuals, rank, singular values). residuals: for m > n and each
    column of b, RN of the sum of squares of b - a x for the x that is returned. A matrix that has not full rank, proved
    in exact arithmetic, is a numpy.linalg.LinAlgError; so rank is min(m, n), and rcond must be None. The singular values
    are LAPACK's, not rounded exactly. float32 and float64; integers that floats equal become float64. Inf and NaN are a
    ValueError."""
    numpy = load_numpy("lstsq")
    if rcond is not None:
        raise ValueError("the rank is decided exactly: rcond must be None")
    refuse(a)
    refuse(b)
    a, b = ndarray_of(numpy, a), ndarray_of(numpy, b)
    if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
        raise ValueError("a matrix, and as many rows of b, are needed")
    a, right = floats_of(numpy, "least squares", "fd", a, b if b.ndim == 2 else b[:, None])
    m, n = a.shape
    x, squares = solution(numpy, a, right, "has not full rank"), []
    for column, y in zip(right.T, x.T if m > n else []):
        rest = None if numpy.isfinite(y).all() else gemv(a, y, -1, 1, column)
        squares.append(_sum_of_squares(numpy, a, column, y) if rest is None else dot(rest, rest))
    values = numpy.linalg.svd(a, compute_uv=False) if m and n else numpy.empty(0, a.dtype)
    return x if b.ndim == 2 else x[:, 0], numpy.array(squares, a.dtype), min(m, n), values


def _sum_of_squares(numpy, a, b, x):
    dtype, (x, of_x), total, exp2 = a.dtype, integers(numpy, x), 0, 0
    for i in range(0, len(a), 1024):  # integers take many times the memory of floats
        (part, e), (right, of_b) = (integers(numpy, rows[i:i + 1024]) for rows in (a, b))
        least = min(e + of_x, of_b)
        rest = right * 2 ** (of_b - least) - (part @ x) * 2 ** (e + of_x - least)
        common = min(exp2, 2 * least)
        total, exp2 = total * 2 ** (exp2 - common) + (rest @ rest) * 2 ** (2 * least - common), common
    return quotients(numpy, total, 1, exp2, dtype)
