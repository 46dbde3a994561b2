"""Arrow's C data interface by ctypes: columns, structs and streams without a library of Arrow. What a consumer has not
released is in `alive`."""
import ctypes
import itertools
from ctypes import POINTER, c_char_p, c_void_p, pointer

from exblas._arrow import Array, Schema, Stream

SCHEMA, ARRAY, STREAM = b"arrow_schema", b"arrow_array", b"arrow_array_stream"
RELEASE, GET_SCHEMA, GET_NEXT, GET_LAST_ERROR = (type(getattr(Stream(), name)) for name in ("release", "get_schema", "get_next", "get_last_error"))
alive, lent, numbers = {}, [], itertools.count(1)


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
        stream = Stream(GET_SCHEMA(get_schema), GET_NEXT(get_next), GET_LAST_ERROR(lambda _: ctypes.addressof(words)))
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
