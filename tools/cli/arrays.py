"""NumPy's format, versions 1 to 3, archives of such files, and raw little-endian numbers."""
import ast
import math
import struct
import sys
import zipfile
import zlib
from array import array

try:
    from lzma import LZMAError
except ImportError:
    LZMAError = OSError

from source import Source

# What an array calls numbers of that kind and size.
CODES = {"f8": "d", "f4": "f", "f2": "H", "b1": "B", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H",
         "u4": "I", "u8": "Q"}
BLOCK = 1 << 18  # bytes


class Raw(Source):
    n_elements, big_endian, block = None, False, BLOCK  # until the end of the file

    def __init__(self, q, file, kind):
        super().__init__(q, file, kind)
        self.element = "f4" if self.single else "f8"

    def blocks(self):
        raw, n_read, file = array(CODES[self.element]), 0, self.file
        while self.n_elements is None or n_read < self.n_elements:
            n = self.block // raw.itemsize
            n = n if self.n_elements is None else min(n, self.n_elements - n_read)
            if len(raw) != n:
                raw = array(raw.typecode, bytes(n * raw.itemsize))
            offset, got = file.offset, file.fill(memoryview(raw).cast("B"))
            n_got, part = divmod(got, raw.itemsize)
            n_read += n_got
            if part or (n_got < n and self.n_elements is not None):
                file.bad_offset(file.offset, f"truncated after {n_read}{' and a part of' * bool(part)} elements")
            if n_got:
                yield self.floats(raw if n_got == n else raw[:n_got], offset)
            if n_got < n:
                return
        if file.peek(1):
            file.bad_offset(file.offset, f"bytes after the last of {self.n_elements} elements")

    def floats(self, raw, offset):
        """The same numbers as doubles or floats."""
        if raw.itemsize > 1 and self.big_endian != (sys.byteorder == "big"):
            raw.byteswap()
        if raw.typecode in "df":
            return raw
        if self.element == "f2":
            return array("d", struct.unpack(f"={len(raw)}e", raw))
        x = array("d", raw)
        if raw.itemsize == 8 and (max(raw) > 2 ** 53 or min(raw) < -2 ** 53):
            for k, value in enumerate(raw):
                if int(x[k]) != value:
                    self.file.bad_offset(offset + k * raw.itemsize, "this integer is not exactly a double")
        return x


class Npy(Raw):
    def __init__(self, q, file, kind):
        super().__init__(q, file, kind)
        head = self.take(10)
        version, size = head[6], 10 if head[6] == 1 else 12
        if not 1 <= version <= 3:
            file.bad_offset(6, f"npy version {version} is not known")
        n = int.from_bytes((head + self.take(size - 10))[8:], "little")
        if n > 1 << 20:
            file.bad_offset(8, f"malformed npy header: {n} bytes long")
        text = self.take(n)
        try:
            known = ast.literal_eval(text.decode().strip())
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            known = None
        self.take_header(known, size)

    def take(self, n):
        data = self.file.peek(n)[:n]
        if not self.file.offset and not data.startswith(b"\x93NUMPY"):
            self.file.bad_offset(0, "not an npy file")
        self.file.skip(len(data))
        if len(data) < n:
            self.file.bad_offset(self.file.offset, "truncated in the npy header")
        return data

    def take_header(self, known, size):
        def require(is_so, what):
            if not is_so:
                self.file.bad_offset(size, f"malformed npy header: {what}")

        require(isinstance(known, dict), "no dictionary")
        require(known.keys() <= {"descr", "shape", "fortran_order"}, "unknown key")
        require(len(known) == 3, "descr, shape or fortran_order is missing")
        kind, self.shape, self.fortran_order = known["descr"], known["shape"], known["fortran_order"]
        require(self.fortran_order in (True, False), "True or False is expected")
        require(isinstance(kind, str), "structured arrays are not read")
        require(isinstance(self.shape, tuple) and all(isinstance(n, int) and n >= 0 for n in self.shape),
                "the shape is not a tuple of lengths")
        self.n_elements = math.prod(self.shape)
        require(self.n_elements < 1 << 59, "the array is too large")  # bytes can be counted too
        real = {"c8": "f4", "c16": "f8"}.get(kind[1:], kind[1:])
        if real not in CODES or kind[0] not in "<>|=":
            self.file.bad_offset(size, f"elements of type '{kind}' are not read, only f2, f4, f8, c8, c16, integers and booleans")
        self.element, self.is_complex, self.single = real, "c" in kind, real == "f4"
        self.big_endian = kind[0] == ">" or (kind[0] == "=" and sys.byteorder == "big")
        self.n_elements *= 1 + self.is_complex


class Npz(Npy):
    """The array of this name; the only one, if there is no name."""
    DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError,
              LZMAError)

    def __init__(self, q, file, kind):
        if file.size < 0:
            file.bad_offset(0, "an npz file cannot be read from a stream")
        try:
            archive = zipfile.ZipFile(file.file)
            found = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
            fit = [entry for entry in found if q.column is None or entry.filename == q.column + ".npy"]
            if len(fit) != 1:
                names = ", ".join(entry.filename[:-4] for entry in found)[:200].replace("\n", "?")
                file.bad_offset(0, f"{len(found)} arrays ({names})" +
                                (": choose one with --column" if fit else ", none of them wanted"))
            file.file, file.size = archive.open(fit[0]), fit[0].file_size
        except self.DAMAGE as error:
            file.bad_offset(0, f"not an npz file, or damaged ({error})")
        file.ahead, file.damage = b"", self.DAMAGE
        super().__init__(q, file, kind)
