"""What the tests of arrays share: exact values of NumPy's numbers as fractions, and how they round."""
from fractions import Fraction
from math import inf, isqrt

import numpy as np

FLOATS = ["e", "f", "d"]
COMPLEX = ["F", "D"]
INTEGERS = ["?", "b", "B", "h", "H", "i", "I", "q", "Q"]
FORMATS = {"e": (11, -24, 15), "f": (24, -149, 127), "d": (53, -1074, 1023)}


def rounded(q, code):
    """RN(q) in a format, as a double."""
    bits, least, top = FORMATS[code]
    if q == 0:
        return 0.0
    magnitude = abs(q)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - bits + 1, least)
    result = round(magnitude / unit) * unit
    value = inf if result >= Fraction(2) ** (top + 1) else float(result)
    return -value if q < 0 else value


def root(q, code):
    """RN(sqrt(q)): enough bits of the root, and one more for what follows."""
    scale = 400 + max(0, q.denominator.bit_length() - q.numerator.bit_length())
    square = q * 4 ** scale
    n = isqrt(square.numerator // square.denominator)
    return rounded(Fraction(2 * n + (n * n != square), 2 ** (scale + 1)), code)


def fractions(x):
    """Real and imaginary parts of all elements, as an array of objects."""
    x = np.asarray(x)
    parts = np.empty(x.shape, object)
    for i in np.ndindex(*x.shape):
        v = x[i].item()
        parts[i] = (Fraction(v.real), Fraction(v.imag))
    return parts


def add(a, b):
    return (a[0] + b[0], a[1] + b[1])


def multiply(a, b):
    return (a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0])


def total(parts):
    result = (Fraction(0), Fraction(0))
    for p in parts:
        result = add(result, p)
    return result


def squares(parts):
    return sum((a * a + b * b for a, b in parts), Fraction(0))


def real_code(x):
    return {"F": "f", "D": "d"}.get(x.dtype.char, x.dtype.char if x.dtype.char in "efd" else "d")


def number(parts, x):
    """What a linear function of x should give for exact parts."""
    if x.dtype.kind in "biu":
        return int(parts[0])
    values = [rounded(p, real_code(x)) for p in parts]
    return complex(*values) if x.dtype.kind == "c" else values[0]


def same(got, wanted):
    """Bit for bit, a zero's sign aside; also the same kind of number."""
    if isinstance(wanted, complex):
        return same(got.real, wanted.real) and same(got.imag, wanted.imag)
    return got == wanted or (got != got and wanted != wanted)
