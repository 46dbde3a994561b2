#!/usr/bin/env python3
"""test_python.py: the Python package against fractions.Fraction. Reports in TAP."""
import array
import math
import os
import pickle
import random
import sys
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import exblas

random.seed(1)
number = 0


def check(title, got, wanted):
    global number
    number += 1
    same = repr(got) == repr(wanted)
    print(f"{'ok' if same else 'not ok'} {number} - {title}")
    if not same:
        print(f"# got {got!r}, wanted {wanted!r}")


def raises(error, function, *arguments):
    try:
        function(*arguments)
    except error:
        return True
    return False


def numbers(n):
    return [random.uniform(-1, 1) * 2.0 ** random.randint(-60, 60) for _ in range(n)]


def exact(x):
    return sum(map(Fraction, x), Fraction(0))


print("1..21")
x, y = numbers(1000), numbers(1000)
a, b = array.array("d", x), array.array("d", y)
check("sum", exblas.sum(a), float(exact(x)))
check("sum of a list", exblas.sum(x), float(exact(x)))
check("sum backwards, every third", exblas.sum(memoryview(a)[::-3]), float(exact(x[::-3])))
check("sum of integers", exblas.sum(array.array("i", [1, 2, 3])), 6.0)
check("float sum", exblas.sum(array.array("f", [1.0, 2.0 ** -24, 2.0 ** -60])), 1.0 + 2.0 ** -23)
check("fsum of a generator", exblas.fsum(i for i in x), math.fsum(x))
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
check("pickled", pickle.loads(pickle.dumps(left)) == left, True)
check("the same sum in any order", exblas.Accumulator(x[::-1]).to_bytes() == (right + left).to_bytes(), True)
check("products", float(exblas.Accumulator([-1.0]).add_product(1 + 2.0 ** -52, 1 - 2.0 ** -52)), -2.0 ** -104)
check("bad arguments", [raises(ValueError, exblas.dot, a, b[1:]), raises(ValueError, exblas.sum, a, 1),
                        raises(ValueError, exblas.Accumulator.from_bytes, b"x" * 552)], [True] * 3)
