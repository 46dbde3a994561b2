"""Exact sums and products, rounded once: the same bits for any order, threads and machine.

Functions have NumPy's names and arguments and take its arrays, of any strides and of half, single and
double precision, complex numbers and integers; results are its scalars and arrays. Each result is the
exact value of the expression in the function's docstring, rounded once (RN); integers stay exact. Without NumPy, buffers
and iterables give Python's numbers and lists. What has no exact meaning is refused: an integer that no double equals
where a double is needed is a ValueError, tables and text are a TypeError."""
from importlib import import_module as _load

from exblas import _calls, _core

if (_isa := _calls.info("isa")).startswith(("avx", "amx")):  # the same, built for the vectors of these kernels
    _core = _load("exblas._core_" + ("avx2" if "avx2" in _isa or "avxvnni" in _isa else "avx512"))

from exblas._accumulator import Accumulator
from exblas._config import config, fprev, set_num_threads, show_config, version
from exblas._groups import (add_at, bincount, groupby_mean, groupby_sum, groupby_var, histogram, scatter_add,
                            segment_sum)
from exblas._lstsq import lstsq
from exblas._patch import patch, unpatch
from exblas._products import (corrcoef, cov, dot, einsum, gemm, gemv, inner, matmul, outer, tensordot, trapezoid, vdot,
                              vecdot)
from exblas._rational import average
from exblas._reductions import (asum, cumsum, fsum, mean, nanmean, nanstd, nansum, nanvar, norm, nrm2, std, sum, var)
from exblas._solve import solve
from exblas._sparse import csrmv, linear_operator

__all__ = sorted(name for name, value in globals().items() if callable(value) and not name.startswith("_"))
__version__ = version()


def __getattr__(name):
    """The parts for other libraries are loaded when they are asked for."""
    if name.removeprefix("nan") in ("prod", "cumprod"):
        raise AttributeError(f"exblas has no {name}: products of many factors have too many digits to be exact")
    if name not in ("arrow", "chunks", "cuda", "dask", "datafusion", "duckdb", "polars", "spark", "sqlite", "torch", "xarray"):
        raise AttributeError(f"module 'exblas' has no attribute '{name}'")
    return _load("exblas." + name)
