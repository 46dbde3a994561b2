"""A BLAS that is loaded: its names, its calls, its number of threads."""
import ctypes
import os
import re

import numbers_of_types as numbers
import shapes
from blas_names import names_in

FORMS = {"fortran": 32, "cblas": 32, "fortran64": 64, "cblas64": 64}
REALS = dict(zip("sdczbh", [ctypes.c_float, ctypes.c_double] * 2 + [ctypes.c_uint16] * 2))
SETTERS = ("openblas_set_num_threads64_", "scipy_openblas_set_num_threads64_", "openblas_set_num_threads",
           "scipy_openblas_set_num_threads", "MKL_Set_Num_Threads", "bli_thread_set_num_threads",
           "exblas_set_num_threads", "toy_set_num_threads")


class Missing(Exception):
    """What a user is told in one line."""


def complex_of(real):
    return type("Complex", (ctypes.Structure,), {"_fields_": [("re", real), ("im", real)]})


COMPLEX = {"c": complex_of(ctypes.c_float), "z": complex_of(ctypes.c_double)}


def named(word, own):
    """The name and path that a word of the command line gives; without a path ExBLAS's own."""
    name, mark, path = word.rpartition("=")
    if not mark or "/" in name:
        name, path = "", word
    path = path or own
    path = os.path.abspath(path) if os.path.exists(path) else path
    base, folder = re.sub(r"\.so.*", "", os.path.basename(path)), os.path.basename(os.path.dirname(path))
    return name or (folder if base in ("libblas", "liblapack") and folder else base), path


class Library:
    def __init__(self, path, mode=os.RTLD_NOW):
        self.path = path
        try:
            self.dll = ctypes.CDLL(path, mode=mode)
        except OSError as e:
            why = str(e).removeprefix(f"{path}: ")
            foreign = os.path.isfile(path) and ("No such file" in why or "ELF class" in why)
            raise Missing(f"cannot load {path}: {'it is for another architecture' if foreign else why}") from None
        self.setter = next((s for s in map(self.find, SETTERS) if s), None)

    def find(self, name):
        return getattr(self.dll, name, None)

    def forms(self, routine):
        """How the library lets a routine be called: form and name. Complex numbers are returned in one way by
        cblas_*_sub, and in several by Fortran's functions."""
        found = {}
        for pattern, abi in names_in(self.path):
            name = pattern.replace("?", routine.cblas if "cblas" in abi else routine.name)
            if abi not in found and self.find(name):
                found[abi] = name
        if routine.base == "geadd":  # OpenBLAS's has other arguments since 0.3.34
            found = {f: n for f, n in found.items() if n.startswith("ex")}
        if routine.result in "cz" and any("cblas" in f for f in found):
            found = {f: n for f, n in found.items() if "cblas" in f}
        return {} if routine.own and not any("cblas" in f or n.startswith("ex") for f, n in found.items()) else found

    def set_threads(self, n):
        if self.setter:
            self.setter(ctypes.c_int(n))
        return self.setter is not None


class Call:
    """A routine under one of its names. Operands and scalars are given by their addresses."""

    def __init__(self, library, routine, form, name):
        self.routine, self.form, self.name = routine, form, name
        self.is_fortran = form.startswith("fortran")
        self.integer = ctypes.c_int64 if FORMS[form] == 64 else ctypes.c_int32
        self.real = REALS[routine.type]
        self.function = library.find(name)
        self.has_return = routine.result in "cz" and not self.is_fortran
        self.function.restype = self.result_type()

    def result_type(self):
        result = self.routine.result
        if result == "-" or self.has_return:
            return None
        if result == "I":
            return self.integer if self.is_fortran else ctypes.c_size_t
        return COMPLEX[result] if result in "cz" else REALS[result]

    def by_value(self, a, value):
        if a.kind == "integer":
            return self.integer(value)
        if a.kind == "option":
            return ctypes.c_int(shapes.CBLAS[re.sub("[ab]$", "", a.name)].get(value, 7))
        if a.kind == "scalar" and a.real:
            return self.real.from_buffer_copy(numbers.packed(self.routine.type, [value[0]]))
        return (self.real * 2)(*value)

    def prepare(self, args, scalars, addresses):
        """The arguments of the call; and where a complex result goes."""
        out, characters = [], 0
        for a in self.routine.arguments:
            if a.kind == "array":
                out.append(ctypes.c_void_p(addresses[a.name]))
            elif self.is_fortran and a.kind == "option":
                if a.name != "layout":
                    out.append(ctypes.c_char_p(args[a.name].upper().encode()))
                    characters += 1
            else:
                value = self.by_value(a, scalars[a.name] if a.kind == "scalar" else args[a.name])
                is_pointer = self.is_fortran or a.kind == "scalar" and not a.real
                out.append(ctypes.byref(value) if is_pointer else value)
        out += [ctypes.c_size_t(1)] * characters
        place = (self.real * 2)()
        return out + ([ctypes.byref(place)] if self.has_return else []), place

    def result(self, returned, place, args):
        """The reals of what a call returned; an index from 1."""
        if self.has_return:
            return list(place)
        if returned is None:
            return []
        if self.routine.result == "I":
            counts = not self.is_fortran and args["n"] > 0 and args["incx"] > 0
            return [returned + counts]
        return [returned.re, returned.im] if self.routine.result in "cz" else [returned]
