"""Arrow's C data interface by ctypes: columns, structs and streams without a library of Arrow. What a consumer has not
released is in `alive`."""
import ctypes
import itertools
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p, pointer

RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
SCHEMA, ARRAY, STREAM = b"arrow_schema", b"arrow_array", b"arrow_array_stream"
alive, lent, numbers = {}, [], itertools.count(1)


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


FILL = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64), ("n_children", c_int64),
                   ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)), ("release", RELEASE), ("private", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
                  ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))), ("dictionary", POINTER(Array)),
                  ("release", RELEASE), ("private", c_void_p)]
Stream._fields_ = [("get_schema", FILL), ("get_next", FILL), ("get_last_error", ctypes.CFUNCTYPE(c_void_p, c_void_p)),
                   ("release", RELEASE), ("private", c_void_p)]


def releaser(kind):
    def release(at):
        one = kind.from_address(at)
        parts, *_ = alive.pop(one.private)  # once only
        for part in parts:
            part.release(ctypes.addressof(part))
        one.release = RELEASE()
    return RELEASE(release)


RELEASERS = {kind: releaser(kind) for kind in (Schema, Array, Stream)}


def keep(one, parts, *needed):
    """The struct, alive with its parts and what it points to."""
    one.private = next(numbers)
    one.release = RELEASERS[type(one)]
    alive[one.private] = parts, *needed
    return one


class Column:
    """A column: its type by Arrow's letters, its buffers as bytes or None; of a struct, the columns in it."""

    def __init__(self, format, length, *buffers, name="", offset=0, null_count=-1, children=(), dictionary=None):
        self.format, self.name, self.length, self.offset = format.encode(), name.encode(), length, offset
        self.null_count, self.buffers, self.children, self.dictionary = null_count, buffers, children, dictionary

    def schema(self, to=None):
        to = to or Schema()
        parts = [child.schema() for child in self.children]
        to.format, to.name, to.n_children = self.format, self.name, len(parts)
        to.children = pointers = (POINTER(Schema) * len(parts))(*map(pointer, parts))
        if self.dictionary:
            parts.append(self.dictionary.schema())
            to.dictionary = pointer(parts[-1])
        return keep(to, parts, self, pointers)

    def array(self, to=None):
        to = to or Array()
        parts = [child.array() for child in self.children]
        rooms = [None if b is None else ctypes.create_string_buffer(bytes(b), len(bytes(b))) for b in self.buffers]
        to.length, to.offset, to.null_count, to.n_buffers = self.length, self.offset, self.null_count, len(rooms)
        to.buffers = places = (c_void_p * len(rooms))(*[room and ctypes.addressof(room) for room in rooms])
        to.n_children, to.children = len(parts), (pointers := (POINTER(Array) * len(parts))(*map(pointer, parts)))
        if self.dictionary:
            parts.append(self.dictionary.array())
            to.dictionary = pointer(parts[-1])
        return keep(to, parts, self, rooms, places, pointers)

    def __arrow_c_array__(self, requested_schema=None):
        return capsule(self.schema(), SCHEMA), capsule(self.array(), ARRAY)


class Chunks:
    """A stream of columns of one type, which may end with an error."""

    def __init__(self, *columns, error=None):
        self.columns, self.error = columns, error

    def __arrow_c_stream__(self, requested_schema=None):
        left, words = iter(self.columns), ctypes.create_string_buffer((self.error or "").encode())

        def get_schema(_, to):
            self.columns[0].schema(Schema.from_address(to))
            return 0

        def get_next(_, to):
            column = next(left, None)
            if column:
                column.array(Array.from_address(to))
            return 5 if self.error and not column else 0
        stream = Stream(FILL(get_schema), FILL(get_next), type(Stream().get_last_error)(lambda _: ctypes.addressof(words)))
        return capsule(keep(stream, [], words), STREAM)


def capsule(one, name):
    """Lent to the consumer: nobody releases it."""
    new = ctypes.pythonapi.PyCapsule_New
    new.argtypes, new.restype = (c_void_p, c_char_p, c_void_p), ctypes.py_object
    lend(one)
    return new(ctypes.addressof(one), name, None)


def lend(one):
    parts, *needed = alive.pop(one.private)
    lent.append((one, needed))
    for part in parts:
        lend(part)


def bits(flags, first=0):
    """A bitmap of Arrow's, the flags from a bit on."""
    number = sum(1 << (first + i) for i, flag in enumerate(flags) if flag)
    return number.to_bytes((first + len(flags)) // 8 + 1, "little")
