#!/usr/bin/env python3
"""test_multiprocessing.py: processes that Python forks from one whose threads are computing can
call everything that the package has, with threads of their own. Reports in TAP."""
import array
import ctypes
import math
import multiprocessing
import os
import threading

os.environ["EXBLAS_NUM_THREADS"] = "3"
os.environ["EXBLAS_TRACE"] = "/dev/null"
import exblas

N = 200000
X = array.array("d", [math.sin(i) * 2.0 ** (i % 80 - 40) for i in range(N)])
Y = array.array("d", [math.cos(i) * 2.0 ** (i % 50 - 25) for i in range(N)])
GRID = memoryview(X)[:3600].cast("B").cast("d", (60, 60))


def everything(number):
    """All the package's functions, as bits."""
    a = exblas.Accumulator()
    a.add(X)
    x = memoryview(X)[number % 3::number % 5 + 1]
    product = exblas.gemm(GRID, GRID)
    return [float(v).hex() for v in (exblas.sum(x), exblas.dot(X, Y), exblas.mean(x),
                                     exblas.fsum(x[:500]), float(a), exblas.sum(product))]


def main():
    print("1..2")
    expected = [everything(i) for i in range(6)]
    library = ctypes.CDLL("libexblas.so.0")
    library.exblas_stats_enable(1)
    finished = threading.Event()

    def compute():
        while not finished.is_set():
            exblas.sum(X)
            exblas.dot(array.array("d", [1.0]), array.array("d", [1.0]))

    threads = [threading.Thread(target=compute) for _ in range(3)]
    for t in threads:
        t.start()
    context = multiprocessing.get_context("fork")
    right = True
    for _ in range(4):
        with context.Pool(2) as pool:
            right = right and pool.map_async(everything, range(6)).get(60) == expected
    finished.set()
    for t in threads:
        t.join()
    print(f"{'ok' if right else 'not ok'} 1 - pools forked while threads compute")
    right = everything(0) == expected[0]
    print(f"{'ok' if right else 'not ok'} 2 - the parent afterwards")


if __name__ == "__main__":
    main()
