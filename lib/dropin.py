"""The drop-in objects: the routines under the names that programs look for.

A naming is an integer type and the forms of the names, {} being the routine (in CBLAS's
forms with _sub where a complex number is returned). Of several forms the first is the
function and the others are aliases.
"""
import re

LP64 = ("int32_t", "exb_shim_report", ("cblas_{}", "scipy_cblas_{}"), ("{}_", "scipy_{}_"))
ILP64 = ("int64_t", "exb_shim_report_64", ("cblas_{}64_", "cblas_{}_64", "scipy_cblas_{}64_"),
         ("{}_64_", "{}_64", "scipy_{}_64_"))
PLAIN = ("int32_t", "exb_shim_report", ("cblas_{}",), ("{}_",))
PLAIN_64 = ("int64_t", "exb_shim_report", ("cblas_{}",), ("{}_",))

# What goes into which object.
OBJECTS = {"shim": (LP64, ILP64), "blas": (PLAIN,), "blas64": (PLAIN_64,), "openblas": (PLAIN,)}


def styles(routine, name):
    """In which styles an object has the names of a routine."""
    if routine.drop_in == "blas" or routine.drop_in == name:
        return "cblas", "fortran"
    return ("cblas",) if routine.drop_in == "openblas" else ()


def named(form, routine, style):
    return form.format(routine.cblas_name() if style == "cblas" else routine.name)


def aliases(routine, forms, style, declare):
    """The other forms as aliases of the first."""
    first = named(forms[0], routine, style)
    return "".join(f"EXB_SHIM __attribute__((alias(\"{first}\"))) {declare(named(f, routine, style))};\n"
                   for f in forms[1:])


def f2c(routine, forms, integer):
    """Complex functions that return through a first argument."""
    arguments = ", ".join(routine.value(a, True) for a in routine.visible("fortran"))

    def declare(name):
        return f"void {name}(void *ret, {routine.parameters(integer, 'fortran')})"
    head = "EXB_SHIM " + declare(named(forms[0], routine, "fortran"))
    return (f"{head};\n{head}\n{{\n    exb_call_{routine.name}({arguments}, ret);\n}}\n\n"
            + aliases(routine, forms, "fortran", declare))


def cblas(routine, naming):
    integer, report, forms, _ = naming

    def declare(name):
        return routine.cblas(name, integer)
    site = routine.site("cblas_" + routine.name, "EXB_CALL_NETLIB_CBLAS", report)
    head = "EXB_SHIM " + declare(named(forms[0], routine, "cblas"))
    return (f"{head};\n{routine.wrapper(head, False, site, integer)}"
            + aliases(routine, forms, "cblas", declare))


def fortran(routine, naming):
    integer, report, _, forms = naming

    def declare(name):
        return routine.fortran(name, integer)
    site = routine.site(f"{routine.name.upper():6}", "EXB_CALL_FORTRAN", report)
    head = "EXB_SHIM " + declare(named(forms[0], routine, "fortran"))
    text = (f"{head};\n{routine.wrapper(head, True, site, integer)}"
            + aliases(routine, forms, "fortran", declare))
    if routine.returns_complex:
        return f"#ifdef EXB_COMPLEX_F2C\n{f2c(routine, forms, integer)}#else\n{text}#endif\n"
    return text


GEMM = re.compile("[sdcz]gemm")


def gemm_batch(routine, naming, style):
    """Groups of products, as MKL, OpenBLAS and BLIS have them: an entry of the arrays of options, sizes and scalars for
    each group, of those of matrices for each product."""
    integer, forms, is_fortran = naming[0], naming[2 if style == "cblas" else 3], style == "fortran"
    names = [form.format(routine.name + "_batch") for form in forms]
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
            f"            {named(forms[0], routine, style)}({at(values)});\n}}\n\n"
            + "".join(f"EXB_SHIM __attribute__((alias(\"{names[0]}\"))) {declare(name)};\n" for name in names[1:]))


def called(routines, name):
    """The routines of an object, by naming and style."""
    return [(r, n, style) for r in routines for n in OBJECTS[name] for style in styles(r, name)]


def make_object(routines, name, banner):
    wrappers = {"cblas": cblas, "fortran": fortran}
    return (banner + '#include "watched_entry.h"\n#include "shim_xerbla.h"\n\n'
            + "".join(wrappers[style](r, n) for r, n, style in called(routines, name))
            + "".join(gemm_batch(*c) for c in called(routines, name) if GEMM.fullmatch(c[0].name)))


def make_object_names(routines, name):
    names = []
    for r, naming, style in called(routines, name):
        forms = naming[2 if style == "cblas" else 3]
        names += [named(form, r, style) for form in forms]
        names += [form.format(r.name + "_batch") for form in forms if GEMM.fullmatch(r.name)]
    return "\n".join(sorted(names)) + "\n"


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
    integer, forms = naming[0], naming[2 if style == "cblas" else 3]
    declare = (lambda name: routine.cblas(name, integer)) if style == "cblas" else (
        lambda name: routine.fortran(name, integer))
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
    head = "EXB_SHIM " + declare(named(forms[0], routine, style))
    wanted = ", ".join(f'"{named(f, routine, style)}"' for f in forms)
    pointer_type = declare("(*real)")
    return (f"{head};\n{head}\n{{\n    static const char *const names[] = {{{wanted}, NULL}};\n"
            f"    static _Atomic(void *) slot;\n    {pointer_type} = (__typeof__(real))exb_real(&slot, names);\n"
            f"    const exb_value v[] = {{{values}}};\n    exb_watch watch;\n"
            f"    exb_watch_begin(&watch, &routine_{routine.of}, v);\n"
            f"    {'' if void else type_name + ' result = '}real({', '.join(names)});\n{index}"
            f"    exb_watch_end(&watch, {result});\n{'' if void else '    return result;' + chr(10)}}}\n\n"
            + aliases(routine, forms, style, declare))


def make_trace(routines, table, banner):
    return (banner + '#include "core/check/check.h"\n#include "observe/watch.h"\n#include "exblas/types.h"\n'
            '#include "dropin_real.h"\n\n#include <stddef.h>\n\n'
            + "".join(table(r) for r in routines if r.name == r.of and styles(r, "shim"))
            + "".join(tracer(*c) for c in called(routines, "shim")))
