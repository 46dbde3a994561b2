"""Exact sums of Arrow's columns, whatever their chunks: of anything with Arrow's PyCapsule interface (arrays, chunked
arrays, tables, record batches and readers of pyarrow, polars, DuckDB, nanoarrow, pandas), without copies.

    exblas.arrow.sum(table, "x"), exblas.arrow.groupby_sum(table, "key", "x")

Floats give the double next to the exact value, integers an int, decimals up to 128 bits a Decimal; means and variances
are doubles. Nulls are left out, and NaN with skip_nan=True. A stream is read once, batch by batch."""
import array
import itertools
from decimal import Decimal
from fractions import Fraction

from exblas import _core
from exblas.chunks import ROWS, Sums, shared


def _field(fields, name):
    """The number and the format of a column, -1 where there is only one."""
    if isinstance(fields, str):
        if name is not None:
            raise TypeError(f"there are no columns, and none is {name!r}")
        return -1, fields
    names = [field for field, _ in fields]
    if name is None and len(names) == 1:
        return 0, fields[0][1]
    if names.count(name) != 1:
        raise KeyError(f"name one of the columns {', '.join(names)}, not {name!r}")
    return names.index(name), fields[names.index(name)][1]


class _Columns:
    """Columns of a source, a part of each for a thread at a time."""

    def __init__(self, source, *names):
        if hasattr(source, "__arrow_c_stream__"):
            stream = source.__arrow_c_stream__()
            self.schema = _core.arrow_schema(stream)
            self.batches = iter(lambda: _core.arrow_next(stream), None)
        elif hasattr(source, "__arrow_c_array__"):
            self.schema, batch = source.__arrow_c_array__()
            self.batches = iter([batch])
        else:
            raise TypeError(f"{type(source).__name__} has neither __arrow_c_stream__ nor __arrow_c_array__")
        fields = _core.arrow_fields(self.schema)
        self.batches = itertools.chain(first := list(itertools.islice(self.batches, 2)), self.batches)
        self.only = first[0] if len(first) == 1 else None
        self.fields, self.formats = zip(*[_field(fields, name) for name in names])

    def __iter__(self):
        first = None
        for batch in self.batches:
            n = _core.arrow_length(batch)
            whole = [(self.schema, batch, field, 0, n) for field in self.fields]
            dictionary = _core.arrow_dictionary(whole[0])
            first = first or (dictionary, batch)  # whose memory is kept, and is so no other's
            if dictionary != first[0] or dictionary is False and batch is not first[1]:
                raise ValueError("batches have dictionaries of their own: unify them first")
            for begin in range(0, n, ROWS):
                yield [(self.schema, batch, field, begin, min(begin + ROWS, n)) for field in self.fields]


def _sums(columns, squares, skip_nan):
    def add(part, item):
        x, y = (*item, None)[:2]
        part._cells.add(x, y, None, None, skip_nan)
    return Sums.combine(shared(columns, add, lambda: Sums((), squares)))


def sums(source, column=None, *, squares=False, skip_nan=False):
    """The exact sums of a column as exblas.chunks.Sums, to be sent and combined."""
    return _sums(_unscaled(_Columns(source, column)), squares, skip_nan)


def _unscaled(columns):
    if _scale(columns, -1):
        raise TypeError("exact sums keep no decimal's scale: take sum, mean, var or groupby_sum, or cast it to double")
    return columns


def _scale(columns, i=0):
    """A decimal's digits behind the point; None: no decimal."""
    kind = columns.formats[i]
    return int(kind.split(",")[1]) if kind[0] == "d" else None


def sum(source, column=None, *, skip_nan=False):
    """RN(sum x); integers and decimals exactly. 0 for no rows."""
    columns = _Columns(source, column)
    if columns.formats[0] == "g" and columns.only and not skip_nan:
        rows = _core.arrow_length(columns.only)
        if (result := _core.arrow_total((columns.schema, columns.only, columns.fields[0], 0, rows))) is not None:
            return result
    result = _sums(columns, False, skip_nan)
    if columns.formats[0] in "efg":
        return result.sum()
    value, scale = int(result.accumulator()), _scale(columns)
    return value if scale is None else Decimal(f"{value}E{-scale}")


def mean(source, column=None, *, skip_nan=False):
    """RN((sum x) / n)."""
    columns = _Columns(source, column)
    result = _sums(columns, False, skip_nan)
    n, scale = result.count(), _scale(columns)
    return result.mean() if not n or scale is None else float(Fraction(int(result.accumulator()), n) / Fraction(10) ** scale)


def var(source, column=None, *, ddof=0, skip_nan=False):
    """RN((n sum x^2 - (sum x)^2) / (n (n - ddof)))."""
    columns = _Columns(source, column)
    result = _sums(columns, True, skip_nan)
    n, scale = result.count(), _scale(columns)
    if scale is None or n <= ddof or not n:
        return result.var(ddof)
    moment = n * int(result.accumulator(0, True)) - int(result.accumulator()) ** 2
    return float(Fraction(moment, n * (n - ddof)) / Fraction(10) ** (2 * scale))


def std(source, column=None, *, ddof=0, skip_nan=False):
    """RN(sqrt of the exact variance); not of decimals."""
    columns = _Columns(source, column)
    if _scale(columns) is not None:
        raise TypeError("a decimal's standard deviation is not made: cast it to double")
    return _sums(columns, True, skip_nan).std(ddof)


def dot(source, x, y):
    """RN(sum x_i y_i) of two columns of floats or integers; rows with a null are left out."""
    columns = _Columns(source, x, y)
    if any(kind[0] == "d" for kind in columns.formats):
        raise TypeError("products of decimals are not made: cast them to double")
    return _sums(columns, False, False).sum()


def new_groups(squares=False):
    return _core.Keys(), _core.Cells(0, 1 + squares)


def merge(groups, more):
    """Adds an array of keys, and the Sums of each, to new_groups()."""
    (keys, cells), (found, part) = groups, more
    numbers = array.array("q", bytes(8 * len(found)))
    keys.number(found, numbers)
    cells.merge(part._cells, numbers, keys.length())


def as_pair(groups, unsigned=False, squares=False):
    """The keys of new_groups() as an array, and the Sums of each."""
    keys, cells = groups
    found = array.array("Q" if unsigned else "q", bytes(8 * keys.length()))
    keys.write(found)
    return found, Sums((len(found),), squares, cells)


def groupby(source, by, column, *, squares=False, skip_nan=False):
    """The keys of a column of integers, or the indices of its dictionary, as an array in no order that means anything,
    and the exact Sums of the rows of each. Rows whose key is null are left out."""
    return _groupby(_unscaled(_Columns(source, by, column)), squares, skip_nan)


def _groupby(columns, squares, skip_nan):
    def add(state, item):
        state[1].add(item[1], None, item[0], state[0], skip_nan)
    unsigned = columns.formats[0] == "L"
    first, *others = shared(columns, add, lambda: new_groups(squares))
    for more in others:
        merge(first, as_pair(more, unsigned, squares))
    return as_pair(first, unsigned, squares)


def groupby_sum(source, by, column, *, skip_nan=False):
    """The keys, and RN(sum x) of each, as an array."""
    columns = _Columns(source, by, column)
    keys, result = _groupby(columns, False, skip_nan)
    found, scale = result.sum(), _scale(columns, 1)
    for i in range(len(keys) if scale else 0):
        found[i] = float(Fraction(int(result.accumulator(i))) / Fraction(10) ** scale)
    return keys, found
