#!/usr/bin/env python3
"""test_duckdb.py EXTENSION BUILD: the exact aggregates in DuckDB, by its Python package, also that in
BUILD/duckdb. Reports in TAP."""
import math
import sys

import sql_testing as t

try:
    import duckdb
except ImportError:
    t.run_by(f"{sys.argv[2]}/duckdb/bin/python")
    t.skip("Python has no duckdb (tools/check installs it)")


def connect(threads):
    c = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": threads})
    c.execute(f"load '{sys.argv[1]}'")
    return c


db = connect(2)
db.execute("create table data (g integer, x double, y double)")
db.executemany("insert into data values (?, ?, ?)", t.rows_of_groups())


def run(sql):
    return db.execute(sql).fetchall()


def one(values, what="exact_sum(x)"):
    return run(f"select {what} from (values {', '.join(f'({v}::double)' for v in values)}) v(x)")[0][0]


def write_series(series):
    db.execute("create or replace table series (i integer, x double)")
    db.executemany("insert into series values (?, ?)", list(enumerate(series)))


# DuckDB's own corr and regr_slope give NaN where others have NULL.
t.check_groups(run, lambda name, s: math.nan if s.n and name.split("(")[0] in ("exact_corr", "exact_regr_slope")
               else None)
write_series(t.SERIES)
t.check_windows(run, t.SERIES)
with_special = [1.0, math.inf, 2.0, 3.0, -math.inf, 4.0, math.nan, 5.0, 6.0, None, 0.5]
write_series(with_special)
t.check_windows(run, with_special)

t.check("a sum that overflows only in between", one(["1e308", "1e308", "-1e308"]), 1e308)
t.check("a sum that overflows", one(["1e308", "1e308"]), math.inf)
t.check("a mean whose sum overflows", one(["1e308", "1e308"], "exact_avg(x)"), 1e308)
specials = (["1", "'inf'"], ["'inf'", "'-inf'"], ["'nan'", "1"], ["'-inf'", "1e308"])
for what in ("sum(x)", "avg(x)", "var_pop(x)", "stddev_samp(x)", "covar_samp(x, x)"):
    t.check(f"Inf and NaN in {what}, as DuckDB's own", [one(v, "exact_" + what) for v in specials],
            [one(v, what) for v in specials])
t.check("zeros", one(["-0.0", "-0.0"]), 0.0)
t.check("floats", run("select exact_sum(x), typeof(exact_sum(x)) from (select 0.1::float x from range(10))"),
        [(float(t.Fraction(13421773, 2 ** 27) * 10), "DOUBLE")])
t.check("floats with NULLs", run("select exact_dot(x, y), exact_regr_slope(y, x) from "
                                 "(values (0.5::float, 3::float), (null, 1), (2, null), (1.5, 4)) v(x, y)"),
        [(7.5, 1.0)])
t.check("integers and decimals are doubles",
        run("select exact_sum(i), exact_sum(i::decimal(18, 3)) from range(1000000, 1000010) r(i)"),
        [(10000045.0, 10000045.0)])
t.check("distinct, filter, order", run("select exact_sum(distinct x), exact_sum(x) filter (x > 1), exact_sum(x order by x)"
                                       " from (values (1.0::double), (1.0), (2.0)) v(x)"), [(3.0, 2.0, 4.0)])

# Suppliers with equal revenues, from the same amounts in other orders: one table for ever.
db.execute("create table lines as select (i * 7919 % 1000)::integer s, "
           "((hash(i // 1000) % 1000003) / 100.0 * (1 - (hash(i // 1000 + 7) % 11) / 100.0))::double x "
           "from range(1000000) r(i) order by hash(i * 31)")
for name in ("sum", "exact_sum"):
    db.execute(f"create view revenue_{name} as select s, {name}(x) total from lines group by s")
tables, winners = set(), set()
for i in range(t.N_RUNS):
    db.execute(f"set threads = {1 + i % 4}")
    tables.add(tuple(run("select * from revenue_exact_sum order by s")))
    winners.add(tuple(run(t.Q15.format("exact_sum"))))
t.check(f"{t.N_RUNS} runs on 1 to 4 threads give one table", len(tables), 1)
t.check("and one answer to Q15, never empty", (len(winners), all(winners)), (1, True))
(table,) = tables
amounts = {}
for s, x in run("select s, x from lines"):
    amounts.setdefault(s, []).append(x)
t.check("which is right", table, tuple((s, math.fsum(amounts[s])) for s in sorted(amounts)))

# 10^6 groups, of which every tenth needs a long accumulator.
t.check("10^6 groups", run("""
    select count(*), sum((s = case when g % 10 = 0 then 1e-300 else 1.5 end)::integer) from (
        select i % 1000000 g, exact_sum(case when g % 10 then 0.5 when i < 1000000 then 1e300
                                        when i < 2000000 then 1e-300 else -1e300 end) s
        from range(3000000) r(i) group by g)"""), [(1000000, 1000000)])
try:
    run("select exact_dot(x) from data")
    error = ""
except duckdb.Error as e:
    error = str(e)
t.check("wrong number of arguments", "No function matches" in error, True)
t.finish()
