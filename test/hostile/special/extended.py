"""The table of special values of doc/guarantee.md, as arithmetic: sums of products of numbers of
which some are Inf or NaN. The finite ones are small integers and halves, so that Python's floats
are exact, and Inf and NaN follow IEEE 754, in which a sum does not depend on its order.

A number is a pair of parts. A real number has None as its second part: it makes no term there,
where 0 would make 0 * Inf."""
import math


def real(x):
    return (x[0] if isinstance(x, tuple) else x, None)


def conjugate(x):
    return (x[0], x[1] if x[1] is None else -x[1])


def negated(x):
    return (-x[0], x[1] if x[1] is None else -x[1])


def is_zero(x):
    return x[0] == 0 and not x[1]


def is_one(x):
    return x[0] == 1 and not x[1]


def times(a, b):
    """(a + b i)(c + d i) = (ac - bd) + (ad + bc) i, of the parts that there are."""
    re, im = a[0] * b[0], None
    if a[1] is not None and b[1] is not None:
        re += -(a[1] * b[1])
    if b[1] is not None:
        im = a[0] * b[1]
    if a[1] is not None:
        im = a[1] * b[0] + (0 if im is None else im)
    return (re, im)


def total(terms):
    """The sum of numbers; of complex ones if one of them is complex."""
    terms = list(terms)
    imaginary = [t[1] for t in terms if t[1] is not None]
    return (sum((t[0] for t in terms), 0.0), sum(imaginary, 0.0) if imaginary else None)


def quotient_of_parts(n, d):
    """Of a solve: a zero divisor gives Inf with the signs of both, 0 / 0 NaN."""
    if math.isnan(n) or math.isnan(d):
        return math.nan
    if d == 0:
        return math.nan if n == 0 else math.copysign(math.inf, n) * math.copysign(1, d)
    return n / d


def quotient(r, d):
    """r conj(d) / |d|^2, each part rounded once."""
    if d[1] is None:
        return (quotient_of_parts(r[0], d[0]), None)
    n, square = times(r, conjugate(d)), d[0] * d[0] + d[1] * d[1]
    if square == 0:
        return (math.nan, math.nan)
    return tuple(quotient_of_parts(part, square) for part in n)


def scaled_sum(alpha, sums, beta, old):
    """alpha_1 S_1 + alpha_2 S_2 + beta old; beta = 0 does not read the old value. A sum without
    terms is 0, of complex ones in both parts."""
    sums = [(0.0, a[1] and 0.0) if s == (0.0, None) else s for a, s in zip(alpha, sums)]
    terms = [times(a, s) for a, s in zip(alpha, sums)]
    if not is_zero(beta):
        terms.append(times(beta, old))
    return total(terms)
