"""Numbers of text, rounded once to double or float."""
import math
import re
from array import array
from ctypes import c_float
from fractions import Fraction

MISSING = {b"", b"na", b"n/a", b"null", b"none", b"nil", b"missing"}
NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|0x([\da-f]+\.?[\da-f]*|\.[\da-f]+)(?:p([+-]?\d+))?|"
                    rb"(inf|infinity|nan)(?:(?<=nan)\(\w*\))?)", re.I)
INFINITIES = math.inf, -math.inf


def exact_value(text, match):
    if not match[1]:
        return Fraction(text.decode())
    whole, _, rest = match[1].partition(b".")
    value = int(whole + rest, 16) * Fraction(2) ** (int(match[2] or 0) - 4 * len(rest))
    return -value if text.startswith(b"-") else value


def to_single(text, match, x):
    """From the double x, which may be halfway between two floats where the number is not."""
    low, high = (c_float(math.nextafter(x, end)).value for end in (-math.inf, math.inf))
    if low == high or (max(low, -2.0 ** 128) + min(high, 2.0 ** 128)) / 2 != x:
        return c_float(x).value
    exact = exact_value(text, match)
    return low if exact < x else high if exact > x else c_float(x).value


def parse(text, single):
    """None: it is no number. OverflowError: it is too large."""
    match = NUMBER.fullmatch(text)
    if not match:
        return None
    if match[3]:
        return float(text.partition(b"(")[0])
    x = float.fromhex(text.decode()) if match[1] else float(text)
    x = to_single(text, match, x) if single else x
    if x in INFINITIES:
        raise OverflowError
    return x


def finite_or_meant(x):
    if not math.isfinite(sum(x)) and (math.inf in x or -math.inf in x):
        raise ValueError("infinite or too large")
    return x


def parse_all(words, single, skip_na):
    """An array; ValueError for any word that parse has to look at. None of them has an underscore."""
    if skip_na:
        words = [b"nan" if word.strip().lower() in MISSING else word for word in words]
    x = finite_or_meant(array("d", map(float, words)))
    if not single:
        return x
    if any(b & 0x1fffffff == 0x10000000 or 0 < b & 0x7fffffffffffffff < 0x3810 << 48 for b in array("Q", x.tobytes())):
        raise ValueError("halfway between floats, or below the normal ones")
    return finite_or_meant(array("f", x))
