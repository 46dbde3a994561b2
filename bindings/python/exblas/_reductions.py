"""Sums, means and norms over axes. Shapes here, numbers in _core."""
import array
import builtins
import functools
import inspect
import itertools
import math
import sys
import warnings
from numbers import Integral, Number

from exblas import _core
from exblas._accumulator import Accumulator
from exblas._numbers import (DOUBLE, FLOATS, SINGLE, are_integers, flag, format_of, is_buffer, iterable, load_numpy, ndarray_of, numpy_of, packed, pieces,
                             refuse, type_of, view_of, without_missing)

SUM, ASUM, NORM, MEAN, VARIANCE, DEVIATION = range(6)
_numpy_is_set = False
warns_of_few = True  # exblas.patch() says otherwise


def meet(numpy):
    """Tells _core of NumPy's types."""
    global _numpy_is_set
    if not _numpy_is_set:
        _core.set_numpy((numpy.ndarray, numpy.float64, numpy.float32, numpy.int64, numpy.uint64, numpy.complex128,
                         numpy.complex64))
        _numpy_is_set = True


def axes_of(axis, n_dims):
    """The axes that are reduced, as a sorted tuple."""
    if axis is None:
        return tuple(range(n_dims))
    axes = []
    for a in axis if isinstance(axis, (tuple, list)) else (axis,):
        if not isinstance(a, Integral) or isinstance(a, bool):
            raise TypeError(f"an axis is an integer, not {type(a).__name__}")
        if not -n_dims <= a < n_dims:
            numpy = sys.modules.get("numpy")  # whose error is a ValueError, too
            kind = getattr(getattr(numpy, "exceptions", numpy), "AxisError", ValueError)
            raise kind(f"axis {a} does not exist in {n_dims} dimension{'s' * (n_dims != 1)}")
        axes.append(int(a) % n_dims)
    if len(set(axes)) != len(axes):
        raise ValueError("an axis is named twice")
    return tuple(sorted(axes))


def mask_of(axes):
    return builtins.sum(1 << a for a in axes)


def result_type(numpy, operation, x, dtype):
    """The type of the result: NumPy's, but integers are summed as 64-bit ones."""
    if dtype is not None:
        if dtype.kind in "iu" and (operation != SUM or x.dtype.kind not in "biu"):
            raise TypeError(f"the exact result is no {dtype}")
        if x.dtype.kind == "c" and dtype.kind != "c" and operation in (SUM, MEAN):
            raise TypeError(f"the result is complex, not {dtype}")
        if dtype.kind == "c" and operation not in (SUM, MEAN):
            raise TypeError(f"the result is real, not {dtype}")
        return dtype
    if x.dtype.kind in "biu":
        if operation != SUM:
            return numpy.dtype(numpy.float64)
        return numpy.dtype(numpy.uint64 if x.dtype.kind == "u" else numpy.int64)
    return x.dtype if operation in (SUM, MEAN) else x.real.dtype


def _work_type(numpy, dtype, x):
    """The type in which _core writes: the result's, or a wider one that has all its values."""
    if dtype.kind in "iu":
        return numpy.dtype(numpy.uint64 if dtype.kind == "u" else numpy.int64)
    if dtype.char in "fF" and x.dtype.char in "fF":
        return dtype
    return numpy.dtype(numpy.complex128 if dtype.kind == "c" else numpy.float64)


def narrowed(numpy, values, dtype):
    """Results in their own type, which has their values: but integers may be too large."""
    if dtype.kind in "iu" and values.dtype != dtype and values.size:
        limits = numpy.iinfo(dtype)
        if int(values.min()) < limits.min or int(values.max()) > limits.max:
            raise OverflowError(f"the exact integer is no {dtype}")
    return values.astype(dtype, copy=False)


def warn_of_few(n_terms, ddof, of_means=False):
    """NumPy's warning."""
    if warns_of_few and n_terms <= ddof:
        warnings.warn("Mean of empty slice" if of_means else "Degrees of freedom <= 0 for slice", RuntimeWarning, 5)


def finish(numpy, result, out):
    """The result as NumPy gives it: a scalar, an array, or what is in out."""
    if out is None:
        return result[()] if result.ndim == 0 else result
    if out.shape != result.shape:
        raise ValueError(f"out has shape {out.shape}, the result {result.shape}")
    out[...] = result
    return out


def _masked(numpy, x, where, axes):
    """x with zeros for what does not count, and how many count for each result."""
    where = numpy.asarray(where)
    if where.dtype != bool:
        raise TypeError("where must be an array of bool")
    shape = numpy.broadcast_shapes(x.shape, where.shape)
    if shape != x.shape:
        raise ValueError(f"where has shape {where.shape}, the array {x.shape}")
    counts = packed(numpy, numpy.count_nonzero(numpy.broadcast_to(where, shape), axis=axes if len(axes) < x.ndim else None), numpy.int64)
    return numpy.where(where, x, numpy.zeros((), x.dtype)), counts


def _terms(numpy, x, dtype):
    """Numbers along the last axis in a type that has them: 64-bit integers as two each, whose sum they are."""
    if x.dtype.kind in "iu" and x.dtype.itemsize == 8:
        x = numpy.concatenate([(x >> 32) * 2.0 ** 32, (x & 0xffffffff) * 1.0], -1)
    return x.astype(dtype)


def _with_initial(numpy, x, axes, initial, dtype):
    """x with more terms for each result, whose sum is initial, its axes behind the others as one; that axis."""
    if getattr(initial, "ndim", 1) == 0 and hasattr(initial, "item"):
        initial = initial.item()
    if not isinstance(initial, Number):
        raise TypeError("initial is a number")
    kept = [i for i in range(x.ndim) if i not in axes]
    shape = [x.shape[i] for i in kept]
    lines = x.transpose([*kept, *axes]).reshape([*shape, math.prod(x.shape[i] for i in axes)])
    is_integer, is_complex = dtype.kind in "iu", isinstance(initial, complex)
    both = numpy.dtype(("u8" if x.dtype.kind == "u" else "i8") if is_integer else "D" if "c" in (dtype.kind, x.dtype.kind) else "d")
    if is_complex and both.kind != "c" or is_integer and not (
            isinstance(initial, Integral) and numpy.iinfo(both).min <= initial <= numpy.iinfo(both).max):
        raise ValueError(f"no {both} equals {initial}")
    more = [initial] if is_integer or is_complex else pieces(initial) or [0.0]
    return numpy.concatenate([lines.astype(both) if is_integer else _terms(numpy, lines, both),
                              numpy.broadcast_to(numpy.array(more, both), [*shape, len(more)])], -1), (len(kept),)


def _summed_type(numpy, dtype, x):
    """The type of the sums of x, which dtype may make complex."""
    return numpy.dtype(dtype.char.lower()) if dtype.kind == "c" and x.dtype.kind != "c" else dtype


def reduce_ndarray(numpy, operation, a, axis, dtype, out, keepdims, where, ddof, initial=None):
    x = ndarray_of(numpy, a)
    dtype = result_type(numpy, operation, x, type_of(numpy, dtype, out))
    axes, counts = axes_of(axis, x.ndim), None
    if where is not True:
        x, counts = _masked(numpy, x, where, axes)
    if operation >= MEAN:
        least = math.prod(x.shape[i] for i in axes) if counts is None else counts.min(initial=2 ** 53)
        warn_of_few(least, ddof, operation == MEAN)
    kept = tuple(n for i, n in enumerate(x.shape) if i not in axes)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape)) if keepdims else kept
    if initial is not None:
        x, axes = _with_initial(numpy, x, axes, initial, dtype)
    summed = _summed_type(numpy, dtype, x)
    result = numpy.empty(kept, _work_type(numpy, summed, x))
    _core.reduce(operation, x, mask_of(axes), result, counts, ddof, format_of(summed))
    return finish(numpy, narrowed(numpy, result, dtype).reshape(shape), out)


def nested(flat, shape):
    """A list of numbers as lists of lists."""
    for n in reversed(shape[1:]):
        flat = [flat[i:i + n] for i in range(0, len(flat), n)] if n else []
    return flat


def _room(code, n, are_integers):
    """An array of n results of elements of this code, and their format."""
    kind = ("Q" if code in "BHILQN" else "q") if are_integers else "f" if code == "f" else "d"
    return array.array(kind, bytes(n * array.array(kind).itemsize)), SINGLE if kind == "f" else DOUBLE


def reduce_view(operation, view, axis, ddof):
    """Of a plain buffer: Python's numbers, and lists of them along axes."""
    axes = axes_of(axis, view.ndim)
    shape = tuple(n for i, n in enumerate(view.shape) if i not in axes)
    code = view.format[-1:]
    out, format = _room(code, math.prod(shape), operation == SUM and code not in FLOATS)
    _core.reduce(operation, view, mask_of(axes), out, None, ddof, format)
    return nested(out.tolist(), shape) if shape else out[0]


def reduce_plain(operation, a, axis, ddof):
    refuse(a)
    if is_buffer(a):
        return reduce_view(operation, view_of(a), axis, ddof)
    values = a if type(a) is list else list(iterable(a))
    axes_of(axis, 1)
    if operation == SUM and are_integers(values):
        return builtins.sum(map(int, values))
    if operation >= MEAN:
        warn_of_few(len(values), ddof, operation == MEAN)
    if operation in (SUM, MEAN):
        total = Accumulator(values)
        return float(total) if operation == SUM else total.quotient(len(values))
    return reduce_view(operation, view_of(values), None, ddof)


def _quick(numpy, operation, a, axis, keepdims, ddof):
    """Arrays of plain types without further wishes: the same with less asking. Else None."""
    dtype = a.dtype
    if not dtype.isnative:
        return None
    if operation == SUM and dtype.kind in "biu":
        out_type = numpy.uint64 if dtype.kind == "u" else numpy.int64
    elif dtype.char in "dfe" or dtype.char in "DF" and operation in (SUM, MEAN):
        out_type = dtype if dtype.char != "e" else numpy.float64
    else:
        return None
    n_dims = a.ndim
    if axis is None:
        kept, mask = (), (1 << n_dims) - 1
    elif type(axis) is int and -n_dims <= axis < n_dims:
        axis %= n_dims
        kept, mask = a.shape[:axis] + a.shape[axis + 1:], 1 << axis
    else:
        return None
    if operation >= MEAN:
        warn_of_few(a.size if axis is None else a.shape[axis], ddof, operation == MEAN)
    result = numpy.empty(kept, out_type)
    _core.reduce(operation, a, mask, result, None, ddof, format_of(dtype))
    if dtype.char == "e":
        result = result.astype(dtype)
    if keepdims:
        result = result.reshape(tuple(1 if mask >> i & 1 else n for i, n in enumerate(a.shape)))
    return result if result.ndim else result[()]


def reduce(operation, a, axis, dtype, out, keepdims, where, ddof=0, initial=None):
    a, where = without_missing(a, where)
    numpy = sys.modules.get("numpy")
    if (numpy is not None and type(a) is numpy.ndarray and dtype is None and out is None and where is True
            and initial is None and type(keepdims) is bool):
        result = _quick(numpy, operation, a, axis, keepdims, ddof)
        if result is not None:
            meet(numpy)
            return result
    keepdims = flag("keepdims", keepdims)
    numpy = numpy_of(a)
    if numpy is None and dtype is out is initial is None and not keepdims and where is True:
        return reduce_plain(operation, a, axis, ddof)
    numpy = numpy or load_numpy("dtype, out, keepdims, where or initial")
    meet(numpy)
    return reduce_ndarray(numpy, operation, a, axis, dtype, out, keepdims, where, ddof, initial)


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The exact sum of the elements over the axes, and initial, rounded once to the type of the result: RN(sum a).

    a: an array of NumPy, a buffer, or an iterable of numbers. Sums of integers are exact integers of 64
    bits; OverflowError if one does not fit. Other arguments are numpy.sum's."""
    if axis is None and dtype is None and out is None and keepdims is False and initial is None and where is True:
        total = _core.total(a)
        if total is not NotImplemented:
            return total
    return reduce(SUM, a, axis, dtype, out, keepdims, where, 0, initial)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """RN((sum a) / n): the exact mean, rounded once. NaN for no elements."""
    return reduce(MEAN, a, axis, dtype, out, keepdims, where)


def ddof_of(ddof, correction=None):
    if correction is not None:
        if ddof != 0:
            raise ValueError("ddof and correction are two names of one number")
        ddof = correction
    if not isinstance(ddof, (Integral, float)) or ddof != ddof // 1:
        raise TypeError("ddof is an integer")
    if abs(int(ddof)) > 2 ** 53:
        raise ValueError("ddof is an integer from -2^53 to 2^53")
    return int(ddof)


def _check_mean(given, a, axis, where):
    """Nothing rests on a mean that is given: the exact one is at hand. But another number than that is a mistake."""
    if given is not None:
        numpy = load_numpy("mean=")
        exact, spread = (numpy.asarray(f(a, axis, keepdims=True, where=where)) for f in (mean, std))
        apart = abs(ndarray_of(numpy, given) - exact)
        if apart.shape != exact.shape or (apart > 1e-5 * (abs(exact) + spread)).any():
            raise ValueError("mean= is not the mean: leave it out, the exact one is used")


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """RN((n sum |a|^2 - |sum a|^2) / (n (n - ddof))): the exact variance, rounded once."""
    _check_mean(mean, a, axis, where)
    return reduce(VARIANCE, a, axis, dtype, out, keepdims, where, ddof_of(ddof, correction))


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """RN(sqrt((n sum |a|^2 - |sum a|^2) / (n (n - ddof)))): the standard deviation, rounded once."""
    _check_mean(mean, a, axis, where)
    return reduce(DEVIATION, a, axis, dtype, out, keepdims, where, ddof_of(ddof, correction))


def asum(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """RN(sum |a|); of complex numbers |re| + |im|, as BLAS's asum."""
    return reduce(ASUM, a, axis, dtype, out, keepdims, where)


def norm(x, ord=None, axis=None, keepdims=False, *, dtype=None, out=None, where=True):
    """RN(sqrt(sum |x|^2)): the Euclidean (Frobenius) norm over all axes, one, or several.

    ord: None, 2 of vectors, "fro" of matrices, as numpy.linalg.norm's; others are a ValueError."""
    if ord is not None:
        n_axes = getattr(x, "ndim", 1) if axis is None else len(axis) if isinstance(axis, (tuple, list)) else 1
        if not isinstance(ord, (int, float, str)) or ord != {1: 2, 2: "fro"}.get(n_axes):
            order = repr(ord) if isinstance(ord, (int, float, str)) else type(ord).__name__
            raise ValueError(f"no exact norm of order {order}: None, 2 of vectors and 'fro' of matrices are")
    return reduce(NORM, x, axis, dtype, out, keepdims, where)


nrm2 = norm


def _without_nan(function):
    """The same function of what is not NaN."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments, **options):
        numpy, given = load_numpy("a sum without NaN"), signature.bind(*arguments, **options)
        given.apply_defaults()
        a, where = without_missing(given.arguments["a"], given.arguments["where"])
        x = ndarray_of(numpy, a)
        given.arguments.update(a=x, where=numpy.logical_and(where, ~numpy.isnan(x)))
        return function(*given.args, **given.kwargs)
    call.__name__ = call.__qualname__ = "nan" + function.__name__
    call.__doc__ = f"{function.__name__} of what is not NaN."
    return call


nansum, nanmean, nanvar, nanstd = map(_without_nan, (sum, mean, var, std))


def fsum(iterable):
    """RN(sum) of any iterable or buffer as a double: math.fsum, but intermediate sums may overflow."""
    return float(Accumulator(iterable))


def cumsum(a, axis=None, dtype=None, out=None):
    """Running sums, each RN of the exact one (of integers: exact); numpy.cumsum's arguments."""
    numpy = numpy_of(a) or (None if axis is dtype is out is None else load_numpy("axis, dtype or out"))
    if numpy is None:
        if isinstance(a, (list, tuple)) and are_integers(a):
            return list(itertools.accumulate(map(int, a)))
        view = view_of(a)
        if view.ndim != 1:
            raise TypeError("a vector or an array of NumPy is needed")
        rows = view if view.contiguous else view_of(view.tolist())
        n, code = len(rows), rows.format[-1:]
        out, format = _room(code, n, code not in FLOATS)
        if n:
            _core.cumsum(*(memoryview(x).cast("B").cast(c, (1, n, 1)) for x, c in ((rows, code), (out, out.typecode))), format)
        return out.tolist()
    x = ndarray_of(numpy, a)
    dtype = result_type(numpy, SUM, x, type_of(numpy, dtype, out))
    if axis is None:
        x, axis = x.reshape(-1), 0
    if not isinstance(axis, Integral):
        raise TypeError("axis is an integer or None")
    axis, = axes_of(axis, x.ndim)
    summed = _summed_type(numpy, dtype, x)
    parts = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1:])
    result = numpy.empty(parts, _work_type(numpy, summed, x))
    _core.cumsum(x.reshape(parts), result, format_of(summed))
    return finish(numpy, narrowed(numpy, result, dtype).reshape(x.shape), out)
