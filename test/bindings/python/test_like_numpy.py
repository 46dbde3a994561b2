#!/usr/bin/env python3
"""test_like_numpy.py: what the Python package does as NumPy, pandas and SciPy do: every function on arrays with a dimension
of 0, sums of groups, the order of
arguments. Reports in TAP."""
import inspect
import itertools
import math
import pathlib
import random
import re
import warnings

import tap

np = tap.needed("numpy")
import exblas

CODES = "edFDq"
# Functions that take no arrays, and those whose other meanings stand in empty_indices and empty_tables.
NO_ARRAYS = {"config", "fprev", "patch", "set_num_threads", "show_config", "unpatch", "version"}
BY_INDEX = {"Accumulator", "add_at", "average", "bincount", "csrmv", "fsum", "groupby_mean", "groupby_sum", "groupby_var", "histogram", "linear_operator", "scatter_add",
            "segment_sum"}


def asum(x, **options):
    return np.sum(np.abs(as_floats(x).real) + np.abs(x.imag), **options)


def norm(x, **options):
    return np.sqrt(np.sum((as_floats(x) * np.conj(x)).real, **options))


def as_floats(x):
    return x.astype(float) if x.dtype.kind in "iu" else x


def gemm(a, b, alpha=1.0, beta=0.0, c=0.0):
    return (alpha * (a @ b) + beta * c).astype(np.result_type(a.dtype, np.float32))


ONE = [s for n in range(1, 4) for s in itertools.product((0, 2), repeat=n) if 0 in s]
PAIRS = [((m, k), (k, n)) for m, k, n in itertools.product((0, 2), repeat=3) if 0 in (m, k, n)]
VECTORS = [((0,), (0,))]
STACKS = [((s, m, k), (t, k, n)) for s, t, m, k, n in itertools.product((0, 1), (0, 1), (0, 2), (0, 2), (0, 2))]
WITH_VECTORS = [((m, k), (k,)) for m, k in ((0, 2), (2, 0), (0, 0))]
# Function: what NumPy says, and shapes of arguments.
REDUCTIONS = {"sum": np.sum, "mean": np.mean, "var": np.var, "std": np.std, "nansum": np.nansum, "nanmean": np.nanmean, "nanvar": np.nanvar, "nanstd": np.nanstd, "asum": asum, "norm": norm, "nrm2": norm}
PRODUCTS = {
    "dot": (np.dot, VECTORS + PAIRS + WITH_VECTORS + [((0, 2), (3, 2, 0)), ((2, 0), (0, 0, 2))]),
    "vdot": (np.vdot, VECTORS + [((0, 2), (2, 0))]),
    "matmul": (np.matmul, VECTORS + PAIRS + WITH_VECTORS + [((0,), (0, 2)), ((2,), (2, 0))] + STACKS),
    "tensordot": (lambda a, b: np.tensordot(a, b, 1), VECTORS + PAIRS + WITH_VECTORS + [((2, 0), (0, 0, 2))]),
    "inner": (np.inner, VECTORS + [((0, 2), (3, 2)), ((2, 0), (2, 0))]),
    "outer": (np.outer, VECTORS + PAIRS),
    "vecdot": (lambda a, b: (np.conj(a) * b).sum(-1), VECTORS + [((0, 2), (2,)), ((2, 0), (2, 0))]),
    "trapezoid": (getattr(np, "trapezoid", None) or np.trapz, [((0, 2), (2,)), ((2, 0), (0,)), ((0,), (0,))]),
    "gemm": (gemm, PAIRS),
    "gemv": (gemm, WITH_VECTORS),
    "solve": (np.linalg.solve, [((0, 0), (0, 2)), ((2, 2), (2, 0)), ((0, 0), (0, 0)), ((0, 2, 2), (0, 2, 1)), ((2, 0, 0), (2, 0, 3)),
                                ((2, 2, 2), (2, 2, 0))]),
}
SUBSCRIPTS = ["ij,jk", "ij,jk->ki", "ij,jk->", "ij,jk->ijk", "ij,jk->i"]


def arrays(shape, code):
    """Of ones, in both orders and as a view with steps."""
    yield np.ones(shape, code)
    yield np.asfortranarray(np.ones(shape, code))
    yield np.ones([2 * n for n in shape], code)[tuple(slice(None, None, -2) for _ in shape)]


def outcome(function, *arguments, **options):
    try:
        return function(*arguments, **options)
    except (ValueError, TypeError, OverflowError, np.linalg.LinAlgError) as error:
        return error


def difference(ours, numpys):
    """None, or in words how results differ; whoever refuses, both do."""
    if isinstance(ours, Exception) or isinstance(numpys, Exception):
        both = isinstance(ours, Exception) and isinstance(numpys, Exception)
        return None if both else f"{ours!r}, not {numpys!r}"
    if isinstance(ours, tuple):
        return next(filter(None, map(difference, ours, numpys)), None)
    a, b = np.asarray(ours), np.asarray(numpys)
    same = (a.shape, a.dtype) == (b.shape, b.dtype) and np.array_equal(a, b, equal_nan=True)
    return None if same else f"{a!r}, not {b!r}"


def reductions():
    for name, shape, code in itertools.product((*REDUCTIONS, "cumsum"), ONE, CODES):
        for axis, x in itertools.product((None, *range(len(shape))), arrays(shape, code)):
            for options in ({}, {"keepdims": True}) if name != "cumsum" else ({},):
                yield name, (x,), {"axis": axis, **options}, REDUCTIONS.get(name, np.cumsum)


def products():
    for name, (function, shapes) in PRODUCTS.items():
        for (first, second), code in itertools.product(shapes, CODES):
            if name == "solve" and code not in "d" or name in ("gemm", "gemv") and code not in "dFD":
                continue
            for a, b in itertools.product(arrays(first, code), arrays(second, code)):
                if name == "solve" and first[-1]:
                    a = a + np.eye(first[-1])
                options = {"axes": 1} if name == "tensordot" else {}
                yield name, (a, b), options, lambda a, b, function=function, **_: function(a, b)
                if name in ("gemm", "gemv"):
                    c = np.full((a @ b).shape, 3, code)
                    yield name, (a, b, 2.0, 0.5, c), {}, function
    for text, (first, second), code in itertools.product(SUBSCRIPTS, PAIRS, CODES):
        yield "einsum", (text, np.ones(first, code), np.ones(second, code)), {}, np.einsum
    for text, shape, code in itertools.product(("ij->i", "ij->", "ii", "ij->ji"), ((0, 2), (2, 0), (0, 0)), CODES):
        yield "einsum", (text, np.ones(shape, code)), {}, np.einsum


def moments():
    for name, shape, code in itertools.product(("cov", "corrcoef"), ((0,), (0, 2), (2, 0), (0, 0)), "dD"):
        if shape[0] or code == "d" or len(shape) == 1:  # NumPy's result for no rows is real
            yield name, (np.ones(shape, code),), {}, getattr(np, name)


def dimensions_of_0():
    """Every function on arrays that have a dimension of 0, beside NumPy's."""
    seen = set()
    for name, arguments, options, function in itertools.chain(reductions(), products(), moments()):
        seen.add(name)
        words = difference(outcome(getattr(exblas, name), *arguments, **options), outcome(function, *arguments, **options))
        if words:
            yield f"{name} of {[(a.shape, a.dtype.char, a.strides) if isinstance(a, np.ndarray) else a for a in arguments]}, {options}: {words}"
    yield from (f"{name} is not walked" for name in set(exblas.__all__) - seen - NO_ARRAYS - BY_INDEX - {"lstsq"})  # test_lstsq.py


def empty_indices():
    """Sums by index of nothing, and into nothing."""
    empty, none = np.zeros(0), np.zeros(0, int)
    for name, got, wanted in (
            ("bincount", lambda: exblas.bincount([]), np.bincount([])),
            ("bincount with weights", lambda: exblas.bincount([], []), empty),
            ("bincount with minlength", lambda: exblas.bincount(none, empty, 3), np.zeros(3)),
            ("histogram", lambda: exblas.histogram([])[0], np.histogram([])[0]),
            ("histogram with weights", lambda: exblas.histogram(empty, 3, (0, 1), weights=empty)[0], np.zeros(3)),
            ("scatter_add", lambda: exblas.scatter_add(none, empty), empty),
            ("scatter_add of a size", lambda: exblas.scatter_add([], [], 3), np.zeros(3)),
            ("segment_sum", lambda: exblas.segment_sum(empty, [0]), empty),
            ("segment_sum of empty pieces", lambda: exblas.segment_sum([], [0, 0, 0]), np.zeros(2)),
            ("add_at", lambda: added(np.ones(3), [], []), np.ones(3)),
            ("add_at of a number", lambda: added(np.ones(3), none, 5.0), np.ones(3)),
            ("add_at to nothing", lambda: added(np.zeros(0), [], []), empty),
            ("fsum", lambda: exblas.fsum([]), 0.0),
            ("Accumulator", lambda: float(exblas.Accumulator(empty)), 0.0)):
        words = difference(outcome(got), wanted)
        if words:
            yield f"{name}: {words}"


def added(a, indices, b):
    exblas.add_at(a, indices, b)
    return a


def empty_sparse_matrices():
    import scipy.sparse
    for shape, kind, code in itertools.product(((3, 0), (0, 3), (0, 0), (2, 3)), ("csr", "csc", "coo"), "dFD"):
        a = scipy.sparse.coo_matrix(np.zeros(shape, code)).asformat(kind)
        for columns in ((), (2,), (0,)):
            x = np.ones((shape[1], *columns), code)
            y = np.ones((shape[0], *columns), code)
            operator = exblas.linear_operator(a)
            for name, got, wanted in (("csrmv", outcome(exblas.csrmv, a, x), a @ x),
                                      ("linear_operator", outcome(operator.dot, x), a @ x),
                                      ("its adjoint", outcome(operator.H.dot, y), a.conj().T @ y)):
                words = difference(got, wanted)
                if words:
                    yield f"{name} of {shape} in {kind}, {code}, {x.shape}: {words}"


def random_table(r, n):
    import pandas as pd
    frame = pd.DataFrame({
        "k": [r.choice((1.0, 2.0, None)) for _ in range(n)], "s": [r.choice(("a", "b", None)) for _ in range(n)],
        "i": [r.randrange(3) for _ in range(n)],
        "c": pd.Categorical([r.choice("xyz") for _ in range(n)], categories=list("wxyz")),
        "x": [r.choice((1.5, 2.0, -3.0, np.nan)) for _ in range(n)], "t": ["text"] * n,
        "b": [r.random() < 0.5 for _ in range(n)], "z": [complex(r.randrange(9), 1) for _ in range(n)],
        "small": np.array([r.randrange(-60, 60) for _ in range(n)], "i1"), "u": np.array([r.randrange(9) for _ in range(n)], "u4"),
        "f": np.array([r.randrange(9) for _ in range(n)], "f4"), "last": [r.randrange(9) for _ in range(n)]})
    for name, kind in (("I", "Int64"), ("J", "Int8"), ("B", "boolean"), ("F", "Float64"), ("G", "Float32"), ("U", "UInt16")):
        frame[name] = pd.array([r.choice((1, 0, None) if kind == "boolean" else (1, 7, None)) for _ in range(n)], kind)
    frame.columns = ["x" if name == "last" else name for name in frame.columns]  # two of one name
    return frame


def groups_of_pandas():
    """Sums that pandas has exactly: values, index, columns and types are its own, whatever the keys and options."""
    import pandas as pd
    for seed in range(300):
        r = random.Random(seed)
        frame = random_table(r, r.choice((0, 1, 5, 20)))
        keys = r.choice(("k", "s", "i", "c", ["k", "s"], ["c", "i"], ["s"], frame["k"].to_numpy(), ["c", frame["s"].to_numpy()]))
        options = {"as_index": r.random() < 0.6, "sort": r.random() < 0.7, "dropna": r.random() < 0.7, "observed": r.random() < 0.5}
        groups = frame.groupby(keys, **options)
        chosen = r.choice((None, "f", "I", "J", "B", "small", ["f", "I"], ["z"]))
        groups = groups if chosen is None else groups[chosen]
        name = r.choice(("sum", "sum", "mean", "var"))
        got = outcome(getattr(exblas, f"groupby_{name}"), groups)
        wanted = outcome(getattr(groups, name), **{"numeric_only": True} if groups.ndim == 2 else {})
        if isinstance(wanted, TypeError):
            continue  # complex variances
        what = f"seed {seed}: {name} by {keys}, {options}, {chosen}"
        try:
            (pd.testing.assert_frame_equal if wanted.ndim == 2 else pd.testing.assert_series_equal)(got, wanted, check_exact=name == "sum", rtol=1e-6)
        except AssertionError as error:
            yield f"{what}: {got!r}, {error}"


def exact_groups_of_pandas():
    """Sums that pandas rounds, or of which it says that they are missing."""
    import pandas as pd
    frame = pd.DataFrame({"k": ["a", None, "a", "b", "a"], "x": [1e16, 5.0, 1.0, 2.0, -1e16]})
    frame["F"] = frame["x"].astype("Float64")
    frame["I"] = pd.array([2 ** 53 + 1, 1, None, 4, 0], "Int64")
    for name, wanted in (("x", [1.0, 2.0]), ("F", [1.0, 2.0]), ("I", [2 ** 53 + 1, 4])):
        got = exblas.groupby_sum(frame.groupby("k")[name])
        if got.tolist() != wanted or got.dtype != frame[name].dtype:
            yield f"{name}: {got!r}"
    if not isinstance(outcome(exblas.groupby_sum, frame), TypeError) or exblas.sum(frame["x"]) != 8:
        yield "a table, or a column"
    got = exblas.groupby_sum(frame.groupby("k")["I"], skipna=False)
    if got.isna().tolist() != [True, False] or got["b"] != 4:
        yield f"skipna: {got!r}"
    if exblas.groupby_mean(frame.groupby("k")["x"]).tolist() != [1 / 3, 2.0]:
        yield "mean"
    if exblas.groupby_var(frame.groupby("k")["F"]).isna().tolist() != [False, True]:
        yield "variance of one"
    large = outcome(exblas.groupby_sum, pd.Series([2 ** 62, 2 ** 62]).groupby([0, 0]))
    if not isinstance(large, OverflowError):
        yield f"too large: {large!r}"


# Functions of NumPy by another name, or whose arguments NumPy tells only in words; "" is taken by its place only.
NUMPYS = {"trapezoid": getattr(np, "trapezoid", None) or np.trapz, "norm": np.linalg.norm, "lstsq": np.linalg.lstsq, "solve": np.linalg.solve, "fsum": math.fsum}
IN_WORDS = {"dot": ("a", "b", "out"), "vdot": ("a", "b"), "matmul": ("", "", "out"), "bincount": ("", "weights", "minlength"),
            "add_at": ("", "", ""), "inner": ("", ""), "vecdot": ("", "")}
OWN = {"Accumulator", "asum", "csrmv", "gemm", "gemv", "groupby_mean", "groupby_sum", "groupby_var", "linear_operator", "nrm2", "scatter_add", "segment_sum"}


def positions(function):
    return [p for p in inspect.signature(function).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def places_of_arguments():
    """Whatever may be given by its place stands where NumPy has it, with NumPy's default."""
    for name in sorted(set(exblas.__all__) - NO_ARRAYS - OWN):
        ours, numpys = positions(getattr(exblas, name)), NUMPYS.get(name) or getattr(np, name, None)
        numpys = [] if name in IN_WORDS or name == "einsum" else positions(numpys)
        names = IN_WORDS.get(name) or ["" if p.kind is p.POSITIONAL_ONLY else p.name for p in numpys]
        fits = len(names) >= len(ours) and all(n in ("", p.name) for n, p in zip(names, ours))
        if name != "einsum" and not fits:  # it takes any number of arrays
            yield f"{name}{inspect.signature(getattr(exblas, name))}: NumPy has {', '.join(names)}"
        for p, q in zip(ours, numpys):
            if p.default != q.default and "no value" not in repr(q.default) and q.default != "warn":
                yield f"{name}: the default of {p.name} is {p.default}, NumPy's {q.default}"


def missing_arguments():
    """Those of NumPy's that doc/python.md does not list as missing, and those that it lists and are there."""
    page = pathlib.Path(__file__).resolve().parents[3] / "doc" / "python.md"
    table = page.read_text(encoding="utf-8").partition("arguments of NumPy's that are not taken |")[2].partition("\n\n")[0]
    listed = {}
    for row in table.splitlines()[2:]:
        functions, arguments = (set(re.findall(r"`(\w+)`", cell)) for cell in row.strip("|").split("|"))
        for name in functions:
            listed[name] = arguments
    for name in sorted(set(exblas.__all__) - NO_ARRAYS - OWN - set(IN_WORDS) - {"fsum"}):
        parameters = inspect.signature(NUMPYS.get(name) or getattr(np, name)).parameters.values()
        theirs = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        ours = set(inspect.signature(getattr(exblas, name)).parameters)
        if theirs - ours - listed.get(name, set()) or ours & listed.get(name, set()):
            yield f"{name} lacks {sorted(theirs - ours)}, python.md lists {sorted(listed.get(name, set()))}"


def function(name):
    return added if name == "add_at" else getattr(exblas, name)


def numpys(name):
    def add(a, indices, b):
        a = a * 0
        np.add.at(a, indices, b)
        return a
    return {"add_at": add, "solve": np.linalg.solve, "trapezoid": getattr(np, "trapezoid", None) or np.trapz}.get(name) or getattr(np, name)


def arguments_like_numpy():
    """Terms before the first, other names, scalars, nested lists, labels and lists of axes, with NumPy's results."""
    a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(24.0).reshape(2, 4, 3)
    calls = [("sum", (a,), o) for o in ({"initial": 2.5}, {"initial": 1, "axis": 1}, {"initial": 3, "axis": (0, 2), "keepdims": True},
                                        {"axis": 0, "initial": -1, "where": a[0] > 3})]
    calls += [("sum", (np.arange(3),), {"initial": 4}), ("sum", (np.ones((2, 2), "f"), 0), {"initial": 0.5}), ("sum", (5.0,), {}),
              ("sum", ([[1, 2], [3, 4]], 0), {}), ("mean", ([[1.0, 2.0]], 1), {}), ("matmul", ([[1, 2]], [[3], [4]]), {}),
              ("dot", (2, a), {}), ("dot", (a, 2j), {}), ("cov", (a[0],), {"fweights": [1, 2, 1, 0], "bias": True}),
              ("cov", (a[1],), {"fweights": [1, 0, 0, 1], "rowvar": True, "bias": True})]
    x, w, places = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 0.5]]), np.array([1.0, 3.0, 0.5, 0.5]), np.array([0.0, 1.0, 4.0, 4.5])
    calls += [(name, (x, axis), {}) for name in ("nansum", "nanmean", "nanvar", "nanstd") for axis in (None, 0, 1)]
    calls += [("nansum", (x, None), {"initial": 2.0, "where": x != 3}), ("average", (a, 2, w), {}), ("average", (a, None, a), {}),
              ("average", (a,), {"keepdims": True}), ("inner", (a, a[0]), {}), ("inner", (2.0, a), {}), ("inner", (-2, np.arange(3)), {}), ("outer", (a[0], w), {}),
              ("trapezoid", (a,), {}), ("trapezoid", (a, places), {}), ("trapezoid", (a,), {"dx": 0.5, "axis": 0}),
              ("cov", (a[0],), {"aweights": w}), ("histogram", (w, [0, 1, 4]), {"density": True}), ("matmul", (a, a), {"axes": [(0, 2), (2, 0), (1, 0)]}),
              ("matmul", (a[0], w), {"axes": [(0, 1), (0,), (0,)]}), ("solve", (np.array([[1j, 2], [0, 4]]), np.ones(2)), {}),
              ("var", (a, 0), {"ddof": 1.0}), ("cov", (a[0],), {"fweights": np.array([1.0, 2, 1, 0]), "bias": True}),
              ("sum", (np.ma.masked_equal(a, 5.0), 1), {}), ("mean", (np.ma.masked_equal(a, 5.0),), {})]
    calls += [("vecdot", pair, {}) for pair in ((a * 1j, a[0]), ([1, 2], [3, 4]))] * hasattr(np, "vecdot")
    calls += [("sum", ([1, 2],), {"keepdims": True}), ("sum", ((1.0, 2.5), 0, "f"), {}), ("cumsum", ([1, 2], 0), {}),
              ("trapezoid", (w,), {}), ("dot", ([1, 2], [3, 4], np.zeros((), int)), {}),
              ("matmul", ([1, 2], [3, 4]), {}), ("tensordot", (a[0], [1, 2, 0.5, 0], 1), {}),
              ("mean", (a,), {"axis": True})]
    for i in (np.array([0, 1, 0]), (np.array([0, 1, 0]), [1, 2, 1]), (slice(None), [0, 0]), a[:, :, 0] > 3, (..., -1), 1):
        calls.append(("add_at", (np.zeros((2, 3)), i, 1.5), {}))
    calls += [("einsum", words, {}) for words in (
        ("ij,kj,j->ik", a[0], a[1], w), ("...j,j,j", a, w, w), ("ij,jk,kl,lm", a[0], b[0], a[0], b[0]), ("i,i,i", w * 1j, w, w),
        ("...ij,...jk", a, b), ("...ij,...jk->...ik", a, b), ("...i,...i", a, a), ("i...->...", a), ("...", a), ("...ij,jk", a, b[0]),
        ("ij...,jk...->ik...", np.ones((2, 3, 2)), np.ones((3, 4, 2))), ("...a,a", a, np.ones(4)), ("...,...", a, a[:1]),
        ("ij...->j...i", a), ("...ii->...i", np.ones((3, 2, 2))), ("...,ij->...ij", np.array(2.0), a[0]), ("i...,i", a, np.ones(3)),
        (a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3]), (a, [..., 1, 2], b, [..., 2, 3]), (a, [30, 1, 2], [2, 30]), ("ij,kj.", a[0], a[1]),
        ("..ij", a), ("i->j->k", a[0, 0]))]
    for name, arguments, options in calls:
        words = difference(*(outcome(of(name), *arguments, **options) for of in (function, numpys)))
        if words:
            yield f"{name} of {arguments}, {options}: {words}"
    for got in (outcome(exblas.sum, np.arange(3), initial=0.5), outcome(exblas.sum, a, initial=1j),
                outcome(exblas.var, a, ddof=1, correction=1), outcome(exblas.cov, a[0], fweights=[1, 2]),
                outcome(exblas.std, a, 1, mean=np.ones((2, 1))), outcome(exblas.var, a, 0, mean=np.zeros(a.shape[1:]))):
        if not isinstance(got, ValueError):
            yield f"taken: {got!r}"
    if exblas.solve(np.array([[1e-200 + 0j]]), np.array([1e200j]))[0] != complex(0, math.inf):
        yield "a solution with an infinite part"
    total = exblas.Accumulator([1.5, 1.25])
    if (total / 3, f"{total:.3f}", f"{total}", round(total), round(total, 1)) != (2.75 / 3, "2.750", "Accumulator(2.75)", 3, 2.8) or (
            exblas.var(a, 0, correction=1, mean=np.mean(a, 0, keepdims=True)) != np.var(a, 0, ddof=1)).any():
        yield "accumulators as numbers, correction"
    totals = np.array([exblas.Accumulator(), exblas.Accumulator(0.5)])
    np.add.at(totals, [0, 0, 1, 0], np.array([1e16, 1.0, 2.0, -1e16]))
    if totals.astype(float).tolist() != [1.0, 2.5] or float(totals.sum()) != 3.5 or (totals / 2).tolist() != [0.5, 1.25]:
        yield f"arrays of accumulators: {totals}"


def warnings_like_numpy():
    """Of results of too few terms, as often as NumPy has them."""
    x, none = np.ones((2, 3)), np.ones((0, 3))
    for name, arguments, options in (("mean", (none, 0), {}), ("mean", (none, 1), {}), ("mean", (x,), {"where": x < 1}), ("var", (x, 1), {"ddof": 3}),
                                     ("std", (x, 0, "f"), {"ddof": 2}), ("var", (x,), {}), ("cov", (x[:, :1],), {}), ("cov", (x,), {}), ("sum", (none,), {}),
                                     ("mean", ([],), {}), ("var", ([1.0],), {"ddof": 1}), ("nanmean", (none, 1), {})):
        said = []
        for module in (exblas, np):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                getattr(module, name)(*arguments, **options)
            said.append({str(w.message).rstrip(".") for w in found if "divide" not in str(w.message) and "multiply" not in str(w.message)})
        if said[0] != said[1]:
            yield f"{name} of {np.shape(arguments[0])}, {options}: {said}"


def orders_of_norms():
    """Those of numpy.linalg.norm that have exact values; others are refused."""
    v, m = np.array([3.0, -4.0]), np.array([[1.0, 2.0], [2.0, 4.0]])
    for arguments in ((v,), (v, None), (v, 2), (v, 2, 0), (v, None, 0, True), (m,), (m, None), (m, "fro"), (m, 2, 0), (m, 2, (1,)),
                      (m, "fro", (0, 1)), (m, None, 1), (m, None, -1, True)):
        words = difference(outcome(exblas.norm, *arguments), np.linalg.norm(*arguments))
        if words:
            yield f"norm{arguments[1:]} of {arguments[0].ndim} dimensions: {words}"
    for arguments in ((v, 0), (v, 1), (v, 3), (v, "fro"), (m, 0), (m, 1), (m, 2), (m, np.inf), (m, "nuc"), (m, "fro", 0),
                      (m, 2, (0, 1)), (v.tolist(), 1)):
        got = outcome(exblas.norm, *arguments)
        if not isinstance(got, ValueError) or "order" not in str(got):
            yield f"norm{arguments[1:]}: {got!r}"


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # NumPy's, of means of nothing
    tap.run(dimensions_of_0, empty_indices, empty_sparse_matrices, groups_of_pandas, exact_groups_of_pandas, places_of_arguments,
            missing_arguments, arguments_like_numpy, orders_of_norms, warnings_like_numpy)
