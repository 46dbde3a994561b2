"""Operands in memory, between pages that cannot be touched, with NaN wherever a call has nothing to read."""
import array
import ctypes
import functools
import mmap
import struct

import numbers_of_types as numbers
import shapes

PAGE = mmap.PAGESIZE
# 8 bytes of signaling NaN: arithmetic on what is not an operand changes them too. A half's NaN is told by its sign.
POISON = dict.fromkeys("scb", struct.pack("=II", 0x7fa00000, 0x7fa00000)) | dict.fromkeys(
    "dz", struct.pack("=Q", 0x7ff4000000000000)) | {"h": struct.pack("=II", 0xffa00000, 0xffa00000)}
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
NO_ACCESS, READ_WRITE, PRIVATE = 0, 3, 0x22 | 0x4000  # private, anonymous, not reserved
SMALL_PAGES = 15  # for madvise
ROOMY = 1024
pool = {}


class Guarded:
    """n_bytes that end at a page that cannot be touched ("end"), stand so many bytes behind one, or (ROOMY) with as
    many on both sides."""

    def __init__(self, image, place, poison):
        n_bytes = len(image)
        beside = 0 if place == "end" else 2 * place if place == ROOMY else place
        self.room = -(-(n_bytes + beside) // PAGE) * PAGE or PAGE
        free = pool.setdefault(self.room, [])
        self.base = free.pop() if free else self.reserve()
        self.offset = self.room - n_bytes if place == "end" else place
        self.address = self.base + PAGE + self.offset
        behind = self.room - self.offset - n_bytes
        self.front = (poison * (self.offset // 8 + 1))[8 - self.offset % 8 if self.offset % 8 else 0:][:self.offset]
        self.image = self.front + bytes(image) + (poison * (behind // 8 + 1))[:behind]
        ctypes.memmove(self.base + PAGE, self.image, self.room)

    def reserve(self):
        base = libc.mmap(None, self.room + 2 * PAGE, NO_ACCESS, PRIVATE, -1, 0)
        if base in (None, ctypes.c_void_p(-1).value) or libc.mprotect(base + PAGE, self.room, READ_WRITE):
            raise MemoryError
        return base

    def read(self):
        return ctypes.string_at(self.base + PAGE, self.room)

    def release(self):
        pool[self.room].append(self.base)


class Operand:
    """How one operand of a case lies in memory: `image`, and `places` of its reals, None where nothing is."""

    def __init__(self, case, a, values=None):
        r, args, p = case.routine, case.args, a.parts()
        self.argument, self.code, self.parts, self.args = a, numbers.CODE[a.type], p, args
        self.size = numbers.SIZE[a.type]
        runs = shapes.runs(a, args)
        both = runs + shapes.runs(a.result, args) if a.result else runs
        self.n = (max((max(at, at + (n - 1) * step) for at, _, n, step in both), default=-1) + 1) * p
        self.image = array.array(self.code)
        self.image.frombytes((POISON[a.type] * (self.n + 1))[:self.n * self.image.itemsize])
        if self.is_read(case):
            self.fill(case, values, runs)
        self.bytes = numbers.packed(a.type, self.image)
        self.image = numbers.unpacked(a.type, self.bytes)

    def fill(self, case, values, runs):
        r, a, p, args = case.routine, self.argument, self.parts, self.args
        v = case.values[a.name] if values is None else values
        for at, i, n, step in runs:
            self.put(at, step, v[i * p:(i + n) * p])
        rows = shapes.dimensions(a, args)[0]
        if a.diag and args[a.diag] == "u":
            self.spoil(runs, rows, 0, p)
        elif p == 2 and shapes.is_real_diagonal(r, a):
            self.spoil(runs, rows, 1, 1)

    def put(self, at, step, v):
        """Numbers of elements that are step apart; of a step of 0 the last."""
        p = self.parts
        if step == 0:
            self.image[at * p:at * p + p] = array.array(self.code, v[-p:])
        elif step == 1:
            self.image[at * p:at * p + len(v)] = array.array(self.code, v)
        else:
            for q in range(p):
                end = (at + len(v) // p * step) * p + q
                self.image[slice(at * p + q, end if end >= 0 else None, step * p)] = array.array(self.code, v[q::p])

    def spoil(self, runs, rows, part, n):
        """NaN in parts of the diagonal."""
        for at, i, count, step in runs:
            column = i // rows
            if 0 <= column - i % rows < count:
                place = (at + (column - i % rows) * step) * self.parts + part
                self.image[place:place + n] = array.array(self.code, (POISON[self.argument.type] * n)[:n * self.image.itemsize])

    def poison(self):
        """8 bytes of such elements."""
        return numbers.packed(self.argument.type, array.array(self.code, POISON[self.argument.type] * 2))[-8:]

    @functools.cached_property
    def places(self):
        elements = shapes.places(self.argument.result or self.argument, self.args)
        if self.parts == 1:
            return elements
        return [x for e in elements for x in ((None, None) if e is None else (2 * e, 2 * e + 1))]

    def is_read(self, case):
        read = self.argument.read
        if read == "NEVER":
            return False
        scalar = {"UNLESS_ALPHA_0": "alpha", "UNLESS_BETA_0": "beta"}.get(read)
        return scalar not in case.scalars or any(case.scalars[scalar])


class Buffers:
    """The operands of a case for one call, guarded or (place None) as plain memory."""

    def __init__(self, operands, place):
        self.operands = operands
        if place is None:
            self.memory = {o.argument.name: (ctypes.c_char * max(8, o.n * o.size)).from_buffer_copy(
                o.bytes.ljust(8, b"\0")) for o in operands}
            self.addresses = {k: ctypes.addressof(m) for k, m in self.memory.items()}
        else:
            self.memory = {o.argument.name: Guarded(o.bytes, self.aligned(o, place), o.poison()) for o in operands}
            self.addresses = {k: m.address for k, m in self.memory.items()}

    @staticmethod
    def aligned(o, place):
        return place if place == "end" else place // o.size * o.size

    def numbers(self, o):
        """The operand as it is now."""
        m = self.memory[o.argument.name]
        size = o.n * o.size
        return numbers.unpacked(o.argument.type, m.read()[m.offset:m.offset + size] if isinstance(m, Guarded) else m.raw[:size])

    def outside(self, o):
        """Whether bytes before or behind the operand changed."""
        m = self.memory[o.argument.name]
        now, size = m.read(), o.n * o.size
        return now[:m.offset] != m.image[:m.offset] or now[m.offset + size:] != m.image[m.offset + size:]

    def release(self):
        for m in self.memory.values():
            if isinstance(m, Guarded):
                m.release()
