"""Exact aggregates for DataFusion, by the names of the other databases:

    exblas.datafusion.register(ctx)
    ctx.sql("select k, exact_sum(x) from t group by k")

exact_sum, exact_avg, exact_var_pop, exact_var_samp, exact_stddev_pop, exact_stddev_samp of doubles and exact_dot(x, y);
exact_accumulate(x) gives a sum's bytes, exact_merge(a) adds such up: those that PostgreSQL's exact_accumulator has.
NULL is left out; NULL where SQL has it. DataFusion calls Python once for each group and batch: good for few groups."""
import pyarrow as pa
from datafusion import Accumulator, udaf

from exblas import _arrow
from exblas.chunks import Sums


class _Exact(Accumulator):
    def __init__(self, finish, squares=False, least=1):
        self._sums, self._finish, self._least = Sums((), squares), finish, least

    def update(self, *columns):
        x, y = ([_arrow.whole(_arrow.column, column) for column in columns] + [None])[:2]
        self._sums._cells.add(x, y, None, False)

    def merge(self, states):
        self._sums.add_states(states[0].to_pylist())

    def state(self):
        return [pa.scalar(self._sums.states()[0], pa.binary())]

    def evaluate(self):
        kind = pa.float64() if self._least else pa.binary()
        return pa.scalar(self._finish(self._sums) if self._sums.count() >= self._least else None, kind)


class _Merge(_Exact):
    def update(self, column):
        self._sums.add_states(column.to_pylist())


def _bytes(sums):
    return sums.states()[0]


_DOUBLE, _BINARY = pa.float64(), pa.binary()
AGGREGATES = {
    "exact_sum": (1, lambda: _Exact(Sums.sum)), "exact_avg": (1, lambda: _Exact(Sums.mean)),
    "exact_dot": (2, lambda: _Exact(Sums.sum)),
    "exact_var_pop": (1, lambda: _Exact(Sums.var, True)),
    "exact_var_samp": (1, lambda: _Exact(lambda sums: sums.var(1), True, 2)),
    "exact_stddev_pop": (1, lambda: _Exact(Sums.std, True)),
    "exact_stddev_samp": (1, lambda: _Exact(lambda sums: sums.std(1), True, 2)),
    "exact_accumulate": (1, lambda: _Exact(_bytes, False, 0)), "exact_merge": (0, lambda: _Merge(_bytes, False, 0)),
}


def aggregate(name):
    """One of them as a function of expressions: aggregate("exact_sum")(col("x"))."""
    n, new = AGGREGATES[name]
    result = _BINARY if name in ("exact_accumulate", "exact_merge") else _DOUBLE
    return udaf(new, [_DOUBLE] * n or [_BINARY], result, [_BINARY], "immutable", name)


def register(ctx):
    """Makes all of them known to a SessionContext."""
    for name in AGGREGATES:
        ctx.register_udaf(aggregate(name))
