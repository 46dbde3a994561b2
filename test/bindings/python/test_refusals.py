#!/usr/bin/env python3
"""test_refusals.py: what the Python package refuses it refuses in one line, of what was given: every argument of every
function gets every kind of thing, beside good ones. Reports in TAP."""
import datetime
import fractions
import inspect
import itertools
import re
import subprocess
import sys
import warnings

import tap

np = tap.needed("numpy")
import exblas

V, M = np.array([1.0, 2.0, 4.0]), np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.5], [4.0, 0.0, 1.0]])
GOOD = {"a": M, "b": M, "x": V, "y": V, "c": M, "m": M, "iterable": V, "indices": [0, 1, 1], "index": [0, 1, 1], "offsets": [0, 1, 3],
        "weights": [1.0, 2.0, 3.0], "subscripts": "ij,jk", "operands": (M, M), "groups": None, "function": sum, "n": 3, "x1": V, "x2": V}
OF_NAME = {"dot": {"a": V, "b": V}, "vdot": {"a": V, "b": V}, "solve": {"b": V}, "lstsq": {"b": V}, "add_at": {"a": V.copy(), "b": V}, "bincount": {"x": [0, 1, 1]},
           "corrcoef": {"x": M}, "cov": {"y": M}}
# Not called here: they print, change NumPy, or are given what is no array.
LEFT_OUT = {"config", "patch", "show_config", "unpatch", "version", "csrmv", "linear_operator"}


class Odd:
    """An object that is nothing that anybody expects."""


class Table:
    """Columns with names, as polars and Arrow have them."""
    columns = ["a", "b"]

    def __iter__(self):
        return iter([V, V])


JUNK = {
    "None": None, "text": "ab", "bytes": b"ab", "object": Odd(), "class": Odd, "table": Table(), "dictionary": {"a": 1.0}, "set": {1.0}, "no numbers": [],
    "ragged": [[1.0], [1.0, 2.0]], "nested": [[1.0, 2.0], [3.0, 4.0]], "tuple of one": (V,), "list of one": [V], "two": (1, 2), "complex": 1j, "nan": np.nan,
    "minus": -1, "half": 0.5, "large": 10 ** 30, "true": True, "fraction": fractions.Fraction(1, 3), "date": datetime.date(2020, 1, 1),
    "NumPy's text": np.array(["a"]), "objects": np.array([None]), "dates": np.array(["2020-01-01"], "M8[D]"), "records": np.zeros(2, "i4,f8"),
    "long double": np.ones(3, np.longdouble), "masked": np.ma.array([1.0, 2.0], mask=[0, 1]), "scalar": np.float64(2), "number": np.array(2.0),
    "cube": np.ones((2, 2, 2)), "of integers": np.arange(3), "of large integers": np.full(3, 2 ** 63 - 1), "of halves": np.ones(3, "f2"),
    "read-only": np.broadcast_to(1.0, 3), "complex array": np.ones(3, "D"), "other length": np.ones(7), "indices": [5, 0, 7], "down": [2, 0, 3],
    "function": len, "view": memoryview(V), "iterator": iter([1.0]), "type": "f8", "dtype": np.dtype("c16"), "unknown type": "zz",
}
# What Python says of code that did not expect this, and what nobody outside can know.
INSIDE = re.compile(r"has no attribute|'NoneType'|subscriptable|not callable|unpack|_core|unhashable|ambiguous|newaxis|not iterable|"
                    r"positional argument|bytes-like|0-d|len\(\)|interpreted as an integer|list index|must be real number")
WORDED = (TypeError, ValueError, OverflowError, np.linalg.LinAlgError, getattr(np, "exceptions", np).AxisError)


def good_arguments(name):
    """One for each parameter that has to be given."""
    given = {**GOOD, **OF_NAME.get(name, {})}
    return {p.name: given[p.name] for p in inspect.signature(getattr(exblas, name)).parameters.values() if p.default is p.empty}


def call(name, arguments):
    arguments = dict(arguments)
    if name == "einsum":
        return exblas.einsum(arguments.pop("subscripts"), *arguments.pop("operands"), **arguments)
    if "a" in arguments and name == "add_at" and isinstance(arguments["a"], np.ndarray):
        arguments["a"] = arguments["a"].copy()
    return getattr(exblas, name)(**arguments)


def calls():
    for name in sorted(set(exblas.__all__) - LEFT_OUT):
        good = good_arguments(name)
        for parameter, (title, junk) in itertools.product(inspect.signature(getattr(exblas, name)).parameters, JUNK.items()):
            if parameter == "operands":
                junk = (M, junk)
            yield name, parameter, title, {**good, parameter: junk}


def worded(error):
    return isinstance(error, WORDED) and str(error) and "\n" not in str(error) and not INSIDE.search(str(error))


def functions():
    for name, parameter, title, arguments in calls():
        try:
            call(name, arguments)
        except Exception as error:
            if not worded(error):
                yield f"{name}, {parameter} is {title}: {type(error).__name__}: {error}"


def methods():
    """Of accumulators, and sums of tables."""
    for (name, n), (title, junk) in itertools.product({"add": 1, "subtract": 1, "quotient": 1, "add_product": 2, "add_dot": 2,
                                                       "from_bytes": 1, "__mul__": 1}.items(), JUNK.items()):
        for at in range(n):
            try:
                getattr(exblas.Accumulator(), name)(*[junk if i == at else 1.0 if name != "add_dot" else V for i in range(n)])
            except Exception as error:
                if not worded(error):
                    yield f"{name} of {title}: {type(error).__name__}: {error}"
    for function in (exblas.sum, exblas.fsum, exblas.cumsum, exblas.Accumulator, lambda x: exblas.dot(x, V)):
        try:
            yield f"a table gives {function(Table())!r}"
        except TypeError as error:
            if "labels" not in str(error):
                yield f"a table: {error}"


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
import exblas
for name, arguments in (("solve", ([[1]], [1])), ("bincount", ([1],)), ("histogram", ([1],)), ("scatter_add", ([0], [1])), ("add_at", ([0], [0], 1)),
                        ("segment_sum", ([1], [0, 1])), ("matmul", ([1], [1])), ("tensordot", ([1], [1])), ("einsum", ("i,i", [1], [1])),
                        ("gemv", ([[1]], [1])), ("cov", ([1],)), ("groupby_sum", ([1],))):
    try:
        print(name, getattr(exblas, name)(*arguments))
    except Exception as error:
        if not isinstance(error, (TypeError, ImportError)) or f"{name} needs" not in str(error):
            print(name, repr(error))
del sys.modules["numpy"]
try:
    print(exblas.einsum("i"))
except ValueError:
    pass
print(exblas.sum([1, 2]), exblas.dot([1.0], [2.0]), "done")
"""


def without_numpy():
    done = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], capture_output=True, text=True, check=False)
    if done.stdout != "3 2.0 done\n" or done.stderr:
        yield from (done.stdout + done.stderr).splitlines()


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # NumPy's
    tap.run(functions, methods, without_numpy)
