"""What runs here, and in which order others add."""
import os
import platform
import sys
from numbers import Integral

from exblas import _calls, _commands, _core
from exblas._numbers import natural


def version():
    """The version of the library that was loaded."""
    return _calls.LIBRARY.exblas_version().decode()


def set_num_threads(n):
    """Most threads that a call may use; below 1: as in the environment. Results do not depend on it."""
    if not isinstance(n, Integral):
        raise TypeError(f"a number of threads is an integer, not {type(n).__name__}")
    _calls.LIBRARY.exblas_set_num_threads(max(0, min(int(n), 2 ** 20)))


def config():
    """Facts about the running library, as a dictionary."""
    facts = {key: _calls.info(key) for key in ("version", "isa", "isas", "threads", "method", "compiler")}
    facts["module"] = os.path.dirname(os.path.abspath(__file__))
    facts["library"] = _library()
    facts["exblas-run"] = _commands.find("exblas-run")
    facts["preloaded"] = os.environ.get("LD_PRELOAD", "")
    facts["python"] = platform.python_version()
    numpy = sys.modules.get("numpy")
    facts["numpy"] = None if numpy is None else numpy.__version__
    return facts


def _library():
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            return next((line.split(None, 5)[5].strip() for line in maps if "libexblas.so" in line), None)
    except OSError:
        return None


def extension(name):
    """The path of a database's extension, which lies with the library or, in a build tree, beside it."""
    folder = os.path.dirname(os.path.realpath(_library() or ""))
    for place in ("exblas", "../bindings/sql"):
        if os.path.exists(path := os.path.join(folder, place, name)):
            return os.path.normpath(path)
    raise FileNotFoundError(f"{name} was not built with this package (SQLite's needs sqlite3ext.h)")


def show_config():
    """Prints config(), a line each."""
    for key, value in config().items():
        print(f"{key:12} {value}")


def fprev(function, n):
    """In which order a function of n doubles adds: a dictionary with its class (tree, fused, exact,
    compensated, inconsistent), the tree as text and its hash, the calls made, and a note. The function is
    given an array of NumPy if NumPy is there, else a memoryview, and returns a number."""
    if not callable(function):
        raise TypeError(f"{type(function).__name__} is no function of an array")
    n = natural("n", n, 1)
    numpy = sys.modules.get("numpy")
    terms = numpy.zeros(n) if numpy is not None else memoryview(bytearray(8 * n)).cast("d")
    return _core.fprev(lambda x: float(function(x)), terms)
