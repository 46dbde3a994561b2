"""Arrow's C data interface and its capsules (arrow.apache.org/docs/format/CDataInterface.html): where columns lie."""
import ctypes
from ctypes import POINTER, c_char_p, c_int64, c_void_p

from exblas._calls import LIBRARY

_get_pointer = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_RELEASE = ctypes.PYFUNCTYPE(None, c_void_p)


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_void_p)),
                ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, c_void_p, c_void_p)),
                ("get_last_error", ctypes.PYFUNCTYPE(c_char_p, c_void_p)), ("release", _RELEASE), ("private", c_void_p)]


Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64), ("n_children", c_int64),
                    ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)), ("release", _RELEASE), ("private", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
                   ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))), ("dictionary", POINTER(Array)),
                   ("release", _RELEASE), ("private", c_void_p)]


class _Lent:
    """A struct in a capsule."""

    def __init__(self, kind, name, capsule):
        self.struct, self._capsule = kind.from_address(_get_pointer(capsule, name)), capsule


class _Filled:
    """A struct that a stream has filled, and that is released at last."""

    def __init__(self, kind, stream, fill):
        self.struct = kind()
        if fill(ctypes.addressof(stream.struct), ctypes.addressof(self.struct)):
            words = stream.struct.get_last_error(ctypes.addressof(stream.struct))
            raise OSError(f"the Arrow stream ends with an error: {(words or b'none').decode(errors='replace')}")

    def __del__(self):
        if self.struct.release:
            self.struct.release(ctypes.addressof(self.struct))


def opened(source):
    """The schema of anything with Arrow's interface, and an iterator over its arrays."""
    if hasattr(source, "__arrow_c_stream__"):
        stream = _Lent(Stream, b"arrow_array_stream", source.__arrow_c_stream__())
        return _Filled(Schema, stream, stream.struct.get_schema), _arrays(stream)
    if hasattr(source, "__arrow_c_array__"):
        schema, array = source.__arrow_c_array__()
        return _Lent(Schema, b"arrow_schema", schema), iter([_Lent(Array, b"arrow_array", array)])
    raise TypeError(f"{type(source).__name__} has neither __arrow_c_stream__ nor __arrow_c_array__")


def _arrays(stream):
    while (array := _Filled(Array, stream, stream.struct.get_next)).struct.release:
        yield array


def fields(schema):
    """Pairs of the name and format of each field of a struct; of what is none, its format."""
    s = schema.struct
    if s.format != b"+s":
        return s.format.decode()
    children = [s.children[i].contents for i in range(s.n_children)]
    return [((child.name or b"").decode(), child.format.decode()) for child in children]


def _valid(a):
    """The place of a bit for each row, 0: all are there."""
    return a.buffers[0] or 0 if a.null_count and a.n_buffers else 0


def _placed(schema, array, field, begin):
    """The schema and array of a struct's field, or of what is none with -1, and where the row begins in it."""
    s, a = schema.struct, array.struct
    if field >= 0:
        if _valid(a):
            raise TypeError("a struct that is null has no numbers: give a column")
        begin += a.offset
        s, a = s.children[field].contents, a.children[field].contents
    return s, a, begin + a.offset


def dictionary(schema, array, field):
    """Where the values of its dictionary are, a tuple that only the same values have; None without one, False of values in
    several arrays."""
    s, a, _ = _placed(schema, array, field, 0)
    if not a.dictionary:
        return None
    d = a.dictionary.contents
    if d.n_children or d.dictionary or not s.dictionary:
        return False
    # The last buffer of a view has the lengths of the others, and is made for each export.
    is_view = s.dictionary.contents.format.startswith(b"v") and s.dictionary.contents.format != b"v" and d.n_buffers > 2
    return (d.length, d.offset, *d.buffers[:d.n_buffers - is_view])


INTEGER, UNSIGNED, FLOAT = range(3)  # as in array.h
_NUMBERS = dict(zip("cCsSiIlLefg", [(kind, 1 << i) for i in range(4) for kind in (INTEGER, UNSIGNED)] + [(FLOAT, 2 << i) for i in range(3)]))


def _numbers(s, a, first, n, owner, are_keys=False):
    """Kind of number, its bytes, place of the first, how many, place of the bits of those that are there, the first of these."""
    if not are_keys and (s.dictionary or a.dictionary):
        raise TypeError("the values are in a dictionary: decode or cast them first")
    format = s.format.decode()
    kind, n_bytes = _NUMBERS.get(format, (INTEGER, 0))
    if format.startswith("d:"):  # precision, scale and perhaps bits of decimals
        n_bytes = {16: 16, 8: 8, 4: 4}.get(int([*format.split(","), "128"][2]) // 8, 0)
    if not n_bytes or a.n_buffers != 2:
        raise TypeError(f"Arrow's type '{format}' has no numbers to add: cast it first")
    return kind, n_bytes, (a.buffers[1] or 0) + first * n_bytes, n, _valid(a), first, owner


def column(schema, array, field=-1, begin=0, end=None, are_keys=False):
    """Rows of numbers, for Cells. Only keys may be the indices of a dictionary."""
    end = array.struct.length if end is None else end
    if not 0 <= begin <= end <= array.struct.length:
        raise IndexError("the array has no such rows")
    s, a, first = _placed(schema, array, field, begin)
    return _numbers(s, a, first, end - begin, array, are_keys)


def lists(schema, array, begin=0, end=None):
    """Lists for Cells: how many, place of the offsets, bytes of one, and which are there; and the column of their elements."""
    s, a, first = _placed(schema, array, -1, begin)
    n_bytes = {b"+l": 4, b"+L": 8}.get(s.format)
    if n_bytes is None:
        raise TypeError(f"Arrow's type '{s.format.decode()}' is no list")
    elements = a.children[0].contents
    n = (array.struct.length if end is None else end) - begin
    return (n, (a.buffers[1] or 0) + first * n_bytes, n_bytes, _valid(a), first), _numbers(
        s.children[0].contents, elements, elements.offset, elements.length, array)


def whole(place, source):
    """What column or lists say of an array of Arrow's."""
    schema, (array,) = opened(source)
    return place(schema, array)


def plain_sum(column):
    """RN of the sum of doubles without nulls, by all threads; None of others."""
    kind, n_bytes, place, n, valid, *_ = column
    if (kind, n_bytes, valid) != (FLOAT, 8, 0):
        return None
    function = LIBRARY.excblas_dsum_64
    function.restype = ctypes.c_double
    return function(c_int64(n), c_void_p(place), c_int64(1))
