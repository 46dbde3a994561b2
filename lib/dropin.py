"""The functions that programs call: under the library's own names, and in the drop-in objects under those that
programs look for.

A naming is an integer type and the forms of the names, {} being the routine (in CBLAS's
forms with _sub where a complex number is returned). Of several forms the first is the
function and the others are aliases.
"""
import collections
import re

Naming = collections.namedtuple("Naming", "integer report cblas fortran")
OWN = (Naming("exblas_int", "exb_report", ("excblas_{}",), ("ex{}_",)),
       Naming("exblas_int64", "exb_report", ("excblas_{}_64",), ("ex{}_64_",)))
LP64 = Naming("int32_t", "exb_shim_report", ("cblas_{}", "scipy_cblas_{}"), ("{}_", "scipy_{}_"))
ILP64 = Naming("int64_t", "exb_shim_report_64", ("cblas_{}64_", "cblas_{}_64", "scipy_cblas_{}64_"),
               ("{}_64_", "{}_64", "scipy_{}_64_"))
PLAIN = Naming("int32_t", "exb_shim_report", ("cblas_{}",), ("{}_",))
PLAIN_64 = Naming("int64_t", "exb_shim_report", ("cblas_{}",), ("{}_",))

# What goes into which object.
OBJECTS = {"shim": (LP64, ILP64), "blas": (PLAIN,), "blas64": (PLAIN_64,), "openblas": (PLAIN,)}


def styles(routine, name):
    """In which styles an object has the names of a routine."""
    if routine.drop_in == "blas" or routine.drop_in == name:
        return "cblas", "fortran"
    return ("cblas",) if routine.drop_in == "openblas" else ()


def names_of(routine, naming, style, suffix=""):
    name = routine.cblas_name() if style == "cblas" else routine.name
    return [form.format(name + suffix) for form in getattr(naming, style)]


def declaring(routine, naming, style):
    """Declares the routine under a name."""
    declare = routine.cblas if style == "cblas" else routine.fortran
    return lambda name: declare(name, naming.integer)


def aliases(names, declare):
    """The other names as aliases of the first."""
    return "".join(f"EXB_SHIM __attribute__((alias(\"{names[0]}\"))) {declare(name)};\n" for name in names[1:])


def f2c(routine, naming):
    """Complex functions that return through a first argument."""
    names, arguments = names_of(routine, naming, "fortran"), ", ".join(
        routine.value(a, True) for a in routine.visible("fortran"))

    def declare(name):
        return f"void {name}(void *ret, {routine.parameters(naming.integer, 'fortran')})"
    head = "EXB_SHIM " + declare(names[0])
    return f"{head};\n{head}\n{{\n    exb_call_{routine.name}({arguments}, ret);\n}}\n\n" + aliases(names, declare)


def function(routine, naming, style):
    """A routine under all its names in an object or, where headers declare them, in the library."""
    names, declare, is_fortran = names_of(routine, naming, style), declaring(routine, naming, style), style == "fortran"
    is_own = naming in OWN
    text = routine.name.upper() if is_fortran else "cblas_" + routine.name
    convention = "FORTRAN" if is_fortran else "CBLAS" if is_own else "NETLIB_CBLAS"
    site = routine.site(text if is_own else f"{text:6}", "EXB_CALL_" + convention, naming.report)
    head = ("" if is_own else "EXB_SHIM ") + declare(names[0])
    made = routine.wrapper(head, is_fortran, site, naming.integer)
    if is_own:
        return made
    made = f"{head};\n{made}" + aliases(names, declare)
    if is_fortran and routine.returns_complex:
        return f"#ifdef EXB_COMPLEX_F2C\n{f2c(routine, naming)}#else\n{made}#endif\n"
    return made


GEMM = re.compile("[sdcz]gemm")


def gemm_batch(routine, naming, style):
    """Groups of products, as MKL, OpenBLAS and BLIS have them: an entry of the arrays of options, sizes and scalars for
    each group, of those of matrices for each product."""
    integer, is_fortran, names = naming.integer, style == "fortran", names_of(routine, naming, style, "_batch")
    head = "" if is_fortran else "int layout, "
    option = "const char" if is_fortran else "const int"
    part = {"s": "float", "d": "double", "c": "float", "z": "double"}[routine.name[0]]
    is_complex = routine.name[0] in "cz"
    kind, scalar = ("void", f"(const {part} *){{}} + 2 * g") if is_complex else (part, "{}[g]")
    integers = {x: f"const {integer} *{x}" for x in ("m", "n", "k", "lda", "ldb", "ldc", "group_size")}

    def declare(name):
        return (f"void {name}({head}{option} *transa, {option} *transb, {integers['m']}, {integers['n']}, "
                f"{integers['k']}, const {kind} *alpha, const {kind} *const *a, {integers['lda']}, "
                f"const {kind} *const *b, {integers['ldb']}, const {kind} *beta, {kind} *const *c, {integers['ldc']}, "
                f"{f'const {integer} *' if is_fortran else f'{integer} '}group_count, {integers['group_size']})")

    def at(text):
        """A value of group g, or in Fortran where it is."""
        return re.sub(r"(\w+)\[g\]", r"\1 + g", text) if is_fortran else text
    values = (f"{'' if is_fortran else 'layout, '}transa[g], transb[g], m[g], n[g], k[g], {scalar.format('alpha')}, *a, "
              f"lda[g], *b, ldb[g], {scalar.format('beta')}, *c, ldc[g]")
    prototype = "EXB_SHIM " + declare(names[0])
    return (f"{prototype};\n{prototype}\n{{\n"
            f"    for ({integer} g = 0; g < {'*' if is_fortran else ''}group_count; g++)\n"
            f"        for ({integer} i = 0; i < group_size[g]; i++, a++, b++, c++)\n"
            f"            {names_of(routine, naming, style)[0]}({at(values)});\n}}\n\n" + aliases(names, declare))


def called(routines, name):
    """The routines of an object, by naming and style."""
    return [(r, n, style) for r in routines for n in OBJECTS[name] for style in styles(r, name)]


def make_object(routines, name, banner):
    return (banner + '#include "watched_entry.h"\n#include "shim_xerbla.h"\n\n'
            + "".join(function(*c) for c in called(routines, name))
            + "".join(gemm_batch(*c) for c in called(routines, name) if GEMM.fullmatch(c[0].name)))


def make_object_names(routines, name):
    return "".join(f"{n}\n" for n in sorted(n for c in called(routines, name) for suffix in ("", "_batch")
                                            if not suffix or GEMM.fullmatch(c[0].name)
                                            for n in names_of(*c, suffix)))


def bare_names(routines):
    """What preloaded objects cover: dgemm in all styles, cblas_dsum in one."""
    have = [(r.name, styles(r, "shim")) for r in routines]
    have += [(r.name + "_batch", styles(r, "shim")) for r in routines if GEMM.fullmatch(r.name)]
    return [name if len(of) == 2 else "cblas_" + name for name, of in have if of]


def pointer(routine, argument, style):
    """An argument as exb_value sees it."""
    if argument.name == "layout" and style == "fortran":
        return "{.i = EXB_COL_MAJOR}"
    if argument.kind == "option":
        return f"{{.i = {routine.value(argument, style == 'fortran')}}}"
    if argument.kind == "integer":
        return f"{{.i = {'*' if style == 'fortran' else ''}{argument.name}}}"
    by_value = argument.kind == "real scalar" or argument.kind == "scalar" and not routine.is_complex
    return f"{{.p = {'&' if by_value and style == 'cblas' else ''}{argument.name}}}"


def tracer(routine, naming, style):
    """A function that calls the BLAS underneath and writes a line of the trace."""
    own_names, declare = names_of(routine, naming, style), declaring(routine, naming, style)
    names = [a.name for a in routine.visible(style)]
    if routine.returns_complex and style == "cblas":
        names.append("ret")
    type_name = declare("").partition("(")[0].strip()
    void = type_name == "void"
    values = ", ".join(pointer(routine, a, style) for a in routine.arguments)
    result = "ret" if routine.returns_complex and style == "cblas" else "NULL" if void else "&result"
    index = ""
    if routine.returns_index:
        index = (f"    int64_t index = (int64_t)result{' + (n > 0 && incx > 0)' if style == 'cblas' else ''};\n")
        result = "&index"
    head = "EXB_SHIM " + declare(own_names[0])
    wanted = ", ".join(f'"{name}"' for name in own_names)
    pointer_type = declare("(*real)")
    return (f"{head};\n{head}\n{{\n    static const char *const names[] = {{{wanted}, NULL}};\n"
            f"    static _Atomic(void *) slot;\n    {pointer_type} = (__typeof__(real))exb_real(&slot, names);\n"
            f"    const exb_value v[] = {{{values}}};\n    exb_watch watch;\n"
            f"    exb_watch_begin(&watch, &routine_{routine.of}, v);\n"
            f"    {'' if void else type_name + ' result = '}real({', '.join(names)});\n{index}"
            f"    exb_watch_end(&watch, {result});\n{'' if void else '    return result;' + chr(10)}}}\n\n"
            + aliases(own_names, declare))


def make_trace(routines, table, banner):
    return (banner + '#include "core/check/check.h"\n#include "observe/watch.h"\n#include "exblas/types.h"\n'
            '#include "dropin_real.h"\n\n#include <stddef.h>\n\n'
            + "".join(table(r) for r in routines if r.name == r.of and styles(r, "shim"))
            + "".join(tracer(*c) for c in called(routines, "shim")))
