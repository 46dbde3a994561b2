#!/usr/bin/env python3
"""usage: chunks.py [answers | times | memory] [--engines NAME,...] [--append FILE] [--plot FILE]

Sums of one column in other chunks, by the engines' own functions and by exblas: pyarrow, pandas, dask, xarray, polars,
datafusion, spark (default: those that are installed).

  answers   how many different sums 20 chunkings (partitions of Spark) have, with one and with two workers
  times     milliseconds of the fastest of several turns, two workers: sums of 10^7 doubles, and of 10^3 and 10^6 groups
  memory    the peak of the process over a column of 10 GB that is never in memory: a stream of Arrow, chunks of dask

Writes a table in Markdown, to FILE with --append. --plot draws the answers of dask as SVG. Exit status: 1 if exblas had
two answers or one that is not the exact sum, rounded.
"""
import argparse
import functools
import importlib.util
import json
import math
import os
import subprocess
import sys
import time

import numpy as np

CHUNKINGS, N, WORKERS = 20, 100000, 2


def data():
    """Columns with the rows that are null."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal(N) * 10.0 ** rng.integers(-8, 8, N)
    null, nan, inf = rng.random(N) < 0.1, x.copy(), x.copy()
    nan[N // 3], inf[N // 2] = np.nan, np.inf
    none = np.zeros(N, bool)
    return {"float64": (x, none), "float32": (x.astype("f"), none), "nulls": (x, null), "NaN": (nan, none), "Inf": (inf, none)}


def cuts(i):
    """Ends of i + 1 chunks, two of which are empty if there are more than three."""
    ends = np.sort(np.random.default_rng(i).integers(0, N, i)).tolist()
    return [0, *ends, N] if i < 3 else [0, 0, *ends[1:], N, N]


def table_of(x, null):
    import pyarrow as pa
    return pa.table({"x": pa.array(x, mask=null)})


def parts(x, i):
    return [x[a:b] for a, b in zip(cuts(i), cuts(i)[1:])]


# For each engine: pairs of calls, its own and ours, of a column in chunking i.

def pyarrow(x, null, i):
    import pyarrow as pa
    import pyarrow.compute as pc
    import exblas.arrow
    column = table_of(x, null)["x"].chunk(0)
    c = pa.chunked_array([column[a:b] for a, b in zip(cuts(i), cuts(i)[1:])])
    return lambda: pc.sum(c).as_py(), lambda: exblas.arrow.sum(c)


def pandas(x, null, i):
    import pandas as pd
    import exblas
    s = [pd.Series(p) for p in parts(np.where(null, np.nan, x) if null.any() else x, i)]
    skip = bool(null.any())
    return (lambda: float(sum(p.sum(skipna=skip) for p in s)),
            lambda: float(exblas.Accumulator.combine(exblas.Accumulator((p.dropna() if skip else p).to_numpy()) for p in s)))


def dask(x, null, i):
    import dask.array as da
    import exblas.dask as ed
    d = da.from_array(np.where(null, np.nan, x) if null.any() else x, chunks=(tuple(np.diff(cuts(i)).tolist()),))
    own, ours = (da.nansum, ed.nansum) if null.any() else (da.sum, ed.sum)
    return lambda: own(d).compute(), lambda: ours(d).compute()


def xarray(x, null, i):
    import xarray as xr
    import exblas.xarray as ex
    a = xr.DataArray(np.where(null, np.nan, x) if null.any() else x, dims="t").chunk(t=tuple(np.diff(cuts(i)).tolist()))
    skip = bool(null.any())
    return lambda: float(a.sum(skipna=skip)), lambda: float(ex.sum(a, skipna=skip))


def polars(x, null, i):
    import polars as pl
    import exblas.polars  # noqa: F401
    f = pl.concat([pl.from_arrow(table_of(p, q)) for p, q in zip(parts(x, i), parts(null, i))], rechunk=False)
    return lambda: f.select(pl.col("x").sum()).item(), lambda: f.select(pl.col("x").exblas.sum()).item()


def datafusion(x, null, i):
    import datafusion as df
    from exblas.datafusion import register
    ctx = df.SessionContext(df.SessionConfig().with_target_partitions(WORKERS))
    register(ctx)
    ctx.register_record_batches("t", [table_of(p, q).to_batches() for p, q in zip(parts(x, i), parts(null, i)) if len(p)])
    return [lambda f=f: ctx.sql(f"select {f}(x) s from t").to_pydict()["s"][0] for f in ("sum", "exact_sum")]


def spark_session():
    from pyspark.sql import SparkSession
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.log.level": "OFF",
               "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "3g"}
    return SparkSession.builder.master(f"local[{WORKERS}]").config(map=options).getOrCreate()


@functools.cache
def spark_sums(i):
    """Of all columns at once, by their names: a query takes a second."""
    import pyarrow as pa
    from pyspark.sql import functions
    from exblas import spark as es
    columns = [table_of(x.astype("d"), null).append_column("k", pa.array([kind] * N)) for kind, (x, null) in data().items()]
    frame = spark_session().createDataFrame(pa.concat_tables(columns)).repartition(i + 1)
    sums = frame.groupBy("k").agg(functions.sum("x").alias("sum")), es.groupby(frame, ["k"], "x")
    return [{row["k"]: row["sum"] for row in each.collect()} for each in sums]


def spark(x, null, i):
    kind = next(k for k, (y, z) in data().items() if np.array_equal(y.astype("d"), x, True) and (z == null).all())
    return lambda: spark_sums(i)[0][kind], lambda: spark_sums(i)[1][kind]


ENGINES = {f.__name__: f for f in (pyarrow, pandas, dask, xarray, polars, datafusion, spark)}


def exact(x, null):
    """RN of the exact sum as a double and as a float, which is the nearest of three."""
    kept = x[~null].astype("f8")
    if not np.isfinite(kept).all():
        return float(kept.sum()), float(kept.sum())
    total, near = math.fsum(kept), np.float32(math.fsum(kept))
    around = [near, *(np.nextafter(near, np.float32(s)) for s in (-np.inf, np.inf))]
    return total, float(min(around, key=lambda y: (abs(math.fsum([*kept, -float(y)])), y.view("i4") & 1)))


def answers_here(names):
    """{engine: {column: (own answers, ours, ours are right)}} of this process, with its number of workers."""
    found = {}
    for name in names:
        for kind, (x, null) in data().items():
            pairs = [ENGINES[name](x, null, i) for i in range(CHUNKINGS)]
            own, ours = ([call[side]() for call in pairs] for side in (0, 1))
            single = kind == "float32" and name in ("dask", "xarray")  # whose sums of floats are floats
            right = {repr(float(y)) for y in ours} == {repr(exact(x, null)[single])}
            found.setdefault(name, {})[kind] = [[float(y) for y in own], [float(y) for y in ours], right]
    return found


def in_processes(names):
    """The same with one and two workers: polars and Spark ask only once."""
    for n in (1, 2):
        variables = {"POLARS_MAX_THREADS": n, "DASK_NUM_WORKERS": n, "OMP_NUM_THREADS": n, "CHUNKS_WORKERS": n}
        run = subprocess.run([sys.executable, __file__, "answers", "--engines", ",".join(names), "--json"], check=True,
                             env={**os.environ, **{k: str(v) for k, v in variables.items()}}, stdout=subprocess.PIPE, text=True)
        yield n, json.loads(run.stdout.splitlines()[-1])


def answers(names):
    kinds = list(data())
    lines = [f"| engine, workers | {' | '.join(kinds)} |", "|---" * (len(kinds) + 1) + "|"]
    good, drawn = True, None
    for n, found in in_processes(names):
        for name, columns in found.items():
            cells = []
            for own, ours, right in columns.values():
                cells.append(f"{len(set(map(repr, own)))} / {len(set(map(repr, ours)))}{'' if right else ' wrong'}")
                good = good and right
            lines.append(f"| {name}, {n} | {' | '.join(cells)} |")
        drawn = drawn or found.get("dask", {}).get("float64")
    head = (f"## Data frames: sums of {N} numbers in {CHUNKINGS} chunkings\n\nDifferent answers of the engine's own sum / of ours, which "
            "all are the exact sum, rounded once.\n")
    return good, "\n".join([head, *lines]), drawn


def timed(name, groups):
    """Calls, own and ours, for the sum of 10^7 doubles, or of so many groups; None: not offered, or too slow."""
    rng, n = np.random.default_rng(1), 10 ** 7 if name != "spark" and name != "datafusion" else 10 ** 6
    x, k = rng.standard_normal(n), rng.integers(0, groups or 1, n)
    if name == "pyarrow":
        import pyarrow as pa
        import pyarrow.compute as pc
        import exblas.arrow as ea
        t = pa.table({"k": k, "x": x})
        return ((lambda: t.group_by("k").aggregate([("x", "sum")]), lambda: ea.groupby_sum(t, "k", "x")) if groups else
                (lambda: pc.sum(t["x"]), lambda: ea.sum(t, "x")))
    if name == "pandas":
        import pandas as pd
        import exblas
        f = pd.DataFrame({"k": k, "x": x})
        return ((lambda: f.groupby("k")["x"].sum(), lambda: exblas.groupby_sum(f.groupby("k")["x"])) if groups else
                (lambda: f["x"].sum(), lambda: exblas.sum(f["x"])))
    if name == "dask" and groups:
        import dask.dataframe as dd
        import pandas as pd
        import exblas.dask as ed
        d = dd.from_pandas(pd.DataFrame({"k": k, "x": x}), npartitions=8, sort=False)
        return lambda: d.groupby("k")["x"].sum().compute(), lambda: ed.groupby_sum(d, "k", "x").compute()
    if name == "polars":
        import polars as pl
        import exblas.polars  # noqa: F401
        f, c = pl.DataFrame({"k": k, "x": x}), pl.col("x")
        return ((lambda: f.group_by("k").agg(c.sum()), lambda: f.group_by("k").agg(c.exblas.sum())) if groups else
                (lambda: f.select(c.sum()), lambda: f.select(c.exblas.sum())))
    if name == "dask":
        import dask.array as da
        import exblas.dask as ed
        d = da.from_array(x, chunks=10 ** 6)
        return lambda: d.sum().compute(), lambda: ed.sum(d).compute()
    if name == "datafusion" and groups in (0, 1000):
        import datafusion as df
        import pyarrow as pa
        from exblas.datafusion import register
        ctx = df.SessionContext(df.SessionConfig().with_target_partitions(2))
        register(ctx)
        ctx.register_record_batches("t", [pa.table({"k": k, "x": x}).to_batches(8192)])
        by = "group by k" if groups else ""
        return [lambda f=f: ctx.sql(f"select {f}(x) from t {by}").collect() for f in ("sum", "exact_sum")]
    if name == "spark" and groups == 1000:
        import pyarrow as pa
        from exblas import spark as es
        from pyspark.sql import functions
        frame = spark_session().createDataFrame(pa.table({"k": k, "x": x})).repartition(4).cache()
        frame.count()
        return (lambda: frame.groupBy("k").agg(functions.sum("x")).collect(), lambda: es.groupby(frame, ["k"], "x").collect())
    return None


def times(names):
    lines = ["| engine | column | 10^3 groups | 10^6 groups |", "|---|---|---|---|"]
    for name in names:
        cells = []
        for groups in (0, 1000, 10 ** 6):
            calls, best = timed(name, groups), [math.inf, math.inf]
            for _ in range(4 if calls else 0):
                for i, call in enumerate(calls):
                    begin = time.perf_counter()
                    call()
                    best[i] = min(best[i], 1e3 * (time.perf_counter() - begin))
            cells.append(f"{best[0]:.3g} → {best[1]:.3g}: {best[1] / best[0]:.2f}" if calls else "–")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    head = ("## Data frames: times of sums\n\nMilliseconds of the engine's own → ours: quotient. 10^7 doubles, of DataFusion "
            "and Spark 10^6; two workers.\n")
    return True, "\n".join([head, *lines]), None


def memory(names):
    import resource
    block, n = np.random.default_rng(3).standard_normal(1 << 20), 1193
    lines = ["| engine | bytes | peak, MiB |", "|---|---|---|"]
    if "pyarrow" in names:
        import pyarrow as pa
        import exblas.arrow
        batches = (pa.record_batch({"x": block.copy()}) for _ in range(n))
        got = exblas.arrow.sum(pa.RecordBatchReader.from_batches(pa.schema({"x": pa.float64()}), batches), "x")
    else:
        import dask.array as da
        import exblas.dask
        x = da.map_blocks(lambda i: block.copy(), da.arange(n, chunks=1), dtype=float, chunks=((1 << 20,) * n,))
        got = exblas.dask.sum(x).compute()
    from exblas import Accumulator
    good = got == float(n * Accumulator(block))
    lines.append(f"| {names[0]} | {n * block.nbytes:.3g} | {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} |")
    return good, "\n".join(["## Memory of a sum over a stream\n", *lines]), None


def plot(drawn, path):
    """The answers of 20 chunkings, in units of the last place from the exact one."""
    own, ours, _ = drawn
    unit = math.ulp(ours[0])
    steps = [round((y - ours[0]) / unit) for y in own]
    low, high = min(steps + [0]), max(steps + [0])

    def at(i, step, color):
        return f'<circle cx="{70 + 24 * i}" cy="{40 + 180 * (high - step) / max(high - low, 1):.0f}" r="5" fill="{color}"/>'
    dots = [at(i, s, "#c33") for i, s in enumerate(steps)] + [at(i, 0, "#27a") for i in range(len(ours))]
    text = [(70, 22, "One array, 20 chunkings: distance from the exact sum, in units of the last place"),
            (10, 45, f"{high:+}"), (10, 225, f"{low:+}"), (70, 250, "red: x.sum().compute() of dask; blue: exblas.dask.sum(x).compute()")]
    words = [f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="13">{t}</text>' for x, y, t in text]
    with open(path, "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="600" height="265"><rect width="600" height="265" fill="#fff"/>\n'
                   + "\n".join(dots + words) + "\n</svg>\n")


def main():
    global WORKERS
    parser = argparse.ArgumentParser(usage=__doc__.split("\n", 1)[0][7:])
    parser.add_argument("what", nargs="?", default="answers", choices=("answers", "times", "memory"))
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--append")
    parser.add_argument("--plot")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    WORKERS = int(os.environ.get("CHUNKS_WORKERS", "2"))
    names = [name for name in options.engines.split(",") if importlib.util.find_spec({"spark": "pyspark"}.get(name, name))]
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("POLARS_MAX_THREADS", "2")
    if "pyarrow" in names:
        import pyarrow as pa
        pa.set_cpu_count(WORKERS)
    if "dask" in names or "xarray" in names:
        import dask
        dask.config.set(scheduler="threads", num_workers=WORKERS)
    if options.json:
        print(json.dumps(answers_here(names)))
        return 0
    good, table, drawn = {"answers": answers, "times": times, "memory": memory}[options.what](names)
    print(table)
    if options.append:
        with open(options.append, "a", encoding="utf-8") as file:
            file.write("\n" + table + "\n")
    if options.plot and drawn:
        plot(drawn, options.plot)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
