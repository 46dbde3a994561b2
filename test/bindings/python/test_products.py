#!/usr/bin/env python3
"""test_products.py: dot, vdot, matmul and einsum of stacks, cov, corrcoef, averages and trapezoids of the Python package against fractions:
random types, layouts, orders of bytes, integers of all sizes. Reports in TAP; TEST_ROUNDS: how many calls, default 800;
TEST_SEED: of the first."""
import random
from fractions import Fraction
from math import nan

import tap

np = tap.needed("numpy")
import exblas
from exblas import _core
import exact
from exact import COMPLEX, INTEGERS, fractions, laid_out, multiply, number, real_code, root, rounded, same, total


def values(r, shape, code):
    """Numbers of few bits, of many, of many magnitudes or of any bits; integers up to their ends."""
    n, dtype = int(np.prod(shape, dtype=int)), np.dtype(code)
    if dtype.kind in "biu":
        small = r.random() < 0.5
        limits = (0, 1) if code == "?" else (-9 if dtype.kind == "i" else 0, 9) if small else (
            np.iinfo(dtype).min, np.iinfo(dtype).max)
        flat = np.array([r.choice((r.randint(*limits), *limits)) for _ in range(n)], dtype)
    else:
        kind, width = r.randrange(4), {"e": 8, "f": 60, "F": 60}.get(code, 200)
        if kind == 3:
            return laid_out(r, exact.values(r, n, code).reshape(shape))
        parts = [r.randrange(-99, 99) / 8 if kind == 0 else r.gauss(0, 1) * 2.0 ** (kind == 2 and r.randrange(-width, width) / 4)
                 for _ in range(n * (1 + (dtype.kind == "c")))]
        flat = np.array(parts, real_code(np.empty(0, dtype))).view(dtype)
    return laid_out(r, flat.reshape(shape))


def conjugated(x):
    parts = fractions(x)
    for i in np.ndindex(*parts.shape):
        parts[i] = (parts[i][0], -parts[i][1])
    return parts


def product(a, b):
    """Of stacks of matrices of exact numbers, the elements unrounded."""
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = np.broadcast_to(a, stack + a.shape[-2:]), np.broadcast_to(b, stack + b.shape[-2:])
    result = np.empty(stack + (a.shape[-2], b.shape[-1]), object)
    for *s, i, k in np.ndindex(*result.shape):
        result[(*s, i, k)] = total([multiply(p, q) for p, q in zip(a[(*s, i)], b[(*s, slice(None), k)])])
    return result


def vectors(r, code):
    n = r.choice((0, 1, 2, 5, 40, 700))
    x, y = values(r, n, code), values(r, n, r.choice((code, code, "q")) if np.dtype(code).kind in "biu" else code)
    y = x if r.random() < 0.3 else y
    column = fractions(y)[:, None]
    dtype = x.dtype if x.dtype.kind in "fc" else np.dtype("u8" if x.dtype.kind == y.dtype.kind == "u" else "i8")
    yield "dot", lambda: exblas.dot(x, y), product(fractions(x)[None], column)[0, 0], dtype
    yield "vdot", lambda: exblas.vdot(x, y), product(conjugated(x)[None], column)[0, 0], dtype


def stacks(r, code):
    m, k, n, s, t = (r.randrange(4) for _ in range(5))
    left, right = r.choice((((), ()), ((s,), (s,)), ((), (s,)), ((t, 1), (s,)), ((t, s), (t, s)), ((t, s), ())))
    a, b = values(r, (*left, m, k), code), values(r, (*right, k, n), code)
    wanted = product(fractions(a), fractions(b))
    yield "matmul", lambda: exblas.matmul(a, b), wanted, a.dtype
    if not left + right:
        for name, call in (("dot", exblas.dot), ("tensordot", lambda p, q: exblas.tensordot(p, q, 1)),
                           ("einsum to ki", lambda p, q: exblas.einsum("ij,jk->ki", p, q).T)):
            yield name, lambda call=call: call(a, b), wanted, a.dtype
    if (left, right) != ((t, 1), (s,)):
        yield "einsum", lambda: exblas.einsum(LABELS[a.ndim, b.ndim], a, b), wanted, a.dtype


LABELS = {(2, 2): "ij,jk->ik", (3, 3): "sij,sjk->sik", (2, 3): "ij,sjk->sik", (4, 4): "tsij,tsjk->tsik", (4, 2): "tsij,jk->tsik"}


def moments(r, code):
    rows, n = r.randrange(1, 4), r.choice((2, 3, 9))
    x = values(r, (rows, n), code)
    parts, sums = fractions(x), [total(row) for row in fractions(x)]
    dtype = x.dtype if x.dtype.kind in "fc" else np.dtype("d")

    def moment(i, k):
        of = lambda p, q: multiply(p, (q[0], -q[1]))
        return [n * a - b for a, b in zip(total([of(p, q) for p, q in zip(parts[i], parts[k])]), of(sums[i], sums[k]))]

    def correlation(i, k):
        square = moment(i, i)[0] * moment(k, k)[0]
        return [root(v * v / square, real_code(x)) * (-1 if v < 0 else 1) if square else nan for v in moment(i, k)]
    each = np.empty((rows, rows), object)
    ratio = np.empty((rows, rows), object)
    for i, k in np.ndindex(rows, rows):
        each[i, k] = tuple(v / Fraction(n * (n - 1)) for v in moment(i, k))
        ratio[i, k] = tuple(correlation(i, k))
    yield "cov", lambda: exblas.cov(x), each if rows > 1 else each[0, 0], dtype
    yield "corrcoef", lambda: exblas.corrcoef(x), ratio if rows > 1 else ratio[0, 0], dtype


def weighted(r, code):
    """Averages, covariances with weights, sums of products of three, trapezoids, densities."""
    rows, n, real = r.randrange(1, 4), r.choice((2, 3, 9)), real_code(np.empty(0, code)).replace("e", "f")
    x, w = values(r, (rows, n), code), np.abs(values(r, n, real).astype(real)) + 1
    parts, weights = fractions(x), [p[0] for p in fractions(w)]
    both = np.result_type(x.dtype.newbyteorder("="), w)

    def scaled(p, factor):
        return [v * factor for v in p]
    each = np.empty(rows, object)
    each[:] = [tuple(scaled(total(map(scaled, row, weights)), 1 / sum(weights))) for row in parts]
    yield "average", lambda: exblas.average(x, 1, w), each, both
    yield "averages", lambda: exblas.average(x, weights=np.broadcast_to(w, x.shape)), tuple(scaled(total(each), Fraction(1, rows))), both
    times = [r.randrange(1, 4) for _ in weights]
    f = [a * b for a, b in zip(weights, times)]
    of = lambda p, q: multiply(p, (q[0], -q[1]))
    divisor, sums = sum(f) ** 2 - sum(a * b for a, b in zip(f, weights)), [total(map(scaled, row, f)) for row in parts]
    moments, three, area = np.empty((rows, rows), object), np.empty((rows, rows), object), np.empty(rows, object)
    for i, k in np.ndindex(rows, rows):
        products = [scaled(of(a, b), v) for a, b, v in zip(parts[i], parts[k], f)]
        moments[i, k] = tuple((sum(f) * a - b) / divisor for a, b in zip(total(products), of(sums[i], sums[k])))
        three[i, k] = total([scaled(multiply(a, b), v) for a, b, v in zip(parts[i], parts[k], weights)])
    if divisor > 0:
        kind = x.dtype if x.dtype.kind in "fc" else np.dtype("d")
        yield "cov", lambda: exblas.cov(x, fweights=times, aweights=w), moments if rows > 1 else moments[0, 0], kind
    yield "einsum", lambda: exblas.einsum("ij,kj,j->ik", x, x, w), three, both
    area[:] = [total([scaled(multiply((b, 0), (p + u, q + v)), Fraction(1, 2)) for b, (p, q), (u, v) in zip(
        np.diff(np.array(weights, object)), row, row[1:])]) for row in parts]
    yield "trapezoid", lambda: exblas.trapezoid(x, w), area, both
    area[:] = [total([scaled((p + u, q + v), Fraction(0.375) / 2) for (p, q), (u, v) in zip(row, row[1:])]) for row in parts]
    yield "trapezoid of steps", lambda: exblas.trapezoid(x, dx=0.375), area, x.dtype if x.dtype.kind in "fc" else np.dtype("d")
    edges = np.array([-3.0, 0.1, 0.7, 40.0])
    in_bin = [[v for v in weights if a <= v < b] for a, b in zip(edges, edges[1:])]
    if any(in_bin):
        width = np.array([(sum(b), 0) for b in in_bin] + [None], object)[:-1]
        for i, (v, _) in enumerate(width):
            width[i] = (v / sum(map(sum, in_bin)) / (Fraction(edges[i + 1]) - Fraction(edges[i])), 0)
        yield "densities", lambda: exblas.histogram(w.astype(float), edges, density=True, weights=w)[0], width, np.dtype("d")


def value(exact, dtype):
    if dtype.kind in "biu":
        return int(exact[0])
    if isinstance(exact[0], float):
        return complex(*exact) if dtype.kind == "c" else exact[0]
    return number(exact, np.empty(0, dtype.newbyteorder("=")))


def difference(call, wanted, dtype):
    wanted = np.asarray(wanted, object) if isinstance(wanted, np.ndarray) else np.array([None, wanted], object)[1:].reshape(())
    numbers = {i: value(wanted[i], dtype) for i in np.ndindex(*wanted.shape)}
    limits = (0, 2 ** 64) if dtype.kind == "u" else (-2 ** 63, 2 ** 63)
    try:
        got = np.asarray(call())
    except OverflowError as error:
        too_large = dtype.kind in "biu" and any(not limits[0] <= v < limits[1] for v in numbers.values())
        return None if too_large else repr(error)
    except ValueError as error:
        return None if "equals some of the integers" in str(error) else repr(error)
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}"
    wrong = [(i, got[i], v) for i, v in numbers.items() if not same(got[i].item(), v)]
    return f"{wrong[0]}" if wrong else None


@tap.seeded(800)
def random_products(r):
    code = r.choice(["f", "d"] * 3 + ["e"] + COMPLEX * 3 + INTEGERS)
    for name, call, wanted, dtype in r.choice((vectors, stacks, moments, weighted))(r, code):
        words = difference(call, wanted, dtype)
        if words:
            yield f"{name} of {code}: {words}"


def wide_integers():
    """Products of more than 64 bits whose sum has fewer."""
    x, y = np.array([1, -1, 2 ** 62, -2 ** 62]), np.array([2 ** 64 - 1, 2 ** 64 - 2, 2 ** 63 + 1, 2 ** 63 + 1], "u8")
    for a, b, wanted in ((x, y, 1), (y, x, 1), (y[:1], y[:1] * 0 + 1, 2 ** 64 - 1), (y[:1] * 0 + 1, y[:1], 2 ** 64 - 1), (x[:0], y[:0], 0), (x[2:], x[2:], None)):
        for call in (exblas.dot, lambda p, q: exblas.matmul(p[None], q[:, None])[0, 0]):
            words = difference(lambda: call(a, b), (Fraction(2 ** 100 if wanted is None else wanted), 0),
                               np.dtype("u8" if a.dtype == b.dtype == y.dtype else "i8"))
            if words:
                yield f"{a} {b}: {words}"


def single():
    """What only bits behind those of a double decide."""
    x, ones = np.array([1, 2.0 ** -24, 2.0 ** -80], "f"), np.ones(3, "f")
    for sign in (1, -1):
        got = exblas.einsum("i,i,i", x * np.float32(sign), ones, ones)
        if got != sign * (1 + 2.0 ** -23) or got.dtype != "f":
            yield f"{got!r}"


def halves():
    """What only bits behind those of a float decide, and alpha that has too many; bfloat16 by encodings."""
    for encode, half in ((lambda x: x.astype("e"), 2.0 ** -11), (lambda x: (x.view("u4") >> 16).astype("u2"), 2.0 ** -8)):
        for last in (2.0 ** -12, -2.0 ** -12):
            x = encode(np.array([[1, half, 2.0 ** -12]], "f"))
            y, got = encode(np.array([[1], [1], [last]], "f")), encode(np.zeros((1, 1), "f"))
            _core.gemm(x, y, got, (1.0, 0.0), (0.0, 0.0))
            if got != encode(np.array([[1 + 2 * half * (last > 0)]], "f")):
                yield f"{got!r}"
        tap.refused(ValueError, "alpha and beta", lambda: _core.gemm(x, y, got, (0.3, 0.0), (0.0, 0.0)))


def integers_of_any_size():
    """Asked for by dtype= or out=, which is exact or refused."""
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        x, out = np.array([[3, 2], [1, 4]], code), np.zeros((2, 2), code)
        for product in (lambda: exblas.matmul(x, x, dtype=code), lambda: exblas.matmul(x, x, out=out),
                        lambda: exblas.dot(x, x, out=out), lambda: exblas.einsum("ij,jk->ik", x, x, dtype=code)):
            try:
                got = product()
            except (TypeError, ValueError) as error:
                yield f"{code}: {error}"
                continue
            if got.dtype != np.dtype(code) or got.tolist() != [[11, 14], [7, 18]]:
                yield f"{code}: {got!r}"


def narrow_types():
    """ml_dtypes' numbers: products of bfloat16 as it, or with others as float32; of eight bits as halves."""
    try:
        import ml_dtypes
    except (ImportError, AttributeError) as error:
        print(f"# bfloat16 and float8 are not tried: {error}")
        return
    r = random.Random(1)
    for name, result in (("bfloat16", "bfloat16"), ("float8_e4m3fn", "float16"), ("float8_e5m2", "float16")):
        kind, result = np.dtype(getattr(ml_dtypes, name)), np.dtype(getattr(ml_dtypes, result, result))
        wide = "f" if name == "bfloat16" else "e"
        x, y = (np.array([[r.gauss(0, 1) for _ in range(m)] for _ in range(k)], "f").astype(kind) for k, m in ((7, 5), (5, 6)))
        exact = x.astype("d") @ y.astype("d")
        for got, wanted in ((exblas.matmul(x, y), exact.astype(result)),
                            (exblas.matmul(x[::2, ::-1], y[::-1], dtype="f"), exact[::2].astype("f")),
                            (exblas.gemm(x, y), exact.astype(result)),
                            (exblas.gemv(x, y[:, 0], 1, 1, np.zeros(7, result)), exact[:, 0].astype(result)),
                            (exblas.matmul(x.astype(x.dtype.newbyteorder(">")), y), exact.astype(result)), (exblas.gemv(x, y[:, 0]), exact[:, 0].astype(result)),
                            (exblas.einsum("ij,jk->ki", x, y), exact.T.astype(result)),
                            (exblas.dot(x[0], y[:, 0]), exact[0, 0].astype(result)),
                            (exblas.matmul(x, y.astype("f")), exact.astype("f")),
                            (exblas.cov(x), exblas.cov(x.astype(wide))), (exblas.corrcoef(x, x), exblas.corrcoef(x.astype(wide), x.astype(wide))),
                            (np.float64(exblas.fsum(x)), x.astype("d").sum()),
                            (np.float64(exblas.Accumulator(x[0]).add_dot(x[0], y[:, 0]) + x[1]), exact[0, 0] + x[:2].astype("d").sum()),
                            (exblas.sum(x, axis=1), x.astype("d").sum(1).astype(wide))):
            if got.dtype != wanted.dtype or not np.array_equal(got, wanted):
                yield f"{name}: {got!r}, not {wanted!r}"
    for kind in ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2:
        x = np.arange(256, dtype="u1").view(kind)[:, None]
        with np.errstate(all="ignore"):
            exact = (x.astype("d") * x.T.astype("d")).astype("e")
        if not np.array_equal(exblas.matmul(x, x.T), exact, equal_nan=True):
            yield f"a product of two numbers of {kind.__name__} is wrong"
    x = np.ones((2, 2), ml_dtypes.bfloat16)
    for twice in (lambda: exblas.matmul(x, x.astype("f"), dtype=x.dtype), lambda: exblas.sum(x, dtype=x.dtype),
                  lambda: exblas.einsum("ij,ij,ij", x, x, x, dtype=x.dtype),
                  lambda: exblas.einsum("ij->ji", x.astype("d"), dtype=x.dtype)):
        tap.refused(TypeError, "", twice)


tap.run(integers_of_any_size, narrow_types, single, halves, random_products, wide_integers)
