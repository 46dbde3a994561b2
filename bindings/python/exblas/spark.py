"""Exact sums for Spark, whatever the partitions and the order in which tasks end (PySpark 4.1 or later with pyarrow):

    from exblas import spark
    spark.groupby(frame, ["k"], "x", "sum")                # a state for each key and batch, which then are combined
    frame.groupBy("k").agg(spark.exact("mean")("x"))       # also over windows; without partial aggregation
    states = spark.partial(frame, ["k"], "x")              # a column "state" to be stored, and later:
    states.groupBy("k").agg(spark.combine("sum")("state"))

Results are doubles; NULL is left out; NULL for no rows."""
import pyarrow as pa
from pyspark.sql import functions

from exblas import _arrow, arrow
from exblas.chunks import Sums, has_squares


def _value(sums, name, ddof):
    spread = name in ("var", "std")
    return getattr(sums, name)(*[ddof] * spread) if sums.count() > (ddof if spread else 0) else None


def exact(name, ddof=1):
    """A grouped aggregate of doubles: "sum", "mean", "var" or "std"."""
    def aggregate(x: pa.Array) -> float:
        return _value(arrow.sums(x, squares=name in ("var", "std")), name, ddof)
    return functions.arrow_udf(aggregate, "double")


def combine(name=None, ddof=1):
    """A grouped aggregate of states: "sum", "mean", "var" or "std" of all their rows; None: one state."""
    def aggregate(states: pa.Array) -> float:
        states = states.to_pylist()
        sums = Sums((), any(map(has_squares, states))).add_states(states)
        return sums.states()[0] if name is None else _value(sums, name, ddof)
    return functions.arrow_udf(aggregate, "double" if name else "binary")


def partial(frame, keys, column, squares=False):
    """The keys and the column "state": one for each key in a batch of rows."""
    def states(batches):
        for batch in batches:
            groups = pa.Table.from_batches([batch]).group_by(keys, use_threads=False).aggregate([(column, "list")])
            lists = groups[column + "_list"].combine_chunks()
            sums = Sums((len(lists),), squares)
            sums._cells.add_lists(*_arrow.whole(_arrow.lists, lists), False, 0)
            yield from groups.select(keys).append_column("state", [pa.array(sums.states(), pa.binary())]).to_batches()
    rows = frame.select(*keys, functions.col(column).cast("double").alias(column))
    types = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in rows.select(*keys).schema)
    return rows.mapInArrow(states, f"{types}, state binary")


def groupby(frame, keys, column, name="sum", ddof=1):
    """The keys and a column `name` with the exact result for each."""
    states = partial(frame, keys, column, name in ("var", "std"))
    return states.groupBy(*keys).agg(combine(name, ddof)("state").alias(name))
