"""usage: npz.py FILE: writes an npz file with the arrays x = 1e16, 1, -1e16 and y, as NumPy does, without it."""
import struct
import sys
import zipfile


def npy(numbers):
    about = repr({"descr": "<f8", "fortran_order": False, "shape": (len(numbers),)})
    header = about + " " * (-(10 + len(about) + 1) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}d", *numbers)


with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("x.npy", npy([1e16, 1, -1e16]))
    archive.writestr("y.npy", npy([2, 3]))
