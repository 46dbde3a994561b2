"""NumPy's own sums replaced by exact ones, where Python can reach them; what stays its own is counted."""
import functools
import gc
import importlib
import math
import sys
import threading
from numbers import Number, Real

from exblas import _calls, _core

NUMPY, PANDAS = range(2)  # as in lib/observe/tally.h
LIBRARIES = ("NumPy's", "pandas'")

numpy = None  # the module that is patched
_kept = []  # what undoes patch(), in order
_strict = False
_counting = threading.local()


class _Own:
    """In place of a result: NumPy shall compute it. reason: why, or None where it does not round, or where another
    function that is patched will be asked."""

    def __init__(self, reason=None):
        self.reason = reason


_NOT_COUNTED = _Own()


def _compute(original, arguments, options):
    """NumPy's result, without counting what it calls for that."""
    if getattr(_counting, "is_off", False):
        return original(*arguments, **options)
    _counting.is_off = True
    try:
        return original(*arguments, **options)
    finally:
        _counting.is_off = False


def _count(library, reason):
    if getattr(_counting, "is_off", False):
        return
    if _strict:
        raise TypeError(f"{reason}: {LIBRARIES[library]} own sum, which is not exact (exblas.patch was told strict)")
    _calls.report_own(library, reason)


def _patched(original, names, ours, warns=True):
    """In place of a function with arguments of these names: ours, given a dictionary of them, else NumPy's, which words
    its errors its own way. warns: of results that are not finite NumPy may have to warn."""
    def call(*arguments, **options):
        given = {**dict(zip(names, arguments)), **options}
        if len(given) != len(arguments) + len(options):
            return original(*arguments, **options)
        result = ours(given)
        if type(result) is not _Own:
            if warns and not _is_given(given.get("out")) and not _is_finite(result):
                _compute(original, arguments, options)
            return result
        if result.reason is None:
            return original(*arguments, **options)
        own = _compute(original, arguments, options)
        _count(NUMPY, result.reason)
        return own
    return call


def _is_finite(result):
    return math.isfinite(result) if isinstance(result, float) else numpy.isfinite(result).all()


def _is_plain(x, codes):
    return type(x) is numpy.ndarray and x.dtype.char in codes


FLOATS, WIDE, INTEGERS, FLOAT_OBJECTS = "efdFD", "gG", "?bhilqBHILQ", (float, complex)
NUMBERS = FLOATS + INTEGERS


def _is_rounded(x):
    """Whether NumPy itself adds such elements, and rounds."""
    array = numpy.ndarray
    return isinstance(x, array) and type(x).__array_ufunc__ is array.__array_ufunc__ and (
        x.dtype.char in FLOATS + WIDE or x.dtype.char == "O" and any(isinstance(e, FLOAT_OBJECTS) for e in x.flat))


def _kind(x):
    return type(x).__name__ if x.dtype.char in FLOATS else x.dtype.name


def _array(x):
    """Lists and tuples as NumPy makes arrays of them; ragged ones, and all else, as they are."""
    try:
        return numpy.asarray(x) if type(x) in (list, tuple) else x
    except ValueError:
        return x


def _is_given(value):
    return value is not None and value is not numpy._NoValue


def _is_minus_zero(x):
    return isinstance(x, Number) and x == 0 and min(math.copysign(1, x.real), math.copysign(1, x.imag)) < 0


def _exactly(ours, name, **wishes):
    try:
        return ours(**wishes)
    except (TypeError, ValueError, OverflowError):
        return _Own(f"{name} with {', '.join(sorted(set(wishes) - USUAL)) or 'other arguments'}")


USUAL = {"a", "b", "m", "x", "y", "axis", "keepdims", "rowvar"}


def _reduction(ours, name, takes_integers=False, is_inner=False):
    """is_inner: what the methods of arrays and of ufuncs lead to, subclasses of arrays, too."""
    def attempt(given):
        a, out = _array(given.get("a")), given.get("out")
        has_dtype = _is_given(given.get("dtype")) and numpy.dtype(given["dtype"]).kind in "fc"
        if not _is_plain(a, FLOATS + (INTEGERS if takes_integers or has_dtype else "")):
            is_counted = _is_rounded(a) and (is_inner or type(a) is numpy.ndarray)
            return _Own(f"{name} of {_kind(a)}") if is_counted else _NOT_COUNTED
        if _is_given(out) and type(out) is not numpy.ndarray:
            return _NOT_COUNTED
        if has_dtype and a.dtype.kind == "c" and numpy.dtype(given["dtype"]).kind != "c":
            return _Own(f"{name} with dtype")  # of the real parts
        wishes = {k: v for k, v in given.items() if k != "a" and _is_given(v)}
        initial = given.get("initial", 0)
        if initial is None and a.size == 0:
            return _NOT_COUNTED  # an error
        if _is_minus_zero(initial):
            return _Own(f"{name} with -0")
        if isinstance(initial, Real) and initial == 0:
            wishes.pop("initial", None)
        return _exactly(ours, name, a=a, **wishes)
    return attempt


def _product(ours, name, finish=None):
    """Of two arrays. What is not ours goes to BLAS, for the types that BLAS has."""
    def attempt(given):
        a, b = _array(given.get("a")), _array(given.get("b"))
        is_known = _is_plain(a, NUMBERS) and _is_plain(b, NUMBERS) and a.ndim > 0 and b.ndim > 0
        if not is_known or not (a.dtype.char in FLOATS or b.dtype.char in FLOATS):
            is_counted = _is_rounded(a) and _is_rounded(b) and not {a.dtype.char, b.dtype.char}.isdisjoint("eO" + WIDE)
            return _Own(f"{name} of {_kind(a)}") if is_counted else _NOT_COUNTED
        wishes = {k: v for k, v in given.items() if _is_given(v)}
        out = wishes.get("out")
        if out is not None and not (type(out) is numpy.ndarray and out.flags.c_contiguous
                                    and out.dtype == numpy.result_type(a, b)):
            return _NOT_COUNTED  # an error
        result = _exactly(ours, name, **{**wishes, "a": a, "b": b})
        return result if type(result) is _Own or finish is None else finish(result)
    return attempt


def _scalar(x):
    return x[()]


def _zero_d(x):
    return numpy.asarray(x)


def _moments(ours, name, first, finish):
    """cov and corrcoef, whose results NumPy has in double precision at least."""
    def attempt(given):
        wishes = {k: v for k, v in given.items() if _is_given(v)}
        arrays = [_array(wishes[k]) for k in (first, "y") if k in wishes]
        if not arrays or not all(_is_plain(x, NUMBERS) for x in arrays):
            return _Own(f"{name} of {_kind(arrays[0])}") if any(map(_is_rounded, arrays)) else _NOT_COUNTED
        if any(x.size == 0 for x in arrays):
            return _NOT_COUNTED
        others = {"fweights", "aweights"} & set(wishes)
        if not wishes.get("rowvar", True) and any(x.shape[0] == 1 for x in arrays if x.ndim == 2):
            others = {"rowvar"}  # one row may stay a row
        if others:
            return _Own(f"{name} with {', '.join(sorted(others))}")
        wishes.update(zip((first, "y"), arrays))
        wishes.setdefault("dtype", numpy.result_type(*arrays, numpy.float64))
        result = _exactly(ours, name, **wishes)
        return finish(result) if type(result) is not _Own and result.ndim == 0 else result
    return attempt


def _bincount(ours):
    def attempt(given):
        weights = _array(given.get("weights"))
        if weights is None:
            return _NOT_COUNTED
        if not _is_plain(weights, "efd" + INTEGERS):
            return _Own(f"bincount with weights of {_kind(weights)}") if _is_rounded(weights) else _NOT_COUNTED
        return _exactly(ours, "bincount", **{**given, "weights": weights})
    return attempt


def _is_view(operands):
    """einsum of one array without a sum gives a view of it, or a diagonal that can be written."""
    inputs, arrow, output = operands[0].replace(" ", "").partition("->")
    return len(operands) == 2 and (set(inputs) == set(output) if arrow else len(set(inputs)) == len(inputs))


def _einsum(original, ours):
    def reason(operands, options):
        arrays = [x for x in operands if _is_rounded(x)]
        others = sorted(set(options) - {"out", "dtype", "optimize"})
        if not arrays:
            return None
        if not isinstance(operands[0], str):
            return "einsum with lists of axes"
        if len(operands) > 3:
            return f"einsum of {len(operands) - 1} arrays"
        return f"einsum with {others[0]}" if others else f"einsum of {_kind(arrays[0])} in another form"

    def call(*operands, **options):
        is_text = len(operands) > 1 and isinstance(operands[0], str)
        if is_text and _is_view(operands):
            return original(*operands, **options)
        is_known = is_text and len(operands) < 4 and not set(options) - {"out", "dtype", "optimize"}
        if is_known and all(_is_plain(x, FLOATS) for x in operands[1:]):
            wishes = {k: v for k, v in options.items() if k != "optimize"}
            result = _exactly(lambda **more: ours(*operands, **more), "einsum", **wishes)
            if type(result) is not _Own:
                return result
        own = _compute(original, operands, options)
        if (why := reason(operands, options)) is not None:
            _count(NUMPY, why)
        return own
    return call


def _norm(ours):
    """The 2-norm of vectors and the Frobenius norm; others are NumPy's, which adds by functions that are patched."""
    def attempt(given):
        x, ord, axis = _array(given.get("x")), given.get("ord"), given.get("axis")
        n_axes = len(axis) if isinstance(axis, tuple) else 1 if axis is not None else getattr(x, "ndim", 0)
        is_euclidean = ord is None and (axis is None or n_axes <= 2) or (
            n_axes == 1 and ord == 2 or n_axes == 2 and ord in ("fro", "f"))
        if not _is_plain(x, NUMBERS) or not is_euclidean:
            return _NOT_COUNTED
        result = _exactly(ours, "norm", a=x, axis=axis, keepdims=given.get("keepdims", False))
        return _NOT_COUNTED if type(result) is _Own else result
    return attempt


def _convolution(name):
    """Not ours: short ones are added by loops of NumPy, long ones by BLAS."""
    def attempt(given):
        both = [x for x in map(_array, (given.get("a"), given.get("v"))) if _is_rounded(x)]
        is_short = both and min(x.size for x in both) <= 11
        return _Own(name) if is_short or any(x.dtype.char in "e" + WIDE for x in both) else _NOT_COUNTED
    return attempt


def _histogram(given):
    return _Own("histogram with weights") if _is_rounded(_array(given.get("weights"))) else _NOT_COUNTED


def _of_add(original, names, ours, takes_all):
    """In place of a method of all ufuncs: exact for numpy.add. Its axis is the first where none is given."""
    others = _counted_sums(original)

    def call(self, *arguments, **options):
        if self is not numpy.add or not arguments:
            return others(self, *arguments, **options)

        def plain(*_, **__):
            return original(self, *arguments, **options)
        wishes = {"axis": 0, **dict(zip(names[1:], arguments[1:])), **options}
        if isinstance(wishes.get("out"), tuple) and len(wishes["out"]) == 1:
            wishes["out"], = wishes["out"]
        if wishes["axis"] is None and not takes_all or len(arguments) > len(names):
            return plain()
        return _patched(plain, names, ours)(arguments[0], **wishes)
    return call


def _dot_method(original):
    """Of vectors and matrices the method goes to BLAS for all strides, of arrays of more dimensions only for some."""
    import exblas
    ours = _patched(original, PRODUCT, _product(exblas.dot, "dot"), False)

    def call(self, *arguments, **options):
        is_simple = self.ndim < 3 and arguments and getattr(arguments[0], "ndim", 3) < 3
        return (original if is_simple and self.dtype.char in "fdFD" else ours)(self, *arguments, **options)
    return call


def _counted_sums(original):
    def call(self, *arguments, **options):
        if self not in (numpy.add, numpy.subtract) or not arguments or not _is_rounded(arguments[0]):
            return original(self, *arguments, **options)
        own = _compute(original, (self, *arguments), options)
        _count(NUMPY, f"{self.__name__}.{original.__name__}")
        return own
    return call


class _Methods:
    """The methods of a type that is written in C, as attributes that can be set: its dictionary is behind a proxy, and
    the interpreter keeps what it once found there."""

    def __init__(self, cls):
        methods, = gc.get_referents(vars(cls))
        self.__dict__.update(_cls=cls, _methods=methods)

    def __getattr__(self, name):
        return self._methods[name]

    def __setattr__(self, name, value):
        import ctypes
        self._methods[name] = value
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(self._cls))


def _set(where, name, value):
    _kept.append(functools.partial(setattr, where, name, getattr(where, name)))
    setattr(where, name, value)


def _replace_method(cls, name, make, *more):
    methods = _Methods(cls)
    function = functools.wraps(getattr(methods, name))(make(getattr(methods, name), *more))
    function.__module__ = "numpy"
    _set(methods, name, function)


def _unknown():
    return RuntimeError(f"the functions of NumPy {numpy.__version__} are not of a kind that can be patched")


def _implementation_place(function):
    """Where a dispatcher of NumPy keeps the function that it calls: a cell of its closure, or a word of its memory."""
    if hasattr(function, "__code__"):
        return function.__closure__[function.__code__.co_freevars.index("implementation")]
    import ctypes
    n_words = type(function).__basicsize__ // ctypes.sizeof(ctypes.c_void_p)
    words = (ctypes.c_void_p * n_words).from_address(id(function))
    places = [i for i, word in enumerate(words) if word == id(function._implementation)]
    if len(places) != 1:
        raise _unknown()
    return words, places[0]


def _set_implementation(function, new):
    """What NumPy calls when no argument's type overrides the function. It stays the object that it was: others have
    registered it, pickle it by its name, imported it."""
    place, old = _implementation_place(function), function._implementation
    if not isinstance(place, tuple):
        place.cell_contents = function._implementation = new
        return
    import ctypes
    words, at = place
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(new))
    words[at] = id(new)
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(old))


def _replace(function, make):
    if not hasattr(function, "_implementation"):  # NUMPY_EXPERIMENTAL_ARRAY_FUNCTION=0
        raise _unknown()
    original = function._implementation
    _kept.append(functools.partial(_set_implementation, function, original))
    _set_implementation(function, functools.wraps(original)(make(original)))


def _redirect(module, name, names, ours):
    """Arrays keep the function that they looked up at their first sum: so the function stays and gets a body
    that calls the replacement, which lies beside it in its module."""
    function, slot = getattr(module, name), f"_exblas{name}"
    original = type(function)(function.__code__, function.__globals__, name, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    setattr(module, slot, _patched(original, names, ours))
    scope = {}
    exec(f"def {name}(*arguments, **options):\n    return {slot}(*arguments, **options)\n", scope)
    _set(function, "__defaults__", None)
    _set(function, "__kwdefaults__", None)
    _set(function, "__code__", scope[name].__code__)


# What pandas adds by loops of its own, in which module.
PANDAS_LOOPS = {
    "pandas._libs.groupby": ("groupby", (
        "group_sum", "group_mean", "group_var", "group_cumsum", "group_skew", "group_kurt")),
    "pandas._libs.window.aggregations": ("rolling", (
        "roll_sum", "roll_mean", "roll_var", "roll_skew", "roll_kurt", "roll_cov", "roll_corr", "roll_weighted_sum",
        "roll_weighted_mean", "roll_weighted_var", "ewm", "ewmcov")),
    "pandas._libs.algos": ("cov and corr", ("nancorr",)),
    "pandas.core.groupby.ops": ("groupby", ("WrappedCythonOp._call_cython_op",)),
    "pandas.core.arrays.arrow.array": ("Arrow", ("ArrowExtensionArray._reduce", "ArrowExtensionArray._accumulate")),
}
PANDAS_SUMS = {"sum", "mean", "var", "std", "sem", "skew", "kurt", "cumsum"}


class _Counted:
    """A function of pandas, with all that it has."""

    def __init__(self, function, reason):
        self._function, self._reason = function, reason

    def __call__(self, *arguments, **options):
        own = self._function(*arguments, **options)
        if any(map(_is_rounded, (*arguments, *options.values()))):
            _count(PANDAS, self._reason)
        return own

    def __getattr__(self, name):
        return getattr(self._function, name)

    def __getitem__(self, types):
        return _Counted(self._function[types], self._reason)


def _counted_method(method, reason):
    """Of a column, or of columns for what the object does."""
    @functools.wraps(method)
    def call(self, first, *arguments, **options):
        own = _compute(method, (self, first, *arguments), options)
        what, x = (self.how, first) if hasattr(self, "how") else (first, self)
        if what in PANDAS_SUMS and (x.dtype.kind in "fc" or what not in ("sum", "cumsum")):
            _count(PANDAS, reason)
        return own
    return call


def _count_pandas(module):
    reason, names = PANDAS_LOOPS[module.__name__]
    for where, _, name in (path.rpartition(".") for path in names):
        where, make = (getattr(module, where, None), _counted_method) if where else (module, _Counted)
        if hasattr(where, name):
            _set(where, name, make(getattr(where, name), reason))


class _AfterPandas:
    """Finds pandas' modules as they would have been found, and counts what they add from when they are loaded."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in PANDAS_LOOPS:
            return None
        others = (f for f in sys.meta_path if f is not _AfterPandas and hasattr(f, "find_spec"))
        spec = next(filter(None, (f.find_spec(name, path, target) for f in others)), None)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            if _kept:
                _count_pandas(module)
        spec.loader.exec_module = exec_module
        return spec


SUM = ("a", "axis", "dtype", "out", "keepdims", "initial", "where")
MEAN = ("a", "axis", "dtype", "out", "keepdims")
VAR = ("a", "axis", "dtype", "out", "ddof", "keepdims")
RUN = ("a", "axis", "dtype", "out")
PRODUCT = ("a", "b", "out")
COV = ("m", "y", "rowvar", "bias", "ddof", "fweights", "aweights")
REDUCTIONS = (("sum", SUM, False), ("mean", MEAN, True), ("var", VAR, True), ("std", VAR, True))


def _core_module(name):
    for core in ("numpy._core", "numpy.core"):
        try:
            return importlib.import_module(f"{core}.{name}")
        except ImportError:
            continue
    raise _unknown()


def _functions():
    """The public functions: what each is replaced by, given its own implementation."""
    import exblas

    def by(names, ours, warns=True):
        return lambda original: _patched(original, names, ours, warns)
    for name, names, takes_integers in REDUCTIONS:
        yield getattr(numpy, name), by(names, _reduction(getattr(exblas, name), name, takes_integers))
    yield numpy.cumsum, by(RUN, _reduction(exblas.cumsum, "cumsum"))
    yield numpy.dot, by(PRODUCT, _product(exblas.dot, "dot"), False)
    yield numpy.vdot, by(PRODUCT[:2], _product(exblas.vdot, "vdot"), False)
    yield numpy.inner, by(PRODUCT[:2], _product(lambda a, b: exblas.inner(a, b), "inner", _scalar), False)
    yield numpy.tensordot, by(("a", "b", "axes"), _product(exblas.tensordot, "tensordot", _zero_d), False)
    yield numpy.cov, by(COV, _moments(exblas.cov, "cov", "m", _zero_d))
    yield numpy.corrcoef, by(("x", "y", "rowvar"), _moments(exblas.corrcoef, "corrcoef", "x", _scalar))
    yield numpy.bincount, by(("x", "weights", "minlength"), _bincount(exblas.bincount), False)
    yield numpy.einsum, lambda original: _einsum(original, exblas.einsum)
    yield numpy.linalg.norm, by(("x", "ord", "axis", "keepdims"), _norm(exblas.norm), False)
    yield numpy.correlate, by(("a", "v", "mode"), _convolution("correlate"))
    yield numpy.convolve, by(("a", "v", "mode"), _convolution("convolve"))
    yield numpy.histogram, by(("a", "bins", "range", "density", "weights"), _histogram)


def _replace_all():
    import exblas
    _set(exblas._reductions, "warns_of_few", False)  # NumPy's own functions warn
    methods = _core_module("_methods")
    for name, names, takes_integers in REDUCTIONS:
        _redirect(methods, f"_{name}", names, _reduction(getattr(exblas, name), name, takes_integers, True))
    for function, make in _functions():
        _replace(function, make)
    _replace_method(numpy.ufunc, "reduce", _of_add, SUM, _reduction(exblas.sum, "sum", False, True), True)
    _replace_method(numpy.ufunc, "accumulate", _of_add, RUN, _reduction(exblas.cumsum, "cumsum", False, True), False)
    for name in ("reduceat", "at"):
        _replace_method(numpy.ufunc, name, _counted_sums)
    _replace_method(numpy.ndarray, "dot", _dot_method)
    table = _core_module("_multiarray_umath")._UFUNC_API
    for name in ("matmul", "vecdot", "matvec", "vecmat"):
        if hasattr(numpy, name):
            _kept.append(functools.partial(_core.set_loops, table, getattr(numpy, name), name, False))
            _core.set_loops(table, getattr(numpy, name), name, True)


def patch(strict=False):
    """From now on numpy.sum, mean, var, std, cumsum, dot, inner, vdot, tensordot, einsum, bincount, cov, corrcoef,
    linalg.norm, add.reduce, add.accumulate and what NumPy computes by those (the methods sum, mean, var, std, cumsum
    and trace of arrays) give exact results, rounded once, where their arguments have any; else NumPy's own. Sums of
    integers are left to NumPy: they are exact, or wrap around. The functions stay the objects that they were.

    The operator @ and the method dot go to BLAS for all strides: start the program with exblas-run. Its report names
    the sums that stay NumPy's own (doc/python.md). strict: TypeError for these instead."""
    global numpy, _strict
    import numpy
    _strict = strict
    if _kept:
        return
    try:
        _replace_all()
    except BaseException:
        unpatch()
        raise
    for name in PANDAS_LOOPS:
        if name in sys.modules:
            _count_pandas(sys.modules[name])
    sys.meta_path.insert(0, _AfterPandas)
    _kept.append(functools.partial(sys.meta_path.remove, _AfterPandas))
    _calls.report_own(NUMPY, None)


def unpatch():
    """Undoes patch()."""
    while _kept:
        _kept.pop()()
