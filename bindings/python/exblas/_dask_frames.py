"""Exact sums of the groups of dask's data frames. The state of an Aggregation is columns: three doubles and a count for
each sum, and the bytes of those that need more."""
import numpy as np

from exblas._groups import _places
from exblas._numbers import packed
from exblas.chunks import Sums, by_number, keyed, of_keys


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
        cells = keyed()
        cells.add(packed(np, part[column].to_numpy()), None, packed(np, part[by].to_numpy()), True)
        return of_keys(cells, unsigned)

    def merge(parts):
        cells = keyed()  # a task that is run again needs its parts as they were
        for keys, sums in parts:
            cells.merge(sums._cells, keys)
        return of_keys(cells, unsigned)

    def finish(pair):
        return pandas.Series(pair[1].sum(), pandas.Index(np.asarray(pair[0]), name=by), name=column)
    unsigned = getattr(frame[by].dtype, "kind", "") == "u" and frame[by].dtype.itemsize == 8
    parts = [dask.delayed(chunk, pure=False)(part) for part in frame[[by, column]].to_delayed()]
    while len(parts) > 1:
        parts = [dask.delayed(merge, pure=False)(parts[i:i + 4]) for i in range(0, len(parts), 4)]
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
