"""Sums of dask's arrays and data frames that do not depend on the chunks: exact over all blocks, rounded once.

    exblas.dask.sum(x, axis=0), mean, var, std; nansum, nanmean, nanvar, nanstd; dot(x, y)
    frame.groupby("k")["x"].agg(exblas.dask.Sum())          # Mean(), Var(ddof), Std(ddof): dask.dataframe.Aggregation

Blocks become exblas.chunks.Sums, which a tree of any split_every combines."""
import dask.array as da
import numpy as np

from exblas import arrow
from exblas._groups import _places
from exblas._numbers import packed
from exblas._reductions import MEAN, SUM, axes_of, ddof_of, result_type
from exblas.chunks import Sums, by_number, of_array


def _flat(parts):
    return [x for part in parts for x in _flat(part)] if isinstance(parts, list) else [parts]


def _plain(block):
    if isinstance(block, np.ma.MaskedArray):
        raise TypeError("masked arrays have no exact sums here: fill them with 0 first, by dask.array.ma.filled(x, 0)")
    return np.asarray(block)


def _combine(parts, axis, keepdims):
    return Sums.combine(_flat(parts))


def _tree(x, chunk, finish, axes, keepdims, dtype, split_every):
    def aggregate(parts, axis, keepdims):
        result = np.asarray(finish(_combine(parts, axis, keepdims)), dtype)
        return np.expand_dims(result, axes) if keepdims else result
    meta = np.empty((0,) * (x.ndim if keepdims else x.ndim - len(axes)), dtype)
    return da.reduction(x, chunk, aggregate, axes, keepdims, dtype, split_every, _combine, concatenate=False, meta=meta)


def _reduction(name, operation, skip_nan, squares, words):
    def reduce(x, axis=None, *, ddof=0, keepdims=False, split_every=None):
        x = da.asanyarray(x)
        if x.dtype.kind not in "biuf":
            raise TypeError(f"{x.dtype} has no exact sums here: of complex numbers, take .real and .imag")
        dtype, ddof = result_type(np, operation, x, None), ddof_of(ddof)

        def chunk(block, axis, keepdims, computing_meta=False):
            return block if computing_meta else of_array(_plain(block), axes, squares, skip_nan)

        def finish(sums):
            return getattr(sums, name)(*[ddof] * squares, dtype=dtype)
        axes = axes_of(axis, x.ndim)
        return _tree(x, chunk, finish, axes, keepdims, dtype, split_every)
    reduce.__name__ = reduce.__qualname__ = "nan" * skip_nan + name
    reduce.__doc__ = f"""{words} over the axes{", NaN left out" if skip_nan else ""}, rounded once: lazy, as dask.array's."""
    return reduce


_WORDS = {"sum": "RN(sum x)", "mean": "RN((sum x) / n)", "var": "The variance", "std": "The standard deviation"}
sum, nansum = (_reduction("sum", SUM, skip, False, _WORDS["sum"]) for skip in (False, True))
mean, nanmean = (_reduction("mean", MEAN, skip, False, _WORDS["mean"]) for skip in (False, True))
var, nanvar = (_reduction("var", MEAN, skip, True, _WORDS["var"]) for skip in (False, True))
std, nanstd = (_reduction("std", MEAN, skip, True, _WORDS["std"]) for skip in (False, True))


def dot(x, y, *, split_every=None):
    """RN(sum x_i y_i) of two vectors of floats."""
    x, y = da.asanyarray(x), da.asanyarray(y)
    if x.ndim != 1 or x.shape != y.shape or {x.dtype.kind, y.dtype.kind} != {"f"}:
        raise TypeError("two vectors of floats of one length are needed")
    dtype = np.result_type(x, y)

    def products(a, b):
        result = Sums()
        result._cells.add(_plain(a), _plain(b), None, None, False)
        return result
    pairs = da.blockwise(products, "i", x, "i", y.rechunk(x.chunks), "i", dtype=dtype, meta=np.empty(0, dtype))
    return _tree(pairs, lambda block, axis, keepdims, computing_meta=False: block, lambda sums: sums.sum(dtype), (0,), False, dtype, split_every)


# ---- Data frames: states are columns, three doubles and a count for each sum, and the bytes of those that need more.

def _columns(sums, index):
    import pandas
    found = []
    for *table, long_sums in sums.columns():
        rest = np.full(len(index), b"", object)
        if long_sums:
            rest[np.asarray(table[3]) == np.iinfo(np.int64).min] = long_sums
        found += [pandas.Series(np.asarray(column), index) for column in (*table, rest)]
    return tuple(found)


def _merged(columns, numbers, n):
    """The sums of n groups of the columns' rows."""
    result = Sums((n,), len(columns) == 10)
    for k in range(len(columns) // 5):
        *table, rest = columns[5 * k:5 * k + 5]
        table = tuple(np.ascontiguousarray(column.to_numpy()) for column in table)
        is_long = table[3] == np.iinfo(np.int64).min
        long_sums = rest[is_long].tolist() if is_long.any() else []
        result._cells.add_columns(k, table, long_sums, packed(np, numbers, np.int64))
    return result


def _aggregation(name, squares=False, ddof=0):
    from dask.dataframe import Aggregation

    def chunk(groups):
        places, n = _places(np, groups)
        x = packed(np, groups.obj.to_numpy(dtype=getattr(groups.obj.dtype, "numpy_dtype", None), na_value=np.nan))
        return _columns(by_number(x, places, n, squares, True), groups.size().index)

    def merge(*columns):
        places, n = _places(np, columns[0])
        return _columns(_merged([column.obj for column in columns], places, n), columns[0].size().index)

    def finish(*columns):
        import pandas
        sums = _merged(columns, np.arange(len(columns[0])), len(columns[0]))
        result = getattr(sums, name)(*[ddof] * squares)
        if squares:
            result[sums.count() <= ddof] = np.nan
        return pandas.Series(result, columns[0].index)
    return Aggregation("exact_" + name, chunk, merge, finish)


def groupby_sum(frame, by, column):
    """RN(sum x) of each group of a column of integers, NaN left out, as a lazy pandas Series: the quick way for many
    groups, which come in no order that means anything."""
    import dask
    import pandas

    def chunk(part):
        groups = arrow.new_groups()
        groups[1].add(packed(np, part[column].to_numpy()), None, packed(np, part[by].to_numpy()), groups[0], True)
        return arrow.as_pair(groups, unsigned)

    def merge(parts):
        groups = arrow.new_groups()  # a task that is run again needs its parts as they were
        for part in parts:
            arrow.merge(groups, part)
        return arrow.as_pair(groups, unsigned)

    def finish(pair):
        keys, sums = np.asarray(pair[0]), pair[1]
        return pandas.Series(sums.sum(), pandas.Index(keys, name=by), name=column)
    unsigned = getattr(frame[by].dtype, "kind", "") == "u" and frame[by].dtype.itemsize == 8
    parts = [dask.delayed(chunk, pure=False)(part) for part in frame[[by, column]].to_delayed()]
    while len(parts) > 1:
        parts = [dask.delayed(merge, pure=False)(parts[i:i + 2]) for i in range(0, len(parts), 2)]
    return dask.delayed(finish)(parts[0])


def Sum():
    """RN(sum x) of each group, NaN left out, for frame.groupby(k)[x].agg."""
    return _aggregation("sum")


def Mean():
    """RN((sum x) / n) of each group."""
    return _aggregation("mean")


def Var(ddof=1):
    """The variance of each group, rounded once."""
    return _aggregation("var", True, ddof)


def Std(ddof=1):
    """The standard deviation of each group, rounded once."""
    return _aggregation("std", True, ddof)
