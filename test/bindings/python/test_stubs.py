#!/usr/bin/env python3
"""The types of the package (its .pyi): every public name has a docstring and a stub with the same parameters, and there
is no other stub. With mypy, stubtest says the same of all that it knows. Reports in TAP."""
import __future__
import importlib
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
from unittest import mock

import exblas
import tap

STUB = pathlib.Path(exblas.__file__).with_name("__init__.pyi")


def parameters(function):
    """(name, kind, has a default) of each parameter."""
    return [(p.name, p.kind, p.default is not p.empty) for p in inspect.signature(function).parameters.values()]


def stubs():
    """What the stub defines, by name; of overloads the last one."""
    names = {"__name__": "stub"}
    with mock.patch("typing.overload", lambda f: f), mock.patch.dict(sys.modules, typing_extensions=mock.MagicMock()):
        exec(compile(STUB.read_text(encoding="utf-8"), STUB, "exec", __future__.annotations.compiler_flag), names)
    return {name: thing for name, thing in names.items() if not name.startswith("_") and getattr(thing, "__module__", None) == "stub"}


def public_names():
    known = stubs()
    for name in exblas.__all__:
        thing = getattr(exblas, name)
        if not (thing.__doc__ or "").strip():
            yield f"{name} has no docstring"
        if inspect.isfunction(thing) and (name not in known or parameters(thing) != parameters(known[name])):
            yield f"{name}: {parameters(thing)}, but the stub has {name in known and parameters(known[name])}"
    if set(known) - set(exblas.__all__):
        yield f"stubs of no public name: {set(known) - set(exblas.__all__)}"
    for name in dir(exblas.Accumulator):
        if not name.startswith("_") and not (getattr(exblas.Accumulator, name).__doc__ or "").strip():
            yield f"Accumulator.{name} has no docstring"
    if not STUB.with_name("py.typed").exists():
        yield "there is no py.typed"


def stubtest():
    """The stub against the package; modules for libraries that are not there are left out."""
    importlib.import_module("mypy")
    with tempfile.TemporaryDirectory() as folder:
        settings, absent = (pathlib.Path(folder) / name for name in ("mypy.ini", "absent"))
        settings.write_text("[mypy]\nignore_missing_imports = True\n[mypy-exblas.*]\nignore_errors = True\n[mypy-exblas]\nignore_errors = False\n")
        absent.write_text("exblas.(_?dask.*|datafusion|polars|spark|torch|xarray|_core.Accumulator)\n")
        done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "exblas", "--ignore-missing-stub", "--ignore-unused-allowlist",
                               "--allowlist", absent, "--mypy-config-file", settings], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines() if done.returncode else []


# What a strict checker has to find, and what the results are.
TYPES = """
from fractions import Fraction
from typing import Any, assert_type
import numpy as np, exblas
total = exblas.Accumulator([1.0, 2])
total += 2
assert_type(total + 1, exblas.Accumulator); assert_type(total / 2, float); assert_type(total < 1, bool); assert_type(1 - 2 * total, exblas.Accumulator)
assert_type(total.count, int); assert_type(total.to_fraction(), Fraction | None); assert_type(total == 5, bool); assert_type(total.to_bytes(), bytes)
x, f, a, z = np.zeros(3), np.zeros(3, np.float32), np.zeros((3, 3)), np.zeros(3, np.complex128)
unknown: np.typing.NDArray[np.float64] = a
assert_type(exblas.dot(x, x), np.float64); assert_type(exblas.dot(f, f), np.float32); assert_type(exblas.dot(z, z), np.complex128)
assert_type(exblas.dot([1.0], [2.0]), float); assert_type(exblas.matmul(x, x), np.float64); assert_type(exblas.cov(x), np.float64)
assert_type(exblas.matmul(a, x), np.ndarray[tuple[int], np.dtype[np.float64]])
for result in (exblas.dot(a, a), exblas.matmul(a, a), exblas.cov(x, x)):
    assert_type(result, np.ndarray[tuple[int, int], np.dtype[np.float64]]); assert result.ndim == 2
assert_type(exblas.dot(unknown, unknown), Any); assert_type(exblas.matmul(unknown, x), Any); assert_type(exblas.cov(unknown), Any)
assert_type(exblas.dot(x, unknown), Any); assert_type(exblas.matmul(a, unknown), Any); assert_type(exblas.einsum("ii", a), Any)
assert_type(exblas.einsum("ij,jk", a, a, out=unknown), np.typing.NDArray[np.float64])
for got, kind in ((exblas.dot(x, x), np.float64), (exblas.dot(f, f), np.float32), (exblas.dot(z, z), np.complex128), (exblas.dot([1.0], [2.0]), float),
                  (exblas.matmul(x, x), np.float64), (exblas.cov(x), np.float64)):
    assert type(got) is kind
"""


def strict():
    """mypy --strict of the examples and of what the results of products are, which is then run."""
    importlib.import_module("mypy")
    with tempfile.TemporaryDirectory() as folder:
        (path := pathlib.Path(folder) / "results.py").write_text(TYPES)
        example = pathlib.Path(__file__).parents[3] / "examples/analysis.py"
        for command in (["-m", "mypy", "--strict", "--cache-dir", folder, path, example], [path]):
            done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False,
                                  env={**os.environ, "MYPYPATH": str(STUB.parents[1])})
            if done.returncode:
                yield from (done.stdout + done.stderr).splitlines()


tap.run(public_names, stubtest, strict)
