"""Sums by index, of segments, in bins, of pandas' groups."""
from exblas import _core
from exblas._numbers import exactly, flag, load_numpy, natural, ndarray_of, packed, refuse
from exblas._reductions import narrowed, reduce_ndarray, SUM


def _indices(numpy, index, n_bins):
    x = ndarray_of(numpy, index)
    if x.size == 0:
        return numpy.zeros(x.shape, numpy.int64)
    if x.dtype.kind not in "iu":
        raise TypeError(f"indices are integers, not {x.dtype}")
    if int(x.min()) < 0 or int(x.max()) >= n_bins:
        raise ValueError(f"an index is not in 0 ... {n_bins - 1}")
    return packed(numpy, x, numpy.int64)


def _largest(index):
    """The largest index, at least -1; nothing of others is known yet."""
    return max(int(index.max()), -1) if index.size and index.dtype.kind in "iu" else -1


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
    numpy = load_numpy("add_at")
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
    numpy = load_numpy("scatter_add")
    refuse(x)
    values = _floats(numpy, ndarray_of(numpy, x))
    raw = ndarray_of(numpy, index)
    if raw.shape != values.shape:
        raise ValueError("as many indices as values are needed")
    if size is None:
        size = _largest(raw) + 1
    y = numpy.zeros(natural("size", size), values.dtype)
    _add(numpy, y, _indices(numpy, raw, size).reshape(-1), values.reshape(-1))
    return y


def bincount(x, weights=None, minlength=0):
    """How often each number comes; with weights RN of the sum of its weights, as float64 (complex128 for
    complex weights): numpy.bincount."""
    numpy = load_numpy("bincount")
    raw, minlength = ndarray_of(numpy, x), natural("minlength", minlength)
    if _largest(raw) == 2 ** 63 - 1:  # NumPy would count it in an array of 0 elements
        raise ValueError(f"{2 ** 63 - 1} is too large to be counted")
    if weights is None:
        return numpy.bincount(raw if raw.size else raw.astype(numpy.int64), minlength=minlength)
    w = ndarray_of(numpy, weights)
    w = exactly(numpy, w, numpy.complex128 if w.dtype.kind == "c" else numpy.float64)
    return scatter_add(raw, w, max(_largest(raw) + 1, minlength))


def segment_sum(x, offsets):
    """y_i = RN(x_j + ... + x_k), j = offsets_i, k = offsets_{i+1} - 1: sums of consecutive pieces."""
    numpy = load_numpy("segment_sum")
    refuse(x)
    values = _floats(numpy, ndarray_of(numpy, x))
    if values.ndim != 1:
        raise ValueError("x is a vector")
    offset = _indices(numpy, offsets, len(values) + 1)
    if offset.ndim != 1 or not offset.size or (offset[1:] < offset[:-1]).any():
        raise ValueError("offsets is a vector of one number more than there are sums, none below the one before")
    y = numpy.zeros(len(offset) - 1, values.dtype)
    if values.dtype.kind != "c":
        _core.segment_sum(packed(numpy, values), offset, y)
        return y
    for part in ("real", "imag"):
        sums = numpy.zeros(len(y), values.real.dtype)
        _core.segment_sum(packed(numpy, getattr(values, part)), offset, sums)
        getattr(y, part)[...] = sums
    return y


def histogram(a, bins=10, range=None, *, weights=None):
    """numpy.histogram: counts, or RN of the sum of weights in each bin, and the edges of the bins."""
    numpy = load_numpy("histogram")
    x = ndarray_of(numpy, a).reshape(-1)
    if x.dtype.kind == "c":
        raise TypeError("complex numbers have no order")
    if range is not None and numpy.shape(range) != (2,):
        raise ValueError("range is a pair of numbers")
    if numpy.asarray(bins).dtype.kind not in "biufU":
        raise TypeError("bins is a number of bins, the name of a rule, or edges")
    if weights is None:
        try:
            return numpy.histogram(x, bins, range)
        except IndexError:
            raise ValueError("numpy.histogram has no bins for numbers so large") from None
    w = _floats(numpy, ndarray_of(numpy, weights).reshape(-1))
    if w.shape != x.shape:
        raise ValueError("as many weights as values are needed")
    edges = numpy.histogram_bin_edges(x, bins, range)
    inside = (x >= edges[0]) & (x <= edges[-1])
    place = numpy.searchsorted(edges, x[inside], side="right") - 1
    place[place == len(edges) - 1] -= 1  # the last bin has its upper edge
    return scatter_add(place, w[inside], len(edges) - 1), edges


def groupby_sum(groups, skipna=True):
    """The sums of a pandas groupby: exblas.groupby_sum(frame.groupby("k")["x"]), each value RN of the exact sum. What
    groups.sum(numeric_only=True) gives, with its index, columns and types; NaN and NA are left out, unless skipna is
    False."""
    numpy = load_numpy("groupby_sum")
    skipna = flag("skipna", skipna)
    if not hasattr(groups, "ngroup"):
        raise TypeError(f"{type(groups).__name__} is no groupby of pandas")
    if getattr(groups, "axis", 0):
        raise TypeError("groups of columns are not summed: transpose the table first")
    if groups.ndim == 1:
        result, columns = groups.sum(), [groups._selected_obj]
    else:
        result, frame = groups.sum(numeric_only=True), groups._obj_with_exclusions
        columns = [frame.iloc[:, i] for i, kind in enumerate(frame.dtypes) if getattr(kind, "kind", "O") in "biufc"]
    places, n_groups = _places(numpy, groups)
    sums = [_column_sum(numpy, column, places, n_groups, skipna) for column in columns]
    if result.ndim == 1:
        return type(result)(_as(result.dtype, *sums[0]), result.index, name=result.name)
    keys = result.shape[1] - len(sums)  # the first columns, where as_index is False
    for i, one in enumerate(sums):
        result.isetitem(keys + i, _as(result.dtypes.iloc[keys + i], *one))
    return result


def _places(numpy, groups):
    """For each row the number of its group in the result, -1 if it is in none; and how many groups that has. pandas
    orders results in other ways than it numbers groups where categories have no rows: so it says which row is the
    first of each result."""
    import pandas
    codes = groups.ngroup().to_numpy()
    codes = numpy.where(codes >= 0, codes, -1).astype(numpy.int64)
    rows = pandas.Series(numpy.arange(len(codes)), groups.obj.index)
    keys = groups._grouper if hasattr(groups, "_grouper") else groups.grouper
    first = rows.groupby(keys, sort=groups.sort, observed=groups.observed, dropna=groups.dropna).min().to_numpy()
    with_rows = numpy.flatnonzero(first == first)
    place_of = numpy.full(codes.max(initial=-1) + 2, -1)  # the last one: of the code -1
    place_of[codes[first[with_rows].astype(numpy.int64)]] = with_rows
    return place_of[codes], len(first)


def _column_sum(numpy, series, places, n_groups, skipna):
    """The sums of the groups, and which of them are missing."""
    missing, keep = numpy.zeros(n_groups, bool), places >= 0
    is_extension = not isinstance(series.dtype, numpy.dtype)
    absent = series.isna().to_numpy() if skipna or is_extension else numpy.zeros(len(series), bool)
    if not skipna:
        missing[places[keep & absent]] = True
    as_numpy = {"dtype": series.dtype.numpy_dtype, "na_value": 0} if hasattr(series.dtype, "numpy_dtype") else {}
    x = ndarray_of(numpy, series.to_numpy(**as_numpy))
    keep &= ~absent
    if x.dtype.kind in "biu":
        return _integer_groups(numpy, x[keep], places[keep], n_groups), missing
    return scatter_add(places[keep], x[keep], n_groups), missing


def _as(dtype, sums, missing):
    """The sums in the type that pandas gives them."""
    import numpy
    import pandas
    if isinstance(dtype, numpy.dtype):
        return narrowed(numpy, sums, dtype)
    result = pandas.array(narrowed(numpy, sums, getattr(dtype, "numpy_dtype", sums.dtype)), dtype)
    result[missing] = pandas.NA
    return result


def _integer_groups(numpy, x, codes, n_groups):
    """Exact sums of integers: each group's elements together, one after the other."""
    order = numpy.argsort(codes, kind="stable")
    ends = numpy.searchsorted(codes[order], numpy.arange(n_groups + 1))
    parts = [reduce_ndarray(numpy, SUM, x[order[i:k]], None, None, None, False, True, 0)
             for i, k in zip(ends[:-1], ends[1:])]
    return numpy.array(parts, numpy.uint64 if x.dtype.kind == "u" else numpy.int64)
