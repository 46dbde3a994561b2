#!/usr/bin/env python3
"""exblas.dask, xarray, polars, datafusion and spark: the exact value for any chunks, partitions and workers, also of groups;
states from one engine to another; bad input. What is not installed is skipped. Reports in TAP."""
import math
import os
import sys

import exblas
import tap
from exblas.chunks import Sums

np = tap.needed("numpy")
rng = np.random.default_rng(11)
N = 6000
X = rng.standard_normal(N) * 10.0 ** rng.integers(-20, 20, N)
K = rng.integers(0, 9, N)
SUMS = {k: math.fsum(X[K == k]) for k in range(9)}
VARS = {k: float(exblas.var(X[K == k], ddof=1)) for k in range(9)}
MEANS = {k: float(exblas.mean(X[K == k])) for k in range(9)}
SAMPLES = {"sum": SUMS, "mean": MEANS, "var": VARS}


def dask_arrays():
    import dask.array as da
    import exblas.dask as ed
    x = X[:5040].reshape(60, 12, 7)
    for chunks in ((60, 12, 7), (17, 12, 7), (60, 5, 2)):
        d = da.from_array(x, chunks=chunks)
        for axis in (None, 1, (0, 2)):
            for name in ("sum", "mean", "var", "std"):
                got, want = getattr(ed, name)(d, axis, split_every=2).compute(), getattr(exblas, name)(x, axis)
                assert np.array_equal(got, want) and got.dtype == want.dtype, (name, axis, chunks)
        assert ed.sum(d, 1, keepdims=True).compute().shape == (60, 1, 7) == ed.sum(d, 1, keepdims=True).shape
    for kind in ("f", "e"):
        y = rng.standard_normal((50, 9)).astype(kind)
        assert np.array_equal(ed.sum(da.from_array(y, chunks=(7, 2)), 0).compute(), exblas.sum(y, 0))
    whole = da.from_array(np.full(10, 2 ** 61), chunks=2)
    assert ed.sum(whole[:3]).compute() == 3 * 2 ** 61 and ed.sum(whole.astype("u8")[:7]).compute() == 7 * 2 ** 61
    tap.refused(OverflowError, "does not fit", ed.sum(whole).compute)
    tap.refused(TypeError, "complex128", lambda: ed.sum(whole * 1j))
    tap.refused(TypeError, "vectors of floats", lambda: ed.dot(whole, whole))
    y = X.copy()
    y[::7] = np.nan
    assert ed.nansum(da.from_array(y, chunks=999)).compute() == math.fsum(y[~np.isnan(y)])
    assert math.isnan(ed.sum(da.from_array(y, chunks=999)).compute())
    assert ed.dot(da.from_array(X, chunks=1000), da.from_array(X[::-1].copy(), chunks=77)).compute() == exblas.dot(X, X[::-1])
    masked = da.ma.masked_array(da.from_array(np.array([1.0, 2, 4]), chunks=2), [False, True, False])
    tap.refused(TypeError, "ma.filled", ed.sum(masked).compute)
    tap.refused(TypeError, "ma.filled", ed.dot(masked, masked).compute)
    assert ed.sum(da.ma.filled(masked, 0)).compute() == 5


def each_task_twice(graph, keys, **_):
    from dask.local import get_async, synchronous_executor

    def submit(*call):
        synchronous_executor.submit(*call)
        return synchronous_executor.submit(*call)
    return get_async(submit, 1, graph, keys)


def dask_frames():
    import pandas
    import dask.dataframe as dd
    import exblas.dask as ed
    frame = pandas.DataFrame({"k": K, "x": X})
    for n in (1, 7):
        d = dd.from_pandas(frame, npartitions=n)
        for name, want in SAMPLES.items():
            got = d.groupby("k")["x"].agg(getattr(ed, name.title())()).compute()
            assert got.to_dict() == want, (n, name)
        for scheduler in ("threads", "processes", each_task_twice):
            assert ed.groupby_sum(d, "k", "x").compute(scheduler=scheduler).to_dict() == SUMS, scheduler
    large = dd.from_pandas(pandas.DataFrame({"k": np.array([2 ** 63 + 5, 1], np.uint64), "x": [1.0, 2.0]}), npartitions=1)
    assert ed.groupby_sum(large, "k", "x").compute().to_dict() == {2 ** 63 + 5: 1.0, 1: 2.0}
    frame.loc[5, "x"], frame.loc[6, "x"], frame.loc[7, "x"] = np.inf, 1e308, np.nan
    got = dd.from_pandas(frame, npartitions=5).groupby("k")["x"].agg(ed.Sum()).compute().sort_index()
    assert got.equals(exblas.groupby_sum(frame.groupby("k")["x"]))


def pandas_columns():
    import pandas
    frame = pandas.DataFrame({"k": K, "x": X, "c": pandas.Categorical(K % 3, [5, 2, 1, 0])})
    assert exblas.groupby_sum(frame.groupby("k")["x"]).to_dict() == SUMS
    assert frame.groupby("k")["x"].agg(exblas.sum).to_dict() == SUMS
    if int(pandas.__version__.split(".")[0]) >= 3:  # before, it asks for single numbers first
        assert frame["x"].agg(exblas.sum) == math.fsum(X)
    for observed in (True, False):
        got = exblas.groupby_sum(frame.groupby("c", observed=observed)["x"])
        assert {k: v for k, v in got.items() if k != 5} == {k: math.fsum(X[K % 3 == k]) for k in range(3)}


def xarrays():
    import pandas
    import xarray
    import exblas.xarray as ex
    x = X.reshape(200, 30).copy()
    x[3, 4] = np.nan
    a = xarray.DataArray(x, dims=("time", "y"), coords={"time": pandas.date_range("2001-01-01", periods=200)})
    for chunked in (a, a.chunk(time=7, y=13)):
        assert (ex.sum(chunked, "time") == exblas.sum(np.nan_to_num(x), 0)).all()
        assert float(ex.sum(chunked)) == math.fsum(x[~np.isnan(x)]) and np.isnan(float(ex.sum(chunked, skipna=False)))
        assert float(ex.std(chunked, ddof=1)) == exblas.std(x[~np.isnan(x)], ddof=1)
        by_month = ex.mean(chunked.groupby("time.month"), "time")
        assert (by_month == ex.mean(chunked.resample(time="1ME"), "time").values).all()
        assert float(by_month[1, 0]) == exblas.mean(x[31:59, 0])
    from flox.xarray import xarray_reduce
    for name in ("sum", "mean", "var"):
        want = getattr(ex, name)(a.groupby("time.month"), "time")
        for chunked in (a, a.chunk(time=7, y=13)):
            got = xarray_reduce(chunked, a.time.dt.month, func=ex.aggregation(name)).compute()
            assert (got == want.transpose(*got.dims)).all(), name


def polars_expressions():
    import polars as pl
    import exblas.polars  # noqa: F401 -- which registers them
    x = pl.col("x").exblas
    frame = pl.DataFrame({"k": K, "x": X})
    halves = [frame[i:i + 1000] for i in range(0, N, 1000)]
    for f in (frame, pl.concat(halves, rechunk=False), frame.lazy()):
        for name, want in SAMPLES.items():
            got = f.group_by("k").agg(r=getattr(x, name)()).lazy().collect(engine="streaming")
            assert dict(zip(got["k"], got["r"])) == want, name
        assert f.select(x.sum()).lazy().collect().item() == math.fsum(X)
    over = frame.with_columns(r=x.sum().over("k"))
    assert over["r"].to_list() == [SUMS[k] for k in K.tolist()]
    nulls = pl.DataFrame({"x": [1e16, None, 1.0, -1e16], "f": [0.5, None, None, 2.0], "s": list("abcd"), "i": [1, 2, 3, None]})
    assert nulls.select(x.sum()).item() == 1 and nulls.select(pl.col("f").exblas.mean()).item() == 1.25
    assert nulls.filter(pl.col("f") > 9).select(x.sum(), m=x.mean(), v=x.var()).row(0) == (0, None, None)
    assert nulls.select(pl.col("i").exblas.mean()).item() == 2 and nulls[:1].select(x.var()).item() is None
    for column, words in (("s", "cast it first"), ("i", "polars' own sum")):
        tap.refused(Exception, words, lambda column=column: nulls.select(pl.col(column).exblas.sum()), 20)
    states = pl.concat([half.group_by("k").agg(s=x.state(squares=True)) for half in halves])
    for name, want in SAMPLES.items():
        got = states.group_by("k").agg(r=pl.col("s").exblas.combine(name))
        assert dict(zip(got["k"], got["r"])) == want, name
    one = states.group_by("k").agg(s=pl.col("s").exblas.combine()).sort("k")["s"].to_list()
    assert one == frame.group_by("k").agg(s=x.state(squares=True)).sort("k")["s"].to_list()
    tap.refused(Exception, "not the bytes", lambda: pl.DataFrame({"s": [b"ExCe"]}).select(pl.col("s").exblas.combine("sum")), 20)


def datafusion_aggregates():
    import datafusion
    import pyarrow as pa
    from exblas.datafusion import register
    t = pa.table({"k": K, "x": X})
    for n in (1, 3):
        ctx = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(n))
        register(ctx)
        ctx.register_record_batches("t", [t[i:i + 700].to_batches() for i in range(0, N, 700)])
        got = ctx.sql("select k, exact_sum(x) s, exact_avg(x) a, exact_var_samp(x) v, exact_dot(x, x) d, "
                      "exact_accumulate(x) b from t group by k").to_pydict()
        for name, column in (("sum", "s"), ("mean", "a"), ("var", "v")):
            assert dict(zip(got["k"], got[column])) == SAMPLES[name], name
        assert all(d == exblas.dot(X[K == k], X[K == k]) for k, d in zip(got["k"], got["d"]))
        assert Sums().add_states(got["b"]).sum() == math.fsum(X)
        merged = ctx.sql("select exact_merge(b) m, exact_sum(1.0) filter (where false) z from "
                         "(select exact_accumulate(x) b from t group by k)").to_pydict()
        assert merged == {"m": Sums().add_states(got["b"]).states(), "z": [None]}
    tap.refused(Exception, "not the bytes", lambda: ctx.sql("select exact_merge(b) from (select cast('a' as bytea) b)").collect(), 20)


def spark_aggregates():
    import pandas
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession
    from exblas import spark
    try:
        options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "3", "spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false"}
        session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    except Exception as error:
        raise ImportError(f"Spark does not start: {error}") from None
    frame = session.createDataFrame(pandas.DataFrame({"k": K, "x": X}))
    for n in (1, 4):
        for name, want in SAMPLES.items():
            rows = spark.groupby(frame.repartition(n), ["k"], "x", name).collect()
            assert {row.k: row[name] for row in rows} == want, (n, name)
    rows = frame.groupBy("k").agg(spark.exact("var")("x").alias("r")).collect()
    assert {row.k: row.r for row in rows} == VARS
    states = spark.partial(frame.repartition(3), ["k"], "x").groupBy("k").agg(spark.combine()("state").alias("s"))
    one = [bytes(row.s) for row in states.collect()]
    assert Sums().add_states(one).sum() == math.fsum(X)
    session.stop()


if __name__ == "__main__":  # dask's processes load this file
    tap.run(dask_arrays, dask_frames, pandas_columns, xarrays, polars_expressions, datafusion_aggregates,
            spark_aggregates)
