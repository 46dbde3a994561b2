"""import exblas.polars gives expressions of polars exact sums, in select, group_by().agg, over, lazy and streaming:

    pl.col("x").exblas.sum(), .mean(), .var(ddof), .std(ddof)
    pl.col("x").exblas.state()                 # a binary column: sums to be stored, sent and combined
    pl.col("state").exblas.combine("sum")      # of rows of several frames; combine() is again a state

Results are doubles, nulls are left out, and groups without rows have what polars gives them. polars hands over whole
columns or lists of each group's rows: a streaming query collects them first. Of a stream use exblas.arrow.sum."""
import polars as pl

from exblas import _arrow, arrow
from exblas.chunks import Sums, has_squares, shared

LISTS = 1 << 16  # that are worth a thread
_RESULTS = ("sum", "mean", "var", "std")


def _sums_of_lists(lists, squares):
    if len(lists) == 1 and lists[0] is not None:
        one = arrow.sums(lists[0], squares=squares)
        return Sums((1,), squares, one._cells)
    schema, (batch, *_) = _arrow.opened(lists.rechunk())
    n = len(lists)
    result = Sums((n,), squares)

    def add(_, begin):
        result._cells.add_lists(*_arrow.lists(schema, batch, begin, min(begin + LISTS, n)), False, begin)
    shared(range(0, n, LISTS), add, lambda: None, lambda *_: None)
    return result


def _check(inner, name):
    if not (inner.is_float() or inner.is_integer() and name != "sum") or inner in (pl.Int128, pl.Float16):
        own = ": polars' own sum of it is exact" if inner.is_integer() or inner.is_decimal() else ", cast it first"
        raise TypeError(f"exblas.{name} takes floats{'' if name == 'sum' else ' and integers'}, not {inner}{own}")


def _values(sums, name, ddof):
    spread = name in ("var", "std")
    result = pl.Series(getattr(sums, name)(*[ddof] * spread))
    return result if name == "sum" else result.set(pl.Series(sums.count() <= (ddof if spread else 0)), None)


@pl.api.register_expr_namespace("exblas")
class Exact:
    """Exact sums of an expression."""

    def __init__(self, expression):
        self._lists = expression.implode()

    def _map(self, function, dtype):
        return self._lists.map_batches(function, return_dtype=dtype, is_elementwise=True)

    def _result(self, name, ddof=0):
        def function(lists):
            _check(lists.dtype.inner, name)
            if name == "sum" and len(lists) == 1 and lists[0] is not None:
                return pl.Series([arrow.sum(lists[0])], dtype=pl.Float64)
            return _values(_sums_of_lists(lists, name in ("var", "std")), name, ddof)
        return self._map(function, pl.Float64)

    def sum(self):
        """RN(sum x)."""
        return self._result("sum")

    def mean(self):
        """RN((sum x) / n); null without rows."""
        return self._result("mean")

    def var(self, ddof=1):
        """RN of the variance; null for up to ddof rows."""
        return self._result("var", ddof)

    def std(self, ddof=1):
        """RN of the standard deviation; null for up to ddof rows."""
        return self._result("std", ddof)

    def state(self, squares=False):
        """The bytes of the exact sum, with squares=True for variances, too."""
        def function(lists):
            _check(lists.dtype.inner, "state")
            return pl.Series(_sums_of_lists(lists, squares).states(), dtype=pl.Binary)
        return self._map(function, pl.Binary)

    def combine(self, result=None, ddof=1):
        """States to the result "sum", "mean", "var" or "std" of all their rows; None: to one state."""
        if result not in (None, *_RESULTS):
            raise ValueError(f"a result is one of {', '.join(_RESULTS)}, not {result!r}")

        def function(lists):
            groups = lists.to_list()
            some = next((state for states in groups for state in states or () if state), b"")
            sums = Sums((len(groups),), has_squares(some))
            for i, states in enumerate(groups):
                sums.add_states(states or (), [i] * len(states or ()))
            if result is None:
                return pl.Series(sums.states(), dtype=pl.Binary)
            return _values(sums, result, ddof)
        return self._map(function, pl.Float64 if result else pl.Binary)
