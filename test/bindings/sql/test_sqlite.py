#!/usr/bin/env python3
"""test_sqlite.py EXTENSION: the exact aggregates in SQLite, by Python's sqlite3. Reports in TAP."""
import math
import sys

import sql_testing as t

try:
    import sqlite3
except ImportError:
    sqlite3 = None
if not hasattr(getattr(sqlite3, "Connection", None), "enable_load_extension"):
    t.run_by("/usr/bin/python3")
    t.skip("this Python's sqlite3 loads no extensions")


def connect():
    c = sqlite3.connect(":memory:")
    c.enable_load_extension(True)
    c.load_extension(sys.argv[1])
    return c


db = connect()
db.execute("create table data (g integer, x real, y real)")
db.executemany("insert into data values (?, ?, ?)", t.rows_of_groups())
db.execute("create table series (i integer primary key, x real)")


def run(sql):
    return db.execute(sql).fetchall()


def write_series(series):
    db.execute("delete from series")
    db.executemany("insert into series(x) values (?)", [(x,) for x in series])


def one(values, what="exact_sum(x)"):
    return db.execute(f"with v(x) as (values {', '.join('(?)' for _ in values)}) select {what} from v",
                      values).fetchone()[0]


t.check_groups(run)
t.check_sums(run, write_series, one)
t.check("a sum that overflows", one([1e308, 1e308]), math.inf)
t.check("Inf", one([1.0, math.inf, 2.0]), math.inf)
t.check("Inf - Inf is NULL, as with SQLite's sum", one([math.inf, -math.inf]), None)
t.check("a variance with Inf is NULL", one([math.inf, 1.0], "exact_var_pop(x)"), None)
t.check("integers and text are numbers", one([3, "0.25", "x"]), 3.25)
db.execute("create table integers (i integer primary key, x integer, y integer)")
db.executemany("insert into integers(x, y) values (?, ?)", t.integers())
t.check_integers(run)
t.check("text that is an integer", one(["9007199254740993", 1, -9007199254740992]), 2)
t.check("one REAL makes a sum REAL, as with SQLite's own", one([9007199254740993, 0.5, -9007199254740992]), 1.5)
t.check("until it leaves the frame", run("""select exact_sum(column1) over (order by i rows 1 preceding) from
    (select 1 i, column1 from (values (9007199254740993)) union all values (2, 0.5), (3, 1), (4, 2)) order by i"""),
        [(9007199254740993,), (9007199254740993.5,), (1.5,), (3,)])
t.check("a sum that only overflows in between", one([2 ** 63 - 1, 2 ** 63 - 1, -2 ** 63]), 2 ** 63 - 2)


def error(values, what):
    try:
        return one(values, what)
    except sqlite3.OperationalError as e:
        return str(e).split(":")[0]


for values, what in (([2 ** 63 - 1, 1], "exact_sum(x)"), ([-2 ** 63, -1], "exact_sum(x)"), ([2 ** 32], "exact_dot(x, x)")):
    t.check(f"beyond 64 bits: {what} of {values}", error(values, what), "integer overflow in an exact sum")
t.check("as REAL it is rounded", one([2 ** 63 - 1, 1], "exact_sum(cast(x as real))"), 2.0 ** 63)
write_series([1.0, math.inf, 2.0, 3.0, -math.inf, 4.0, 5.0, 6.0])
got = [row[0] for row in run("select exact_sum(x) over (order by i rows 1 preceding) from series")]
t.check("Inf leaves the frame", got, [1.0, math.inf, math.inf, 5.0, -math.inf, -math.inf, 9.0, 11.0])
leaving = [1e300, -1e300, 1e100, 1.0, 1e-100, 0.0]
write_series(leaving)
got = [row[0] for row in run("select exact_sum(x) over (order by i rows 4 preceding) from series")]
t.check("a state outgrows three doubles when a row leaves it", got, [math.fsum(leaving[max(i - 4, 0):i + 1])
                                                                     for i in range(len(leaving))])

# 10^6 groups, of which every tenth needs a long accumulator; all memory comes back.
many = """with recursive n(i) as (select 0 union all select i + 1 from n where i < 1999999)
  select count(*), exact_sum(s), sum(s = 1.0) from (
    select exact_sum(case when i < 1000000 then case when i % 10 then 1.0 else 1e300 end
                     else case when i % 10 then 1e-9 else -1e300 end end)
         + exact_sum(case when i % 10 = 0 and i < 1000000 then 1e-300 else 0.0 end) - 1e-9 s
    from n group by i % 1000000)"""
count, total, _ = run(many)[0]
t.check("10^6 groups", (count, abs(total - 900000.0) < 1e-3), (1000000, True))
# The long accumulators of 33334 groups, 23 MB: they count for SQLite's own limit, and each is freed with its group,
# whether it gives a number or NULL.
WIDE = """with recursive n(i) as (select 0 union all select i + 1 from n where i < 133335)
  select count(*), count(s) from (select {} s from n group by i / 4)"""
X = "case i % 4 when 0 then 1e300 when 1 then 1e-300 when 2 then 1e100 else 1e-100 end"


def within_limit(what):
    run(f"pragma hard_heap_limit = {12 << 20}")
    try:
        return run(WIDE.format(what))[0]
    except (MemoryError, sqlite3.Error) as e:
        return str(e).split(":")[0]
    finally:
        run("pragma hard_heap_limit = 0")


t.check("long accumulators of groups are freed", within_limit(f"exact_sum({X})"), (33334, 33334))
t.check("of several sums, of which some are NULL",
        within_limit(f"exact_corr({X}, 1 / ({X})) + exact_var_samp(case when i < 120000 then {X} else 9e999 end)"),
        (33334, 30000))
# A statement that ends early, and one that fails.
for _ in range(200):
    c = db.execute("select exact_sum(x) over (order by i rows 1 preceding) from series")
    c.fetchone()
    c.close()
t.check("statements that end early", one([1e16, 1.0, -1e16]), 1.0)
try:
    db.execute("select exact_dot(x) from series")
    error = None
except sqlite3.OperationalError as e:
    error = str(e)
t.check("wrong number of arguments", error, "wrong number of arguments to function exact_dot()")
t.finish()
