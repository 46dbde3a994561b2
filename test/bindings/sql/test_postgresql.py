#!/usr/bin/env python3
"""test_postgresql.py BUILD [VERSION]: the exact aggregates and exact_accumulator in PostgreSQL, on a server that
is started here, in a temporary folder: the newest that is installed, or that of a wheel in BUILD/postgresql, on
which what takes long is left out. Reports in TAP."""
import math
import os
import pathlib
import signal
import sys
import time

import sql_testing as t

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools/lib"))
import postgres_server  # noqa: E402

BUILD, VERSION = sys.argv[1], (sys.argv[2:] or [None])[0]
if postgres_server.missing(BUILD, VERSION):
    t.skip(postgres_server.missing(BUILD, VERSION))

NUMBERS = {"NULL": None, "NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def number(text):
    return NUMBERS[text] if text in NUMBERS else float(text)


def run(sql):
    rows = server.query(sql)
    return [[int(r[0]), *map(number, r[1:])] if sql.startswith("select g") else list(map(number, r)) for r in rows]


def literal(x):
    return "NULL" if x is None else f"'{x!r}'"


def write(table, columns, rows):
    values = ", ".join("(" + ", ".join(map(literal, row)) + ")" for row in rows)
    server.query(f"drop table if exists {table}; create table {table} ({columns}); insert into {table} values {values}")


def one(values, what="exact_sum(x)"):
    return run(f"select {what} from (values {', '.join(f'({literal(v)}::float8)' for v in values)}) v(x)")[0][0]


def error(sql):
    text = server.query(sql, ok=False)
    return text.split("ERROR:  ")[1].splitlines()[0] if "ERROR" in text else text


def parallel(workers):
    return (f"set max_parallel_workers_per_gather = {workers}; set parallel_setup_cost = 0; "
            "set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0; ")


def values():
    t.check_groups(run)
    def write_series(series):
        write("series", "i float8, x float8", enumerate(series))
    t.check_sums(run, write_series, one)
    t.check_specials(run, write_series, one)
    t.check("a sum that overflows is an error, as the server's own",
            error("select exact_sum(x) from (values (1e308::float8), (1e308)) v(x)"), "value out of range: overflow")
    t.check("real, integer and smallint are doubles in statistics",
            run("select exact_var_pop(x::real), exact_var_pop(x::int), exact_corr(x::int2, x::real) from (values (1), (3)) v(x)"),
            [[1.0, 1.0, 1.0]])


def integers():
    rows = ", ".join(f"({i}, {x}, {y})" for i, (x, y) in enumerate(t.integers()))
    server.query(f"create table integers (i int, x int8, y int8); insert into integers values {rows}")

    def typed(sql):
        """Sums of integers are integers, all else is a double."""
        n = 1 if " over " in sql else 2
        return [[*map(int, row[:n]), *map(float, row[n:])] for row in server.query(sql)]
    t.check_integers(typed, without=["exact_avg(x)"])
    for kind in ("int2", "int4", "int8", "numeric"):
        for frame in ("", "over (order by x rows 1 preceding)"):
            sql = (f"select sum(x) {frame}, pg_typeof(sum(x) {frame}), avg(x) {frame} "
                   f"from (values (1::{kind}), (null), (3), (-5)) v(x)")
            exact = sql.replace("sum(", "exact_sum(").replace("avg(", "exact_avg(")
            t.check(f"exact_sum and exact_avg of {kind} {frame}", server.query(exact), server.query(sql))
    server.query("create table prices as select (i % 7)::numeric / 100 price, i::int8 n, (i * 0.5)::float8 f "
                 "from generate_series(1, 20000) i; analyze prices")
    for workers in (0, 4):
        t.check(f"numeric and bigint with {workers} workers", server.query(
            parallel(workers) + "select exact_sum(price) = sum(price), exact_avg(price) = avg(price), "
            "exact_sum(n) = sum(n), exact_dot(price, n) = sum(price * n), exact_dot(n, n) = sum(n::numeric * n), "
            "exact_dot(n, f) = sum(n * f), exact_value(exact_accumulate(n)) = sum(n) from prices"), [["t"] * 7])
    t.check("more digits than a double has", server.query(
        "select exact_sum(x), exact_dot(x, x) from (values (0.1::numeric), (12345678901234567890.5)) v(x)"),
        [["12345678901234567890.6", str((123456789012345678905 ** 2 + 1) // 100) + ".26"]])
    t.check("integer types in either order", server.query(
        "select exact_dot(a, b), exact_dot(b, a), exact_dot(c, b), pg_typeof(exact_dot(a, b)) "
        "from (values (3::int2, 9007199254740993::int8, 5::int4)) v(a, b, c)"),
        [[str(3 * (2 ** 53 + 1)), str(3 * (2 ** 53 + 1)), str(5 * (2 ** 53 + 1)), "numeric"]])
    for call in ("exact_var_samp(x)", "exact_accumulate(x)", "exact_corr(x, 1)", "exact_corr(1::float8, x)",
                 "exact_dot(x, 1::float8)", "exact_regr_slope(x, 2::int8)"):
        t.check(f"{call} of numeric", error(f"select {call} from (select 0.1::numeric x) v"),
                "this exact aggregate does not take numeric")


def parallel_runs():
    server.query("create table lines as select (i * 7919 % 200)::int s, "
                 "((hashint4(i / 200) & 1048575) / 100.0 * (1 - (hashint4(i / 200 + 7) & 15) / 100.0))::float8 x "
                 "from generate_series(0, 39999) r(i) order by hashint4(i * 31); analyze lines; "
                 "create view revenue as select s, exact_sum(x) total from lines group by s")
    plan = "\n".join(row[0] for row in server.query(parallel(4) + "explain select * from revenue"))
    t.check("the plan is parallel", "Partial" in plan and "Workers Planned: 4" in plan, True)

    def revenue(i):
        return tuple(tuple((int(s), float(x)) for s, x in server.query(parallel(i % 5) + sql)) for sql in (t.REVENUES, t.Q15))
    t.check_revenue(revenue, [(int(s), float(x)) for s, x in server.query("select s, x from lines")])
    for what in ("exact_var_samp(x)", "exact_dot(x, s)", "exact_corr(s, x)"):
        both = [server.query(parallel(w) + f"select {what} from lines") for w in (0, 4)]
        t.check(f"{what} with 0 and 4 workers", both[0], both[1])


def kill_worker(how):
    """Of a query that takes seconds: one of its workers is killed. True, or what the query says then."""
    query = server.start_query(parallel(4) + "select exact_sum(a.x * b.x) from lines a, lines b where b.s < 20")
    for _ in range(200):
        pids = server.query("select pid from pg_stat_activity where backend_type = 'parallel worker' and state = 'active'")
        if pids:
            break
        time.sleep(0.05)
    how(int(pids[0][0]))
    said = query.communicate(timeout=60)[1]
    return query.returncode != 0 and ("terminating" in said or "lost connection" in said or "terminated" in said) or said


def alive_again():
    for _ in range(200):
        try:
            return server.query("select exact_sum(x) from (values (1e16), (1), (-1e16)) v(x)")
        except RuntimeError:
            time.sleep(0.1)
    return None


def killed_workers():
    before = server.query("select exact_sum(x) from lines")
    stopped = kill_worker(lambda pid: server.query(f"select pg_terminate_backend({pid})"))
    t.check("a worker that is terminated ends the query with an error", stopped, True)
    t.check("and the next sum is right", server.query(parallel(4) + "select exact_sum(x) from lines"), before)
    t.check("so does one that is killed", kill_worker(lambda pid: os.kill(pid, signal.SIGKILL)), True)
    t.check("after which the server recovers", alive_again(), [["1"]])
    t.check("with the table as it was", server.query(parallel(4) + "select exact_sum(x) from lines"), before)


def stored_accumulators():
    server.query("create table daily as select s % 10 as day, exact_accumulate(x) as total from lines group by 1")
    whole = server.query("select exact_sum(x), exact_avg(x), count(x) from lines")
    t.check("daily sums add up", server.query("select exact_sum(total), exact_avg(total), "
                                              "exact_count(exact_merge(total)) from daily"), whole)
    t.check("to the same bytes as all at once", server.query(
        "select (select exact_merge(total) from daily) = (select exact_accumulate(x) from lines)"), [["t"]])
    t.check("a day taken away", server.query(
        "select (select exact_merge(total) from daily) - (select total from daily where day = 3) = "
        "(select exact_merge(total) from daily where day <> 3)"), [["t"]])
    t.check("and added again", server.query(
        "select a.total + b.total = b.total + a.total, a.total <> a.total + b.total "
        "from daily a, daily b where a.day = 1 and b.day = 2"), [["t", "t"]])
    t.check("windows of days", server.query(
        "select count(*) from (select exact_sum(total) over w a, exact_sum(exact_value(total)) over w b, "
        "exact_value(exact_merge(total) over w) c from daily window w as (order by day rows 2 preceding)) v "
        "where a = c"), [["10"]])
    t.check("parallel merges", server.query(parallel(4) + "select exact_sum(total) from daily"), [whole[0][:1]])
    t.check("no rows", server.query("select exact_value(exact_accumulate(x)), exact_count(exact_accumulate(x)) "
                                    "from lines where s < 0"), [["0", "0"]])
    server.query("create table wide as select exact_accumulate(x) total from (values ('1e300'::float8), ('1'), "
                 "('1e-300'), ('Infinity'), ('NaN')) v(x)")
    t.check("Inf and NaN are kept", server.query("select exact_value(total), exact_count(total) from wide"), [["NaN", "5"]])
    server.query(f"copy daily to '{server.root}/copy' (format binary); create table copied (like daily); "
                 f"copy copied from '{server.root}/copy' (format binary)")
    t.check("binary copies", server.query("select exact_sum(total) from copied"), [whole[0][:1]])


# Rows of accumulators in their order, no two of one sum: the doubles nearest to some are the same.
IN_ORDER = ((-math.inf,), (-1e300, -1e-300), (-1e300,), (-1e300, 1e-300), (-5e-324,), (), (5e-324,), (1.0,), (1.0, 5e-324),
            (1.0, 2.0 ** -60), (1.0 + 2.0 ** -52,), (1e308, 1e308), (1e308, 1e308, 1e-300), (math.inf,), (math.nan,))


def ordered_accumulators():
    rows = ", ".join(f"({g}, {i}, {literal(x)}::float8)" for g in range(4)
                     for i, values in enumerate(IN_ORDER) for x in values or [None])
    server.query(f"create table sums as select g, i, exact_accumulate(x) total from (values {rows}) v(g, i, x) "
                 "group by g, i order by hashint4(i * 31 + g)")
    numbers = [[str(i)] for i in range(len(IN_ORDER))]
    n = len(numbers)
    plans = {"": "", "sorted": "set enable_hashagg = off; set enable_hashjoin = off; set enable_nestloop = off; ",
             "hashed": "set enable_sort = off; set enable_mergejoin = off; set enable_nestloop = off; "}
    for plan, settings in plans.items():
        t.check(f"GROUP BY {plan}", server.query(settings + "select count(*) from sums group by total"), [["4"]] * n)
        t.check(f"DISTINCT {plan}", server.query(settings + "select count(*) from (select distinct total from sums) v"),
                [[str(n)]])
        t.check(f"a join {plan}", server.query(
            settings + "select count(*), count(*) filter (where a.i = b.i) from sums a join sums b using (total)"),
            [[str(16 * n)] * 2])
        for word in ("Hash Join", "Merge Join") if plan else ():
            said = server.query(settings + "explain select count(*) from sums a join sums b using (total)")
            t.check(f"the plan of it: {word}", any(word in row[0] for row in said), (word == "Hash Join") == (plan == "hashed"))
    t.check("ORDER BY", server.query("select i from sums where g = 0 order by total"), numbers)
    t.check("ORDER BY, descending", server.query("select i from sums where g = 0 order by total desc"), numbers[::-1])
    server.query("create index on sums (total); create index on sums using hash (total); analyze sums")
    for place in (0, 6, n - 1):
        for relation, wanted in (("<", place), ("<=", place + 1), ("=", 1), (">=", n - place), (">", n - 1 - place), ("<>", n - 1)):
            sql = f"select count(*) / 4 from sums where total {relation} (select total from sums where i = {place} limit 1)"
            for settings in ("set enable_seqscan = off; ", "set enable_indexscan = off; set enable_bitmapscan = off; "):
                t.check(f"{sql}: {settings}", server.query(settings + sql), [[str(wanted)]])
    plan = server.query("set enable_seqscan = off; set enable_sort = off; explain select i from sums order by total")
    t.check("an index gives the order", any("Index Scan" in row[0] for row in plan), True)
    t.check("equal sums of more rows come later, and are not equal", server.query(
        "select a < b, a = b, b > a, exact_accumulator_cmp(a, b), exact_accumulator_cmp(a, a) from (select "
        "exact_accumulate(x) filter (where x > 0) a, exact_accumulate(x) b from (values (1::float8), (0)) v(x)) w"),
        [["t", "f", "t", "-1", "0"]])


def unequal_nans():
    """Of equally many rows, with other numbers beside the NaN: not equal by =, so not in the order either."""
    server.query("create table nans as select g, exact_accumulate(x) total from (values (1, 'NaN'::float8), (1, 1), "
                 "(2, 'NaN'), (2, 2), (3, 'NaN'), (3, 1)) v(g, x) group by g")
    t.check("NaN beside other numbers", server.query(
        "select a.g, b.g, a.total = b.total, exact_accumulator_cmp(a.total, b.total) = 0, "
        "(a.total < b.total) = (b.total > a.total), (a.total < b.total) <> (a.total >= b.total) "
        "from nans a, nans b where a.g < b.g order by 1, 2"),
        [["1", "2", "f", "f", "t", "t"], ["1", "3", "t", "t", "t", "t"], ["2", "3", "f", "f", "t", "t"]])


def updated_extension():
    """From the first version to this one, with a table that was there; the same objects as made anew."""
    members = ("select pg_describe_object(classid, objid, objsubid) d from pg_depend where deptype = 'e' and "
               "refobjid = (select oid from pg_extension where extname = 'exblas') order by 1")
    fresh = server.query(members)
    server.query("create database old")
    server.database = "old"
    server.query("create extension exblas version '0.1'; create table kept as select exact_accumulate(x) total "
                 "from (values (1e16::float8), (1), (-1e16)) v(x)")
    t.check("0.1 has no order", error("select distinct total from kept"),
            "could not identify an equality operator for type exact_accumulator")
    server.query("alter extension exblas update")
    t.check("updated, it has what is new", server.query(
        "select exact_sum(total), exact_sum(9007199254740993) from (select distinct total from kept) v"),
        [["1", "9007199254740993"]])
    t.check("and all else", server.query(members), fresh)
    server.database = "postgres"


def corrupted_accumulators():
    corrupted = "corrupted exact_accumulator"
    text = server.query("select total from daily where day = 1")[0][0]
    t.check("as text they come back", server.query(f"select '{text}'::exact_accumulator::text = '{text}'"), [["t"]])
    wrong = [text[:i] + ("0" if text[i] != "0" else "1") + text[i + 1:] for i in range(len(text))]
    said = server.query("".join(f"do $$ begin perform '{w}'::exact_accumulator; raise notice 'taken'; "
                                "exception when data_corrupted then raise notice 'refused'; end $$;"
                                for w in wrong), ok=False)
    t.check("every digit matters", (said.count("refused"), said.count("taken")), (len(text), 0))
    for bad in ("", "0", "4578", "zz", text[:-2], text + "00", "00" * 700):
        t.check(f"'{bad[:12]}' of {len(bad)} digits", error(f"select '{bad}'::exact_accumulator"), corrupted)
    # Bytes that were changed in the table, past the type's input function.
    server.query("create cast (bytea as exact_accumulator) without function; "
                 "create cast (exact_accumulator as bytea) without function; "
                 "create table damaged as select case when day = 4 then "
                 "set_byte(total::bytea, 26, get_byte(total::bytea, 26) # 1)::exact_accumulator else total end "
                 "as total from daily")
    for sql in ("select exact_sum(total) from damaged", "select exact_value(total) from damaged",
                "select exact_merge(total) from damaged", "select total + total from damaged"):
        t.check(f"stored bytes: {sql}", error(sql), corrupted)
    t.check("the others are still there", server.query(
        "select count(*) from damaged where total = any (select total from daily)"), [["9"]])


def many_groups():
    t.check("10^6 groups", server.query(parallel(0) + """set work_mem = '1GB';
        select count(*), count(*) filter (where s = case when g % 10 = 0 then 1e-300 else 1.5 end) from (
            select g, exact_sum(case when g % 10 <> 0 then 1.5 when r = 0 then 1e300 when r = 1 then 1e-300
                                else -1e300 end) s
            from generate_series(0, 999999) g, generate_series(0, case when g % 10 = 0 then 2 else 0 end) r
            group by g) v"""), [["1000000", "1000000"]])


with postgres_server.Server(BUILD, VERSION) as server:
    write("data", "g int, x float8, y float8", t.rows_of_groups())
    values()
    integers()
    parallel_runs()
    stored_accumulators()
    ordered_accumulators()
    unequal_nans()
    updated_extension()
    corrupted_accumulators()
    if not VERSION:
        killed_workers()
        many_groups()
t.finish()
