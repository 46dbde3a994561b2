"""Exact sums of Arrow's columns, whatever their chunks: of anything with Arrow's PyCapsule interface (arrays, chunked
arrays, tables, record batches and readers of pyarrow, polars, DuckDB, nanoarrow, pandas), without copies.

    exblas.arrow.sum(table, "x"), exblas.arrow.groupby_sum(table, "key", "x")

Floats give the double next to the exact value, integers an int, decimals up to 128 bits a Decimal; means and variances
are doubles. Nulls are left out, and NaN with skip_nan=True. A stream is read once, batch by batch."""
from decimal import Decimal
from fractions import Fraction

from exblas import _arrow
from exblas.chunks import Columns


def _unscaled(words, *of):
    columns = Columns(*of)
    if any(columns.scales):
        raise TypeError(words)
    return columns


_NO_SCALE = "exact sums keep no decimal's scale: take sum, mean, var or groupby_sum, or cast it to double"


def sums(source, column=None, *, squares=False, skip_nan=False):
    """The exact sums of a column as exblas.chunks.Sums, to be sent and combined."""
    return _unscaled(_NO_SCALE, source, column).sums(squares, skip_nan)


def sum(source, column=None, *, skip_nan=False):
    """RN(sum x); integers and decimals exactly. 0 for no rows."""
    columns = Columns(source, column)
    if columns.is_float and not skip_nan and (whole := columns.whole()):
        if (result := _arrow.plain_sum(whole)) is not None:
            return result
    result = columns.sums(False, skip_nan)
    if columns.is_float:
        return result.sum()
    value, scale = int(result.accumulator()), columns.scales[0]
    return value if scale is None else Decimal(f"{value}E{-scale}")


def _statistic(name, source, column, ddof, skip_nan):
    columns, squares = Columns(source, column), name != "mean"
    result, scale = columns.sums(squares, skip_nan), columns.scales[0]
    n = result.count()
    if scale is None or n <= max(ddof, 0):
        return getattr(result, name)(*[ddof] * squares)
    total = int(result.accumulator())
    value = Fraction(n * int(result.accumulator(0, True)) - total ** 2, n * (n - ddof)) if squares else Fraction(total, n)
    return float(value / Fraction(10) ** (scale * (1 + squares)))


def mean(source, column=None, *, skip_nan=False):
    """RN((sum x) / n)."""
    return _statistic("mean", source, column, 0, skip_nan)


def var(source, column=None, *, ddof=0, skip_nan=False):
    """RN((n sum x^2 - (sum x)^2) / (n (n - ddof)))."""
    return _statistic("var", source, column, ddof, skip_nan)


def std(source, column=None, *, ddof=0, skip_nan=False):
    """RN(sqrt of the exact variance); not of decimals."""
    columns = _unscaled("a decimal's standard deviation is not made: cast it to double", source, column)
    return columns.sums(True, skip_nan).std(ddof)


def dot(source, x, y):
    """RN(sum x_i y_i) of two columns of floats or integers; rows with a null are left out."""
    return _unscaled("products of decimals are not made: cast them to double", source, x, y).sums().sum()


def groupby(source, by, column, *, squares=False, skip_nan=False):
    """The keys of a column of integers, or the indices of its dictionary, as an array in no order that means anything,
    and the exact Sums of the rows of each. Rows whose key is null are left out."""
    return _unscaled(_NO_SCALE, source, by, column).groups(squares, skip_nan)


def groupby_sum(source, by, column, *, skip_nan=False):
    """The keys, and RN(sum x) of each, as an array."""
    columns = Columns(source, by, column)
    keys, result = columns.groups(False, skip_nan)
    found, scale = result.sum(), columns.scales[1]
    for i in range(len(keys) if scale else 0):
        found[i] = float(Fraction(int(result.accumulator(i))) / Fraction(10) ** scale)
    return keys, found
