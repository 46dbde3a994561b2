"""Numbers of the types s d c z, and b and h of 16 bits (bfloat16, half), as memory has them."""
import array
import struct
import sys

CODE = {"s": "f", "c": "f", "d": "d", "z": "d", "b": "f", "h": "f"}  # of arrays that hold them
SIZE = {"s": 4, "c": 4, "d": 8, "z": 8, "b": 2, "h": 2}
UPPER = 2 if sys.byteorder == "little" else 0  # the bytes of a float that are a bfloat16


def packed(letter, values):
    if letter == "h":
        return struct.pack(f"={len(values)}e", *values)
    raw = (values if isinstance(values, array.array) else array.array(CODE[letter], values)).tobytes()
    if letter != "b":
        return raw
    return bytes(x for pair in zip(raw[UPPER::4], raw[UPPER + 1::4]) for x in pair)


def unpacked(letter, raw):
    if letter == "h":
        return array.array("f", struct.unpack(f"={len(raw) // 2}e", raw))
    if letter == "b":
        wide = bytearray(2 * len(raw))
        wide[UPPER::4], wide[UPPER + 1::4] = raw[0::2], raw[1::2]
        raw = bytes(wide)
    out = array.array(CODE[letter])
    out.frombytes(raw)
    return out
