"""What the tests of arrays share: numbers and layouts, exact values as fractions."""
from fractions import Fraction

import numpy as np
from rounding import root, rounded  # noqa: F401

FLOATS = ["e", "f", "d"]
COMPLEX = ["F", "D"]
INTEGERS = ["?", "b", "B", "h", "H", "i", "I", "q", "Q"]


def fractions(x):
    """Real and imaginary parts of all elements, as an array of objects."""
    x = np.asarray(x)
    parts = np.empty(x.shape, object)
    for i in np.ndindex(*x.shape):
        v = x[i].item()
        parts[i] = (Fraction(v.real), Fraction(v.imag))
    return parts


def values(r, n, code):
    """Finite numbers of any bits or of few, half of the time with most of their sum cancelled."""
    if np.dtype(code).kind not in "fc":
        bits = np.frombuffer(r.randbytes(n * np.dtype(code).itemsize), code if code != "?" else "B")
        return bits % 2 == 1 if code == "?" else bits.copy()
    flat = np.frombuffer(r.randbytes(n * np.dtype(code).itemsize), code).copy()
    parts = flat.view(flat.real.dtype)
    if r.random() < 0.6:
        parts[:] = [r.randrange(-999, 999) / 8 for _ in parts]
    parts[~np.isfinite(parts)] = 1
    if r.random() < 0.5:
        flat[n // 2:2 * (n // 2)] = -flat[:n // 2]
    return flat


def laid_out(r, x):
    """An array of the same numbers, but where strides are zero those of the first: its axes in any order in memory,
    each with a step of 0, 1, 2, -1 or -2 elements, perhaps unaligned, with gaps, or of the other order of bytes."""
    steps = [r.choice((1, 1, 1, 2, -1, -2, 0)) if r.random() < 0.5 else 1 for _ in x.shape]
    dtype = x.dtype.newbyteorder() if r.random() < 0.2 else x.dtype
    first, gap = r.choice((0,) * 9 + (1,)), r.choice((0,) * 9 + (1, 4))
    order = r.sample(range(x.ndim), x.ndim) if r.random() < 0.5 else list(range(x.ndim))
    room = [max((n - 1) * abs(s) + 1, 0) if s else min(n, 1) for n, s in zip(x.shape, steps)]
    record = np.dtype({"names": ["x"], "formats": [dtype], "itemsize": dtype.itemsize + gap})
    memory = np.zeros(int(np.prod(room, dtype=int)) * record.itemsize + first, np.uint8)
    y = memory[first:].view(record).reshape([room[i] for i in order])["x"].transpose(np.argsort(order).astype(int))
    y = y[(*(slice(None, None, s or 1) for s in steps), ...)]
    y[...] = x[tuple(slice(None) if s else slice(1) for s in steps)]
    return np.broadcast_to(y, x.shape)


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
