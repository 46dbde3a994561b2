"""Matrices and vectors as BLAS stores them. What a routine must not read is NaN."""
import ctypes
import math
import struct

COL, ROW = 102, 101
PARTS = {"s": 1, "d": 1, "c": 2, "z": 2, "b": 1, "h": 1}


def real_type(letter):
    return ctypes.c_float if letter in "sc" else ctypes.c_double if letter in "dz" else ctypes.c_uint16


def stored(letter, x):
    """A number as memory has it: of 16 bits these."""
    bits = struct.pack("<e", x) if letter == "h" else struct.pack("<f", x)[2:] if letter == "b" else None
    return int.from_bytes(bits, "little") if bits else x


def number(letter, x):
    bits = x.to_bytes(2, "little") if letter in "bh" else None
    return struct.unpack(*(("<e", bits) if letter == "h" else ("<f", bytes(2) + bits)))[0] if bits else x


class Array:
    """Elements at places; all others hold NaN with a payload that shows if they are written."""

    def __init__(self, letter, places, values, parts=None):
        self.parts = PARTS[letter] if parts is None else parts
        self.kind, self.letter = real_type(letter), letter
        self.places = dict(places)
        n = max(self.places.values(), default=0) + 20 # to the end of a unit triangle
        self.memory = (self.kind * (n * self.parts))(*[stored(letter, math.nan)] * (n * self.parts))
        for key, at in self.places.items():
            self.put(at, values[key])
        self.before = bytes(self.memory)

    def put(self, at, value):
        for part in range(self.parts):
            x = value[part]
            self.memory[at * self.parts + part] = stored(self.letter, math.nan if x is None else x)

    def get(self, key):
        at = self.places[key] * self.parts
        return (number(self.letter, self.memory[at]), self.memory[at + 1] if self.parts == 2 else None)

    def rest_is_untouched(self, written):
        """Whether all but the elements `written` are as they were."""
        size = ctypes.sizeof(self.kind) * self.parts
        now, places = bytes(self.memory), {self.places[key] for key in written}
        return all(now[i:i + size] == self.before[i:i + size]
                   for i in range(0, len(now), size) if i // size not in places)

    def nans_are_canonical(self, written):
        canonical, now = bytes(self.kind(stored(self.letter, math.nan))), bytes(self.memory)
        size = len(canonical)
        return all(x is None or not math.isnan(x) or now[at:at + size] == canonical
                   for key in written for part, x in enumerate(self.get(key))
                   for at in [(self.places[key] * self.parts + part) * size])


def vector(n, inc):
    first = 0 if inc >= 0 else (n - 1) * -inc
    return {i: first + i * inc for i in range(n)}


def full(rows, columns, layout, wanted):
    """Places of the elements that are wanted, and the leading dimension."""
    ld = (columns if layout == ROW else rows) + 1
    return {(i, j): i * ld + j if layout == ROW else j * ld + i
            for i in range(rows) for j in range(columns) if wanted(i, j)}, ld


def packed(n, layout, upper):
    by_lines_that_grow = upper == (layout == COL)
    places = {}
    for i in range(n):
        for j in range(i, n) if upper else range(i + 1):
            line, along = (i, j) if layout == ROW else (j, i)
            places[i, j] = (along + line * (line + 1) // 2 if by_lines_that_grow
                            else along + (2 * n - line - 1) * line // 2)
    return places


def band(rows, columns, layout, below, above):
    ld = below + above + 2
    return {(i, j): i * ld + below + j - i if layout == ROW else j * ld + above + i - j
            for i in range(rows) for j in range(columns) if -above <= i - j <= below}, ld
