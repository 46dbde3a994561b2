"""A reader, merger and writer of the bytes of exact sums (doc/accumulators.md) that needs Python alone: what another
language has to do, too. A state is a list of sums, (number of terms, exact sum, how many were Inf, -Inf and NaN)."""
import math
import struct
import zlib
from fractions import Fraction

UNIT = Fraction(1, 1 << 2148)
NONE = (0, Fraction(0), (0, 0, 0))


def read_cell(data):
    """The sum at the beginning of the bytes, and what is behind it."""
    magic, version, has_counts, n_bytes, crc, place, zero, n = struct.unpack_from("<4sBBHIHHq", data)
    end = 24 + 24 * has_counts + n_bytes
    if (magic, version, zero) != (b"ExCe", 1, 0) or has_counts > 1 or len(data) < end:
        raise ValueError("not an exact sum")
    if crc != zlib.crc32(data[4:8] + data[12:end]):
        raise ValueError("a damaged exact sum")
    counts = struct.unpack_from("<3q", data, 24) if has_counts else (0, 0, 0)
    number = int.from_bytes(data[end - n_bytes:end], "little", signed=True)
    return (n, number * 256 ** place * UNIT, counts), data[end:]


def read(data):
    """All sums of a state: of x, and perhaps of x^2."""
    found = []
    while data:
        one, data = read_cell(data)
        found.append(one)
    return found


def merge(states):
    """The sums of the rows of all states."""
    total = None
    for state in states:
        total = total or [NONE] * len(state)
        total = [(n + m, x + y, tuple(map(sum, zip(c, d)))) for (n, x, c), (m, y, d) in zip(total, state, strict=True)]
    return total


def write_cell(one):
    """The bytes: the number has no more of them than it needs at either end."""
    n, value, counts = one
    number, place = int(value / UNIT), 0
    while number and number % 256 == 0:
        number, place = number // 256, place + 1
    size = (number.bit_length() if number >= 0 else (number + 1).bit_length()) // 8 + 1 if number else 0
    has_counts = any(counts)
    head = struct.pack("<BBH", 1, has_counts, size)
    rest = struct.pack("<HHq", place, 0, n) + (struct.pack("<3q", *counts) if has_counts else b"")
    rest += number.to_bytes(size, "little", signed=True)
    return b"ExCe" + head + struct.pack("<I", zlib.crc32(head + rest)) + rest


def write(state):
    return b"".join(map(write_cell, state))


def rounded(one):
    """RN of a sum."""
    _, value, (pos, neg, nan) = one
    if nan or pos and neg:
        return math.nan
    if pos or neg:
        return math.inf if pos else -math.inf
    try:
        return value.numerator / value.denominator  # of integers, which Python rounds once
    except OverflowError:
        return math.copysign(math.inf, value)


def read_table(data):
    """The states of all groups of exblas.chunks.Sums, and their shape."""
    magic, version, n_kept, n_dims, crc, *n_long = struct.unpack_from("<4sBBHIQQ", data)
    if (magic, version) != (b"ExCs", 1) or crc != zlib.crc32(data[4:8] + data[12:]):
        raise ValueError("not a table of exact sums")
    shape, at = struct.unpack_from(f"<{n_dims}Q", data, 28), 28 + 8 * n_dims
    n, sums, long_sums = math.prod(shape), [], []
    columns = [struct.unpack_from(f"<{n}{'ddd'[i % 4:][:1] or 'q'}", data, at + 8 * n * i) for i in range(4 * n_kept)]
    at += 32 * n * n_kept
    while at < len(data):
        size, = struct.unpack_from("<H", data, at)
        long_sums.append(read_cell(data[at + 2:at + 2 + size])[0])
        at += 2 + size
    for k in range(n_kept):
        rows = zip(*columns[4 * k:4 * k + 4])
        sums.append([long_sums.pop(0) if m == -2 ** 63 else (m, sum(map(Fraction, t)), (0, 0, 0)) for *t, m in rows])
    return list(map(list, zip(*sums))), shape
