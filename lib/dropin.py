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
OBJECTS = {"shim": (LP64, ILP64), "blas": (PLAIN,), "blas64": (PLAIN_64,)}


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


def gemm_batch(routine, naming):
    """Groups of products, as MKL and OpenBLAS have them: an entry of the arrays of options, sizes and scalars for each
    group, of those of matrices for each product."""
    integer, _, forms, _ = naming
    names = [form.format(routine.name + "_batch") for form in forms]
    part = {"s": "float", "d": "double", "c": "float", "z": "double"}[routine.name[0]]
    is_complex = routine.name[0] in "cz"
    kind, scalar = ("void", f"(const {part} *){{}} + 2 * g") if is_complex else (part, "{}[g]")
    integers = {x: f"const {integer} *{x}" for x in ("m", "n", "k", "lda", "ldb", "ldc", "group_size")}

    def declare(name):
        return (f"void {name}(int layout, const int *transa, const int *transb, {integers['m']}, {integers['n']}, "
                f"{integers['k']}, const {kind} *alpha, const {kind} *const *a, {integers['lda']}, "
                f"const {kind} *const *b, {integers['ldb']}, const {kind} *beta, {kind} *const *c, {integers['ldc']}, "
                f"{integer} group_count, {integers['group_size']})")
    head = "EXB_SHIM " + declare(names[0])
    return (f"{head};\n{head}\n{{\n    for ({integer} g = 0; g < group_count; g++)\n"
            f"        for ({integer} i = 0; i < group_size[g]; i++, a++, b++, c++)\n"
            f"            {named(forms[0], routine, 'cblas')}(layout, transa[g], transb[g], m[g], n[g], k[g], "
            f"{scalar.format('alpha')}, *a, lda[g], *b, ldb[g], {scalar.format('beta')}, *c, ldc[g]);\n}}\n\n"
            + "".join(f"EXB_SHIM __attribute__((alias(\"{names[0]}\"))) {declare(name)};\n" for name in names[1:]))


def make_object(routines, namings, banner):
    called = [(r, n) for r in routines if r.is_blas for n in namings]
    return (banner + '#include "watched_entry.h"\n#include "shim_xerbla.h"\n\n'
            + "".join(cblas(r, n) + fortran(r, n) for r, n in called)
            + "".join(gemm_batch(r, n) for r, n in called if GEMM.fullmatch(r.name)))


def make_object_names(routines, namings):
    called = [(r, n) for r in routines if r.is_blas for n in namings]
    names = [named(form, r, style) for r, n in called
             for style, forms in (("cblas", n[2]), ("fortran", n[3])) for form in forms]
    names += [form.format(r.name + "_batch") for r, n in called if GEMM.fullmatch(r.name) for form in n[2]]
    return "\n".join(sorted(names)) + "\n"


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
            f"    exb_watch_begin(&watch, &routine_{routine.name}, v);\n"
            f"    {'' if void else type_name + ' result = '}real({', '.join(names)});\n{index}"
            f"    exb_watch_end(&watch, {result});\n{'' if void else '    return result;' + chr(10)}}}\n\n"
            + aliases(routine, forms, style, declare))


def make_trace(routines, table, banner):
    return (banner + '#include "core/check/check.h"\n#include "observe/watch.h"\n#include "exblas/types.h"\n'
            '#include "dropin_real.h"\n\n#include <stddef.h>\n\n'
            + "".join(table(r)
                      + "".join(tracer(r, n, style) for n in OBJECTS["shim"] for style in ("cblas", "fortran"))
                      for r in routines if r.is_blas))
