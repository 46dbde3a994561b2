"""Random calls of every family of routines, and their results by the definitions of
doc/guarantee.md, element after element."""
import math
import re

from extended import (conjugate, is_one, is_zero, negated, quotient, real, scaled_sum, times, total)
from storage import COL, PARTS, ROW, Array, band, full, packed, vector

NO, TRANS, CONJ, CONJ_NO = 111, 112, 113, 114
UPPER, LOWER, NON_UNIT, UNIT, LEFT, RIGHT = 121, 122, 131, 132, 141, 142
ONE = (1.0, None)


class Call:
    """Arguments by name, the elements that outputs must have, and what is returned."""

    def __init__(self, routine, letter, random, size, rate, layouts=(COL, ROW), steps=(1, 2, -1, -3)):
        self.routine, self.letter, self.random, self.size, self.rate = (routine, letter, random,
                                                                        size, rate)
        self.layouts, self.steps, self.is_complex = layouts, steps, PARTS[letter] == 2
        self.args, self.expected, self.returned, self.sparse = {}, {}, None, None
        solves = re.fullmatch("t.s[vm]|trsm", routine.kind)
        self.integers = (-1, 0, 0, 1) if solves else (-2, -1, 0, 0, 1, 2)
        if solves: # quotients by 1 and 2 alone, so that unknowns are exact
            self.size = min(size, 4)

    def part(self):
        if self.random.random() < self.rate:
            return self.random.choice((math.inf, -math.inf, math.nan))
        return float(self.random.choice(self.integers))

    def number(self):
        return (self.part(), self.part() if self.is_complex else None)

    def scalar(self, name, is_real=False):
        """0 and 1, which BLAS treats apart, are likely."""
        kind = self.random.randrange(5)
        value = self.number() if kind > 1 else (float(kind), 0.0 if self.is_complex else None)
        self.args[name] = value = real(value) if is_real else value
        return value

    def option(self, name, *choices):
        self.args[name] = self.random.choice(choices)
        return self.args[name]

    def layout(self):
        return self.option("layout", *self.layouts)

    def dimension(self, name):
        self.args[name] = self.random.randint(1, self.size)
        return self.args[name]

    def array(self, name, places, values, parts=None):
        half = next(a.half for a in self.routine.arguments if a.name == name)
        self.args[name] = Array(half or self.letter, places, values, parts)
        return values

    def vector(self, name, n, positive=False):
        inc = self.random.choice((1, 2) if positive else self.steps)
        self.args["inc" + name] = inc
        return self.array(name, vector(n, inc), {i: self.number() for i in range(n)})

    def matrix(self, name, rows, columns, values=None, wanted=lambda i, j: True, stride=None):
        places, ld = full(rows, columns, self.args["layout"], wanted)
        self.args["ld" + name] = ld
        return self.array(name, places, values or {at: self.number() for at in places})


# --- Level 1 ----------------------------------------------------------------------------


def sums(c):
    base, n = c.routine.kind, c.dimension("n")
    x = list(c.vector("x", n, positive=True).values())
    y = list(c.vector("y", n).values()) if "dot" in base else None
    magnitudes = [total([(abs(p), None) for p in v if p is not None])[0] for v in x]
    if base == "sum":
        c.returned = total(x if c.routine.returns_complex else [real(p) for v in x for p in v if p is not None])
    elif base == "asum":
        c.returned = (sum(magnitudes), None)
    elif base == "nrm2":
        c.returned = (math.sqrt(sum(p * p for v in x for p in v if p is not None)), None)
    elif base.endswith(("max", "min")):
        keys = magnitudes if "am" in base else [v[0] for v in x]
        nans = [i for i, v in enumerate(keys) if math.isnan(v)]
        at = nans[0] if nans else keys.index((max if base.endswith("max") else min)(keys))
        c.returned = at if base[0] == "i" else (keys[at], None)
    else:
        terms = [times(conjugate(a) if base == "dotc" else a, b) for a, b in zip(x, y)]
        c.returned = total(terms + ([c.scalar("sb")] if base == "sdsdot" else []))


def moves(c):
    n = c.dimension("n")
    first, second = (a.name for a in c.routine.arguments if a.kind == "array")
    x, y = c.vector(first, n), c.vector(second, n)
    c.expected[second] = x
    if c.routine.kind == "swap":
        c.expected[first] = y


def elements(c):
    base, n = c.routine.kind, c.dimension("n")
    is_real = any(a.kind == "real scalar" for a in c.routine.arguments)
    x = c.vector("x", n, positive=base == "scal")
    y = c.vector("y", n) if base != "scal" else None
    if base == "rot":
        cos, sin = c.scalar("c", True), c.scalar("s", c.routine.arguments[-1].real)
        c.expected["x"] = {i: total([times(cos, x[i]), times(sin, y[i])]) for i in x}
        c.expected["y"] = {i: total([times(cos, y[i]), negated(times(conjugate(sin), x[i]))]) for i in x}
        return
    alpha = c.scalar("alpha", is_real)
    if base == "scal":
        c.expected["x"] = {i: times(alpha, x[i]) for i in x}
        return
    beta = c.scalar("beta") if base == "axpby" else ONE
    form = conjugate if base == "axpyc" else lambda v: v
    new = {i: scaled_sum([] if is_zero(alpha) else [alpha], [form(x[i])], beta, y[i]) for i in x}
    c.expected["y"] = y if is_zero(alpha) and base != "axpby" else new


def rotm(c):
    n, flag = c.dimension("n"), c.random.choice((-2, -1, 0, 1))
    x, y = c.vector("x", n), c.vector("y", n)
    h = {i: real(c.number()) for i in range(1, 5)}
    unread = {-2: (1, 2, 3, 4), -1: (), 0: (1, 4), 1: (2, 3)}[flag]
    c.array("param", {0: 0, **{i: i for i in h if i not in unread}}, {0: (float(flag), None), **h})
    if flag == -2:
        c.expected.update(x=x, y=y)
        return
    if flag == 0:
        h[1] = h[4] = ONE
    if flag == 1:
        h[3], h[2] = ONE, (-1.0, None)
    c.expected["x"] = {i: total([times(h[1], x[i]), times(h[3], y[i])]) for i in x}
    c.expected["y"] = {i: total([times(h[2], x[i]), times(h[4], y[i])]) for i in x}


def rotg(c):
    """r = +-sqrt(a^2 + b^2), a / r, b / r, of numbers with a root that is a number; one is Inf or
    NaN more often than not."""
    values = (3.0, -3.0, 4.0, -4.0, 0.0, math.inf, -math.inf, math.nan)
    a, b = c.random.choice(values[:2] + values[4:]), c.random.choice(values[2:])
    root = math.copysign(math.sqrt(a * a + b * b), a if abs(a) > abs(b) else b)
    cos, sin = (a / root, b / root) if root else (1.0, 0.0)
    z = sin if abs(a) > abs(b) else 1 / cos if cos else 1.0
    if a == 0:
        root, cos, sin, z = b, 0.0, 1.0, 1.0
    if b == 0:
        root, cos, sin, z = a, 1.0, 0.0, 0.0
    for name, value, new in (("a", a, root), ("b", b, z), ("c", 7.0, cos), ("s", 7.0, sin)):
        c.array(name, {0: 0}, {0: (value, None)})
        c.expected[name] = {0: (new, None)}


# --- matrices -----------------------------------------------------------------------------


def is_hermitian(c):
    return c.routine.kind.startswith("h")


def is_skew(c):
    return c.routine.kind.startswith("skew")


def stored_triangle(c, name, n, upper, shape, hermitian=False, unit=False):
    """A stored triangle; what a unit or Hermitian diagonal hides is NaN."""
    layout = c.args["layout"]
    if shape == "packed":
        places = packed(n, layout, upper)
    elif shape == "band":
        k = c.args["k"] = c.random.randint(0, n)
        places, c.args["lda"] = band(n, n, layout, 0 if upper else k, k if upper else 0)
    else:
        places, c.args["ld" + name[0]] = full(n, n, layout,
                                              lambda i, j: i <= j if upper else i >= j)
    if unit:
        places = {at: p for at, p in places.items() if at[0] != at[1]}
    values = {at: real(c.number()) if hermitian and at[0] == at[1] else c.number() for at in places}
    return c.array(name, places, values)


def mirrored(c, stored):
    form = conjugate if is_hermitian(c) else negated if is_skew(c) else lambda v: v
    return {**{(j, i): form(v) for (i, j), v in stored.items()}, **stored}


def op(trans, a):
    """op of a matrix whose elements are told by place."""
    if trans == NO:
        return a
    return {(j, i): conjugate(v) if trans == CONJ else v for (i, j), v in a.items()}


def row_sum(a, i, x):
    """Of the elements that there are in row i, times x."""
    return total(times(a[i, j], x[j]) for j in x if (i, j) in a)


def product_with_vector(c, a, rows, columns):
    x = c.vector("x", columns)
    y = c.vector("y", rows)
    alpha, beta = c.scalar("alpha"), c.scalar("beta")
    c.expected["y"] = product(alpha, beta, y, lambda i: row_sum(a, i, x))
    c.sparse = {"alpha": alpha, "beta": beta, "x": x, "y": y}


def product(alpha, beta, old, sum_at):
    if is_zero(alpha):
        return {i: old[i] if is_one(beta) else scaled_sum([], [], beta, old[i]) for i in old}
    return {i: scaled_sum([alpha], [sum_at(i)], beta, old[i]) for i in old}


def general_product(c):
    layout, trans = c.layout(), c.option("trans", NO, TRANS, CONJ)
    m, n = c.dimension("m"), c.dimension("n")
    if c.routine.kind == "gbmv":
        c.args["kl"], c.args["ku"] = c.random.randint(0, m), c.random.randint(0, n)
        places, c.args["lda"] = band(m, n, layout, c.args["kl"], c.args["ku"])
        a = c.array("a", places, {at: c.number() for at in places})
    else:
        a = c.matrix("a", m, n)
    product_with_vector(c, op(trans, a), *((m, n) if trans == NO else (n, m)))
    c.sparse.update(name="csrmv", options=[trans, m, n], a=a, m=m)


def shape_of(base):
    return {"p": "packed", "b": "band"}.get(base[1] if base[0] in "hst" else "", "full")


def symmetric_product(c):
    base = c.routine.kind
    c.layout()
    upper, n = c.option("uplo", UPPER, LOWER) == UPPER, c.dimension("n")
    shape = shape_of(base)
    stored = stored_triangle(c, "ap" if shape == "packed" else "a", n, upper, shape,
                             is_hermitian(c), is_skew(c))
    product_with_vector(c, mirrored(c, stored), n, n)
    if is_skew(c):
        c.sparse = None
        return
    name = "csrhemv" if is_hermitian(c) else "csrsymv"
    c.sparse.update(name=name, options=[c.args["uplo"], n], a=stored, m=n)


def triangular(c):
    base = c.routine.kind
    c.layout()
    upper = c.option("uplo", UPPER, LOWER) == UPPER
    trans, unit = c.option("trans", NO, TRANS, CONJ), c.option("diag", NON_UNIT, UNIT) == UNIT
    n, shape = c.dimension("n"), shape_of(base)
    a = op(trans, stored_triangle(c, "ap" if shape == "packed" else "a", n, upper, shape,
                                  unit=unit))
    x = c.vector("x", n)
    if base.endswith("sv"):
        c.expected["x"] = solution(a, x, upper == (trans == NO), unit)
        return
    if unit:
        a.update({(i, i): ONE for i in range(n)})
    c.expected["x"] = {i: row_sum(a, i, x) for i in x}


def solution(a, b, backwards, unit):
    x = {}
    for i in sorted(b, reverse=backwards):
        left = total([b[i]] + [negated(times(a[i, j], x[j])) for j in x if (i, j) in a])
        x[i] = left if unit else quotient(left, a[i, i])
    return {i: x[i] for i in b}


# --- updates of Level 2 ---------------------------------------------------------------------


def without_imaginary_diagonal(c, new):
    """Of the result of a Hermitian update: +0."""
    if c.is_complex and is_hermitian(c):
        return {at: (v[0], 0.0) if at[0] == at[1] else v for at, v in new.items()}
    return new


def general_update(c):
    c.layout()
    m, n, alpha = c.dimension("m"), c.dimension("n"), c.scalar("alpha")
    x, y, a = c.vector("x", m), c.vector("y", n), c.matrix("a", m, n)
    form = conjugate if c.routine.kind == "gerc" else lambda v: v
    c.expected["a"] = a if is_zero(alpha) else {
        (i, j): total([v, times(alpha, times(x[i], form(y[j])))]) for (i, j), v in a.items()}


def symmetric_update(c):
    base, hermitian = c.routine.kind, is_hermitian(c)
    c.layout()
    upper, n = c.option("uplo", UPPER, LOWER) == UPPER, c.dimension("n")
    name = "ap" if base[1] == "p" else "a"
    alpha = c.scalar("alpha", hermitian and not base.endswith("2"))
    x = c.vector("x", n)
    y = c.vector("y", n) if base.endswith("2") else None
    a = stored_triangle(c, name, n, upper, "packed" if name == "ap" else "full", hermitian, is_skew(c))
    form = conjugate if hermitian else lambda v: v
    first = negated(alpha) if is_skew(c) else alpha

    def new(i, j):
        terms = [a[i, j], times(first, times(x[i], form(y[j] if y else x[j])))]
        return total(terms + ([times(form(alpha), times(y[i], form(x[j])))] if y else []))

    c.expected[name] = a if is_zero(alpha) else without_imaginary_diagonal(
        c, {at: new(*at) for at in a})


# --- Level 3 --------------------------------------------------------------------------------


def element_sum(a, b, i, j, inner):
    return total(times(a[i, l], b[l, j]) for l in range(inner) if (i, l) in a and (l, j) in b)


def general_matrix(c, name, trans, rows, columns):
    return op(trans, c.matrix(name, *((rows, columns) if trans == NO else (columns, rows))))


def gemm(c):
    c.layout()
    ta, tb = c.option("transa", NO, TRANS, CONJ), c.option("transb", NO, TRANS, CONJ)
    upper = None
    if c.routine.kind == "gemmt":
        upper = c.option("uplo", UPPER, LOWER) == UPPER
    n, k = c.dimension("n"), c.dimension("k")
    m = n if upper is not None else c.dimension("m")
    alpha, beta = c.scalar("alpha"), c.scalar("beta")
    a, b = general_matrix(c, "a", ta, m, k), general_matrix(c, "b", tb, k, n)
    old = c.matrix("c", m, n, wanted=lambda i, j: upper is None or (i <= j if upper else i >= j))
    c.expected["c"] = product(alpha, beta, old, lambda at: element_sum(a, b, *at, k))
    if upper is None and tb == NO:
        rows, columns = (m, k) if ta == NO else (k, m)
        c.sparse = {"name": "csrmm", "options": [c.args["layout"], ta, rows, columns, n], "x": b,
                    "alpha": alpha, "beta": beta, "y": old, "a": op(ta, a), "m": rows}


def batched(c):
    """Two products whose matrices lie one behind the other."""
    c.args["batch"] = 2
    c.layout()
    ta, tb = c.option("transa", NO, TRANS, CONJ), c.option("transb", NO, TRANS, CONJ)
    m, n, k = c.dimension("m"), c.dimension("n"), c.dimension("k")
    alpha, beta = c.scalar("alpha"), c.scalar("beta")
    both = {}
    for name, rows, columns in (("a", *((m, k) if ta == NO else (k, m))),
                                ("b", *((k, n) if tb == NO else (n, k))), ("c", m, n)):
        places, c.args["ld" + name] = full(rows, columns, c.args["layout"], lambda i, j: True)
        step = c.args["stride" + name] = max(places.values()) + 3
        both[name] = c.array(name, {(g, *at): p + g * step for at, p in places.items()
                                    for g in range(2)},
                             {(g, *at): c.number() for at in places for g in range(2)})

    def one(name, g):
        return {at[1:]: v for at, v in both[name].items() if at[0] == g}

    c.expected["c"] = product(alpha, beta, both["c"], lambda at: element_sum(
        op(ta, one("a", at[0])), op(tb, one("b", at[0])), *at[1:], k))


def with_side(c):
    """symm, hemm, trmm, trsm."""
    base = c.routine.kind
    c.layout()
    left = c.option("side", LEFT, RIGHT) == LEFT
    upper = c.option("uplo", UPPER, LOWER) == UPPER
    is_triangle = base[0] == "t"
    trans = c.option("transa", NO, TRANS, CONJ) if is_triangle else NO
    unit = is_triangle and c.option("diag", NON_UNIT, UNIT) == UNIT
    m, n = c.dimension("m"), c.dimension("n")
    order, alpha = m if left else n, c.scalar("alpha")
    stored = stored_triangle(c, "a", order, upper, "full", is_hermitian(c), unit or is_skew(c))
    a = op(trans, stored) if is_triangle else mirrored(c, stored)
    b = c.matrix("b", m, n)
    if base == "trsm":
        c.expected["b"] = solutions(a, alpha, b, left, upper == (trans == NO), unit)
        return
    if unit:
        a.update({(i, i): ONE for i in range(order)})

    def sum_at(at):
        return element_sum(a, b, *at, order) if left else element_sum(b, a, *at, order)

    if is_triangle:
        zero = (0.0, 0.0 if c.is_complex else None)
        c.expected["b"] = {at: zero if is_zero(alpha) else times(alpha, sum_at(at)) for at in b}
        return
    beta, old = c.scalar("beta"), c.matrix("c", m, n)
    c.expected["c"] = product(alpha, beta, old, sum_at)


def solutions(a, alpha, b, left, backwards, unit):
    if is_zero(alpha):
        return {at: (0.0, v[1] and 0.0) for at, v in b.items()}
    if not left:
        b, a, backwards = op(TRANS, b), op(TRANS, a), not backwards
    x = {}
    for j in {at[1] for at in b}:
        column = {at[0]: times(alpha, v) for at, v in b.items() if at[1] == j}
        x.update({(i, j): v for i, v in solution(a, column, backwards, unit).items()})
    return x if left else op(TRANS, x)


def rank_k(c):
    """syrk, herk, syr2k, her2k."""
    base, hermitian, has_b = c.routine.kind, is_hermitian(c), "2" in c.routine.kind
    c.layout()
    upper = c.option("uplo", UPPER, LOWER) == UPPER
    other = TRANS if not c.is_complex or not hermitian else CONJ
    trans, n, k = c.option("trans", NO, other), c.dimension("n"), c.dimension("k")
    alpha = c.scalar("alpha", hermitian and not has_b)
    a = general_matrix(c, "a", trans, n, k)
    b = general_matrix(c, "b", trans, n, k) if has_b else a
    beta = c.scalar("beta", hermitian)
    least = int(is_skew(c))
    places, c.args["ldc"] = full(n, n, c.args["layout"],
                                 lambda i, j: least <= j - i if upper else least <= i - j)
    old = c.array("c", places, {at: real(c.number()) if hermitian and at[0] == at[1] else c.number()
                                for at in places})
    form = conjugate if hermitian else lambda v: v
    alphas = [negated(alpha) if is_skew(c) else alpha, form(alpha)] if has_b else [alpha]

    def sum_of(x, y, i, j):
        return total(times(x[i, l], form(y[j, l])) for l in range(k))

    def new(i, j):
        return scaled_sum([] if is_zero(alpha) else alphas, [sum_of(a, b, i, j), sum_of(b, a, i, j)],
                          beta, old[i, j])

    c.expected["c"] = old if is_zero(alpha) and is_one(beta) else without_imaginary_diagonal(
        c, {at: new(*at) for at in old})


# --- matrices element by element ------------------------------------------------------------


def added(c):
    c.layout()
    m, n, alpha, beta = c.dimension("m"), c.dimension("n"), c.scalar("alpha"), c.scalar("beta")
    a, old = c.matrix("a", m, n), c.matrix("c", m, n)
    c.expected["c"] = {at: scaled_sum([] if is_zero(alpha) else [alpha], [a[at]], beta, old[at])
                       for at in old}


def copied(c):
    """omatcopy; imatcopy has both layouts in one array, whose elements are known by their places."""
    zero = (0.0, 0.0 if c.is_complex else None)
    c.args["layout"] = c.option("order", COL, ROW)
    kind, m, n, alpha = c.option("op", NO, TRANS, CONJ, CONJ_NO), c.dimension("m"), c.dimension("n"), c.scalar("alpha")
    form = conjugate if kind in (CONJ, CONJ_NO) else lambda v: v
    turned = kind in (TRANS, CONJ)
    in_place = c.routine.kind == "imatcopy"
    a = {} if in_place else c.matrix("a", m, n)
    source, c.args["lda"] = full(m, n, c.args["layout"], lambda i, j: True)
    target, c.args["ldb"] = full(*((n, m) if turned else (m, n)), c.args["layout"], lambda i, j: True)
    if in_place:
        c.args["lda"], source = spread(source, c.args["lda"], c.random.randint(0, 2))
        every = {p: p for p in (*source.values(), *target.values())}
        values = c.array("a", every, {p: c.number() for p in every})
        a = {at: values[p] for at, p in source.items()}
    else:
        c.array("b", target, {at: c.number() for at in target})
    new = {((j, i) if turned else (i, j)): zero if is_zero(alpha) else scaled_sum([alpha], [form(v)], zero, v)
           for (i, j), v in a.items()}
    c.expected["a" if in_place else "b"] = {target[at] if in_place else at: v for at, v in new.items()}


def spread(places, ld, more):
    """The same places with a leading dimension that is larger."""
    return ld + more, {at: p + p // ld * more for at, p in places.items()}


FAMILIES = {
    sums: "sum asum nrm2 iamax iamin imax imin amax amin max min dot dotu dotc dsdot sdsdot",
    moves: "copy swap", elements: "scal axpy axpyc axpby rot", rotm: "rotm", rotg: "rotg",
    general_product: "gemv gbmv", symmetric_product: "symv sbmv spmv hemv hbmv hpmv skewsymv",
    triangular: "trmv tbmv tpmv trsv tbsv tpsv", general_update: "ger geru gerc",
    symmetric_update: "syr spr her hpr syr2 spr2 her2 hpr2 skewsyr2", gemm: "gemm gemmt",
    batched: "gemm_batch_strided", with_side: "symm hemm trmm trsm skewsymm",
    rank_k: "syrk herk syr2k her2k skewsyr2k", added: "geadd", copied: "omatcopy imatcopy",
}
