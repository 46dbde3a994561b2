"""Arrays on CUDA devices: exblas.cuda.Handle() adds and multiplies what CuPy, PyTorch and Numba have there.

An array is any object with __cuda_array_interface__, of float32 or float64, without a mask. Results are exact values
rounded once, as on the CPU: numbers of Python, or arrays of the caller's that are given as `out` (nothing is allocated
here but the library's own scratch memory).

Calls run on the stream that the arrays name, and on the default one if they name none. matmul only enqueues: arrays
that are not kept until it has run must be given back in the order of that stream, as CuPy and PyTorch do."""
import ctypes
from typing import Any

_COLUMN_MAJOR, _PLAIN, _TURNED = 102, 111, 112
_TYPES = {"<f4": ("s", ctypes.c_float), "<f8": ("d", ctypes.c_double)}
_LONG = ctypes.c_int64


class _Array:
    """What a call needs to know of an array: strides in elements."""

    def __init__(self, x, types=_TYPES, writable=False):
        try:
            about = x.__cuda_array_interface__
        except AttributeError:
            raise TypeError(f"{type(x).__name__} is no array on a CUDA device") from None
        if about["typestr"] not in types:
            raise TypeError(f"arrays of {about['typestr']} are not taken")
        if about.get("mask") is not None:
            raise TypeError("the array has a mask")
        self.type, (address, is_constant) = about["typestr"], about["data"]
        if writable and is_constant:
            raise ValueError("out cannot be written to")
        self.pointer, self.shape, size = ctypes.c_void_p(address), tuple(about["shape"]), int(self.type[2:])
        strides = about.get("strides")
        if strides is None:
            strides, step = [], size
            for n in reversed(self.shape):
                strides.insert(0, step)
                step *= n
        if any(s % size for s in strides):
            raise ValueError("strides are no multiples of the element's size")
        self.strides, self.stream = [s // size for s in strides], about.get("stream")

    def vector(self, what):
        """Length and increment. BLAS gives the first element in memory of a vector that runs backwards."""
        if len(self.shape) != 1:
            raise ValueError(f"{what} is no vector")
        n, step = self.shape[0], self.strides[0]
        if step < 0 and n > 1:
            self.pointer = ctypes.c_void_p(self.pointer.value + (n - 1) * step * int(self.type[2:]))
        return n, step

    def matrix(self):
        """Whether it is column-major, and its leading dimension."""
        rows, columns = self.shape
        down, across = self.strides
        if (down == 1 or rows <= 1) and across >= max(rows, 1):
            return True, across
        if (across == 1 or columns <= 1) and down >= max(columns, 1):
            return False, down
        if rows <= 1 or columns <= 1 or 0 in self.shape:
            return True, max(rows, 1) if columns <= 1 else across
        raise ValueError("neither rows nor columns of the matrix lie side by side")


class Handle:
    """A device, the one that is current when the handle is made, and its scratch memory; for one thread at a time."""
    _handle: Any

    def __init__(self, library: str = "libexblas_cuda.so.0") -> None:
        try:
            self._library, self._handle = ctypes.CDLL(library), ctypes.c_void_p()
        except OSError as error:
            raise OSError(f"exblas.cuda needs ExBLAS's library for CUDA, which a wheel does not have: {error}") from None
        self._library.exblas_cuda_last_error.restype = ctypes.c_char_p
        self._check(self._library.exblas_cuda_create(ctypes.byref(self._handle)))
        try:
            self._call("set_host_results", 1)
        except BaseException:
            self.close()
            raise

    def __del__(self):
        if getattr(self, "_handle", None):  # there is none if __init__ has failed
            self._library.exblas_cuda_destroy(self._handle)

    def close(self) -> None:
        """Waits for the device and frees what the handle keeps."""
        handle, self._handle = self._handle, None
        if handle:
            self._check(self._library.exblas_cuda_destroy(handle))

    def __enter__(self) -> "Handle":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check(self, status):
        if status:
            text = self._library.exblas_cuda_last_error().decode()
            raise {1: ValueError, 2: MemoryError}.get(status, RuntimeError)(text or f"status {status}")

    def _call(self, name, *arguments):
        if not self._handle:
            raise ValueError("the handle is closed")
        self._check(getattr(self._library, "exblas_cuda_" + name)(self._handle, *arguments))

    def _enter(self, *arrays, indices=()):
        """The letter and the C type of the arrays' type; calls run on their stream, and that of the indices."""
        types = {a.type for a in arrays}
        streams = {a.stream for a in (*arrays, *indices) if a.stream is not None}
        if len(types) > 1:
            raise TypeError("the arrays differ in type: " + ", ".join(sorted(types)))
        if len(streams) > 1:
            raise ValueError("the arrays are in use on several streams: wait for all but one")
        stream = streams.pop() if streams else None
        self._call("set_stream", ctypes.c_void_p(None if stream == 1 else stream))
        return _TYPES[types.pop()]

    def _reduce(self, name, *vectors):
        arrays = [_Array(x) for x in vectors]
        letter, number = self._enter(*arrays)
        result, arguments, lengths = number(), [], set()
        for a in arrays:
            n, step = a.vector("an argument")
            lengths.add(n)
            arguments += [a.pointer, _LONG(step)]
        if len(lengths) > 1:
            raise ValueError("the vectors differ in length")
        self._call(letter + name, _LONG(n), *arguments, ctypes.byref(result))
        return result.value

    def sum(self, x: Any) -> float:
        """RN(the sum of x's elements)."""
        return self._reduce("sum", x)

    def norm(self, x: Any) -> float:
        """RN(the root of the sum of squares)."""
        return self._reduce("nrm2", x)

    def dot(self, x: Any, y: Any) -> float:
        """RN(the sum of x_i y_i)."""
        return self._reduce("dot", x, y)

    def matmul(self, a: Any, b: Any, out: Any) -> Any:
        """out = RN(a b) of matrices, each row-major or column-major."""
        x, y, z = _Array(a), _Array(b), _Array(out, writable=True)
        letter, number = self._enter(x, y, z)
        if {len(m.shape) for m in (x, y, z)} != {2} or (x.shape[1], x.shape[0], y.shape[1]) != (y.shape[0], *z.shape):
            raise ValueError(f"{x.shape} by {y.shape} does not give {z.shape}")
        is_column_major, ld = z.matrix()
        (m, n), k = z.shape, x.shape[1]
        factors = [self._factor(f, is_column_major) for f in (x, y)]
        if not is_column_major:  # its transposed is, and the product of the transposed ones the other way round
            m, n = n, m
            factors.reverse()
        (ta, pa, lda), (tb, pb, ldb) = factors
        self._call(letter + "gemm", ta, tb, _LONG(m), _LONG(n), _LONG(k), number(1), pa, lda, pb, ldb, number(0), z.pointer,
                   _LONG(ld))
        return out

    @staticmethod
    def _factor(f, is_column_major):
        same, ld = f.matrix()
        return (_PLAIN if same == is_column_major else _TURNED), f.pointer, _LONG(ld)

    def scatter_add(self, y: Any, index: Any, x: Any) -> Any:
        """y_i = RN(y_i + the sum of all x_k with index_k = i), in place; indices of 32 or 64 bits."""
        to, terms, which = _Array(y, writable=True), _Array(x), _Array(index, {"<i4": None, "<i8": None})
        letter, _ = self._enter(to, terms, indices=[which])
        for a in (to, terms, which):
            if len(a.shape) != 1 or (a.strides[0] != 1 and a.shape[0] > 1):
                raise ValueError("scatter_add takes vectors whose elements lie side by side")
        if terms.shape != which.shape:
            raise ValueError("there are not as many indices as terms")
        name = letter + ("scatter_add" if which.type == "<i4" else "scatter_add_64")
        self._call(name, _LONG(terms.shape[0]), terms.pointer, which.pointer, _LONG(to.shape[0]), to.pointer)
        return y
