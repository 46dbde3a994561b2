#!/usr/bin/env python3
"""test_reductions.py: sums, means, variances, norms and running sums of the Python package against fractions: random
functions, axes, masks, types, strides (also negative and zero ones), orders of bytes, ddof, out, and NumPy's own names
under patch(). Reports in TAP; TEST_ROUNDS: how many calls, default 2500; TEST_SEED: of the first."""
import os
import random
import re
import warnings
from fractions import Fraction
from math import inf, nan

import tap

np = tap.needed("numpy")
import exblas
from exact import COMPLEX, FLOATS, INTEGERS, fractions, laid_out, number, real_code, root, rounded, same, squares, total, values

ROUNDS, SEED = int(os.environ.get("TEST_ROUNDS", 2500)), int(os.environ.get("TEST_SEED", 1))
LINEAR, NAMES = ("sum", "mean", "cumsum"), ("sum", "mean", "var", "std", "norm", "asum", "cumsum")


class Call:
    """One call and what it must give."""

    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.name, code = r.choice(NAMES), r.choice(FLOATS * 2 + COMPLEX * 4 + INTEGERS)
        shape = tuple(r.choice((0, 1, 2, 3, 4) if r.random() < 0.2 else (1, 2, 3, 4)) for _ in range(r.randrange(4)))
        if shape and r.random() < 0.03:
            shape = (*shape[:-1], r.choice((49, 97)))
        elif r.random() < 0.02:
            shape = (r.randrange(2, 14), 70)
        self.x = laid_out(r, values(r, int(np.prod(shape, dtype=int)), code).reshape(shape))
        self.options = {}
        self.choose_axes()
        self.choose_mask()
        self.choose_result()

    def choose_axes(self):
        """All axes, one, or a tuple of some, counted from either end."""
        n, r = self.x.ndim, self.r
        kind = r.choice(["all"] + ["one"] * (n > 0) + ["some"] * (self.name != "cumsum"))
        chosen = {"all": range(n), "one": [r.randrange(max(n, 1))]}.get(kind) or r.sample(range(n), r.randrange(n + 1))
        self.axes = sorted(chosen)
        signed = [a - n * r.randrange(2) for a in chosen]
        if kind != "all":
            self.options["axis"] = signed[0] if kind == "one" else tuple(signed)

    def choose_mask(self):
        r, self.where = self.r, None
        if self.name == "cumsum":
            return
        if r.random() < 0.5:
            self.options["keepdims"] = r.random() < 0.5
        if r.random() < 0.4:
            shape = [n if r.random() < 0.8 else 1 for n in self.x.shape][r.randrange(2) * r.randrange(4):]
            where = np.array([r.random() < 0.6 for _ in range(int(np.prod(shape, dtype=int)))], bool).reshape(shape)
            self.options["where"], self.where = where, np.broadcast_to(where, self.x.shape)
        if self.name in ("var", "std"):
            self.options["ddof"] = r.randrange(4)

    def choose_result(self):
        """The type of the result, which dtype= or out= may set."""
        r, x = self.r, self.x
        is_linear = self.name in LINEAR
        self.type = x.dtype.newbyteorder("=") if is_linear else np.dtype(real_code(x))
        if x.dtype.kind in "biu":
            self.type = np.dtype("d" if self.name not in ("sum", "cumsum") else "u8" if x.dtype.kind == "u" else "i8")
        if r.random() < 0.2:
            self.type = np.dtype(r.choice(COMPLEX if is_linear and x.dtype.kind == "c" else FLOATS))
            self.options["dtype"] = self.type.char
        shape = tuple(n for i, n in enumerate(x.shape) if i not in self.axes)
        if self.name == "cumsum":
            shape = x.shape if "axis" in self.options else (x.size,)
        elif self.options.get("keepdims"):
            shape = tuple(1 if i in self.axes else n for i, n in enumerate(x.shape))
        self.shape = shape
        if r.random() < 0.1:
            kind = self.type.newbyteorder() if r.random() < 0.3 else self.type
            self.options["out"] = np.zeros([2 * n for n in shape], kind)[(*(slice(None, None, -2) for _ in shape), ...)]

    def value(self, parts):
        """The result for exact parts, of those that count."""
        counted, code, n = [p for p in parts if p], real_code(np.empty(0, self.type)), 1
        if self.name in ("norm", "asum"):
            return root(squares(counted), code) if self.name == "norm" else rounded(
                sum((abs(a) + abs(b) for a, b in counted), Fraction(0)), code)
        s = total(counted)
        if self.name in ("var", "std"):
            n, left = len(counted), len(counted) - self.options["ddof"]
            moment = n * squares(counted) - s[0] ** 2 - s[1] ** 2
            if left <= 0:
                return inf if moment else nan
            return (rounded if self.name == "var" else root)(moment / (n * left), code)
        if self.name == "mean":
            n = len(counted)
            if n == 0:
                return complex(nan, nan) if self.type.kind == "c" else nan
        return number([p / n for p in s], np.empty(0, self.type))

    def wanted(self):
        parts = fractions(self.x)
        if self.where is not None:
            for i in np.argwhere(~self.where):
                parts[tuple(i)] = None
        if self.name == "cumsum" and "axis" not in self.options:
            parts = parts.reshape(-1)
        axes = self.axes if "axis" in self.options or self.name != "cumsum" else [0]
        kept = [i for i in range(parts.ndim) if i not in axes]
        lines = parts.transpose(kept + list(axes)).reshape([parts.shape[i] for i in kept] + [
            int(np.prod([parts.shape[i] for i in axes], dtype=int))])
        result = np.empty(lines.shape if self.name == "cumsum" else lines.shape[:-1], object)
        for i in np.ndindex(*result.shape):
            result[i] = self.value(lines[i] if self.name != "cumsum" else lines[i[:-1]][:i[-1] + 1])
        if self.name == "cumsum":
            result = np.moveaxis(result, -1, axes[0])
        return result.reshape(self.shape)

    def functions(self):
        """(name, function) of all ways to the same result."""
        yield "exblas", getattr(exblas, self.name)
        is_rounded = self.x.dtype.kind in "fc" or self.name in ("mean", "var", "std")
        takes_real_parts = self.x.dtype.kind == "c" and np.dtype(self.options.get("dtype", "D")).kind != "c"
        if not is_rounded or self.name in ("norm", "asum") or self.x.dtype.isnative is False or takes_real_parts:
            return  # NumPy's own
        yield "numpy", getattr(np, self.name)
        yield "method", getattr(self.x, self.name)

    def check(self):
        wanted = self.wanted()
        limits = np.iinfo(self.type) if self.type.kind in "iu" else None
        has_room = limits is None or all(limits.min <= v <= limits.max for v in wanted.ravel())
        if self.where is not None and self.x.dtype.kind in "fc" and self.r.random() < 0.5:
            self.x = np.where(self.where, self.x, nan).astype(self.x.dtype)  # what does not count may be anything
        for name, function in self.functions():
            arguments = () if name == "method" else (self.x,)
            try:
                got = function(*arguments, **self.options)
            except OverflowError:
                assert not has_room, "refused"
                continue
            assert has_room, f"{name}: {got!r}, but {wanted} has no room"
            assert "out" not in self.options or got is self.options["out"], name
            kind = self.options["out"].dtype if "out" in self.options else self.type
            assert (got.shape, got.dtype) == (wanted.shape, kind), (name, got.shape, got.dtype)
            assert all(map(same, got.ravel().tolist(), wanted.ravel().tolist())), f"{name}: {got}, not {wanted}"

    def __str__(self):
        return f"{self.name} of {self.x.dtype} {self.x.shape}, strides {self.x.strides}, {self.options}"


def random_reductions():
    exblas.patch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, of what is not finite
        for seed in range(SEED, SEED + ROUNDS):
            call = Call(seed)
            try:
                call.check()
            except Exception as error:
                yield f"TEST_SEED={seed} TEST_ROUNDS=1: {call}: {type(error).__name__}: {error}".replace("\n", " ")
    exblas.unpatch()


def counts_of_another_size():
    """What the module hands to its extension is checked there, too: a count for each result, not for each part."""
    x, out, mean = np.ones((3, 2), "D"), np.empty(3, "D"), 3
    for counts in (np.ones(6, "i8"), np.ones(2, "i8"), np.ones(6, "i4"), np.ones(3)):
        tap.refused(ValueError, "one count for each", lambda: exblas._core.reduce(mean, x, 2, out, counts, 0, 53))


def ties():
    """Means half way between two doubles, of columns; and norms of integers that get wide on the way."""
    for seed in range(SEED, SEED + 400):
        r = random.Random(seed)
        n, m = r.choice((2, 4, 6, 10)), r.choice((-1, 1)) * r.randrange(2 ** 52 + 100, 2 ** 53 - 100)
        column = [m + r.randrange(-9, 9) for _ in range(n - 1)]
        column.append(n * m + n // 2 - sum(column))
        got = exblas.mean(np.array([column] * 5, float).T, axis=0).tolist() + [exblas.mean(column)]
        if got != [m + m % 2] * 6:
            yield f"TEST_SEED={seed}: mean {column}: {got}, not {m + m % 2}"
    if exblas.mean(np.array([[4, 2.0 ** -51, 2.0 ** -110, 0]] * 5).T, axis=0).tolist() != [1 + 2.0 ** -52] * 5:
        yield "means a little above a tie"
    above = {"mean": [4, 2**-22, 2**-80, 0], "norm": [1, 2**-12, 2**-12, 2**-24, 2**-45], "var": [2, 2**-11, 2**-45, 0],
             "std": [2, 2, 2**-10, 2**-23, 2**-23, 2**-60, 0, 0]}
    for name, column in above.items():  # of floats, by what doubles lose
        column += [-x for x in column if name in ("var", "std")]
        got = getattr(exblas, name)(np.array([column] * 5, "f").T, axis=0).tolist()
        if got != [1 + 2**-23] * 5:
            yield f"{name} of floats a little above a tie: {got}"
    few = ([1, 2**-24, 2**-80], [1, 2**-24, -(2**-80)], [1, 2**-24, 0], [9, 2**-20, 3 * 2**-21], [2**-149] * 3, [2**127, 2**127, -(2**127)],
           [2**-149, 2**-148, 0], [1, 2**-24, 2**-31 + 2**-54, -(2**-31)], [0, -0.0, 0], [2**25 + 4, 2, 2**-28], [3 * 2**24, 3 * 2**-1, 3 * 2**-50],
           [25 / 16] * 7 + [25 / 16 - 5 * 2**-23, (2**24 - 2) * 2**-49, -(2**24 - 1) * 2**-49], [])
    for column in few:  # of floats: sums in doubles that are exact, ones that are not, and quotients at and beside ties
        x, exact = np.array([column] * 5 + [[1] * len(column)] * 40, "f").T, sum(map(Fraction, column))
        if exblas.sum(x, 0)[4] != rounded(exact, "f") or column and exblas.mean(x, 0)[4] != rounded(exact / len(column), "f"):
            yield f"the sum or mean of {column}"
    x = np.array([[np.inf] * 45, [-np.inf] * 45], "f")
    if exblas.sum(x, 0).tobytes() != np.float32(exblas.sum(x[:, 0])).tobytes() * 45:
        yield "the bits of Inf - Inf"
    z = fractions([[complex(r.gauss(1, 1), r.gauss(1, 1)) for _ in range(40)] for _ in range(6)])
    x = np.array([[complex(*map(float, v)) for v in row] for row in z])
    if [exblas.var(x, 0).tolist(), exblas.mean(x.real.copy(), 0).tolist()] != [
            [rounded((6 * squares(column) - squares([total(column)])) / 36, "d") for column in z.T],
            [rounded(total(column)[0] / 6, "d") for column in z.T]]:
        yield "complex variances, or means"
    long = np.tile([1 + 1j, 1 + 2**-52 + (1 + 3 * 2**-52) * 1j], 200)  # both means are ties
    for y, wanted in ((x.ravel()[::-1], [t / 240 for t in total(z.ravel())]), (long, [1, 1 + Fraction(1, 2**51)])):
        if exblas.mean(y) != complex(*(rounded(Fraction(t), "d") for t in wanted)):
            yield f"the mean of {y.size} complex numbers"
    if {complex(exblas.mean(np.append(long, complex(402, inf)).astype(code))) for code in "FD"} != {complex(2, inf)}:
        yield "complex means beside Inf"
    for least, norm in ((0, 1), (2**-80, 1 + 2**-52)):
        if exblas.norm(np.array([[1, 2**-26, 2**-53, least]] * 5).T, axis=0).tolist() != [norm] * 5:
            yield f"norms at a tie, which is not {norm}"
    if exblas.sum(np.frombuffer(bytes(1) + np.full(15, 2, "f").tobytes(), "f", 15, 1).reshape(3, 5), 0).tolist() != [6] * 5:
        yield "sums of columns that are not aligned"
    if [exblas.sum(np.tile(np.array([2 ** 40, 1, -2 ** 40], code), 2000)) for code in "fdq"] != [2000] * 3:
        yield "sums of many"
    if exblas.norm(np.array([1 + 2**-11, 2**-14], "f"), dtype="f2") != 1 + 2**-10:
        yield "a norm rounded to half, once"
    wide = np.array([[3] * 5, [2 ** 62] * 5, [3] * 5])
    if exblas.norm(wide, axis=0).tolist() != [2.0 ** 62] * 5 or exblas.var(wide, axis=0).tolist() != [
            rounded(Fraction(2 * (2 ** 62 - 3) ** 2, 9), "d")] * 5:
        yield "norm and var of wide integers"
    for n in (2 ** 51 - 1, 2 ** 51, 2 ** 51 + 1, -2 ** 51, -2 ** 51 - 1, 2 ** 53 - 1):
        if exblas.norm(np.array([n])) != abs(n) or exblas.cumsum(np.array([n, 0]), dtype=float)[1] != n:
            yield f"the norm or sum of {n}"


def means_of_columns():
    """Columns, of which a few begin with zeros, tiny numbers or Inf, or cancel."""
    r = np.random.default_rng(SEED)
    for n in (2, 3, 8, 33):
        x = r.normal(size=(n, 300))
        x[:2, ::40] = 0
        x[:2, 1::40] *= 2.0**-60
        x[-1, 2::40] *= 2.0**60
        x[1, 3::40] = -x[0, 3::40]
        x[0, 4::40] *= 2.0**1000
        wanted = [rounded(sum(map(Fraction, column)) / n, "d") for column in x.T.tolist()]
        x[1, 5], wanted[5] = inf, inf
        if exblas.mean(x, 0).tolist() != wanted:
            yield f"means of columns of {n}"


def results_and_refusals():
    """What the last of many bits decides; numbers that no double has, with doubles; and what would be rounded twice or cut."""
    x, y, wide, ones = np.array([2**53 + 1, -2**53]), np.array([1, 2, 4, 9, 3.5]), np.array([2**63 + 1], "u8"), np.ones(2, "f")
    near, mean, few, ddof, deep = np.array([1 + 2**-52, 1, 2**-120]), np.zeros((3, 3))[:, :2], np.zeros(1, "f"), 2 - 2**53, 1
    mean[:2, 0] = 6 * (1 + 2.0**-24), 2.0**-1074
    exblas.add_at(few, [0, 0], np.array([2**24, -2**24], "i4"))
    variance = float((5 * squares(fractions(y)) - total(fractions(y))[0] ** 2) / (5 * (5 - ddof)))
    for got, wanted in (
            (exblas.cumsum(near)[2], exblas.sum(near)), (exblas.mean(mean, dtype="f"), 1 + 2**-23), (exblas.var(y, ddof=ddof), variance),
            (exblas.cumsum(np.array([2**30, 64, 1 + 2**-23, -1, 2**-100, -2**-23], "f"))[-1], 2**30 + 128),
            (exblas.cov(y, ddof=ddof), variance), (exblas.sum(x, dtype=float, initial=0), 1), (exblas.sum(wide, dtype=float, initial=-2.0**63), 1),
            (exblas.sum(ones[:1].astype(float), initial=2**53 + 1), 2**53 + 2), (exblas.sum(ones, initial=nan), nan),
            (exblas.sum(ones, initial=0.1), rounded(2 + Fraction(0.1), "f")), (exblas.sum(x, dtype="D", initial=1j), 1 + 1j),
            (exblas.sum(x, dtype=complex), 1 + 0j), (exblas.mean(x, dtype="F"), 0.5 + 0j), (exblas.cumsum(x, dtype=complex)[1], 1 + 0j),
            (exblas.sum([[2**63 + 1, 1], [0, 5]]), 2**63 + 7), (exblas.sum([[1], [0.5]]), 1.5), (exblas.einsum("i->i", y, dtype="f")[4], 3.5),
            (few[0], 0), (exblas.cov(np.arange(3), np.arange(3))[0, 1], 1), (exblas.cov(ones * y[:2], fweights=np.array([1, 2], "u8")), 1 / 3)):
        if not same(got, wanted):
            yield f"{got!r}, not {wanted!r}"
    for _ in range(99):
        deep = [deep]
    for i, call in enumerate((
            lambda: exblas.var(y, ddof=2**70), lambda: exblas.std(y, ddof=-2**70), lambda: exblas.cov(y, ddof=2**70), lambda: exblas.sum(deep),
            lambda: exblas.sum([[2**53 + 1, -2**53], [0.0, 0.0]]), lambda: exblas.dot(x, [2**63 + 1, -2**63]),
            lambda: exblas.cov([[2**63 + 1, 2**63], [-1, 0]]), lambda: exblas.add_at(few, [0, 0], np.array([2**24 + 1, -2**24], "i4")),
            lambda: exblas.sum(near, axis=0, dtype="d", out=few[0:1].reshape(())), lambda: exblas.cumsum(y, dtype="f", out=y),
            lambda: exblas.einsum("i->i", y, dtype="i8"), lambda: exblas.einsum("i->i", y + 1j, dtype="d"),
            lambda: exblas.einsum("i->i", x, dtype="i1"), lambda: exblas.einsum("i->i", y + 1j, out=y),
            lambda: exblas.cov(y[:2], fweights=np.array([1, 2**63], "u8")))):
        try:
            yield f"number {i} gives {call()!r}"
        except (TypeError, ValueError, OverflowError) as error:
            if not re.search(r"deep|equals|2\^63|2\^53|rounded once|is no int|int8|is complex", str(error)):
                yield f"number {i}: {error}"


tap.run(random_reductions, counts_of_another_size, ties, means_of_columns, results_and_refusals)
