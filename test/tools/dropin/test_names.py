#!/usr/bin/env python3
"""test_names.py NM SYMBOLS-LIST LIBEXBLAS OBJECT...: the names of the drop-in objects. All forms of a
routine's name have one address, which no other routine's name has; each calls the routine that it
names; row-major calls with an illegal argument report that argument. Reports in TAP."""
import ctypes
import os
import subprocess
import sys
import tempfile

import standin

nm, symbols, library, *objects = sys.argv[1:]
sys.path.insert(0, os.path.dirname(symbols))
import generate  # noqa: E402

# By what is at one address: integers and calling convention. {} is the routine; {}* is with _sub where
# CBLAS returns a complex number through a pointer.
SHIM = {("cblas", 32): ("cblas_{}*", "scipy_cblas_{}*"),
        ("fortran", 32): ("{}_", "scipy_{}_"),
        ("cblas", 64): ("cblas_{}*64_", "cblas_{}*_64", "scipy_cblas_{}*64_"),
        ("fortran", 64): ("{}_64_", "{}_64", "scipy_{}_64_")}
FORMS = {"libexblas_shim.so": SHIM, "libexblas_shim_f2c.so": SHIM, "libexblas_trace.so": SHIM,
         "libblas.so": {("cblas", 32): ("cblas_{}*",), ("fortran", 32): ("{}_",)},
         "libopenblas.so": {("cblas", 32): ("cblas_{}*",), ("fortran", 32): ("{}_",)},
         "libblas64.so": {("cblas", 64): ("cblas_{}*",), ("fortran", 64): ("{}_",)}}
# Good options, by how the argument's name begins.
LAYOUTS = ("layout", "order")
OPTIONS = {"side": 141, "uplo": 121, "trans": 111, "op": 111, "diag": 131}
ROW, COLUMN, LD = 101, 102, 8


MEMORY = ctypes.create_string_buffer(1 << 16)
ALL = [r for r in generate.read(symbols) if r.drop_in != "own"]


def formed(r, text):
    return text.replace("*", "_sub" if r.returns_complex else "").format(r.name)


def arguments(r, values, size):
    """Of a CBLAS call: options and integers as `values` says, else numbers 1 and one array."""
    integer, real = (ctypes.c_int64 if size == 64 else ctypes.c_int32,
                     {"float": ctypes.c_float, "double": ctypes.c_double}.get(r.part, ctypes.c_uint16))
    by_value = {"option": lambda a: ctypes.c_int(values[a.name]), "integer": lambda a: integer(values[a.name]),
                "real scalar": lambda a: real(1), "scalar": lambda a: MEMORY if r.is_complex else real(1)}
    return [by_value.get(a.kind, lambda a: MEMORY)(a) for a in r.arguments] + [MEMORY] * r.returns_complex


def addresses(path):
    lines = subprocess.run([nm, "-D", "--defined-only", path], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    return {f[2].partition("@")[0]: f[0] for f in (line.split() for line in lines) if len(f) == 3}


def object_name(path):
    return os.path.basename(path).partition(".so")[0] + ".so"


def forms_of(path, routine):
    """OpenBLAS's own routines have Fortran names in its place only."""
    every = routine.drop_in == "blas" or object_name(path) == "libopenblas.so"
    return {kind: forms for kind, forms in FORMS[object_name(path)].items() if every or kind[0] == "cblas"}


def one_address(path):
    have, faults, owner = addresses(path), [], {}
    for r in ALL:
        for kind, forms in forms_of(path, r).items():
            names = [formed(r, f) for f in forms]
            places = {have.get(n) for n in names}
            if len(places) != 1 or None in places:
                faults.append(f"{' '.join(names)}: not one address")
            for place in places:
                if owner.setdefault(place, (r.name, kind)) != (r.name, kind):
                    faults.append(f"{r.name} {kind}: at the address of {owner[place]}")
    return faults


class Stats(ctypes.Structure):
    _fields_ = [("calls", ctypes.c_uint64), ("elements", ctypes.c_uint64), ("fallbacks", ctypes.c_uint64),
                ("times", ctypes.c_double * 6), ("n_moduli", ctypes.c_int), ("engine", ctypes.c_char * 16)]


def good(r, layout):
    """The smallest legal call."""
    def value(a):
        if a.kind == "option":
            return layout if a.name in LAYOUTS else next(v for k, v in OPTIONS.items() if a.name.startswith(k))
        return LD if a.name.startswith("ld") else 1
    return {a.name: value(a) for a in r.arguments}


def routine_called(stats, r, function, values):
    """Whether the call was counted for that routine and no other one."""
    stats.exblas_stats_enable(0)
    stats.exblas_stats_enable(1) # forgets
    ctypes.memset(MEMORY, 0, len(MEMORY))
    function.restype = None
    function(*values)
    said = Stats()
    counted = {o.of for o in ALL if stats.exblas_stats_total(o.of.encode(), ctypes.byref(said)) == 0}
    return counted == {r.of}


def calls_its_routine(path, stats):
    """CBLAS forms with values, Fortran forms with pointers to them."""
    loaded, faults = ctypes.CDLL(path), []
    is_f2c = "f2c" in path
    letters = {141: b"L", 121: b"U", 111: b"N", 131: b"N", 102: b"C"}
    for r in ALL:
        for (style, size), forms in forms_of(path, r).items():
            values = arguments(r, good(r, COLUMN), size)
            if style == "fortran":
                values = [letters[v.value] if a.kind == "option" else v if v is MEMORY else ctypes.byref(v)
                          for a, v in zip(r.arguments, values) if a.name != "layout"]
                if r.returns_complex and is_f2c:
                    values.insert(0, MEMORY)
            faults += [name for name in (formed(r, f) for f in forms)
                       if not routine_called(stats, r, getattr(loaded, name), values)]
    return faults


def said_on_stderr(function, values):
    with tempfile.TemporaryFile() as file:
        saved = os.dup(2)
        os.dup2(file.fileno(), 2)
        function(*values)
        os.dup2(saved, 2)
        os.close(saved)
        file.seek(0)
        return file.read().decode()


def illegal_arguments(path, size):
    """The number of the illegal argument in the call as it was made, whatever netlib's Fortran beneath
    would see."""
    loaded, faults, n_tried = ctypes.CDLL(path), [], 0
    form = FORMS[object_name(path)]["cblas", size][0]
    for r in (r for r in ALL if r.arguments[0].name in LAYOUTS):
        function = getattr(loaded, formed(r, form))
        function.restype = None
        for layout in (ROW, COLUMN):
            if said_on_stderr(function, arguments(r, good(r, layout), size)):
                faults.append(f"{r.name}: a legal call is refused")
            for i, a in enumerate(r.arguments):
                if a.kind not in ("option", "integer") or a.name.startswith("stride"):
                    continue
                bad = 0 if a.kind == "option" or a.name.startswith(("ld", "in")) else -1
                text = said_on_stderr(function, arguments(r, {**good(r, layout), a.name: bad}, size))
                n_tried += 1
                if text != f"Parameter {i + 1} to routine cblas_{r.name} was incorrect\n":
                    faults.append(f"{r.name}, layout {layout}, {a.name}, argument {i + 1}: {text.strip()}")
    return faults if n_tried > 500 else [f"only {n_tried} calls"]


class Complex(ctypes.Structure):
    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


def call(library, name, result, *values):
    """Numbers are passed by value, lists as arrays, integers in lists of one so by their address."""
    function = getattr(library, name)
    function.restype = result
    return function(*((type(a[0]) * len(a))(*a) if isinstance(a, list) else a for a in values))


def widths(shim, blas64):
    """Each naming computes with its integers: a large negative number, of which the lower half is 3, is no length."""
    x, ones = ([ctypes.c_double(v) for v in values] for values in ((1e17, 1, -1e17), (1, 1, 1)))
    for library, name, size in (
            (shim, "ddot_", 32), (shim, "scipy_ddot_", 32), (shim, "cblas_ddot", 32), (shim, "scipy_cblas_ddot", 32),
            (shim, "ddot_64_", 64), (shim, "ddot_64", 64), (shim, "scipy_ddot_64_", 64), (shim, "cblas_ddot64_", 64),
            (shim, "cblas_ddot_64", 64), (shim, "scipy_cblas_ddot64_", 64), (blas64, "ddot_", 64),
            (blas64, "cblas_ddot", 64)):
        integer = ctypes.c_int64 if size == 64 else ctypes.c_int32
        for n, wanted in ((3, 1.0), (3 - (1 << 32), 0.0))[:size // 32]:
            n, one = integer(n), integer(1)
            n, one = (n, one) if "cblas" in name else ([n], [one])
            if call(library, name, ctypes.c_double, n, x, one, ones, one) != wanted:
                yield f"{name} of {n}"


def complex_results(shim, f2c):
    """conj(1 + 2i) (3 + 4i) = 11 - 2i; and the calls by which libblastrampoline finds out what it has loaded."""
    one, p, q = [ctypes.c_int64(1)], *([ctypes.c_double(v) for v in values] for values in ((1, 2), (3, 4)))
    results = {"zdotc_64_": call(shim, "zdotc_64_", Complex, one, p, one, q, one)}
    for library, name in ((f2c, "scipy_zdotc_64_"), *((shim, n) for n in (
            "cblas_zdotc_sub64_", "cblas_zdotc_sub_64", "scipy_cblas_zdotc_sub64_"))):
        results[name] = Complex()
        to = ctypes.byref(results[name])
        words = [to, one, p, one, q, one] if library is f2c else [one[0], p, one[0], q, one[0], to]
        call(library, name, None, *words)
    yield from (name for name, z in results.items() if (z.re, z.im) != (11, -2))
    large, y = [ctypes.c_int64(3 - (1 << 32))], [ctypes.c_float(v) for v in (1, 2, 1)]
    wide = call(shim, "isamax_64_", ctypes.c_int64, large, y, one)
    if (wide, call(shim, "isamax_", ctypes.c_int32, large, y, one)) != (0, 2):
        yield "the size of integers is not told"
    z = call(shim, "zdotc_", Complex, [ctypes.c_int64(0)], p, one, p, one)
    if (z.re, z.im) != (0, 0):
        yield "the return of complex numbers is not told"


def check(title, faults):
    standin.check(title, not faults, "\n".join(faults[:20]))


def main():
    print(f"1..{2 * len(objects) + 3}")
    for path in objects:
        check(f"{os.path.basename(path)}: forms of a name, and other routines", one_address(path))
    stats = ctypes.CDLL(library)
    computing = [path for path in objects if "trace" not in path]
    for path in computing:
        check(f"{os.path.basename(path)}: names call their routines", calls_its_routine(path, stats))
    for path in computing[:1]:
        check(f"{os.path.basename(path)}: numbers of illegal arguments, 32 bits", illegal_arguments(path, 32))
        check(f"{os.path.basename(path)}: numbers of illegal arguments, 64 bits", illegal_arguments(path, 64))
    by_name = {object_name(path): ctypes.CDLL(path) for path in objects}
    check("namings and their integers", list(widths(by_name["libexblas_shim.so"], by_name["libblas64.so"])))
    check("complex results", list(complex_results(by_name["libexblas_shim.so"], by_name["libexblas_shim_f2c.so"])))


main()
