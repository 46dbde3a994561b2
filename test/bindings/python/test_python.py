#!/usr/bin/env python3
"""test_python.py: the Python package against fractions.Fraction. Reports in TAP."""
import array
import ctypes
import copy
import importlib.util
import math
import os
import pickle
import random
import subprocess
import sys
import tempfile
import threading
from decimal import Decimal
from fractions import Fraction

import exblas
import exblas._commands
import tap

random.seed(1)


def plain(x):
    """NumPy's scalars and arrays as Python's numbers and lists."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(plain, x))
    return x.tolist() if hasattr(x, "tolist") and hasattr(x, "dtype") else x


def check(title, got, wanted):
    tap.check(title, plain(got), wanted)


def outcome(function, *arguments, **options):
    """What a call returns, or the kind of the error that refuses it in words."""
    try:
        return function(*arguments, **options)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        return type(error) if str(error) else "an error without words"


def numbers(n):
    return [random.uniform(-1, 1) * 2.0 ** random.randint(-60, 60) for _ in range(n)]


def exact(x):
    return sum(map(Fraction, x), Fraction(0))


x, y = numbers(1000), numbers(1000)
a, b = array.array("d", x), array.array("d", y)
check("sum", exblas.sum(a), float(exact(x)))
check("sum of a list", exblas.sum(x), float(exact(x)))
check("sum backwards, every third", exblas.sum(memoryview(a)[::-3]), float(exact(x[::-3])))
check("sum of integers", exblas.sum(array.array("i", [1, 2, 3])), 6)
check("float sum", exblas.sum(array.array("f", [1.0, 2.0 ** -24, 2.0 ** -60])), 1.0 + 2.0 ** -23)
check("fsum of a generator", exblas.fsum(i for i in x), math.fsum(x))
mixed = [1e16, *[0.5] * 30001, 3, Fraction(1, 4), -1e16]
check("long lists", [f(values) for f in (exblas.fsum, exblas.sum, lambda v: float(exblas.Accumulator(iter(v))))
                     for values in (mixed, mixed[:-3])], [15003.75, 1e16 + 15000.5] * 3)
check("fsum that overflows on the way", exblas.fsum([1e308, 1e308, -1e308, -1e308, 2.5]), 2.5)
check("dot", exblas.dot(a, b), float(exact(Fraction(p) * Fraction(q) for p, q in zip(x, y))))
check("dot of one backwards", exblas.dot(memoryview(a)[::-1], b),
      float(exact(Fraction(p) * Fraction(q) for p, q in zip(x[::-1], y))))
check("mean", exblas.mean(a), float(exact(x) / 1000))
check("mean of subnormal numbers", exblas.mean([5e-324, 5e-324, 0.0]), 5e-324)
grid = memoryview(a).cast("B").cast("d", (20, 50))
rows = [x[50 * i:50 * i + 50] for i in range(20)]
check("sum of a matrix", exblas.sum(grid), float(exact(x)))
check("sum along axis 1", exblas.sum(grid, axis=1), [float(exact(r)) for r in rows])
check("mean along axis 0", exblas.mean(grid, axis=0), [float(exact(c) / 20) for c in zip(*rows)])
other = memoryview(b).cast("B").cast("d", (50, 20))
columns = list(zip(*(y[20 * i:20 * i + 20] for i in range(50))))
check("gemm", exblas.gemm(grid, other).tolist(),
      [[float(exact(Fraction(p) * Fraction(q) for p, q in zip(r, c))) for c in columns] for r in rows])
check("gemm with beta", exblas.gemm(memoryview(array.array("d", [1e16])).cast("B").cast("d", (1, 1)),
                                    memoryview(array.array("d", [1.0])).cast("B").cast("d", (1, 1)), 1.0, 1.0,
                                    memoryview(array.array("d", [1.0])).cast("B").cast("d", (1, 1))).tolist(),
      [[1e16]])
left, right = exblas.Accumulator(x[:300]), exblas.Accumulator(a[300:])
check("accumulators merge", float(left + right), float(exact(x)))
check("pickled", [pickle.loads(pickle.dumps(left)) == left, pickle.loads(pickle.dumps(left)).count], [True, 300])
check("the same sum in any order", exblas.Accumulator(x[::-1]).to_bytes() == (right + left).to_bytes(), True)
check("products", float(exblas.Accumulator([-1.0]).add_product(1 + 2.0 ** -52, 1 - 2.0 ** -52)), -2.0 ** -104)
check("bad arguments", [outcome(exblas.dot, a, b[1:]), outcome(exblas.sum, a, 1), outcome(exblas.Accumulator.from_bytes, b"x" * 552),
                        outcome(exblas.sum, None), outcome(exblas.mean, 3.5)], [ValueError] * 3 + [TypeError] * 2)


def reshaped(format, values, shape):
    return memoryview(array.array(format, values)).cast("B").cast(format, shape)


# Integers stay exact where nothing else is needed; what no double equals is refused where one is.
big, tiny = 2 ** 53 + 1, Fraction(1, 3)
check("integers beyond 2^53", [outcome(exblas.sum, array.array("q", [big, -2 ** 53])), outcome(exblas.sum, [big]),
                               outcome(exblas.mean, array.array("Q", [2 ** 64 - 1])),
                               outcome(exblas.dot, [1, big], [1.0, 1.0]),
                               outcome(exblas.dot, array.array("q", [1, big]), array.array("d", [1, 1])),
                               outcome(exblas.gemm, reshaped("q", [big], (1, 1)), reshaped("d", [1], (1, 1)))],
      [1, big, 2.0 ** 64, ValueError, ValueError, ValueError])
check("integers that are doubles", [exblas.sum(array.array("q", [2 ** 53, 1])), exblas.sum([2 ** 62, 1, -2 ** 62]),
                                    exblas.mean(array.array("b", [-1, 2])), exblas.dot([2 ** 60], array.array("B", [3]))],
      [big, 1, 0.5, 3 * 2.0 ** 60])
check("large integers in an accumulator",
      [exblas.Accumulator().add(10 ** 17 + 1).to_fraction(), exblas.Accumulator([-10 ** 17 - 1, 10 ** 17]).to_fraction(),
       exblas.Accumulator(2 ** 1024 - 1).to_fraction() == 2 ** 1024 - 1, exblas.fsum([10 ** 300 + 1, -10 ** 300]),
       exblas.fsum(i for i in (big, -2 ** 53)), outcome(exblas.Accumulator, 2 ** 1024), outcome(exblas.Accumulator, [-2 ** 1024]),
       outcome(exblas.Accumulator().add_product, big, 1.0), outcome(exblas.Accumulator().add_product, 1.0, big)],
      [Fraction(10 ** 17 + 1), Fraction(-1), True, 1.0, 1.0, OverflowError, OverflowError, ValueError, ValueError])
tap.refused(OverflowError, "an integer of 1025 bits is too large", lambda: exblas.Accumulator(2 ** 1024))
check("fractions and decimals", [exblas.sum([Fraction(1, 4), Decimal("0.5")]), float(exblas.Accumulator(Decimal("0.125"))),
                                 outcome(exblas.sum, [tiny]), outcome(exblas.Accumulator, tiny),
                                 outcome(exblas.sum, [Decimal("0.1")]), outcome(exblas.Accumulator, [Decimal("0.1")]),
                                 outcome(exblas.sum, [Decimal("1e400")]), outcome(exblas.sum, [Fraction(10) ** 400])],
      [0.75, 0.125, ValueError, ValueError, ValueError, ValueError, ValueError, OverflowError])
check("special values stay", [exblas.sum([Decimal("inf"), 1]), exblas.sum([Decimal("nan"), 1]), exblas.sum([True, 2.5, False])],
      [math.inf, math.nan, 3.5])
check("no real numbers", [outcome(f, v) for f in (exblas.sum, exblas.fsum, exblas.Accumulator, exblas.mean)
                          for v in ("12", ["1", "2"], [1j], 2j, {1.0: 2.0}, [b"1"], [[1.0], [2.0]], [None], None, "", {},
                                    memoryview(b"ab").cast("c"), array.array("u", "ab"))], [TypeError] * 52)
check("values of a dictionary, a set, a range", [exblas.sum({1: 2.5, 2: 3.0}.values()), exblas.sum({1.5, 2.5}),
                                                 exblas.sum(range(5)), exblas.sum(b"\x01\xff")], [5.5, 4.0, 10, 256])
kept = exblas.Accumulator(0.5)
check("nothing added on failure", [outcome(kept.add, [1.0, tiny]), outcome(kept.add, iter([1.0, "2"])), float(kept)],
      [ValueError, TypeError, 0.5])
A = exblas.Accumulator
check("operators of accumulators", [float(A(1.5) + 2), float(2 + A(1.5)), float(A(1.5) - [1, 2]), float(4 - A(1.5)), float(A(1.5) * -3),
                                    float(2.0 ** -60 * A(3)), float(abs(A(-2.5))), float(-A(2)), float(+A(2)), bool(A()), bool(A(5e-324)),
                                    int(A(-2.75)), float(sum([A(1e16), A(1), A(-1e16)])), float(copy.copy(A(3))),
                                    float(copy.deepcopy(A(3))), A(1e308).__mul__(A(1)), outcome(lambda: A(5e-324) * 2.0 ** -1074 * 0.5)],
      [3.5, 3.5, -1.5, 2.5, -4.5, 3 * 2.0 ** -60, 2.5, -2.0, 2.0, False, True, -2, 1.0, 3.0, 3.0, NotImplemented, OverflowError])
check("comparisons", [A(1) < A(2), A(1) <= 1, A(2) > 1, A(1) >= Fraction(2), A([1e16, 1]) == 10 ** 16 + 1, A([1e16, 1]) != 1e16,
                      A(math.nan) == A(math.nan), A(math.nan) < 1, A(1) == "1", outcome(lambda: A(1) < "1")],
      [True, True, True, False, True, True, False, False, False, TypeError])
check("accumulators of dots", [float(A().add_dot(a, b)) == exblas.dot(a, b), float(A().add_dot([1, 2], [3, 4])),
                               float(A().add_dot(array.array("q", [big]), array.array("q", [big])) - big * big),
                               outcome(A().add_dot, a, b[1:])], [True, 11.0, 0.0, ValueError])
counted = [A([1, 2, Fraction(1, 2)]), A(big), A(iter([1.0] * 20000)), A(2) - [4, 5, 6], sum([A(a), A(1)]), -A([1, 3]), 1 - A([2, 3]),
           A(1).add_product(2, 3).add_dot([1, 2], [3, 4]), A(), A.from_bytes(A([1, 3]).to_bytes(), 2)]
check("counts", [c.count for c in counted], [3, 1, 20000, -2, 1001, 2, -1, 4, 0, 2])
check("means", [c.mean() for c in counted],
      [3.5 / 3, float(big), 1.0, 6.5, float((exact(x) + 1) / 1001), -2.0, 4.0, 4.5, math.nan, 2.0])
check("no count", [outcome(A.from_bytes(A(1).to_bytes()).mean), outcome((A(1) + A.from_bytes(A(1).to_bytes())).mean)], [ValueError] * 2)
check("quotients, halves, floats", [A(1).quotient(3), A(2.0 ** -25 * 3).to_half(), A([2049, 2.0 ** -1000]).to_half(), A(65520).to_half(),
                                    A(1 + 2.0 ** -24).to_float(), A(0).quotient(0), A(-1).quotient(0)],
      [1 / 3, 2.0 ** -23, 2050.0, math.inf, 1.0, math.nan, -math.inf])
check("plain buffers", [exblas.var(a), exblas.std(x), exblas.norm([3.0, 4.0]), exblas.asum(array.array("q", [-2 ** 63, 1])),
                        exblas.cumsum(array.array("d", [1e16, 1, -1e16])), exblas.cumsum(array.array("b", [-1, 3])), exblas.sum(grid, axis=(0, 1)),
                        exblas.dot([2 ** 62, 1], [4, 3]), exblas.cumsum([2 ** 64, -1]), exblas.dot(array.array("q", [big]), array.array("b", [-1])),
                        outcome(exblas.sum, array.array("q", [2 ** 62] * 2)), exblas.dot([], [])],
      [float((1000 * exact(v * v for v in map(Fraction, x)) - exact(x) ** 2) / 10 ** 6),
       exblas.std(a), 5.0, 2.0 ** 63, [1e16, 1e16, 1.0], [-1, 2], float(exact(x)), 2 ** 64 + 3, [2 ** 64, 2 ** 64 - 1], -big, OverflowError, 0.0])
check("the order of a function", [exblas.fprev(lambda v: v[0] + (v[1] + v[2]), 3)["tree"], exblas.fprev(exblas.sum, 5)["class"],
                                  outcome(exblas.fprev, lambda v: math.nan, 3), outcome(exblas.fprev, lambda v: v.nothing, 3)],
      ["(0,(1,2))", "exact", ValueError, AttributeError])


class Foreign(ctypes.BigEndianStructure):
    _fields_ = [("x", ctypes.c_double * 3)]


check("other formats", [exblas.sum((ctypes.c_double * 3)(1, 2, 2.0 ** -60)), exblas.sum((ctypes.c_float.__ctype_be__ * 2)(1.5, 2)),
                        exblas.sum((ctypes.c_bool * 3)(True, False, True)), outcome(exblas.sum, (ctypes.c_longdouble * 2)(1, 2)),
                        exblas.sum(memoryview(b"\x00" + bytes(array.array("d", [1.5, 2.5])))[1:].cast("d")),
                        exblas.sum(reshaped("i", range(6), (2, 3))[::-1], axis=0), outcome(exblas.sum, Foreign())],
      [3.0, 3.5, 2, TypeError, 4.0, [3, 5, 7], TypeError])
floats = reshaped("f", [3.0], (1, 1))
check("gemm's scalars and c", [outcome(exblas.gemm, floats, floats, 0.1), outcome(exblas.gemm, floats, floats, big),
                               outcome(exblas.gemm, floats, floats, 1.0, 0.1, floats),
                               exblas.gemm(floats, floats, 0.5, 1.0, reshaped("d", [2.0 ** -40], (1, 1))).tolist(),
                               outcome(exblas.gemm, floats, floats, 1.0, 1.0, reshaped("q", [big], (1, 1))),
                               outcome(exblas.gemm, floats, floats, 1.0, 1.0, reshaped("f", [1, 2], (1, 2)))],
      [ValueError, ValueError, ValueError, [[4.5 + 2.0 ** -40]], ValueError, ValueError])


def listed(*installed):
    """What python -m exblas --help lists besides, and completes, where these commands are installed."""
    with tempfile.TemporaryDirectory() as folder:
        for name in installed:
            with open(os.path.join(folder, name), "w") as f:
                f.write("#!/usr/bin/env python3\nimport sys\n"
                        "print('compadd -- sum help --column' if 'completions' in sys.argv else\n"
                        "      '  sum FILE   a sum\\n\\nResults are exact')\n")
            os.chmod(f.name, 0o755)
        out, words = [subprocess.run([sys.executable, "-m", "exblas", *asked], env={**os.environ, "PATH": folder}, stdout=subprocess.PIPE,
                                     text=True, check=False).stdout for asked in (["--help"], ["completions", "zsh"])]
    names = [name for name in ("sum", "quickstart", "run", "fprev") if f"\n  {name} " in "\n" + out.partition("\n\nResults")[0]]
    return names if not names or f" {' '.join([*names[1:], 'help'])} " in words else words


def to_closed_pipe(*words):
    """What a command says, and by which signal it ends, where nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, *words], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    return done.stderr, -done.returncode


trace_diff = os.path.join(os.path.dirname(__file__), "../../../tools/trace/exblas-trace-diff.py")
check("a closed pipe", [to_closed_pipe("-m", "exblas", "quickstart", "--help"), to_closed_pipe(trace_diff, "--help")], [(b"", 13)] * 2)
check("names that the module exports", [hasattr(ctypes.CDLL(exblas._core.__file__), name) for name in (
    "PyInit_" + exblas._core.__name__.removeprefix("exblas."), "fprev_reveal")], [True, False])
code = ("import exblas; x = memoryview(bytes(v * v % 251 for v in range(2400))).cast('B', (4, 600)); print(exblas._core.__name__, "
        "[f(x, axis=k) for f in (exblas.mean, exblas.var, exblas.norm, exblas.std) for k in (0, 1)])")
answers = [subprocess.run([sys.executable, "-c", code], env={**os.environ, "EXBLAS_ISA": isa}, capture_output=True, text=True).stdout.partition(" ")
           for isa in ("generic", "avx2", "avx512")]
check("modules for instruction sets", [len({x for _, _, x in answers}), answers[0][0]], [1, "exblas._core"])
if sys.version_info >= (3, 13):
    code = "import _interpreters as i; print(i.exec(i.create(), 'import exblas; assert exblas.sum([1e16, 1, -1e16]) == 1'))"
    check("another interpreter", subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout, "None\n")
total = A()
threads = [threading.Thread(target=lambda: [total._add_double(0.1) for _ in range(50000)]) for _ in range(4)]
for step in (threading.Thread.start, threading.Thread.join):
    list(map(step, threads))
check("one accumulator of many threads", [total == A(0.1) * 200000], [True])


def databases():
    """exact_sum in each engine that is there."""
    import sqlite3
    connections = [("sqlite", sqlite3.connect(":memory:"))] * hasattr(sqlite3.Connection, "enable_load_extension")
    if importlib.util.find_spec("duckdb"):
        import duckdb
        connections.append(("duckdb", duckdb.connect(config={"allow_unsigned_extensions": True})))
    for name, connection in connections:
        try:
            getattr(exblas, name).load(connection)
        except FileNotFoundError:
            continue
        got = connection.execute("select exact_sum(x), exact_stddev(x) from (values (1e16), (1e0), (-1e16)) v(x)"
                                 if name == "duckdb" else "select exact_sum(column1), 1e16 from (values (1e16), (1e0), (-1e16))")
        check(name, got.fetchall(), [(1.0, 1e16)])


databases()


# A wheel has them all in its folder.
everything = ["sum", "quickstart", "run", "fprev"] if os.path.isdir(exblas._commands.FOLDER) else None
check("commands that --help lists", [listed("exblas"), listed("exblas", "exblas-run"), listed("exblas", "exblas-fprev")],
      [everything] * 3 if everything else [["sum"], ["sum", "quickstart", "run"], ["sum", "fprev"]])


def with_numpy():
    import numpy as np
    grid = np.arange(6.0).reshape(2, 3)
    masked = np.ma.array([1.0, 2.0, 4.0], mask=[False, True, False])
    check("masked arrays", [outcome(f, v) for f in (exblas.sum, exblas.fsum, exblas.mean, exblas.Accumulator)
                            for v in (masked, memoryview(masked), memoryview(masked)[::2], list(masked))] +
          [outcome(exblas.dot, masked, [1.0, 1.0, 1.0]), exblas.sum(masked.compressed())],
          [5.0, *[TypeError] * 7, 2.5, *[TypeError] * 8, 5.0])
    check("arrays of integers", [outcome(exblas.sum, np.array([big, -2 ** 53])), exblas.sum(np.array([2 ** 53, 3], ">i8")),
                                 outcome(exblas.sum, np.array([big], ">i8")), exblas.sum(np.array([True, True])),
                                 outcome(exblas.sum, [np.int64(big)]), exblas.fsum([np.int64(big), -2 ** 53]),
                                 exblas.Accumulator(np.int64(big)).to_fraction(), outcome(exblas.sum, [np.array([[big]])])],
          [1, 2 ** 53 + 3, big, 2, big, 1.0, Fraction(big), big])
    check("other types of arrays", [exblas.sum(np.array([1.5, 2.5], ">f8")), exblas.sum(np.array([1.5, 2.5], ">f4")),
                                    exblas.sum(np.array([1.5, 65504], "f2")), exblas.mean(np.array([1, 2], "u1")),
                                    outcome(exblas.sum, np.array([1, 2], np.longdouble)),
                                    outcome(exblas.sum, np.array([1j])), outcome(exblas.sum, np.array([1, 2], object)),
                                    outcome(exblas.sum, np.array(["1"])), outcome(exblas.sum, np.zeros(2, "i4,f8")),
                                    outcome(exblas.sum, np.array(["2020-01-01"], "M8[D]")), outcome(exblas.sum, np.datetime64(5, "D"))],
          [4.0, 4.0, 65504.0, 1.5, TypeError, 1j] + [TypeError] * 5)
    longer = np.longdouble(1) + np.longdouble(2) ** -60
    check("scalars", [exblas.sum(np.array(3.0)), exblas.sum(np.array(3)), exblas.sum([np.array(3.0), np.float32(0.5)]),
                      exblas.sum([np.bool_(True), np.float16(2)]), exblas.Accumulator(np.bool_(True)).to_fraction(),
                      outcome(exblas.sum, [longer]), outcome(exblas.Accumulator, longer), exblas.sum([np.longdouble(1.5)]),
                      outcome(exblas.sum, [np.complex64(1j)]),
                      outcome(exblas.fsum, [np.array("1", object)]), outcome(exblas.Accumulator, np.complex64(1j)),
                      outcome(exblas.Accumulator().add_product, np.complex128(1j), 1.0)],
          [3.0, 3, 3.5, 3.0, Fraction(1), ValueError, ValueError, 1.5] + [TypeError] * 4)
    check("columns that repeat, half a block", [exblas.mean(np.broadcast_to([[1.0], [2.5]], (2, 4)), axis=0), exblas.sum(np.ones(1100, "f2")[:700])],
          [[1.75] * 4, 700.0])
    check("gemm of other types", exblas.gemm(grid.astype("i2"), grid.astype(">f8").T).tolist(), (grid @ grid.T).tolist())


def with_columns():
    """Columns of types of pandas' own, of polars and of Arrow, those that are there: by their memory, not one by one."""
    import numpy as np
    makers = {"pandas": [lambda m, x: m.Series(x, dtype="Float64")], "polars": [lambda m, x: m.Series("x", x)],
              "pyarrow": [lambda m, x: m.array(x), lambda m, x: m.chunked_array([x[:1], x[1:]], "float64")]}
    for name, of_kind in makers.items():
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        for make in of_kind:
            x, missing = make(module, [1e16, 1.0, -1e16]), make(module, [1.0, None])
            check(f"columns of {name}", [exblas.sum(x), exblas.fsum(x), exblas.dot(x, x), float(exblas.Accumulator(x)),
                                         isinstance(exblas.sum(x), np.float64), outcome(exblas.sum, missing),
                                         outcome(exblas.fsum, missing)], [1.0, 1.0, 2e32, 1.0, True, 1.0, TypeError])


def with_pandas():
    import numpy as np
    import pandas as pd
    frame = pd.DataFrame(np.arange(20.0).reshape(4, 5))
    check("tables", [outcome(f, frame) for f in (exblas.sum, exblas.fsum, exblas.mean, exblas.Accumulator)] +
          [outcome(exblas.gemm, frame, frame), exblas.sum(frame.to_numpy())], [TypeError] * 5 + [190.0])
    check("columns of tables", [exblas.sum(frame[2]), exblas.sum(frame.loc[3][::-1]), exblas.fsum(frame[4]), exblas.sum(frame.columns),
                                outcome(exblas.sum, pd.Series([big, -2 ** 53])), exblas.fsum(pd.Series([big, -2 ** 53])),
                                outcome(exblas.sum, pd.Series([1, None], dtype="Int64")), exblas.sum(pd.Series([1.0, None])),
                                [exblas.mean(pd.Series(pd.arrays.IntegerArray(np.arange(n), np.arange(n) == n - k))[::s], where=where)
                                 for n in (3, 8, 20) for k in (2, n) for s in (1, -1) for where in (True, np.arange(n) > -1)],
                                exblas.sum(pd.Series([True, True])), outcome(exblas.sum, pd.Series(["1"])),
                                outcome(exblas.sum, pd.Series(pd.to_datetime(["2020-01-01"]))),
                                exblas.sum(pd.Series([Decimal("0.5"), Fraction(1, 4)]))],
          [38.0, 85.0, 46.0, 10, 1, 1.0, 1, math.nan, [(n * (n - 1) / 2 - n + k) / (n - 1) for n in (3, 8, 20) for k in (2, n) for _ in range(4)], 2, TypeError, TypeError, 0.75])


for title, part in (("NumPy's arrays", with_numpy), ("pandas' tables", with_pandas), ("columns", with_columns)):
    try:
        part()
    except ImportError as error:
        check(f"{title} # SKIP {error}", None, None)
tap.finish()
