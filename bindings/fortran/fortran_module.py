"""The Fortran module: explicit interfaces of the ex* routines, so that compilers check calls."""
import pathlib
import textwrap

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
    arguments = routine.visible("fortran")
    name = f"ex{routine.name}{suffix}"
    result = result_type(routine, kind)
    what = "function" if result else "subroutine"
    head = f"{what} {name}({', '.join(a.name for a in arguments)})"
    bind = f"bind(c, name=\"ex{routine.name}{symbol_suffix}\")" + (" result(value)" if result else "")
    lines = textwrap.wrap(head, 80) + [bind]
    text = " &\n            ".join(lines)
    body = ["import", *(declaration(routine, a, kind) for a in arguments)]
    body += [f"{result} :: value"] if result else []
    return (f"        {text}\n" + "".join(f"            {line}\n" for line in body)
            + f"        end {what} {name}\n")


# exblas/lapack.h: the name and what stands before n.
SOLUTIONS = {"gesv": [], "posv": ["uplo"], "gels": ["m"]}


def solution(name, letter, suffix, kind):
    """The C function itself: sizes by value, and the optional argument info is a null pointer."""
    before = SOLUTIONS[name]
    full = f"exblas_{letter}{name}{suffix}"
    arguments = [*before, "n", "nrhs", "a", "lda", "b", "ldb", "x", "ldx", "info"]
    sizes = ", ".join(a for a in arguments if a in ("m", "n", "nrhs", "lda", "ldb", "ldx"))
    real = {"s": "real(c_float)", "d": "real(c_double)"}[letter]
    text = " &\n            ".join([*textwrap.wrap(f"function {full}({', '.join(arguments)})", 80),
                                     f'bind(c, name="{full}") result(status)'])
    body = ["import", *(["integer(c_int), value :: uplo"] if "uplo" in before else []),
            f"integer({kind}), value :: {sizes}", f"{real}, intent(in) :: a(*), b(*)",
            f"{real}, intent(inout) :: x(*)", "type(exblas_solution), intent(out), optional :: info",
            "integer(c_int) :: status"]
    return (f"        {text}\n" + "".join(f"            {line}\n" for line in body)
            + f"        end function {full}\n")


def solutions():
    return "".join(solution(name, letter, suffix, kind) for name in SOLUTIONS for letter in "sd"
                   for suffix, kind in (("", "c_int32_t"), ("_64", "c_int64_t")))


def make_module(routines):
    interfaces = "".join(interface(r, "", "_", "c_int32_t") + interface(r, "_64", "_64_", "c_int64_t")
                         for r in routines)
    template = pathlib.Path(__file__).with_name("exblas.f90.in").read_text(encoding="utf-8")
    return expand.expand(template, {"routines": interfaces + solutions()})
