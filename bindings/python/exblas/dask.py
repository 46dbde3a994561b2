"""Sums of dask's arrays and data frames that do not depend on the chunks: exact over all blocks, rounded once.

    exblas.dask.sum(x, axis=0), mean, var, std; nansum, nanmean, nanvar, nanstd; dot(x, y)
    frame.groupby("k")["x"].agg(exblas.dask.Sum())          # Mean(), Var(ddof), Std(ddof): dask.dataframe.Aggregation

Blocks become exblas.chunks.Sums, which a tree of any split_every combines."""
import dask.array as da
import numpy as np

from exblas._dask_frames import Mean, Std, Sum, Var, groupby_sum  # noqa: F401
from exblas._reductions import MEAN, SUM, axes_of, ddof_of, result_type
from exblas.chunks import Sums, of_array


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
        result._cells.add(_plain(a), _plain(b), None, False)
        return result
    pairs = da.blockwise(products, "i", x, "i", y.rechunk(x.chunks), "i", dtype=dtype, meta=np.empty(0, dtype))
    return _tree(pairs, lambda block, axis, keepdims, computing_meta=False: block, lambda sums: sums.sum(dtype), (0,), False, dtype, split_every)
