#!/usr/bin/env python3
"""test_cuda.py LIBRARY: exblas.cuda on arrays with __cuda_array_interface__, as CuPy's and PyTorch's are.

LIBRARY is libexblas_cuda with a device that is this processor, and that device's cudaMalloc and cudaMemcpy. What the
calls give is compared with sums of fractions, rounded once. Reports in TAP."""
import array
import ctypes
import random
import sys
from fractions import Fraction

import exblas.cuda
import tap
from rounding import rounded

LIBRARY = ctypes.CDLL(sys.argv[1])
TO_DEVICE, TO_HOST = 0, 1
SIZES = {"<f8": "d", "<f4": "f", "<i4": "i", "<i8": "q"}


class DeviceArray:
    """Numbers on the device, `shape` of them with strides in elements from number `first` on."""

    def __init__(self, numbers, shape, strides=None, typestr="<f8", first=0, stream=None, read_only=False, **more):
        self.host = array.array(SIZES[typestr], numbers)
        self.bytes, self.pointer = self.host.itemsize * len(self.host), ctypes.c_void_p()
        assert LIBRARY.cudaMalloc(ctypes.byref(self.pointer), ctypes.c_size_t(self.bytes or 1)) == 0
        self.copy(self.pointer, self.address(), TO_DEVICE)
        strides = strides and tuple(s * self.host.itemsize for s in strides)
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": typestr, "strides": strides, "stream": stream, "version": 3,
            "data": (self.pointer.value + first * self.host.itemsize, read_only), **more}

    def address(self):
        return ctypes.c_void_p(self.host.buffer_info()[0])

    def copy(self, to, origin, kind):
        assert LIBRARY.cudaMemcpy(to, origin, ctypes.c_size_t(self.bytes), kind) == 0

    def numbers(self):
        LIBRARY.cudaDeviceSynchronize()
        self.copy(self.address(), self.pointer, TO_HOST)
        return list(self.host)

    def __del__(self):
        LIBRARY.cudaFree(self.pointer)


def hard(n, typestr, seed):
    """Numbers of very different sizes, many of which cancel."""
    r = random.Random(seed)
    x = [ctypes.c_float(r.uniform(-1, 1)).value * 2.0 ** r.randrange(-30, 30) for _ in range(n)]
    return x[:n // 3] + x[n // 3:2 * (n // 3)] + [-v for v in x[:n - 2 * (n // 3)]]


def exact_dot(x, y):
    return sum((Fraction(a) * Fraction(b) for a, b in zip(x, y)), Fraction(0))


def sums():
    for seed, typestr in enumerate(("<f8", "<f4")):
        x, y = hard(700, typestr, seed), hard(700, typestr, seed + 9)[::-1]
        a, b = DeviceArray(x, (700,), typestr=typestr), DeviceArray(y, (700,), typestr=typestr, stream=1)
        assert handle.sum(a) == rounded(sum(map(Fraction, x)), SIZES[typestr])
        assert handle.dot(a, b) == rounded(exact_dot(x, y), SIZES[typestr])
        back = DeviceArray(y, (350,), (-2,), typestr, first=699)
        front = DeviceArray(x, (350,), (2,), typestr)
        assert handle.dot(front, back) == rounded(exact_dot(x[::2], y[::-2]), SIZES[typestr])
    assert handle.norm(DeviceArray([3 * 2.0 ** 600, 4 * 2.0 ** 600], (2,))) == 5 * 2.0 ** 600
    assert handle.sum(DeviceArray([], (0,))) == 0


def products():
    m, k, n = 5, 9, 4
    a, b = hard(m * k, "<f8", 3), hard(k * n, "<f8", 4)
    wanted = [[float(exact_dot(a[i * k:(i + 1) * k], b[j::n])) for j in range(n)] for i in range(m)]
    turn = lambda x, rows, columns: [x[i * columns + j] for j in range(columns) for i in range(rows)]
    factors = ((DeviceArray(a, (m, k)), DeviceArray(turn(a, m, k), (m, k), (1, m))),
               (DeviceArray(b, (k, n)), DeviceArray(turn(b, k, n), (k, n), (1, k))))
    for x in factors[0]:
        for y in factors[1]:
            row_major = handle.matmul(x, y, DeviceArray([0] * (m * n), (m, n)))
            assert row_major.numbers() == sum(wanted, [])
            column_major = handle.matmul(x, y, DeviceArray([0] * (7 * n), (m, n), (1, 7)))
            assert [column_major.numbers()[i + 7 * j] for i in range(m) for j in range(n)] == sum(wanted, [])


def bins():
    for kind in ("<i4", "<i8"):
        x, index = hard(600, "<f8", 5), [i * 7 % 10 for i in range(600)]
        y = DeviceArray([0.5] * 10, (10,))
        handle.scatter_add(y, DeviceArray(index, (600,), typestr=kind), DeviceArray(x, (600,)))
        assert y.numbers() == [float(sum((Fraction(v) for v, i in zip(x, index) if i == b), Fraction(1, 2)))
                               for b in range(10)]


def refused(error, function, *arguments, says=" "):
    tap.refused(error, says, lambda: function(*arguments))


def errors():
    x, whole = DeviceArray([1.0] * 12, (12,)), DeviceArray([1.0] * 12, (3, 4))
    refused(TypeError, handle.sum, [1.0, 2.0])
    refused(TypeError, handle.sum, DeviceArray([1], (1,), typestr="<i4"))
    refused(TypeError, handle.sum, DeviceArray([1.0], (1,), mask=x))
    refused(TypeError, handle.dot, x, DeviceArray([1.0] * 12, (12,), typestr="<f4"))
    refused(ValueError, handle.dot, x, DeviceArray([1.0] * 11, (11,)))
    refused(ValueError, handle.sum, whole)
    refused(ValueError, handle.dot, DeviceArray([1.0], (1,), stream=1), DeviceArray([1.0], (1,), stream=x.pointer.value))
    refused(ValueError, handle.matmul, whole, whole, whole)
    refused(ValueError, handle.matmul, whole, DeviceArray([1.0] * 16, (4, 4)), DeviceArray([0.0] * 12, (3, 4), read_only=True))
    refused(ValueError, handle.matmul, DeviceArray([1.0] * 64, (3, 4), (2, 16)), whole, whole)
    refused(ValueError, handle.scatter_add, x, DeviceArray([12], (1,), typestr="<i4"), DeviceArray([1.0], (1,)))
    refused(ValueError, handle.scatter_add, DeviceArray([1.0], (1,), stream=1),
            DeviceArray([0], (1,), typestr="<i4", stream=x.pointer.value), DeviceArray([1.0], (1,)))
    refused(ValueError, handle.scatter_add, DeviceArray([1.0], (1,), read_only=True), DeviceArray([0], (1,), typestr="<i4"),
            DeviceArray([1.0], (1,)))
    assert x.numbers() == [1.0] * 12
    closed = exblas.cuda.Handle(sys.argv[1])
    closed.close()
    closed.close()
    refused(ValueError, closed.sum, x, says="closed")


class Emulated(ctypes.Structure):
    """The device's books (test/gpu/emulated/emulated_device.h)."""
    _fields_ = [("seed", ctypes.c_uint64), ("fail_at", ctypes.c_long), ("memory", ctypes.c_size_t),
                ("units", ctypes.c_int), ("failed", ctypes.c_char_p),
                *((name, ctypes.c_long) for name in ("calls", "launches", "copies", "products", "batches", "allocations",
                                                     "live", "live_events", "live_handles"))]


def lifetimes():
    """A handle that nobody closes, of which any call fails, leaves nothing allocated."""
    books = Emulated.in_dll(LIBRARY, "emulated")
    x = DeviceArray([1.0, 2.0], (2,))
    before, i, failed = (books.live, books.live_events), 0, True
    while failed:
        i += 1
        books.calls, books.failed, books.fail_at = 0, None, i
        try:
            assert exblas.cuda.Handle(sys.argv[1]).sum(x) == 3
        except (MemoryError, RuntimeError):
            pass
        failed, books.fail_at = books.failed is not None, 0
        assert (books.live, books.live_events) == before, f"after call {i}"
    assert i > 10


with exblas.cuda.Handle(sys.argv[1]) as handle:
    tap.run(sums, products, bins, errors, lifetimes)
