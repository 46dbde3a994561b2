"""The Fortran module: explicit interfaces of the ex* routines, so that compilers check calls."""
import pathlib

import expand

KINDS = {"float": ("c_float", "c_float_complex"), "double": ("c_double", "c_double_complex")}
HALVES = ("exblas_bf16", "exblas_f16") # by their bits


def number(part, is_complex):
    if part in HALVES:
        return "integer(c_int16_t)"
    return f"{'complex' if is_complex else 'real'}({KINDS[part][int(is_complex)]})"


def declaration(routine, argument, kind):
    name = argument.name
    if argument.kind == "option":
        return f"character(kind=c_char), intent(in) :: {name}"
    if argument.kind == "integer":
        return f"integer({kind}), intent(in) :: {name}"
    real = argument.kind in ("real scalar", "array of reals")
    intent = "inout" if argument.written else "in"
    element = number(routine.part_of(argument), routine.is_complex and not real)
    return f"{element}, intent({intent}) :: {name}{'(*)' if argument.kind.startswith('array') else ''}"


def result_type(routine, kind):
    if routine.returns_index:
        return f"integer({kind})"
    if routine.returns_complex:
        return number(routine.part, True)
    return number(routine.result, False) if routine.result != "void" else None


def interface(routine, suffix, symbol_suffix, kind):
    declared = [declaration(routine, a, kind) for a in routine.visible("fortran")]
    return expand.interface(f"ex{routine.name}{suffix}", declared, result_type(routine, kind), f"ex{routine.name}{symbol_suffix}")


def make_module(routines):
    interfaces = "".join(interface(r, "", "_", "c_int32_t") + interface(r, "_64", "_64_", "c_int64_t")
                         for r in routines)
    template = pathlib.Path(__file__).with_name("exblas.f90.in").read_text(encoding="utf-8")
    return expand.expand(template, {"routines": interfaces})
