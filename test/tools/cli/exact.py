"""Correct rounding by integers, and files in the formats that the command reads."""
import pathlib
import random
import struct
import sys
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bindings/python"))
from rounding import root, rounded  # noqa: E402, F401


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
