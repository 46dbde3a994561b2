#!/usr/bin/python3
"""usage: numpy_functions.py [--only TYPE or FUNCTION,...] [--samples N] [--cpu N]

Functions of the Python package beside NumPy's of the same name, in turns in one process, one thread, on processor
--cpu (default 0): processor time by NumPy's, fastest of --samples (default 9) by fastest, for each type and shape of
the arrays a and b. Of lists by math.fsum's, of columns of pandas, polars and Arrow by that of exblas.sum of an array.
"-": not offered, or not installed. Exit status: 0 done; 2 usage; 3 NumPy or the package is not there.
"""
import argparse
import importlib
import math
import os
import signal
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
try:
    import numpy as np

    import exblas
except ImportError as error:
    print(f"numpy_functions.py: {error}", file=sys.stderr)
    sys.exit(3)

TYPES = ["float64", "float32", "complex128", "complex64", "int64", "int32", "int8"]

# Calls, by the shape of a and b. What is long along one axis of a matrix is short along the other.
FUNCTIONS = {
    (10,): ["sum(a)", "mean(a)", "dot(a, b)"],
    (10000,): ["mean(a)", "norm(a)", "dot(a, b)", "vdot(a, a)"],
    (1000000,): ["mean(a)", "mean(a[::2])", "var(a)", "norm(a)", "cumsum(a)", "dot(a, b)", "vdot(a, a)"],
    (10, 100000): ["mean(a, 0)", "var(a, 0)", "norm(a, axis=0)", "cumsum(a, 0)", "mean(a, 1)"],
    (100000, 10): ["mean(a, 1)", "var(a, 1)", "norm(a, axis=1)", "cumsum(a, 1)", "mean(a, 0)"],
    (20, 50000): ["cov(a)"], (50, 1000): ["corrcoef(a)"],
    (8, 8): ["matmul(a, b)"], (200, 200): ["matmul(a, b)", "matmul(a.T, b[::-1])"],
    (1000, 8, 8): ["matmul(a, b)", "einsum('ijk,ikl->ijl', a, b)"],
}
# Calls and what they are compared with, for a list and an array of 10^6 numbers, and columns of that array.
COLUMNS = {"fsum(list)": "math.fsum(list)", "sum(list)": "math.fsum(list)", "Accumulator(list)": "math.fsum(list)",
           "sum(pandas.Series(array))": "sum(array)", "sum(pandas.Series(array, dtype='Float64'))": "sum(array)",
           "sum(polars.Series(array))": "sum(array)", "sum(pyarrow.array(array))": "sum(array)"}
FUNCTION_NAMES = sorted({call.partition("(")[0] for calls in [*FUNCTIONS.values(), COLUMNS] for call in calls})


def seconds_of(call, least):
    """Processor time of one call, of as many as fill that time."""
    count, begin = 0, time.thread_time()
    while time.thread_time() - begin < least:
        call()
        count += 1
    return (time.thread_time() - begin) / count


def in_turns(plain, ours, samples, least=1e-3):
    """The fastest calls of both, in seconds, each sample of that length or more."""
    best = [math.inf, math.inf]
    for _ in range(samples):
        best = [min(b, seconds_of(call, least)) for b, call in zip(best, (plain, ours))]
    return best


def random_array(kind, shape):
    r = np.random.default_rng(1)
    if kind.startswith("int"):
        return r.integers(-100, 100, shape).astype(kind)
    a = r.standard_normal(shape)
    return (a + 1j * r.standard_normal(shape) if kind.startswith("complex") else a).astype(kind)


def ratio_of(o, call, other, names, other_names):
    """Their times' ratio as a cell; the objects that a call makes of columns are made before."""
    try:
        calls = [eval(f"lambda: {text}", scope) for text, scope in ((other, other_names), (call, names))]
        for each in calls:
            each()
    except (NameError, TypeError, AttributeError):
        return "-"
    x, y = in_turns(*calls, o.samples)
    return f"{y / x:.2f}"


def write_cells(cells):
    print(f"{cells[0]:40} {cells[1]:>14}" + "".join(f"{cell:>11}" for cell in cells[2:]), flush=True)


def compare_arrays(o, kinds, functions):
    ours, numpys = vars(exblas), {**vars(np), "norm": np.linalg.norm}
    for shape, calls in FUNCTIONS.items():
        arrays = {kind: random_array(kind, (2, *shape)) for kind in kinds}
        for call in calls:
            if call.partition("(")[0] in functions:
                cells = [ratio_of(o, call, call, {**ours, "a": a, "b": b}, {**numpys, "a": a, "b": b})
                         for a, b in arrays.values()]
                write_cells([call, " x ".join(map(str, shape)), *cells])


def compare_columns(o, functions):
    array = random_array("float64", (1000000,))
    scope = {**vars(exblas), "math": math, "array": array, "list": array.tolist()}
    for name in ("pandas", "polars", "pyarrow"):
        try:
            scope[name] = importlib.import_module(name)
        except ImportError:
            pass
    for call, other in COLUMNS.items():
        name, _, source = call[:-1].partition("(")
        if name in functions:
            try:
                scope["column"] = eval(source, scope)
                cell = ratio_of(o, f"{name}(column)", other, scope, scope)
            except NameError:
                cell = "-"
            write_cells([call, "1000000", cell])


def main():
    p = argparse.ArgumentParser(description=__doc__, usage=argparse.SUPPRESS,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", default="")
    p.add_argument("--samples", type=int, default=9)
    p.add_argument("--cpu", type=int, default=0)
    o = p.parse_args()
    names = set(filter(None, o.only.split(",")))
    if o.samples < 1 or not names <= {*TYPES, *FUNCTION_NAMES}:
        p.error("types are " + ", ".join(TYPES) + "; functions " + ", ".join(FUNCTION_NAMES))
    kinds, functions = [k for k in TYPES if k in names] or TYPES, names - set(TYPES) or set(FUNCTION_NAMES)
    os.sched_setaffinity(0, {o.cpu})
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ends when nobody reads on
    exblas.set_num_threads(1)
    write_cells(["call", "shape", *kinds])
    compare_arrays(o, kinds, functions)
    compare_columns(o, functions & {call.partition("(")[0] for call in COLUMNS})


main()
