"""The walk's calls as calls of other libraries: OpenCL's on its first device, and PBLAS on one process."""
import ctypes
import os
from ctypes import byref, c_char, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p

from storage import COL, PARTS, ROW, Array, real_type

LETTERS = {111: b"N", 112: b"T", 113: b"C", 121: b"U", 122: b"L", 131: b"N", 132: b"U", 141: b"L", 142: b"R"}


def plain(values):
    return values[0] if len(values) == 1 else tuple(values)


class OpenCL:
    layouts, steps, n_calls = (COL, ROW), (1, 2, -1, -3), 20

    def __init__(self, library):
        self.library, self.cl = library, ctypes.CDLL("libOpenCL.so.1")
        platform, device = c_void_p(), c_void_p()
        self.cl.clGetPlatformIDs(1, byref(platform), None)
        self.is_there = self.cl.clGetDeviceIDs(platform, c_uint64(0xffffffff), 1, byref(device), None) == 0
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateBuffer"):
            getattr(self.cl, name).restype = c_void_p
        self.context = c_void_p(self.cl.clCreateContext(None, 1, byref(device), None, None, None))
        self.queue = c_void_p(self.cl.clCreateCommandQueue(self.context, device, c_uint64(0), None))

    def name(self, routine):
        return "exblas_cl_" + routine.name

    def buffer(self, memory):
        """As it is: COPY_HOST_PTR and READ_WRITE."""
        return c_void_p(self.cl.clCreateBuffer(self.context, c_uint64(33), c_size_t(ctypes.sizeof(memory)),
                                               memory, None))

    def passed(self, argument, value, letter):
        if argument.kind == "integer":
            return [(c_int64 if argument.name.startswith("inc") else c_size_t)(value)]
        if argument.kind == "option":
            return [c_int(value)]
        by_value = argument.kind == "real scalar" or PARTS[letter] == 1
        return [real_type(letter)(value[0]) if by_value else (real_type(letter) * 2)(*value)]

    def run(self, routine, call):
        buffers, arguments = [], [self.queue]

        def put(memory):
            buffers.append((self.buffer(memory), memory))
            arguments.extend((buffers[-1][0], c_size_t(0)))

        for a in routine.arguments:
            value = call.args[a.name]
            if isinstance(value, Array):
                put(value.memory)
            else:
                arguments.extend(self.passed(a, value, call.letter))
        result = (real_type(call.letter) * (2 if routine.returns_complex else 1))()
        if routine.result != "void" or routine.returns_complex:
            put(result)
        status = getattr(self.library, self.name(routine))(*arguments, c_uint(0), None, None)
        for buffer, memory in buffers:
            self.cl.clEnqueueReadBuffer(self.queue, buffer, c_uint(1), c_size_t(0),
                                        c_size_t(ctypes.sizeof(memory)), memory, c_uint(0), None, None)
            self.cl.clReleaseMemObject(buffer)
        assert status == 0, f"{self.name(routine)} returned {status}"
        return plain(result)


class Pblas:
    """Matrices by columns. A vector is the column of a matrix, or with a step a row of one of so many rows."""
    layouts, steps, n_calls = (COL,), (1, 2), 50

    def __init__(self, library):
        self.library, self.is_there = library, True
        blacs = ctypes.CDLL(os.environ["TEST_BLACS"], ctypes.RTLD_GLOBAL)
        self.context, one = c_int(), byref(c_int(1))
        blacs.blacs_pinfo_(byref(c_int()), byref(c_int()))
        blacs.blacs_get_(byref(c_int(-1)), byref(c_int(0)), byref(self.context))
        blacs.blacs_gridinit_(byref(self.context), b"R", one, one)
        self.end = lambda: blacs.blacs_exit_(byref(c_int(0)))

    def name(self, routine):
        """PBLAS's psamax is iamax with the element, its psgeadd has a transpose: other routines than these."""
        return "" if routine.base in ("amax", "geadd") else f"exp{routine.name}_"

    def described(self, array, ld, step):
        """The array, its first row and column, its descriptor and, of a vector, its step."""
        m, n = (ld, 64) if step is None or step > 1 else (64, 1)
        first = byref(c_int(1))
        described = [array.memory, first, first, (c_int * 9)(1, self.context.value, m, n, 2, 2, 0, 0, m)]
        return described + ([byref(c_int(step))] if step else [])

    def run(self, routine, call):
        kind, args = real_type(call.letter), call.args
        result = (kind * (2 if routine.returns_complex else 1))()
        arguments = []
        for a in routine.arguments:
            value, step = args[a.name], args.get("inc" + a.name)
            if isinstance(value, Array):
                arguments += self.described(value, step or args.get("ld" + a.name), step)
            elif a.kind == "option" and a.name != "layout":
                arguments.append(byref(c_char(LETTERS[value])))
            elif "scalar" in a.kind:
                arguments.append((kind * 2)(value[0], value[1] or 0))
            elif a.name in ("m", "n", "k"):
                arguments.append(byref(c_int(value)))
            if a.name == "n" and (routine.result != "void" or routine.returns_complex):
                arguments.append(result)
        getattr(self.library, self.name(routine))(*arguments)
        return plain(result)
