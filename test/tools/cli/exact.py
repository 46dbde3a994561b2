"""Correct rounding by integers, and files in the formats that the command reads."""
import math
import random
import struct
from fractions import Fraction

FORMATS = {"d": (53, -1074, 1024), "f": (24, -149, 128)}


def rounded(x, kind="d"):
    """The Fraction x to nearest, ties to even, as a Python float."""
    n_bits, lowest, top = FORMATS[kind]
    if x == 0:
        return 0.0
    sign, x = (-1, -x) if x < 0 else (1, x)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()  # 2^(e-1) < x < 2^(e+1)
    exponent -= x < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - n_bits + 1, lowest)
    n = round(x / unit)  # Python rounds halves to even
    if n * unit >= Fraction(2) ** top:
        return sign * math.inf
    return sign * float(n * unit)


def root(x, kind="d"):
    """The square root of the Fraction x >= 0, rounded once: 300 bits and a sticky one."""
    shift = 300 + max(0, x.denominator.bit_length())
    scaled, rest = divmod(x.numerator << 2 * shift, x.denominator)
    r = math.isqrt(scaled)
    return rounded(Fraction(2 * r + (r * r != scaled or rest != 0), 2 << shift), kind)


def numbers(n, kind="d", spread=40, seed=1):
    random.seed(seed)
    x = [random.uniform(-1, 1) * 2.0 ** random.randint(-spread, spread) for _ in range(n)]
    return x if kind == "d" else [struct.unpack("f", struct.pack("f", v))[0] for v in x]


def npy(values, descr="<f8", shape=None, fortran=False, version=1):
    """The values of complex arrays are re, im, re, ..."""
    shape = (len(values) // (1 + ("c" in descr)),) if shape is None else shape
    head = repr({"descr": descr, "fortran_order": fortran, "shape": shape}).encode()
    size = "<H" if version == 1 else "<I"
    head += b" " * (63 - (8 + struct.calcsize(size) + len(head)) % 64) + b"\n"
    code = {"f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
            "u8": "Q", "b1": "?", "f2": "e", "c8": "f", "c16": "d"}[descr[1:]]
    order = ">" if descr[0] == ">" else "<"
    return (b"\x93NUMPY" + bytes([version, 0]) + struct.pack(size, len(head)) + head +
            struct.pack(f"{order}{len(values)}{code}", *values))


def by_columns(values, rows, columns):
    return [values[i * columns + j] for j in range(columns) for i in range(rows)]


def product(a, b, m, k, n, kind, alpha=1.0, beta=0.0, c0=None):
    """alpha A B + beta C0, each element rounded once; C order."""
    def element(i, j):
        s = sum(Fraction(a[i * k + t]) * Fraction(b[t * n + j]) for t in range(k)) * Fraction(alpha)
        return rounded(s + (Fraction(beta) * Fraction(c0[i * n + j]) if c0 else 0), kind)
    return [element(i, j) for i in range(m) for j in range(n)]


def next_after(x, steps, kind="d"):
    code = {"d": "<dq", "f": "<fi"}[kind]
    bits = struct.unpack("<" + code[2], struct.pack("<" + code[1], x))[0]
    return struct.unpack("<" + code[1], struct.pack("<" + code[2], bits + steps))[0]
