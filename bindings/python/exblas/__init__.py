"""Exact sums and products, rounded once: the same bits for any order, threads and machine.

Works on NumPy arrays and everything else with the buffer protocol (array.array, memoryview,
bytes of struct) without NumPy being needed, and on any iterable of numbers. Single precision stays
so, every other number is taken as the double that equals it; what has none, as most integers
beyond 2^53, is a ValueError or an OverflowError, and what is no array of real numbers a TypeError: tables,
mappings, masked arrays, text. Needs libexblas.so.0 where the dynamic linker finds it.
"""
import array as _array
import ctypes as _c
import math
import struct as _struct
from decimal import Decimal as _Decimal
from fractions import Fraction
from numbers import Integral as _Integral, Real as _Real

__all__ = ["Accumulator", "dot", "fsum", "gemm", "mean", "sum", "version"]

_lib = _c.CDLL("libexblas.so.0")
_double, _int64, _pointer = _c.c_double, _c.c_int64, _c.c_void_p
_TYPES = {"d": ("d", _double, 8), "f": ("s", _c.c_float, 4)}
_BYTES = 552


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype, function.argtypes = result, arguments
    return function


_declare("exblas_version", _c.c_char_p)
for _code, (_letter, _type, _) in _TYPES.items():
    _declare(f"excblas_{_letter}sum_64", _type, _int64, _pointer, _int64)
    _declare(f"excblas_{_letter}dot_64", _type, _int64, _pointer, _int64, _pointer, _int64)
    _declare(f"excblas_{_letter}gemm_64", None, *[_c.c_int] * 3, *[_int64] * 3, _type, _pointer, _int64,
             _pointer, _int64, _type, _pointer, _int64)


def version():
    """The version of the library that was loaded."""
    return _lib.exblas_version().decode()


def _refuse(source):
    """A TypeError for what would be taken for something else: by its keys, its bytes, without its mask."""
    kind = type(source).__name__
    if isinstance(source, str):
        raise TypeError("text is no number")
    if hasattr(source, "keys") and getattr(source, "ndim", None) != 1:
        raise TypeError(f"{kind} goes by its labels: give its values, or one column at a time")
    if hasattr(source, "mask") and hasattr(source, "filled"):
        raise TypeError(f"{kind} has a mask: give x.compressed() or x.filled(0)")
    if getattr(getattr(source, "dtype", None), "kind", "f") not in "biufO":
        raise TypeError(f"{kind} of {source.dtype} has no real numbers")


def _number(x):
    """The double that equals a number; an error if there is none."""
    if type(x) is float:
        return x
    if not isinstance(x, (_Real, _Decimal)):
        _refuse(x)
        if getattr(x, "ndim", None) != 0 or not hasattr(x, "item"):
            raise TypeError(f"{type(x).__name__} is no real number")
        x = x.item()
        if not isinstance(x, (_Real, _Decimal)):
            raise TypeError(f"{type(x).__name__} is no real number")
    if isinstance(x, _Integral):
        x = int(x)  # comparisons of NumPy's integers with floats round
    value = float(x)
    if value != x and (value == value or x == x):
        raise ValueError(f"no double equals {x}")
    return value


def _pieces(x):
    """Doubles whose sum is a number: of an integer 53 bits each."""
    if not isinstance(x, _Integral):
        return [_number(x)]
    magnitude, sign, pieces, exp2 = abs(int(x)), -1 if x < 0 else 1, [], 0
    if magnitude.bit_length() > 1024:
        raise OverflowError(f"an integer of {magnitude.bit_length()} bits is too large")
    while magnitude:
        pieces.append(sign * math.ldexp(magnitude % 2 ** 53, exp2))
        magnitude, exp2 = magnitude >> 53, exp2 + 53
    return pieces


def _view(source):
    """A memoryview of a buffer, or of a copy of an iterable's numbers."""
    _refuse(source)
    try:
        view = memoryview(source)
    except TypeError:
        return memoryview(_array.array("d", map(_number, source)))
    _refuse(view.obj)
    return view


class _Buffer:
    """A view of an object's numbers: their address, shape, strides in elements."""

    def __init__(self, source):
        view = _view(source)
        self.shape = view.shape
        if view.format in _TYPES and _is_direct(view):
            self.view, self.strides = view, tuple(s // view.itemsize for s in view.strides)
        else:
            self.view, self.strides = _doubles(view), _c_strides(view.shape)
        self.code = self.view.format
        self.address = _address(self.view)

    def as_doubles(self):
        """Itself, or a copy in C order."""
        return self if self.code == "d" else self.copied()

    def copied(self):
        copy = _Buffer(_doubles(self.view))
        copy.shape, copy.strides = self.shape, _c_strides(self.shape)
        return copy


def _is_direct(view):
    """Can BLAS take it as it lies in memory?"""
    return not (view.suboffsets or any(s % view.itemsize for s in view.strides) or
                _address(view) % view.itemsize)


def _c_strides(shape):
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def _doubles(view):
    """A copy of all elements as doubles, one after the other in C order."""
    order, code = view.format[:-1], view.format[-1:]
    if order not in ("", "@", "=", "<", ">", "!") or code not in "?bBhHiIlLqQnNefd" or not code:
        raise TypeError(f"elements of format {view.format!r} are not taken: convert them to doubles")
    elements = _struct.iter_unpack(view.format, view.tobytes())
    return memoryview(_array.array("d", (_number(x) for x, in elements)))


class _PyBuffer(_c.Structure):
    _fields_ = [("buf", _pointer), ("obj", _pointer), ("len", _c.c_ssize_t), ("itemsize", _c.c_ssize_t),
                ("readonly", _c.c_int), ("ndim", _c.c_int), ("format", _pointer), ("shape", _pointer),
                ("strides", _pointer), ("suboffsets", _pointer), ("internal", _pointer)]


def _address(view):
    """Where element 0 ... 0 of a view lies; the view keeps it alive."""
    buffer = _PyBuffer()
    full_read_only = 0x011C
    get, release = _c.pythonapi.PyObject_GetBuffer, _c.pythonapi.PyBuffer_Release
    get.argtypes = [_c.py_object, _c.POINTER(_PyBuffer), _c.c_int]
    release.argtypes = [_c.POINTER(_PyBuffer)]
    get(view, buffer, full_read_only)
    address = buffer.buf or 0
    release(buffer)
    return address


def _first(address, n, stride, size):
    """BLAS's first element: with a negative increment it is the last in memory order."""
    return address if stride >= 0 or n == 0 else address + (n - 1) * stride * size


def _sum_line(buffer, address, n, stride):
    letter, _, size = _TYPES[buffer.code]
    return getattr(_lib, f"excblas_{letter}sum_64")(n, _first(address, n, stride, size), stride)


def _offsets(shape, strides):
    """Offsets of all elements, in C order."""
    offsets = [0]
    for n, stride in zip(shape, strides):
        offsets = [o + i * stride for o in offsets for i in range(n)]
    return offsets


def _nested(flat, shape):
    """A list of numbers as lists of lists."""
    for n in reversed(shape[1:]):
        flat = [flat[i:i + n] for i in range(0, len(flat), n)] if n else []
    return flat


def _lines(buffer, axis):
    """What is left of the shape without the axis, and (address, n, stride) of each line along it."""
    axes = len(buffer.shape)
    if not -axes <= axis < axes:
        raise ValueError(f"axis {axis} does not exist in {axes} dimensions")
    axis %= axes
    shape = buffer.shape[:axis] + buffer.shape[axis + 1:]
    strides = buffer.strides[:axis] + buffer.strides[axis + 1:]
    size = buffer.view.itemsize
    return shape, [(buffer.address + o * size, buffer.shape[axis], buffer.strides[axis])
                   for o in _offsets(shape, strides)]


def _state_of(numbers):
    """The sum of the elements of a buffer or an iterable."""
    _refuse(numbers)
    try:
        view = memoryview(numbers)
    except TypeError:
        total = _State()
        for number in numbers:
            for piece in _pieces(number):
                _acc("add", total, piece)
        return total
    return _accumulate(_Buffer(view))._state


def _accumulate(buffer):
    total = Accumulator()
    axes = len(buffer.shape)
    for address, n, stride in _lines(buffer, axes - 1)[1] if axes else [(buffer.address, 1, 1)]:
        total._add_line(buffer.code, address, n, stride)
    return total


def _round(accumulator, code):
    return accumulator.to_float() if code == "f" else float(accumulator)


def sum(x, axis=None):
    """The exact sum of all elements, or of each line along an axis (as lists), rounded once to the type
    of the elements."""
    buffer = _Buffer(x)
    if axis is None:
        return _round(_accumulate(buffer), buffer.code)
    shape, lines = _lines(buffer, axis)
    results = [_sum_line(buffer, *line) for line in lines]
    return _nested(results, shape) if shape else results[0]


def fsum(iterable):
    """The exact sum of any iterable or buffer as a double: math.fsum, but intermediate sums may overflow."""
    return float(Accumulator(iterable))


def _mean_of(accumulator, n, code):
    """The exact sum divided by n, rounded once."""
    if n == 0:
        return float("nan")
    total = accumulator.to_fraction()
    if total is None:
        return float(accumulator)
    quotient = total / n
    return _round_fraction(quotient) if code == "d" else _round_fraction(quotient, 24, -149)


def _round_fraction(q, bits=53, least=-1074):
    """RN(q) to a format with that many bits and least positive number 2^least."""
    if q == 0:
        return 0.0
    sign, q = (-1, -q) if q < 0 else (1, q)
    exponent = q.numerator.bit_length() - q.denominator.bit_length()
    if q < _power(exponent):
        exponent -= 1
    unit = max(exponent - bits + 1, least)
    return sign * _scaled(round(q / _power(unit)), unit)  # round: to nearest, ties to even


def _power(exponent):
    return Fraction(2) ** exponent


def _scaled(n, exponent):
    try:
        return math.ldexp(n, exponent)
    except OverflowError:
        return math.inf


def mean(x, axis=None):
    """The exact mean of all elements, or along an axis (as lists), rounded once to their type."""
    buffer = _Buffer(x)
    if axis is None:
        n = 1
        for length in buffer.shape:
            n *= length
        return _mean_of(_accumulate(buffer), n, buffer.code)
    shape, lines = _lines(buffer, axis)
    results = []
    for line in lines:
        total = Accumulator()
        total._add_line(buffer.code, *line)
        results.append(_mean_of(total, line[1], buffer.code))
    return _nested(results, shape) if shape else results[0]


def _pair(x, y):
    a, b = _Buffer(x), _Buffer(y)
    return (a, b) if a.code == b.code else (a.as_doubles(), b.as_doubles())


def dot(x, y):
    """The exact sum of products of two vectors, rounded once."""
    a, b = _pair(x, y)
    if len(a.shape) != 1 or a.shape != b.shape:
        raise ValueError("two vectors of one length are needed")
    letter, _, size = _TYPES[a.code]
    n = a.shape[0]
    return getattr(_lib, f"excblas_{letter}dot_64")(
        n, _first(a.address, n, a.strides[0], size), a.strides[0],
        _first(b.address, n, b.strides[0], size), b.strides[0])


def _stored(buffer):
    """Transposition and leading dimension under which gemm, row-major, takes a matrix; a copy of
    one that has neither rows nor columns in one piece."""
    (m, n), (row, column) = buffer.shape, buffer.strides
    if column == 1 and row >= max(n, 1):
        return buffer, 111, row
    if row == 1 and column >= max(m, 1):
        return buffer, 112, column
    return buffer.copied(), 111, max(n, 1)


def gemm(a, b, alpha=1.0, beta=0.0, c=None):
    """RN(alpha a b + beta c) for each element, as a new two-dimensional memoryview (numpy.asarray
    takes it without a copy)."""
    x, y = _pair(a, b)
    if len(x.shape) != 2 or len(y.shape) != 2 or x.shape[1] != y.shape[0]:
        raise ValueError("a and b must be matrices, b with as many rows as a has columns")
    m, n, k = x.shape[0], y.shape[1], x.shape[1]
    out = _array.array("f", bytes(4 * m * n)) if c is None else _rows(c, (m, n))
    (x, transa, lda), (y, transb, ldb) = _stored(x), _stored(y)
    if c is not None and out.typecode == "d" or x.code != y.code:
        x, y = x.as_doubles(), y.as_doubles()
        (x, transa, lda), (y, transb, ldb) = _stored(x), _stored(y)
    letter, scalar, size = _TYPES[x.code]
    if out.typecode != x.code:
        out = _array.array(x.code, out)
    getattr(_lib, f"excblas_{letter}gemm_64")(
        101, transa, transb, m, n, k, _scalar(alpha, scalar), x.address, lda, y.address, ldb,
        _scalar(beta if c is not None else 0.0, scalar), out.buffer_info()[0], max(n, 1))
    return memoryview(out).cast("B").cast(x.code, (m, n)) if m * n else memoryview(out)


def _rows(c, shape):
    """A copy of a matrix of that shape, in C order."""
    buffer = _Buffer(c)
    if buffer.shape != shape:
        raise ValueError("c must have a's rows and b's columns")
    return _array.array(buffer.code, [x for x, in _struct.iter_unpack(buffer.code, buffer.view.tobytes())])


def _scalar(x, scalar):
    """alpha or beta in the matrices' type, which must have it."""
    value = _number(x)
    if scalar(value).value != value and value == value:
        raise ValueError(f"{x} is no number of single precision, as the matrices are")
    return value


class _State(_c.Structure):
    _fields_ = [("word", _int64 * 81), ("n_free", _c.c_int32), ("special", _c.c_uint32)]


_ACC = _c.POINTER(_State)
for _name, _result, _arguments in (
        ("init", None, ()), ("add", None, (_double,)), ("add_product", None, (_double, _double)),
        ("add_vector", None, (_int64, _pointer, _int64)),
        ("add_vector_f", None, (_int64, _pointer, _int64)), ("merge", None, (_ACC,)), ("negate", None, ()),
        ("to_double", _double, ()), ("to_float", _c.c_float, ()), ("compare", _c.c_int, (_ACC,)),
        ("export", None, (_c.c_char_p,)), ("import", _c.c_int, (_c.c_char_p, _c.c_size_t))):
    _declare("exblas_acc_" + _name, _result, _ACC, *_arguments)


def _acc(name, state, *arguments):
    return getattr(_lib, "exblas_acc_" + name)(_c.byref(state), *arguments)


class Accumulator:
    """An exact sum to keep, pickle, send and merge: `a += x` for a number, a buffer or an accumulator,
    float(a) is the sum rounded once. Equal sums are equal, whatever the order was."""

    def __init__(self, numbers=()):
        self._state = _State()
        self.add(numbers)

    def _add_line(self, code, address, n, stride):
        size = _TYPES[code][2]
        _acc("add_vector" if code == "d" else "add_vector_f", self._state, n,
             _first(address, n, stride, size), stride)

    def add(self, x):
        """Adds a number, the elements of a buffer or of an iterable, or another accumulator."""
        if isinstance(x, Accumulator):
            _acc("merge", self._state, _c.byref(x._state))
        elif isinstance(x, (_Real, _Decimal)):
            for piece in _pieces(x):
                _acc("add", self._state, piece)
        else:
            _acc("merge", self._state, _c.byref(_state_of(x)))
        return self

    __iadd__ = add

    def add_product(self, x, y):
        """Adds x y exactly."""
        _acc("add_product", self._state, _number(x), _number(y))
        return self

    def __add__(self, other):
        return Accumulator().add(self).add(other)

    def __neg__(self):
        result = Accumulator().add(self)
        _acc("negate", result._state)
        return result

    def __float__(self):
        return _acc("to_double", self._state)

    def to_float(self):
        """Rounded once to single precision."""
        return _acc("to_float", self._state)

    def to_fraction(self):
        """The sum as a fractions.Fraction; None for Inf and NaN."""
        data = self.to_bytes()
        if data[5]:
            return None
        return Fraction(int.from_bytes(data[16:], "little", signed=True), 1 << 2148)

    def to_bytes(self):
        """The sum in the library's portable format: equal sums, equal bytes."""
        data = _c.create_string_buffer(_BYTES)
        _acc("export", self._state, data)
        return data.raw

    @classmethod
    def from_bytes(cls, data):
        result = cls()
        if _acc("import", result._state, bytes(data), len(data)):
            raise ValueError("not the bytes of an accumulator")
        return result

    def __reduce__(self):
        return Accumulator.from_bytes, (self.to_bytes(),)

    def __eq__(self, other):
        if not isinstance(other, Accumulator):
            return NotImplemented
        return _acc("compare", self._state, _c.byref(other._state)) == 0

    __hash__ = None

    def __repr__(self):
        return f"Accumulator({float(self)!r})"
