"""Sums by index, of segments, in bins, of pandas' groups."""
from exblas._numbers import exactly, flag, load_numpy, natural, ndarray_of, packed, refuse
from exblas._reductions import MEAN, SUM, narrowed, result_type
from exblas.chunks import by_number


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
        from exblas import _calls
        _calls.scatter_add(packed(numpy, x), index, y)
        return
    for part in ("real", "imag"):
        values = packed(numpy, getattr(y, part))
        _add(numpy, values, index, getattr(x, part))
        getattr(y, part)[...] = values


def add_at(a, indices, b):
    """a[indices] += b, an index as often as it comes: each a_i = RN(a_i + sum of its b_k): numpy.add.at. a is an array of
    float32, float64 or complex numbers; b has its type's values."""
    numpy = load_numpy("add_at")
    refuse(a)
    refuse(b)
    if not isinstance(a, numpy.ndarray) or a.ndim == 0 or a.dtype.char not in "fdFD" or not a.dtype.isnative:
        raise TypeError("a is an array of float32, float64, complex64 or complex128")
    x = ndarray_of(numpy, b)
    index = _places_in(numpy, a, indices)
    if x.dtype.kind in "biu":
        x = exactly(numpy, x, a.dtype)
    if numpy.result_type(x.dtype, a.dtype) != a.dtype:
        raise TypeError(f"{x.dtype} does not fit into {a.dtype}")
    x = numpy.broadcast_to(x.astype(a.dtype, copy=False), index.shape)
    y = packed(numpy, a)
    _add(numpy, y.reshape(-1), index.reshape(-1), x.reshape(-1))
    if y is not a:
        a[...] = y


def _places_in(numpy, a, indices):
    """Where a[indices] lies in a, whatever NumPy takes as indices."""
    if a.ndim != 1 or isinstance(indices, (tuple, slice)) or numpy.asarray(indices).dtype == bool:
        try:
            return packed(numpy, numpy.arange(a.size).reshape(a.shape)[indices])
        except IndexError as error:
            raise ValueError(str(error)) from None
    index = ndarray_of(numpy, indices)
    return _indices(numpy, numpy.where(index < 0, index + len(a), index) if index.dtype.kind == "i" else index, len(a))


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
    if values.dtype.kind == "c":
        y.real, y.imag = segment_sum(values.real, offset), segment_sum(values.imag, offset)
    else:
        from exblas import _calls
        _calls.segment_sum(packed(numpy, values), offset, y)
    return y


def histogram(a, bins=10, range=None, density=None, weights=None):
    """numpy.histogram: counts, or RN of the sum of weights in each bin, or of that by all and by the width; and the edges of
    the bins."""
    numpy = load_numpy("histogram")
    x = ndarray_of(numpy, a).reshape(-1)
    if x.dtype.kind == "c":
        raise TypeError("complex numbers have no order")
    if range is not None and numpy.shape(range) != (2,):
        raise ValueError("range is a pair of numbers")
    if numpy.asarray(bins).dtype.kind not in "biufU":
        raise TypeError("bins is a number of bins, the name of a rule, or edges")
    density = flag("density", False if density is None else density)
    if weights is None and not density:
        try:
            return numpy.histogram(x, bins, range)
        except IndexError:
            raise ValueError("numpy.histogram has no bins for numbers so large") from None
    w = numpy.ones(x.shape) if weights is None else _floats(numpy, ndarray_of(numpy, weights).reshape(-1))
    if w.shape != x.shape or density and w.dtype.kind == "c":
        raise ValueError("as many weights as values are needed, real ones for densities")
    edges = numpy.histogram_bin_edges(x, bins, range)
    inside = (x >= edges[0]) & (x <= edges[-1])
    place = numpy.searchsorted(edges, x[inside], side="right") - 1
    place[place == len(edges) - 1] -= 1  # the last bin has its upper edge
    if density:
        from exblas._rational import densities
        return densities(numpy, place, w[inside], edges), edges
    return scatter_add(place, w[inside], len(edges) - 1), edges


def groupby_sum(groups, skipna=True):
    """The sums of a pandas groupby: exblas.groupby_sum(frame.groupby("k")["x"]), each value RN of the exact sum. What
    groups.sum(numeric_only=True) gives, with its index, columns and types; NaN and NA are left out, unless skipna is
    False."""
    return _grouped("sum", groups, skipna)


def groupby_mean(groups, skipna=True):
    """The means of a pandas groupby, each value RN of the exact mean: groups.mean(numeric_only=True), as groupby_sum."""
    return _grouped("mean", groups, skipna)


def groupby_var(groups, ddof=1, skipna=True):
    """The variances of a pandas groupby, each value RN of the exact one: groups.var(numeric_only=True), as groupby_sum."""
    return _grouped("var", groups, skipna, ddof=ddof)


def _grouped(name, groups, skipna, **options):
    numpy = load_numpy(f"groupby_{name}")
    skipna = flag("skipna", skipna)
    if not hasattr(groups, "ngroup"):
        raise TypeError(f"{type(groups).__name__} is no groupby of pandas")
    if getattr(groups, "axis", 0):
        raise TypeError("groups of columns are not summed: transpose the table first")
    pandas_own = getattr(groups, name)
    if groups.ndim == 1:
        result, columns = pandas_own(**options), [groups._selected_obj]
    else:
        result, frame = pandas_own(numeric_only=True, **options), groups._obj_with_exclusions
        columns = [frame.iloc[:, i] for i, kind in enumerate(frame.dtypes) if getattr(kind, "kind", "O") in "biufc"]
    places, n_groups = _places(numpy, groups)
    found = [_column(numpy, name, column, places, n_groups, skipna, **options) for column in columns]
    if result.ndim == 1:
        return type(result)(_as(result.dtype, *found[0]), result.index, name=result.name)
    keys = result.shape[1] - len(found)  # the first columns, where as_index is False
    for i, one in enumerate(found):
        result.isetitem(keys + i, _as(result.dtypes.iloc[keys + i], *one))
    return result


def _places(numpy, groups):
    """For each row the number of its group in the result, -1 if it is in none; and how many groups that has. pandas
    orders results in other ways than it numbers groups where categories have no rows: so it says which row is the
    first of each result."""
    import pandas
    keys = groups._grouper if hasattr(groups, "_grouper") else groups.grouper
    if hasattr(keys, "result_index_and_ids"):  # since pandas 3 it numbers them as it orders them
        return packed(numpy, keys.ids, numpy.int64), len(keys.result_index)
    codes = groups.ngroup().to_numpy()
    codes = numpy.where(codes >= 0, codes, -1).astype(numpy.int64)
    rows = pandas.Series(numpy.arange(len(codes)), groups.obj.index)
    first = rows.groupby(keys, sort=groups.sort, observed=groups.observed, dropna=groups.dropna).min().to_numpy()
    with_rows = numpy.flatnonzero(first == first)
    place_of = numpy.full(codes.max(initial=-1) + 2, -1)  # the last one: of the code -1
    place_of[codes[first[with_rows].astype(numpy.int64)]] = with_rows
    return place_of[codes], len(first)


def _column(numpy, name, series, places, n_groups, skipna, ddof=0):
    """The result of each group, and which of them is missing."""
    from exblas._rational import joined, parts_of
    missing, is_extension = numpy.zeros(n_groups, bool), not isinstance(series.dtype, numpy.dtype)
    as_numpy = {"dtype": series.dtype.numpy_dtype, "na_value": 0} if hasattr(series.dtype, "numpy_dtype") else {}
    x = ndarray_of(numpy, series.to_numpy(**as_numpy))
    if is_extension or skipna and x.dtype.kind == "c":
        absent = series.isna().to_numpy()
        missing[places[absent & (places >= 0)]] = not skipna
        places = numpy.where(absent, -1, places)
    dtype = result_type(numpy, SUM if name == "sum" else MEAN, x, None)
    own = numpy.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype
    found = [by_number(part, places, n_groups, name == "var", skipna and not is_extension) for part in parts_of(x)]
    values = joined(numpy, [getattr(sums, name)(*[ddof] * (name == "var"), dtype=own) for sums in found], dtype)
    if name != "sum":
        values[found[0].count() <= ddof] = numpy.nan
        missing |= numpy.isnan(values)
    return values, missing


def _as(dtype, sums, missing):
    """The sums in the type that pandas gives them."""
    import numpy
    import pandas
    if isinstance(dtype, numpy.dtype):
        return narrowed(numpy, sums, dtype)
    result = pandas.array(narrowed(numpy, sums, getattr(dtype, "numpy_dtype", sums.dtype)), dtype)
    result[missing] = pandas.NA
    return result
