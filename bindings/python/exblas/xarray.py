"""Sums of xarray's arrays and data sets that do not depend on the chunks:

    exblas.xarray.sum(da, "time"), mean, var, std         # also of a Dataset, da.groupby(...), da.resample(...), coarsen
    flox.xarray.xarray_reduce(da, by, func=exblas.xarray.aggregation("mean"))      # many groups at a time

NaN is left out, as by xarray, unless skipna=False."""
import numpy as np

import exblas
from exblas.chunks import Sums, by_number


def _function(name, skipna, options):
    """What xarray's reduce calls: for NumPy's arrays at once, for dask's lazily."""
    def reduce(x, axis=None, **_):
        skips = skipna is not False and x.dtype.kind == "f"
        if hasattr(x, "dask"):
            from exblas import dask
            return getattr(dask, "nan" * skips + name)(x, axis=axis, **options)
        return getattr(exblas, name)(x, axis=axis, where=~np.isnan(x) if skips else True, **options)
    return reduce


def _reduction(name, words):
    def reduce(of, dim=None, *, skipna=None, keep_attrs=None, **options):
        return of.reduce(_function(name, skipna, options), dim, keep_attrs=keep_attrs)
    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"""{words} along the dimensions (None: all), rounded once."""
    return reduce


sum = _reduction("sum", "RN(sum x)")
mean = _reduction("mean", "RN((sum x) / n)")
var = _reduction("var", "The variance (ddof=0)")
std = _reduction("std", "The standard deviation (ddof=0)")


def _states(group_idx, array, *, axis=-1, size=None, squares, skipna, **_):
    """A state for each group of each line."""
    lines = np.ascontiguousarray(array).reshape(-1, array.shape[-1])
    numbers = np.ascontiguousarray(group_idx, np.int64)
    found = np.empty((len(lines), size), object)
    for i, line in enumerate(lines):
        found[i] = by_number(line, numbers, size, squares, skipna).states()
    return found.reshape(*array.shape[:-1], size)


def _combine(array, axis, keepdims, squares):
    """The states along the axes as one; what flox fills in has no rows."""
    axes = {a % array.ndim for a in axis}
    kept = [i for i in range(array.ndim) if i not in axes]
    lines = array.transpose([*kept, *axes]).reshape(*(array.shape[i] for i in kept), -1)
    found = np.empty(lines.shape[:-1], object)
    for i in np.ndindex(found.shape):
        found[i] = Sums((), squares).add_states(x for x in lines[i] if x).states()[0]
    return np.expand_dims(found, tuple(axes)) if keepdims else found


def aggregation(name, *, ddof=0, skipna=True):
    """An Aggregation of flox: "sum", "mean", "var" or "std" of each group, over any chunks."""
    from functools import partial

    from flox.aggregations import Aggregation
    squares = name in ("var", "std")

    def finish(states, **_):
        sums = Sums((states.size,), squares)
        for i, state in enumerate(states.flat):
            sums.add_states([state or None], [i])
        return getattr(sums, name)(*[ddof] * squares).reshape(states.shape)

    def whole(group_idx, array, **options):
        return finish(_states(group_idx, array, squares=squares, skipna=skipna, **options))
    return Aggregation("exact_" + name, numpy=whole, chunk=partial(_states, squares=squares, skipna=skipna),
                       combine=partial(_combine, squares=squares), finalize=finish, fill_value=b"",
                       final_fill_value=0 if name == "sum" else np.nan, dtypes=object, final_dtype=np.float64)
