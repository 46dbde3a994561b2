"""What is a number, an array, a table: everything is taken exactly, or refused in one line."""
import array
import math
import struct
import sys
from decimal import Decimal
from numbers import Integral, Real

HALF, SINGLE, DOUBLE = 11, 24, 53


HOST_DEVICES = (1, 3, 13)  # of DLPack: the processor's memory, and CUDA's that the processor reads


def is_ndarray(x):
    """An array of NumPy itself: most are, and few questions are left."""
    return type(x) is getattr(sys.modules.get("numpy"), "ndarray", None)


def refuse_device(source):
    """A TypeError for an array whose numbers the processor cannot read."""
    if hasattr(source, "__cuda_array_interface__") or (
            is_foreign(source) and hasattr(source, "__dlpack_device__") and source.__dlpack_device__()[0] not in HOST_DEVICES):
        raise TypeError(f"{type(source).__name__} lies on a GPU, for which this package has no library: copy it to the host")


# Types of ml_dtypes, and those of NumPy that have all their numbers.
NARROW = {"bfloat16": "float32", "float8_e4m3fn": "float16", "float8_e5m2": "float16"}


def refuse(source):
    """A TypeError for what would be taken for something else: by its keys, its bytes, without its mask."""
    kind = type(source).__name__
    if not is_ndarray(source):
        refuse_device(source)
        if isinstance(source, str):
            raise TypeError("text is no number")
        if (hasattr(source, "keys") or hasattr(source, "columns")) and getattr(source, "ndim", None) != 1:
            raise TypeError(f"{kind} goes by its labels: give its values, or one column at a time")
        if hasattr(source, "mask") and hasattr(source, "filled"):
            raise TypeError(f"{kind} has a mask: give x.compressed() or x.filled(0)")
    if getattr(getattr(source, "dtype", None), "kind", "f") not in "biufcO" and source.dtype.name not in NARROW:
        raise TypeError(f"{kind} of {source.dtype} has no numbers")


def number(x):
    """The double that equals a real number; an error if there is none."""
    if type(x) is float:
        return x
    if not isinstance(x, (Real, Decimal)):
        refuse(x)
        if getattr(x, "ndim", None) != 0 or not hasattr(x, "item"):
            raise TypeError(f"{type(x).__name__} is no real number")
        x = x.item()
        if not isinstance(x, (Real, Decimal)):
            raise TypeError(f"{type(x).__name__} is no real number")
    if isinstance(x, Integral):
        x = int(x)  # comparisons of NumPy's integers with floats round
    value = float(x)
    if value != x and (value == value or x == x):
        raise ValueError(f"no double equals {x}")
    return value


def are_floats(values):
    return set(map(type, values)) <= {float}


def are_integers(values):
    return bool(values) and all(isinstance(v, Integral) for v in values)


def doubles(values):
    """A list of real numbers as the doubles that equal them."""
    return array.array("d", values if are_floats(values) else map(number, values))


def pieces(x):
    """Doubles whose sum is a number: of an integer 53 bits each."""
    if not isinstance(x, Integral):
        return [number(x)]
    magnitude, sign, found, exp2 = abs(int(x)), -1 if x < 0 else 1, [], 0
    if magnitude.bit_length() > 1024:
        raise OverflowError(f"an integer of {magnitude.bit_length()} bits is too large")
    while magnitude:
        found.append(sign * math.ldexp(magnitude % 2 ** 53, exp2))
        magnitude, exp2 = magnitude >> 53, exp2 + 53
    return found


def library_of(x):
    return type(x).__module__.partition(".")[0]


def is_column(x):
    """A column of pandas, polars or Arrow."""
    if (library := library_of(x)) == "pandas":
        dtype = getattr(x, "dtype", None)
        return getattr(getattr(dtype, "numpy_dtype", dtype), "kind", "O") in "biufc"
    return library in ("polars", "pyarrow") and hasattr(x, "null_count") and not hasattr(x, "columns")


def masked_buffers(x):
    """Numbers and mask of pandas' arrays that have both; else None. Others are slow to say what they lack."""
    both = library_of(x) == "pandas" and [getattr(getattr(x, "array", x), name, None) for name in ("_data", "_mask")]
    return both if both and all(map(is_ndarray, both)) else None


def has_missing(x):
    if both := masked_buffers(x):
        return both[1].any()
    if library_of(x) == "pandas":  # numbers of NumPy's types are all there
        return hasattr(x.dtype, "numpy_dtype") and x.isna().any()
    return x.null_count() if callable(x.null_count) else x.null_count


def _values(x):
    """A column without missing values as an array of NumPy: its own memory, where it can be that."""
    if both := masked_buffers(x):
        return both[0]
    if library_of(x) == "pandas":
        return x.array.to_numpy(dtype=getattr(x.dtype, "numpy_dtype", x.dtype))
    return x.to_numpy(zero_copy_only=False) if type(x).__module__ == "pyarrow.lib" and not hasattr(x, "chunks") else x.to_numpy()


def column(x):
    """The numbers of a column as an array of NumPy."""
    if has_missing(x):
        raise TypeError(f"{type(x).__name__} has missing values, which are no numbers: drop or fill them")
    return _values(x)


def without_missing(x, where=True):
    """A column, and a masked array, as an array with any number for what is not there, and what is there among `where`; all
    else as it is."""
    if is_ndarray(x):
        return x, where
    if is_column(x):
        if not has_missing(x):
            return _values(x), where
        if both := masked_buffers(x):
            return both[0], ~both[1] if where is True else ~both[1] & where
        fill, is_absent = (x.fillna, x.isna) if library_of(x) == "pandas" else (x.fill_null, x.is_null)
        filled, absent = _values(fill("bool" not in str(getattr(x, "dtype", None) or x.type) and 0)), is_absent()
    elif hasattr(x, "mask") and hasattr(x, "filled"):
        filled, absent = x.filled(0), sys.modules["numpy"].ma.getmaskarray(x)
    else:
        return x, where
    import numpy
    return filled, numpy.logical_and(where, ~numpy.asarray(absent, bool))


def is_foreign(x):
    """Columns, and tensors of other libraries, which hand their memory over by DLPack."""
    return not is_ndarray(x) and (hasattr(x, "__dlpack__") and not hasattr(x, "__array_interface__") or is_column(x))


def on_host(x):
    """Such a column or tensor as an array of NumPy, all else as it is."""
    if not is_foreign(x):
        return x
    if is_column(x):
        return column(x)
    import numpy
    x = x.resolve_neg() if hasattr(x, "resolve_neg") else x  # a sign that PyTorch puts off
    try:
        return numpy.from_dlpack(x)
    except RuntimeError:
        if (kind := str(getattr(x, "dtype", "such numbers"))) != "torch.bfloat16":
            raise TypeError(f"NumPy has no {kind}: convert the {type(x).__name__} to float32") from None
        bits = numpy.from_dlpack(x.view(sys.modules["torch"].uint16))
        return (bits.astype(numpy.uint32) << 16).view(numpy.float32)  # which have all of them


def widened(x):
    """An array of a narrow type in one that NumPy has, all else as it is."""
    wide = NARROW.get(getattr(getattr(x, "dtype", None), "name", None))
    return x if wide is None else x.astype(wide)


def numpy_of(*sources):
    """The module numpy if one of the sources is an array or scalar of NumPy or gives one, else None."""
    if sources and all(map(is_ndarray, sources)):
        return sys.modules["numpy"]
    for x in sources:
        refuse_device(x)
    if any(map(is_foreign, sources)):
        import numpy
        return numpy
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    for x in sources:
        if isinstance(x, (numpy.ndarray, numpy.generic, int, float, complex)):
            return numpy
        if isinstance(x, (list, tuple)) and x and isinstance(x[0], (list, tuple, numpy.ndarray)):
            return numpy
        if hasattr(x, "__array__") and not hasattr(x, "keys") and getattr(getattr(x, "dtype", None), "kind", "O") in "biufc":
            return numpy
    return None


def ndarray_of(numpy, source, has_bfloat16=False):
    """An array of bool, integers, half, single, double or complex numbers, or of bfloat16, in this machine's order
    of bytes; sequences of numbers as arrays of doubles, or of integers if all are."""
    refuse(source)
    x = on_host(source)
    if x is source and not is_ndarray(source):
        if not hasattr(source, "__array__") and not isinstance(source, (memoryview, array.array)):
            source = list_of(numpy, source)
        x = numpy.asarray(source)
        refuse(x)
    if x.dtype.kind == "O" or x.dtype.char in "gG":
        raise TypeError(f"elements of {x.dtype} are not taken: convert them to doubles")
    if not (has_bfloat16 and x.dtype.name == "bfloat16"):
        x = widened(x)
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def is_buffer(x):
    refuse(x)
    try:
        memoryview(x)
    except TypeError:
        return False
    return True


def iterable(source):
    if not hasattr(source, "__iter__") or isinstance(source, type):
        raise TypeError(f"{type(source).__name__} is no array, buffer or iterable of numbers")
    return source


def flag(name, value):
    """True or False, or an integer in their place."""
    if isinstance(value, Integral) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError(f"{name} is True or False")


def natural(name, value, least=0):
    """An integer from `least` up."""
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} is an integer from {least} up")
    return int(value)


def type_of(numpy, dtype, out=None, has_bfloat16=False):
    """The type that dtype= or out= asks for, None: none does. TypeError for what is no type or no array."""
    if out is not None and not isinstance(out, numpy.ndarray):
        raise TypeError(f"out is an array of NumPy, not {type(out).__name__}")
    if out is not None and not out.flags.writeable:
        raise ValueError("out is read-only")
    if dtype is None and out is None:
        return None
    try:
        dtype = numpy.dtype(out.dtype if dtype is None else dtype).newbyteorder("=")
    except (TypeError, ValueError):
        raise TypeError(f"dtype is a type of numbers, not {type(dtype).__name__}") from None
    if not (has_bfloat16 and dtype.name == "bfloat16") and (
            dtype.kind not in "iufc" or dtype.char in "gG" or dtype.name in NARROW):
        raise TypeError(f"results of {dtype} are not made")
    if out is not None and out.dtype.newbyteorder("=") != dtype:
        raise TypeError(f"dtype is {dtype}, out of {out.dtype}: results are rounded once, to one of them")
    return dtype


def load_numpy(name):
    try:
        import numpy
    except ImportError:
        raise ImportError(f"{name} needs NumPy, which is not installed") from None
    return numpy


def list_of(numpy, source):
    if is_ndarray(source):
        return ndarray_of(numpy, source)
    if isinstance(source, (Real, Decimal)):
        is_integer = isinstance(source, Integral) and -2 ** 63 <= source < 2 ** 64
        return numpy.asarray(int(source))[()] if is_integer else numpy.float64(number(source))
    if isinstance(source, complex):
        return numpy.complex128(source)
    if is_buffer(source):
        return memoryview(source)
    values = list(iterable(source))
    if values and isinstance(values[0], (list, tuple, numpy.ndarray)):
        return stacked(numpy, [numpy.asarray(list_of(numpy, v)) for v in values])
    if are_integers(values):
        values = list(map(int, values))
        least, most = min(values), max(values)
        if -2 ** 63 <= least and most < 2 ** 64 and (least >= 0 or most < 2 ** 63):
            return numpy.array(values, numpy.int64 if most < 2 ** 63 else numpy.uint64)
    if any(isinstance(v, complex) and not isinstance(v, Real) for v in values):
        return numpy.array([complex(number(v.real), number(v.imag)) for v in values])
    return doubles(values)


def stacked(numpy, rows):
    """Arrays of one shape as one, in a type that has all their numbers."""
    both = numpy.result_type(*[x.dtype for x in rows])
    if both.kind == "f" and all(x.dtype.kind in "biu" and (x.size == 0 or x.min() >= 0) for x in rows):
        both = numpy.dtype(numpy.uint64)
    try:
        return numpy.stack([exactly(numpy, x, both) for x in rows])
    except IndexError:
        raise ValueError(f"lists are at most {rows[0].ndim} deep") from None


def exactly(numpy, x, dtype):
    """An array in another type that has all its values; ValueError if one is not there."""
    y = x.astype(dtype, copy=False)
    if x.dtype.kind in "iu" and y.dtype.kind in "fc" and x.size and x.dtype.itemsize * 8 > numpy.finfo(dtype).nmant:
        limit = 2 ** numpy.finfo(dtype).nmant * 2
        largest = max(int(x.max()), -int(x.min()))
        if largest > limit and any(int(p) != int(q) for p, q in zip(x.ravel().tolist(), y.real.ravel().tolist())):
            raise ValueError(f"no {numpy.dtype(dtype)} equals some of the integers")
    return y


def packed(numpy, x, dtype=None):
    """x with its elements one after the other in C order, aligned."""
    return numpy.require(x, dtype, ["C_CONTIGUOUS", "ALIGNED"])


def format_of(dtype):
    """Bits of the significand of a floating type of NumPy."""
    return {"e": HALF, "f": SINGLE, "F": SINGLE}.get(dtype.char, DOUBLE)


def view_of(source):
    """A memoryview of a buffer of numbers in this machine's order of bytes, or of an iterable's numbers
    as doubles."""
    if not is_buffer(source):
        return memoryview(doubles(list(iterable(source))))
    view = memoryview(source)
    refuse(view.obj)
    if view.suboffsets or view.format[:1] in (">", "!"):
        return native_copy(view)
    check_format(view)
    return view


FLOATS, INTEGERS = "efd", "?bBhHiIlLqQnN"


def check_format(view):
    order, code = view.format[:-1], view.format[-1:]
    if order not in ("", "@", "=", "<", ">", "!") or not code or code not in FLOATS + INTEGERS:
        raise TypeError(f"elements of format {view.format!r} are not taken: convert them to doubles")
    return code


def native_copy(view):
    """The elements one after the other in C order: integers as such, floats as doubles."""
    code = check_format(view)
    values = [x for x, in struct.iter_unpack(view.format, view.tobytes())]
    kind = ("Q" if code in "?BHILQN" else "q") if code in INTEGERS else "d"
    if not values:
        return memoryview(array.array(kind))
    return memoryview(array.array(kind, values)).cast("B").cast(kind, view.shape)
