"""Sums by index, of segments, in bins, of pandas' groups."""
from numbers import Integral

from exblas import _core
from exblas._numbers import exactly, ndarray_of, packed, refuse
from exblas._reductions import reduce_ndarray, SUM


def _numpy():
    import numpy
    return numpy


def _indices(numpy, index, n_bins):
    x = ndarray_of(numpy, index)
    if x.size == 0:
        return numpy.zeros(x.shape, numpy.int64)
    if x.dtype.kind not in "iu":
        raise TypeError(f"indices are integers, not {x.dtype}")
    if int(x.min()) < 0 or int(x.max()) >= n_bins:
        raise ValueError(f"an index is not in 0 ... {n_bins - 1}")
    return packed(numpy, x, numpy.int64)


def _floats(numpy, x):
    """Values that the library adds by index: single and double precision, and integers that doubles
    have."""
    if x.dtype.char == "e":
        raise TypeError("float16 is not summed by index: convert it to float32")
    return x if x.dtype.char in "fdFD" else exactly(numpy, x, numpy.float64)


def _add(numpy, y, index, x):
    """y[index] += x for contiguous vectors; parts of complex numbers one after the other."""
    if y.dtype.kind != "c":
        _core.scatter_add(packed(numpy, x), index, y)
        return
    for part in ("real", "imag"):
        values = packed(numpy, getattr(y, part))
        _core.scatter_add(packed(numpy, getattr(x, part)), index, values)
        getattr(y, part)[...] = values


def add_at(a, indices, b):
    """a[indices] += b, an index as often as it comes: each a_i = RN(a_i + sum of its b_k). a is a vector of
    float32, float64 or complex numbers; b has its type's values."""
    numpy = _numpy()
    refuse(a)
    refuse(b)
    if not isinstance(a, numpy.ndarray) or a.ndim != 1 or a.dtype.char not in "fdFD" or not a.dtype.isnative:
        raise TypeError("a is a vector of float32, float64, complex64 or complex128")
    x = ndarray_of(numpy, b)
    n = len(a)
    index = ndarray_of(numpy, indices)
    if index.dtype.kind == "i":
        index = numpy.where(index < 0, index + n, index)
    index = _indices(numpy, index, n)
    if x.dtype.kind in "biu":
        x = exactly(numpy, x, a.dtype)
    if numpy.result_type(x.dtype, a.dtype) != a.dtype:
        raise TypeError(f"{x.dtype} does not fit into {a.dtype}")
    x = numpy.broadcast_to(x.astype(a.dtype, copy=False), index.shape)
    y = packed(numpy, a)
    _add(numpy, y, index.reshape(-1), x.reshape(-1))
    if y is not a:
        a[...] = y


def scatter_add(index, x, size=None):
    """y_i = RN(sum of x_k with index_k = i), i = 0 ... size - 1 (default: up to the largest index)."""
    numpy = _numpy()
    refuse(x)
    values = _floats(numpy, ndarray_of(numpy, x))
    raw = ndarray_of(numpy, index)
    if raw.shape != values.shape:
        raise ValueError("as many indices as values are needed")
    if size is None:
        size = int(raw.max()) + 1 if raw.size else 0
    y = numpy.zeros(size, values.dtype)
    _add(numpy, y, _indices(numpy, raw, size).reshape(-1), values.reshape(-1))
    return y


def bincount(x, weights=None, minlength=0):
    """How often each number comes; with weights RN of the sum of its weights, as float64 (complex128 for
    complex weights): numpy.bincount."""
    numpy = _numpy()
    raw = ndarray_of(numpy, x)
    if weights is None:
        return numpy.bincount(raw if raw.size else raw.astype(numpy.int64), minlength=minlength)
    if not isinstance(minlength, Integral) or minlength < 0:
        raise ValueError("minlength is an integer from 0 up")
    w = ndarray_of(numpy, weights)
    w = exactly(numpy, w, numpy.complex128 if w.dtype.kind == "c" else numpy.float64)
    largest = int(raw.max()) + 1 if raw.size else 0
    return scatter_add(raw, w, max(largest, int(minlength)))


def segment_sum(x, offsets):
    """y_i = RN(x_j + ... + x_k), j = offsets_i, k = offsets_{i+1} - 1: sums of consecutive pieces."""
    numpy = _numpy()
    refuse(x)
    values = _floats(numpy, ndarray_of(numpy, x))
    if values.ndim != 1:
        raise ValueError("x is a vector")
    offset = _indices(numpy, offsets, len(values) + 1)
    y = numpy.zeros(max(len(offset) - 1, 0), values.dtype)
    if values.dtype.kind != "c":
        _core.segment_sum(packed(numpy, values), offset, y)
        return y
    for part in ("real", "imag"):
        sums = numpy.zeros(len(y), values.real.dtype)
        _core.segment_sum(packed(numpy, getattr(values, part)), offset, sums)
        getattr(y, part)[...] = sums
    return y


def histogram(a, bins=10, range=None, weights=None):
    """numpy.histogram: counts, or RN of the sum of weights in each bin, and the edges of the bins."""
    numpy = _numpy()
    x = ndarray_of(numpy, a).reshape(-1)
    if weights is None:
        return numpy.histogram(x, bins, range)
    w = _floats(numpy, ndarray_of(numpy, weights).reshape(-1))
    if w.shape != x.shape:
        raise ValueError("as many weights as values are needed")
    edges = numpy.histogram_bin_edges(x, bins, range)
    inside = (x >= edges[0]) & (x <= edges[-1])
    place = numpy.searchsorted(edges, x[inside], side="right") - 1
    place[place == len(edges) - 1] -= 1  # the last bin has its upper edge
    return scatter_add(place, w[inside], len(edges) - 1), edges


def groupby_sum(groups, skipna=True):
    """The sums of a pandas groupby: exblas.groupby_sum(frame.groupby("k")["x"]). A Series, or a DataFrame with
    a column for each column of numbers; each value RN of the exact sum. NaN are left out, as in pandas."""
    numpy = _numpy()
    import pandas
    if not hasattr(groups, "ngroup"):
        raise TypeError(f"{type(groups).__name__} is no groupby of pandas")
    index = groups.size().index
    codes = ndarray_of(numpy, groups.ngroup().to_numpy())
    if isinstance(groups.obj, pandas.Series) or getattr(groups, "_selected_obj", groups.obj).ndim == 1:
        series = groups._selected_obj
        return pandas.Series(_column_sum(numpy, series, codes, len(index), skipna), index, name=series.name)
    frame = groups._obj_with_exclusions
    columns = {name: _column_sum(numpy, frame[name], codes, len(index), skipna) for name in frame
               if getattr(frame[name].dtype, "kind", "O") in "biufc"}
    return pandas.DataFrame(columns, index)


def _column_sum(numpy, series, codes, n_groups, skipna):
    x = ndarray_of(numpy, series.to_numpy())
    keep = codes >= 0
    if skipna and x.dtype.kind in "fc":
        keep = keep & ~numpy.isnan(x)
    if x.dtype.kind in "biu":
        return _integer_groups(numpy, x[keep], codes[keep], n_groups)
    return scatter_add(codes[keep], x[keep], n_groups)


def _integer_groups(numpy, x, codes, n_groups):
    """Exact sums of integers: each group's elements together, one after the other."""
    order = numpy.argsort(codes, kind="stable")
    ends = numpy.searchsorted(codes[order], numpy.arange(n_groups + 1))
    parts = [reduce_ndarray(numpy, SUM, x[order[i:k]], None, None, None, False, True, 0)
             for i, k in zip(ends[:-1], ends[1:])]
    return numpy.array(parts, numpy.uint64 if x.dtype.kind == "u" else numpy.int64)
