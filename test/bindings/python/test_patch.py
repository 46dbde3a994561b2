"""test_patch.py EXBLAS-RUN: what exblas.patch() must not change about NumPy's functions: their identity, pickles, types of
results, and what types of other libraries make of them; and what it must count. Reports in TAP; skips itself without
NumPy."""
import importlib.util
import inspect
import itertools
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import warnings

if importlib.util.find_spec("numpy") is None: # one that cannot be loaded is no reason
    print("1..0 # SKIP no NumPy")
    sys.exit()

import numpy as np

import exblas
import tap

RUN = sys.argv[1]
HARD = [1e16, 1.0, -1e16, 1.0]
NAMES = ("sum", "mean", "var", "std", "cumsum", "dot", "vdot", "inner", "tensordot", "einsum", "cov", "corrcoef", "bincount",
         "linalg.norm", "correlate", "convolve", "histogram", "matmul", "trace", "average")


class Patched:
    def __enter__(self):
        exblas.patch()

    def __exit__(self, *_):
        exblas.unpatch()


def function(name):
    found = np
    for part in name.split("."):
        found = getattr(found, part)
    return found


def signature(f):
    try:
        return str(inspect.signature(f))
    except ValueError:
        return None


def facts(f):
    return (f, f.__name__, getattr(f, "__qualname__", None), getattr(f, "__module__", None), f.__doc__,
            getattr(f, "__wrapped__", None), signature(f), repr(f))


def identities():
    """Under patch() each function is the object that it was, with all that can be asked of it."""
    before = {name: facts(function(name)) for name in NAMES}
    imported = np.sum
    with Patched():
        assert imported(np.array(HARD)) == 2
        for name, was in before.items():
            assert facts(function(name)) == was, name
            assert pickle.loads(pickle.dumps(function(name))) is function(name), name
    for name, was in before.items():
        assert facts(function(name)) == was, name
    assert imported(np.array(HARD)) != 2


def pickles():
    """Functions, and methods of numpy.add and of arrays, go to other processes and add exactly there."""
    rows = [np.array(HARD), np.array(HARD[::-1])]
    with Patched(), multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(np.mean, rows) == [0.5, 0.5] and pool.map(np.sum, rows) == [2, 2]
        assert pool.map(np.add.reduce, rows) == [2, 2] and pool.map(np.linalg.norm, rows) == [exblas.norm(rows[0])] * 2
        assert pool.starmap(np.dot, [(rows[0], np.ones(4))]) == [2] and len(pool.map(rows[0].dot, [np.ones(4)])) == 1
        for f in (np.ufunc.reduce, np.ufunc.accumulate, np.ufunc.at, np.ndarray.dot, np.add.reduceat):
            again = pickle.loads(pickle.dumps(f))
            assert again == f and again.__name__ == f.__name__
    text = "import pickle, sys; print(pickle.loads(bytes.fromhex(sys.argv[1]))([1, 2, 3]))"
    with Patched():
        command = [sys.executable, "-c", text, pickle.dumps(np.mean).hex()]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "2.0\n"


HANDLED = {}


def implements(f):
    """As libraries register their own: by the function, before or after patch()."""
    return lambda own: HANDLED.setdefault(f, own)


class Length(np.ndarray):
    """An array with a unit, which functions that nobody registered lose."""

    def __array_function__(self, f, types, arguments, options):
        if f in HANDLED:
            return HANDLED[f](*arguments, **options)
        return super().__array_function__(f, types, arguments, options).view(np.ndarray)


class Duck:
    """No array at all; dispatches by the function's name, as dask does."""

    def __array_function__(self, f, types, arguments, options):
        found = np
        for part in [*f.__module__.split(".")[1:], f.__name__]:
            found = getattr(found, part)
        return ("duck", found is f)


class ByUfunc(np.ndarray):
    """Knows what becomes of a unit in numpy.add.reduce."""

    def __array_ufunc__(self, ufunc, how, *inputs, out=None, **options):
        plain = [x.view(np.ndarray) if isinstance(x, np.ndarray) else x for x in inputs]
        return ("unit", float(getattr(ufunc, how)(*plain, **options)))


CALLS = {"sum": 1, "mean": 1, "var": 1, "std": 1, "cumsum": 1, "dot": 2, "vdot": 2, "inner": 2, "tensordot": 2, "cov": 1,
         "corrcoef": 1, "linalg.norm": 1, "correlate": 2, "convolve": 2, "histogram": 1}


def registries():
    x, duck = np.array(HARD).view(Length), Duck()
    for name in CALLS:
        implements(function(name))(lambda *_, name=name, **__: ("length", name))
    with Patched():
        for name, n in CALLS.items():
            assert function(name)(*[x] * n) == ("length", name), name
            assert function(name)(*[duck] * n) == ("duck", True), name
        assert np.einsum("i,i", duck, duck) == ("duck", True) and np.bincount([0], weights=duck) == ("duck", True)
        assert np.sum(np.array(HARD), out=duck) == ("duck", True)
    HANDLED.clear()
    with Patched():
        implements(np.mean)(lambda *_, **__: "late")
        assert np.mean(x) == "late"
    assert np.mean(x) == "late"
    HANDLED.clear()


def ufunc_types():
    """Types with a way of their own with ufuncs are asked, and what they call for it is exact."""
    x, out = np.array(HARD).view(ByUfunc), np.zeros(()).view(ByUfunc)
    with Patched():
        assert np.add.reduce(x) == np.sum(x) == x.sum() == ("unit", 2.0) == np.add.reduce(np.array(HARD), out=out)


def methods_of_add():
    """In all their forms, of lists and of what NumPy itself has to add; errors are NumPy's."""
    x, out = np.array(HARD), np.zeros(2)
    table = x.reshape(2, 2).T
    with Patched():
        assert [np.add.reduce(table, axis=None), np.add.reduce(table, None), x.cumsum()[-1], np.trace(np.diag(x))] == [2] * 4
        assert np.add.reduce(np.array([x, x]), 1, None, out) is out and out.tolist() == [2, 2]
        assert np.add.reduce(np.array([x, x]), axis=1, out=(out,), keepdims=False) is out
        assert np.add.reduce(x, where=[True, True, True, False]) == 1 and np.add.accumulate(x).tolist() == [1e16, 1e16, 1, 2]
        for kind in "efdFD":
            minus = -np.zeros(1, kind)
            assert np.signbit(np.add.reduce(minus, initial=minus[0]).real), kind
        assert np.add.reduce([1, 2]) == 3 and np.multiply.reduce(x[1:2]) == 1 and np.array([2 ** 62] * 4).sum() == 0
        assert [np.sum(HARD), np.mean(tuple(HARD)), np.dot(HARD, [1.0] * 4), np.linalg.norm(HARD)] == [2, 0.5, 2, exblas.norm(x)]
        assert np.sum([[1, 2], [3, 4]], axis=0).tolist() == [4, 6] and np.tensordot([[1.0]], [[2.0]], 1).tolist() == [[2.0]]
        assert np.sum([np.array([1.0]), np.array([2.0])]) == 3 and isinstance(np.sum([]), float) and np.array([1, "a"], object)[:1].sum() == 1
        for kind, call in ((ValueError, lambda: np.add.reduce([], initial=None)), (TypeError, lambda: np.add.reduce()),
                           (ValueError, lambda: np.add.accumulate(table, axis=None))):
            tap.refused(kind, "", call)
    assert "built-in" in repr(np.add.reduce)


def shapes():
    for code, shape in itertools.product("efdFD?bq", ((), (1,), (4,), (3, 4), (1, 4), (4, 1), (0,), (0, 3), (2, 3, 2))):
        yield (np.arange(np.prod(shape, dtype=int)) % 5).reshape(shape).astype(code)


def calls(x):
    """What is asked of NumPy itself and under patch(): by name, for messages."""
    for name in ("sum", "mean", "var", "std", "cumsum"):
        f = getattr(np, name)
        yield name, lambda f=f: f(x)
        yield f"method {name}", lambda name=name: getattr(x, name)()
        yield f"{name} of the last axis", lambda f=f: f(x, axis=-1)
        for code in "fdD":
            yield f"{name} as {code}", lambda f=f, code=code: f(x, dtype=code)
        if name != "cumsum":
            yield f"{name} with keepdims", lambda f=f: f(x, keepdims=True)
    yield "trace", lambda: np.trace(x)
    yield "add.reduce", lambda: np.add.reduce(x)
    for name in ("dot", "vdot", "inner"):
        for title, y in (("itself", x), ("its transpose", x.T), ("a number", 2.0), ("integers", np.ones(x.shape, int))):
            yield f"{name} with {title}", lambda f=getattr(np, name), y=y: f(x, y)
    yield "method dot", lambda: x.dot(x.T)
    for title, out in (("", x), (" in steps", np.zeros((3, 6), x.dtype)[:, ::2]), (" of another type", np.zeros((3, 3), "g"))):
        yield f"dot to an array{title}", lambda out=out: np.dot(x, x.T, out)
    for n in (0, 1, x.ndim):
        yield f"tensordot over {n}", lambda n=n: np.tensordot(x, x.T if n == 1 else x, n)
    for text in ("i,i", "ij,jk", "...i,...i"):
        yield f"einsum {text}", lambda text=text: np.einsum(text, x, x.T if "k" in text else x)
    for text in ("i->", "ii", "ij->j"):
        yield f"einsum {text}", lambda text=text: np.einsum(text, x)
    for name in ("cov", "corrcoef"):
        f = getattr(np, name)
        yield name, lambda f=f: f(x)
        yield f"{name} of columns", lambda f=f: f(x, rowvar=False)
        yield f"{name} of two", lambda f=f: f(x, x)
        yield f"{name} as float32", lambda f=f: f(x, dtype=np.float32)
    yield "cov by name", lambda: np.cov(m=x, bias=True)
    for ord in (None, 1, 2, np.inf, "fro"):
        yield f"norm {ord}", lambda ord=ord: np.linalg.norm(x, ord)
    yield "norm of the last axis", lambda: np.linalg.norm(x, axis=-1, keepdims=True)
    yield "bincount", lambda: np.bincount([0, 1, 1, 3], weights=x)
    yield "matmul", lambda: x @ x.T


def told(call):
    """The type, element type, shape and value of a result, or the error; and the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = call()
            fact = (type(result), result.dtype, result.shape)
        except Exception as error:
            result, fact = 0, (type(error), str(error))
    return result, fact, sorted({str(w.message) for w in said})


def types():
    """Results, errors and warnings are of NumPy's types, and near NumPy's values."""
    for x in shapes():
        for name, call in calls(x):
            own, *wanted = told(call)
            with Patched():
                ours, *got = told(call)
            assert got == wanted, (name, x.dtype, x.shape, got, wanted)
            assert np.allclose(ours, own, rtol=1e-2 if x.dtype == np.float16 else 1e-5, equal_nan=True), (name, x)


def narrow_moments():
    """NumPy computes cov of float16 and float32 in double precision."""
    x = np.array([[1 / 3, 2 / 3, 0.7, 5], [1, 3, 2, 8]])
    with Patched():
        for code in "ef":
            y = x.astype(code)
            assert np.cov(y).dtype == np.corrcoef(y).dtype == np.float64
            assert np.array_equal(np.cov(y), exblas.cov(y.astype(float)))
            assert np.array_equal(np.corrcoef(y), exblas.corrcoef(y.astype(float)))


OWN = """
import numpy as np
x = np.array([1e16, 1.0, -1e16, 1.0])
np.einsum("i,i,i", x, x, x), np.einsum(x, [0], x, [0])
m = np.arange(8.0).reshape(2, 4) ** 2
np.cov(m, fweights=[1, 2, 1, 1]), np.cov(m, aweights=[1, 2, 1, 1.5])
np.sum(x.astype("g")), np.dot(x.astype("g"), x.astype("g")), x.astype("e")[1:2] @ x.astype("e")[1:2]
np.matrix(x).sum(), np.add.at(x.copy(), [0, 0], 1.0), np.add.reduceat(x, [0, 2]), np.convolve(x, x[:2])
np.subtract.reduce(x), np.subtract.at(x.copy(), [0, 0], 1.0), x.astype(object).sum(), np.array([1, 2**70], object).sum()
"""
OURS = """
import numpy as np
x = np.array([1e16, 1.0, -1e16, 1.0])
assert [np.sum(x), x.mean(), np.sum(x, initial=0.0), np.sum(x, dtype="f")] == [2, 0.5, 2, 2]
assert np.sum([1, 2], initial=3) == 6 and np.einsum("ii->i", np.eye(2)).sum() == 2 and np.dot(2.0, x)[1] == 2
assert np.ma.array(x, mask=[0, 0, 1, 0]).sum() == 1e16 + 2 and np.sum(np.arange(3), initial=1) == 4
assert [np.sum(x, initial=0.5), x.sum(initial=1), np.add.reduce(x, initial=1)] == [2.5, 3, 3]
a = np.array([x, x[::-1], [1, 2, 3, 4], [1e16, 1, 1, -1e16]])
def copies(*arrays):
    return [np.ascontiguousarray(v) for v in arrays]
def views():
    for rows in (1, -1):
        for columns in (1, -1):
            yield a[::rows, ::columns]
            yield a[::rows, ::columns].T
    yield np.broadcast_to(a[0], (4, 4))
    yield np.broadcast_to(a[:, :1], (4, 4))
for v in views():
    for w in views():
        for code in "fdFD":
            y, z = v.astype(code, order="K") * (1 + 1j) if code in "FD" else v, w
            c, d = copies(y, z)
            wanted = c @ d
            out = np.zeros((8, 4), wanted.dtype)[::-2]
            assert (y @ z == wanted).all() and (y @ z[:, 0] == c @ copies(z[:, 0])[0]).all() and (y[0] @ z == copies(y[0])[0] @ d).all()
            assert np.matmul(y, z, out=out) is out and (out == wanted).all()
            if hasattr(np, "vecdot"):
                assert (np.vecdot(y, z) == np.vecdot(c, d)).all()
            if hasattr(np, "matvec"):
                assert (np.matvec(y, z[0]) == np.matvec(c, copies(z[0])[0])).all()
                assert (np.vecmat(y[0], z) == np.vecmat(copies(y[0])[0], d)).all()
ones = np.ones(4)
stack = np.array([a, a])[::-1, :, ::-1]
assert stack.dot(ones[::-1])[0].tolist() == [2, 2, 10, 2] == a[:, ::-1].dot(ones[::-1]).tolist()
assert np.inner(x, ones) == x[::-1] @ ones == 2 and np.broadcast_to(1.0, 4) @ x == 2 and a[::-1] @ np.broadcast_to(1.0, 4) is not None
z = np.full((3, 1), 1 + 2**-30 + 1j)
assert (z @ z.T == 2**-29 + 2**-60 + (2 + 2**-29) * 1j).all()
assert np.ones((3, 0))[::-1] @ np.ones((0, 2)) is not None and (np.ones((2, 0))[::-1] @ np.ones((0, 2)) == 0).all()
"""
PANDAS = """
import pandas as pd
df = pd.DataFrame({"g": [1, 1, 2, 2], "x": [1e16, 1.0, -1e16, 2.0], "n": [1, 2, 3, 4]})
df.groupby("g").n.sum()
df.groupby("g").x.var(), df.groupby("g").x.std(), df.groupby("g")[["x"]].agg("sem")
df.x.rolling(2).sum(), df.x.rolling(2).cov(df.x)
df.x.ewm(2).mean()
assert df.x.sum() == 3.0
"""


def report(program, *options, ending=".json"):
    with tempfile.NamedTemporaryFile(suffix=ending) as file:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("EXBLAS_")}
        done = subprocess.run([RUN, *options, f"--report={file.name}", sys.executable, "-c", program], env=environment,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        text = file.read().decode()
    return json.loads(text) if ending == ".json" else text


def counts():
    """The report names sums that stayed NumPy's, and only these."""
    said = report(OWN, "--numpy")
    assert {s["reason"]: s["count"] for s in said["own_sums"]} == {
        "einsum of 3 arrays": 1, "einsum with lists of axes": 1, "cov with fweights": 1,
        "cov with aweights": 1, "sum of " + np.dtype("g").name: 1, "dot of " + np.dtype("g").name: 1, "matmul of float16": 1,
        "sum of matrix": 1, "add.at": 1, "add.reduceat": 1, "convolve": 1, "subtract.reduce": 1,
        "subtract.at": 1, "sum of object": 1}, said["own_sums"]
    assert all(s["library"] == "numpy" for s in said["own_sums"]) and said["all_ours"] is False
    lines = report(OWN, "--numpy", ending=".txt").splitlines()
    assert lines[-2].startswith("numpy: 14 sums were NumPy's own: einsum of 3 arrays (1), einsum with lists of axes (1), "), lines
    assert lines[-1].startswith("verdict: ") and lines[-1].endswith("; sums outside BLAS were not all ours"), lines


def exact_loops():
    """Nothing is counted where all is exact, and @ of any strides is."""
    said = report(OURS, "--numpy")
    assert said["own_sums_counted"] is True and said["own_sums"] == [] and said["all_ours"] is True, said


def unwatched():
    said = report("import numpy as np; np.ones((2, 2)) @ np.ones((2, 2))")
    assert said["own_sums_counted"] is False and said["own_sums"] == [], said
    text = report("import numpy as np; np.ones((2, 2)) @ np.ones((2, 2))", ending=".txt")
    assert text.endswith("; NumPy's own sums were not watched (--numpy)\n"), text
    assert "own_sums" not in report("")


def pandas_loops():
    import pandas
    for program in (PANDAS, "import numpy, exblas\nexblas.unpatch()" + PANDAS.partition("assert")[0] + "exblas.patch()" + PANDAS):
        said = report(program, "--numpy")
        counted = {s["reason"]: s["count"] for s in said["own_sums"]}
        assert counted in [{"groupby": 3, "rolling": n} for n in (3, 6)], (pandas.__version__, said["own_sums"])
        assert all(s["library"] == "pandas" for s in said["own_sums"])
    text = report(PANDAS, "--numpy", ending=".txt")
    assert "\npandas: %d sums were pandas' own: " % sum(counted.values()) in text and " groupby (3)" in text, text


def strict():
    x = np.array(HARD)
    exblas.patch(strict=True)
    try:
        assert x.sum() == 2 and np.sum([1, 2], initial=1) == 4
        assert np.sum(x, initial=1) == x.sum(initial=1) == np.add.reduce(x, initial=1) == 3
        for call in (lambda: np.einsum("i,i,i", x, x, x), lambda: np.add.at(x, [0], 0.0),
                     lambda: np.cov(np.array([x, x]), fweights=[1, 1, 1, 2]), lambda: np.matrix(x).sum()):
            tap.refused(TypeError, "own sum, which is not exact", call)
        tap.refused(getattr(np, "exceptions", np).AxisError, "", lambda: np.sum(x, axis=3))
    finally:
        exblas.unpatch()
    exblas.patch()
    try:
        assert np.einsum("i,i,i", x, x, x) is not None
    finally:
        exblas.unpatch()


tap.run(identities, pickles, registries, ufunc_types, methods_of_add, types, narrow_moments, counts, exact_loops, unwatched,
        pandas_loops, strict)
