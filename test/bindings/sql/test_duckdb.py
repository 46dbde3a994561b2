#!/usr/bin/env python3
"""test_duckdb.py EXTENSION BUILD: the exact aggregates in DuckDB, by its Python package, also that in
BUILD/duckdb. Reports in TAP."""
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import sql_testing as t

try:
    import duckdb
except ImportError:
    t.run_by(f"{sys.argv[2]}/duckdb/bin/python")
    t.skip("Python has no duckdb (tools/check installs it)")


def connect(threads, **config):
    c = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": threads, **config})
    c.execute(f"load '{sys.argv[1]}'")
    return c


def wide_groups(limit):
    """In a process of its own: what 2e5 groups of ten doubles, 2^-900 to 2^720, give under a memory_limit, three times,
    how many MiB that takes beside sum, and what a tenth of the groups gives after it."""
    with tempfile.TemporaryDirectory() as folder:
        c = connect(2, memory_limit=limit, temp_directory=folder)
        c.execute("create table t as select i % 200000 g, 2.0 ** (180 * (i // 200000) - 900)::double x "
                  "from range(2000000) r(i)")
        sums = "select count(s), count(distinct s) from (select {}(x) s from t where g < {} group by g)"
        c.execute(sums.format("sum", 200000)).fetchall()
        before, said = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, []
        for _ in range(3):
            try:
                said.append(c.execute(sums.format("exact_sum", 200000)).fetchall())
            except duckdb.Error as e:
                said.append(str(e))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        return said, grown >> 10, c.execute(sums.format("exact_sum", 10000)).fetchall()


if sys.argv[3:]:
    print(repr(wide_groups(sys.argv[3])))
    sys.exit()


db = connect(2)
db.execute("create table data (g integer, x double, y double)")
db.executemany("insert into data values (?, ?, ?)", t.rows_of_groups())


def run(sql):
    return db.execute(sql).fetchall()


def one(values, what="exact_sum(x)"):
    numbers = ", ".join(f"('{v!r}'::double)" for v in values)
    return run(f"select {what} from (values {numbers}) v(x)")[0][0]


def write_series(series):
    db.execute("create or replace table series (i integer, x double)")
    db.executemany("insert into series values (?, ?)", list(enumerate(series)))


# DuckDB's own corr and regr_slope give NaN where others have NULL.
t.check_groups(run, lambda name, s: math.nan if s.n and name.split("(")[0] in ("exact_corr", "exact_regr_slope")
               else None)
t.check_sums(run, write_series, one)
t.check_specials(run, write_series, one)
t.check("a sum that overflows", one([1e308, 1e308]), math.inf)
t.check("floats", run("select exact_sum(x), typeof(exact_sum(x)) from (select 0.1::float x from range(10))"),
        [(float(t.Fraction(13421773, 2 ** 27) * 10), "DOUBLE")])
t.check("floats with NULLs", run("select exact_dot(x, y), exact_regr_slope(y, x) from "
                                 "(values (0.5::float, 3::float), (null, 1), (2, null), (1.5, 4)) v(x, y)"),
        [(7.5, 1.0)])
db.execute("create table integers (i integer, x bigint, y bigint)")
db.executemany("insert into integers values (?, ?, ?)", [(i, *row) for i, row in enumerate(t.integers())])
t.check_integers(lambda sql: run(sql.replace("x / 4", "x // 4")))
for kind in ("tinyint", "integer", "ubigint", "hugeint"):
    t.check(f"{kind}: sums are integers, the others doubles",
            run(f"select exact_sum(x), typeof(exact_sum(x)), typeof(exact_dot(x, x)), exact_avg(x), exact_regr_avgx(1.5::float, x)"
                f" from (values (1::{kind}), (2), (null)) v(x)"), [(3, "HUGEINT", "HUGEINT", 1.5, 1.5)])
t.check("chunks that are full, of integers and with NULLs", run(
    "select exact_sum(i), exact_sum(case when i % 3 > 0 then i::double end) from range(10000) r(i)"), [(49995000, 33326667.0)])
t.check("ubigint beyond bigint", run("select exact_sum(x) from (values (18446744073709551615::ubigint), (1)) v(x)"),
        [(2 ** 64,)])
most = 2 ** 127 - 1
for values, wanted in (((most, -5), most - 5), ((most, most, -most, -3), most - 3), ((-most, -1), -most - 1)):
    t.check(f"hugeint: {values}", run(f"select exact_sum(x) from (values {', '.join(f'({v}::hugeint)' for v in values)}) v(x)"),
            [(wanted,)])
t.check("an integer by a double", run("select exact_dot(x, y), typeof(exact_dot(x, y)), exact_dot(x, 'inf'::double) from "
                                      "(values (9007199254740993, 0.5::double), (9007199254740995, -0.5)) v(x, y)"),
        [(-1.0, "DOUBLE", math.inf)])


def error(sql):
    try:
        return str(run(sql))
    except duckdb.Error as e:
        return str(e)


for sum_of in ((most, 1), (-most, -2)):
    said = error(f"select exact_sum(x) from (values ({sum_of[0]}::hugeint), ({sum_of[1]})) v(x)")
    t.check(f"out of range: {sum_of}", "out of range of HUGEINT" in said, True)
for kind, advice in (("boolean", "BOOLEAN: cast it to INTEGER"), ("decimal(9, 2)", "DECIMAL: cast it to DOUBLE"),
                     ("uhugeint", "UHUGEINT: cast it to HUGEINT"), ("bignum", "BIGNUM: cast it to HUGEINT")):
    for call in ("exact_sum(x)", "exact_var_samp(x)", "exact_dot(x, 1.5::double)", "exact_corr(1, x)"):
        said = error(f"select {call} from (select 1::{kind} x) where x is null")
        t.check(f"{call} of {kind}", f"{call.split('(')[0]} does not take {advice}" in said, True)
t.check("distinct, filter, order", run("select exact_sum(distinct x), exact_sum(x) filter (x > 1), exact_sum(x order by x)"
                                       " from (values (1.0::double), (1.0), (2.0)) v(x)"), [(3.0, 2.0, 4.0)])

# Chunks of few rows, of one group but for one row, at every place.
for n in range(2, 10):
    for odd in range(n):
        rows = ", ".join(f"({int(i == odd)}, {2.0 ** i}::double)" for i in range(n))
        got = run(f"select g, exact_sum(x), exact_var_pop(x) from (values {rows}) v(g, x) group by g order by g")
        others = [(2.0 ** i, 0.0) for i in range(n) if i != odd]
        wanted = [(0, sum(x for x, _ in others), t.AGGREGATES["exact_var_pop(x)"](t.Sums(others))), (1, 2.0 ** odd, 0.0)]
        if got != wanted or odd == n - 1:
            t.check(f"two groups in a chunk of {n} rows", got, wanted)

# Suppliers with equal revenues, from the same amounts in other orders: one table for ever.
db.execute("create table lines as select (i * 7919 % 1000)::integer s, "
           "((hash(i // 1000) % 1000003) / 100.0 * (1 - (hash(i // 1000 + 7) % 11) / 100.0))::double x "
           "from range(1000000) r(i) order by hash(i * 31)")
db.execute("create view revenue as select s, exact_sum(x) total from lines group by s")


def revenue(i):
    db.execute(f"set threads = {1 + i % 4}")
    return tuple(run(t.REVENUES)), tuple(run(t.Q15))


t.check_revenue(revenue, run("select s, x from lines"))

# 10^6 groups, of which every tenth needs a long accumulator.
t.check("10^6 groups", run("""
    select count(*), sum((s = case when g % 10 = 0 then 1e-300 else 1.5 end)::integer) from (
        select i % 1000000 g, exact_sum(case when g % 10 then 0.5 when i < 1000000 then 1e300
                                        when i < 2000000 then 1e-300 else -1e300 end) s
        from range(3000000) r(i) group by g)"""), [(1000000, 1000000)])
for limit, is_enough in (("150MB", False), ("3GB", True)):
    ran = subprocess.run([sys.executable, *sys.argv[:3], limit], text=True, check=True, stdout=subprocess.PIPE)
    said, grown, after = eval(ran.stdout)
    t.check(f"wide groups, a memory_limit of {limit}",
            ["long sums of groups may take 35 MiB, a quarter of the memory_limit" in s if isinstance(s, str) else s
             for s in said], [[(200000, 1)] if is_enough else True] * 3)
    t.check("which they keep to, all but what DuckDB counts", grown < (4096 if is_enough else 100) or grown, True)
    t.check("and all is given back", after, [(10000, 1)])
# What a database has of the extension goes with it.
for _ in range(40):
    connect(1).close()
before = pathlib.Path("/proc/self/statm").read_text().split()[1]
for _ in range(200):  # the heap by itself comes and goes by 3.5 MB
    connect(1).close()
grown = (int(pathlib.Path("/proc/self/statm").read_text().split()[1]) - int(before)) * os.sysconf("SC_PAGE_SIZE")
t.check("databases that are closed leave nothing", grown < 200 * 40000 or grown, True)
t.check("wrong number of arguments", "No function matches" in error("select exact_dot(x) from data"), True)
t.finish()
