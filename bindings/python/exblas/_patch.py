"""NumPy's own sums replaced by exact ones, where Python can reach them."""
import gc
import importlib
import math
import sys

_kept = []  # (object, attribute, what it was)


def _methods(numpy):
    """The module whose functions an array's methods sum, mean, var and std call."""
    for name in ("numpy._core._methods", "numpy.core._methods"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise RuntimeError(f"NumPy {numpy.__version__} is not known")


def _is_ours(x):
    """Arrays whose sums NumPy rounds, of types that exblas takes; all others stay NumPy's business. Its sums of
    integers are exact, or wrap around."""
    return type(x) is sys.modules["numpy"].ndarray and x.dtype.char in "efdFD"


def _has_mean(x):
    """Arrays whose means are rounded."""
    return _is_ours(x) or type(x) is sys.modules["numpy"].ndarray and x.dtype.kind in "biu"


def _array(x):
    """Lists and tuples as NumPy makes arrays of them; ragged ones, and all else, as they are."""
    try:
        return sys.modules["numpy"].asarray(x) if type(x) in (list, tuple) else x
    except ValueError:
        return x


def _is_given(value):
    return value is not None and value is not getattr(sys.modules["numpy"], "_NoValue", None)


def _is_nothing(initial):
    """A first term that changes no sum: not -0, which would be the sum of none."""
    return not _is_given(initial) and initial is not None or (
        isinstance(initial, (int, float)) and initial == 0 and math.copysign(1, initial) > 0)


def _reduction(original, ours, names, takes=_is_ours):
    """In place of a reduction (a, then arguments of these names): ours where it applies and has a result, else
    NumPy's, which words its errors its own way. Of results that are not finite NumPy may have to warn."""
    def call(a, *arguments, **options):
        given = {**dict(zip(names, arguments)), **options}
        a = _array(a)
        if len(arguments) > len(names) or not takes(a) or not _is_nothing(given.pop("initial", 0)):
            return original(a, *arguments, **options)
        wishes = {k: v for k, v in given.items() if _is_given(v)}
        try:
            result = ours(a, **wishes)
        except (TypeError, ValueError, OverflowError):
            return original(a, *arguments, **options)
        if "out" not in wishes and not sys.modules["numpy"].isfinite(result).all():
            original(a, *arguments, **options)
        return result
    return call


def _products(original, ours):
    """In place of a function whose leading arguments are arrays."""
    def call(a, *arguments, **options):
        a, arguments = _array(a), (*map(_array, arguments[:1]), *arguments[1:])
        arrays = [a, *arguments[:1]] if arguments and hasattr(arguments[0], "dtype") else [a]
        if not all(map(_is_ours, arrays)):
            return original(a, *arguments, **options)
        try:
            return ours(a, *arguments, **options)
        except (TypeError, ValueError, OverflowError):
            return original(a, *arguments, **options)
    return call


def _bincount(original, ours):
    def call(x, /, weights=None, minlength=0):
        if weights is None or not _has_mean(weights) or weights.dtype.kind == "c":
            return original(x, weights, minlength)
        try:
            return ours(x, weights, minlength)
        except (TypeError, ValueError):
            return original(x, weights, minlength)
    return call


def _is_view(operands):
    """einsum of one array without a sum gives a view of it, or a diagonal that can be written."""
    inputs, arrow, output = operands[0].replace(" ", "").partition("->")
    return len(operands) == 2 and (set(inputs) == set(output) if arrow else len(set(inputs)) == len(inputs))


def _einsum(original, ours):
    def call(*operands, **options):
        is_plain = operands and isinstance(operands[0], str) and len(operands) > 1 and not _is_view(operands)
        if not is_plain or set(options) - {"out", "dtype", "optimize"} or not all(map(_is_ours, operands[1:])):
            return original(*operands, **options)
        try:
            return ours(*operands, **{k: v for k, v in options.items() if k != "optimize"})
        except (TypeError, ValueError, OverflowError):
            return original(*operands, **options)
    return call


def _norm(original, ours):
    def call(x, ord=None, axis=None, keepdims=False):
        x = _array(x)
        if not _is_ours(x) or ord is not None or isinstance(axis, tuple) and len(axis) > 2:
            return original(x, ord, axis, keepdims)
        try:
            return ours(x, axis=axis, keepdims=keepdims)
        except (TypeError, ValueError):
            return original(x, ord, axis, keepdims)
    return call


def _of_add(original, ours, names, takes_all):
    """In place of a method of all ufuncs: exact for numpy.add. Its axis is the first where none is given."""
    def call(self, *arguments, **options):
        def plain(*_, **__):
            return original(self, *arguments, **options)
        if self is not sys.modules["numpy"].add or not 0 < len(arguments) <= len(names) + 1:
            return plain()
        wishes = {"axis": 0, **dict(zip(names, arguments[1:])), **options}
        if isinstance(wishes.get("out"), tuple):
            wishes["out"], = wishes["out"]
        if wishes["axis"] is None and not takes_all:
            return plain()
        return _reduction(plain, ours, names)(arguments[0], **wishes)
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


SUM = ("axis", "dtype", "out", "keepdims", "initial", "where")
MEAN = ("axis", "dtype", "out", "keepdims", "where")
VAR = ("axis", "dtype", "out", "ddof", "keepdims")
RUN = ("axis", "dtype", "out")


def _replace(where, name, make, ours, *more):
    original = getattr(where, name)
    _kept.append((where, name, original))
    function = make(original, ours, *more)
    function.__name__, function.__doc__, function.__wrapped__ = name, original.__doc__, original
    setattr(where, name, function)


def _redirect(module, name, *replacement):
    """Arrays keep the function that they looked up at their first sum: so the function stays and gets a body
    that calls the replacement, which lies beside it in its module."""
    function, slot = getattr(module, name), f"_exblas{name}"
    original = type(function)(function.__code__, function.__globals__, name, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    for attribute in ("__code__", "__defaults__", "__kwdefaults__"):
        _kept.append((function, attribute, getattr(function, attribute)))
    setattr(module, slot, _reduction(original, *replacement))
    scope = {}
    exec(f"def {name}(*arguments, **options):\n    return {slot}(*arguments, **options)\n", scope)
    function.__defaults__ = function.__kwdefaults__ = None
    function.__code__ = scope[name].__code__


def patch():
    """From now on numpy.sum, mean, var, std, cumsum, dot, vdot, tensordot, einsum, bincount, cov, corrcoef,
    linalg.norm, add.reduce, add.accumulate and what NumPy computes by those (the methods sum, mean, var, std, cumsum
    and trace of arrays) give exact results, rounded once, where their arguments have any; else NumPy's own. Sums of
    integers are left to NumPy: they are exact, or wrap around.

    Not reached: numpy.add.reduceat, the operator @ (start the program with exblas-run), subclasses of arrays,
    and names that were imported before (from numpy import sum)."""
    import exblas
    import numpy
    if _kept:
        return
    methods = _methods(numpy)
    for name, *replacement in (("_sum", exblas.sum, SUM), ("_mean", exblas.mean, MEAN, _has_mean),
                               ("_var", exblas.var, VAR, _has_mean), ("_std", exblas.std, VAR, _has_mean)):
        _redirect(methods, name, *replacement)
        _replace(numpy, name[1:], _reduction, *replacement)
    _replace(_Methods(numpy.ufunc), "reduce", _of_add, exblas.sum, SUM, True)
    _replace(_Methods(numpy.ufunc), "accumulate", _of_add, exblas.cumsum, RUN, False)
    _replace(numpy, "cumsum", _reduction, exblas.cumsum, RUN)
    for name in ("dot", "vdot", "tensordot", "cov", "corrcoef"):
        _replace(numpy, name, _products, getattr(exblas, name))
    _replace(numpy, "bincount", _bincount, exblas.bincount)
    _replace(numpy, "einsum", _einsum, exblas.einsum)
    _replace(numpy.linalg, "norm", _norm, exblas.norm)


def unpatch():
    """Undoes patch()."""
    while _kept:
        where, name, original = _kept.pop()
        setattr(where, name, original)
