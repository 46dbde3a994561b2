"""How fractions, and their roots, round."""
from fractions import Fraction
from math import inf, isqrt

FORMATS = {"e": (11, -24, 15), "f": (24, -149, 127), "d": (53, -1074, 1023), "bfloat16": (8, -133, 127)}


def rounded(q, code="d"):
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


def root(q, code="d"):
    """RN(sqrt(q)): enough bits of the root, and one more for what follows."""
    scale = 400 + max(0, q.denominator.bit_length() - q.numerator.bit_length())
    square = q * 4 ** scale
    n = isqrt(square.numerator // square.denominator)
    return rounded(Fraction(2 * n + (n * n != square), 2 ** (scale + 1)), code)
