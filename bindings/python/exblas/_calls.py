"""Functions of the library as they are, for arrays of NumPy that are packed, of one type of floats and of sizes that fit."""
import ctypes

from exblas import _core

LIBRARY = ctypes.CDLL(_core.__file__)  # which is linked with it
LIBRARY.exblas_version.restype = LIBRARY.exblas_info.restype = ctypes.c_char_p
_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
_ROW_MAJOR = ctypes.c_int(101)
_EINVAL, _ENOMEM = 1, 2


def info(name):
    """A fact about the library."""
    value = LIBRARY.exblas_info(name.encode())
    return value and value.decode()


def _place(x):
    """Of an array's memory: quickly where it can be written and is there."""
    try:
        return ctypes.byref(ctypes.c_char.from_buffer(x))
    except (TypeError, ValueError):
        return ctypes.c_void_p(x.ctypes.data)


def _call(name, of, *arguments):
    """exblas_?name for the type of the array `of`: its status. Integers have 64 bits where its name says so."""
    integer = ctypes.c_int64 if name.endswith("_64") else ctypes.c_int32
    words = [integer(x) if isinstance(x, int) else _place(x) if hasattr(x, "dtype") else x for x in arguments]
    status = getattr(LIBRARY, f"exblas_{_LETTERS[of.dtype.char]}{name}")(*words)
    if status == _ENOMEM:
        raise MemoryError
    if status == _EINVAL:
        raise ValueError("an index or offset is out of range")
    return status


def _numbers(like, *values):
    """As arguments: complex ones by their places."""
    if like.dtype.kind == "c":
        return [like.dtype.type([x]) for x in values]
    return [(ctypes.c_float if like.dtype.char == "f" else ctypes.c_double)(x) for x in values]


def solve(a, b, x):
    """The status of A X = B, or of least squares or norms, for the transposes of three matrices with elements: by rows they are
    what Fortran calls columns."""
    (n, m), n_rhs = a.shape, len(b)
    name, sizes = ("gesv_64", (n,)) if m == n else ("gels_64", (m, n))
    return _call(name, a, *sizes, n_rhs, a, max(m, 1), b, max(m, 1), x, n, None)


def scatter_add(x, index, y):
    """y[index[i]] += x[i], each y rounded once."""
    _call("scatter_add_64", x, len(x), x, index, len(y), y)


def segment_sum(x, offset, y):
    """y[i] = the sum of x[offset[i]:offset[i + 1]]."""
    _call("segment_sum_64", x, len(y), offset, x, y)


def csrmm(trans, n, start, column, value, x, y):
    """y = op(A) x for A of n columns and x and y of one or more."""
    (one, zero), k = _numbers(value, 1, 0), x.shape[1]
    _call("csrmm" + "_64" * (start.itemsize == 8), value, _ROW_MAJOR, ctypes.c_int(trans), len(start) - 1, n, k, one, start, column,
          value, x, k, zero, y, k)


def report_own(library, reason):
    """One more sum of a library that was not ours; None: they are counted. An older library has no such function."""
    if (function := getattr(LIBRARY, "exb_report_own", None)) is not None:
        function(library, reason and reason.encode())


class Matrix:
    """A real sparse matrix of n columns that is looked at once; indices are of 64 bits."""

    def __init__(self, n, start, column, value):
        self._handle, self._free = ctypes.c_void_p(), getattr(LIBRARY, f"exblas_{_LETTERS[value.dtype.char]}csr_free")
        _call("csr_create_64", value, len(start) - 1, n, start, column, value, ctypes.byref(self._handle))

    def multiply(self, x, y):
        """y = A x for vectors of its type."""
        one, zero = _numbers(x, 1, 0)
        _call("csr_mv", x, self._handle, one, x, zero, y)

    def __del__(self):
        self._free(self._handle)
