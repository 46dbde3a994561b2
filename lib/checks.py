"""The argument checks and the doors of routines with options, for lib/generate.py.

A check (core/check/check.h) is made from the shapes of the list: options have one of their values, sizes are not
negative, increments not 0, and leading dimensions hold what is stored. A door is the entry of one of several
routines that one driver computes: it checks, and says which of them it is.
"""
import re

# Routines whose row-major calls netlib's CBLAS does not have.
NOT_NETLIBS = ("geadd", "omatcopy", "imatcopy", "gemm_batch_strided")
VECTORS_EXCHANGED = ("ger", "geru", "gerc", "her2", "hpr2")
KINDS = {"herk": "EXB_UPDATE_HERMITIAN", "her2k": "EXB_UPDATE_HERMITIAN", "skewsyr2k": "EXB_UPDATE_REAL"}
UPDATES = ("syrk", "syr2k", *KINDS)

# A driver and its arguments, @ before those that are passed by their address, and what stands for those that a
# routine does not have; and of each routine what the driver has to know.
DRIVERS = (
    ("multiply_symmetric", "layout uplo n k=n alpha a lda=0 x incx beta y incy",
     {"symv": "EXB_SYMMETRIC, EXB_FULL", "sbmv": "EXB_SYMMETRIC, EXB_BAND", "spmv": "EXB_SYMMETRIC, EXB_PACKED",
      "hemv": "EXB_HERMITIAN, EXB_FULL", "hbmv": "EXB_HERMITIAN, EXB_BAND", "hpmv": "EXB_HERMITIAN, EXB_PACKED",
      "skewsymv": "EXB_SKEW, EXB_FULL"}),
    ("apply_triangle", "layout uplo trans diag n k=n a lda=0 x incx",
     {"trmv": "EXB_MULTIPLY, EXB_FULL", "tbmv": "EXB_MULTIPLY, EXB_BAND", "tpmv": "EXB_MULTIPLY, EXB_PACKED",
      "trsv": "EXB_SOLVE, EXB_FULL", "tbsv": "EXB_SOLVE, EXB_BAND", "tpsv": "EXB_SOLVE, EXB_PACKED"}),
    ("update_general", "layout m n alpha x incx y incy a lda", {"ger": "false", "geru": "false", "gerc": "true"}),
    ("update_rank1", "layout uplo n @alpha x incx a lda=0",
     {"syr": "EXB_SYMMETRIC, EXB_FULL", "spr": "EXB_SYMMETRIC, EXB_PACKED", "her": "EXB_HERMITIAN, EXB_FULL",
      "hpr": "EXB_HERMITIAN, EXB_PACKED"}),
    ("update_rank2", "layout uplo n alpha x incx y incy a lda=0",
     {"syr2": "EXB_SYMMETRIC, EXB_FULL", "spr2": "EXB_SYMMETRIC, EXB_PACKED", "her2": "EXB_HERMITIAN, EXB_FULL",
      "hpr2": "EXB_HERMITIAN, EXB_PACKED", "skewsyr2": "EXB_SKEW, EXB_FULL"}),
    ("multiply_by_symmetric", "layout side uplo m n @alpha a lda b ldb @beta c ldc",
     {"symm": "site, EXB_SYMMETRIC", "hemm": "site, EXB_HERMITIAN", "skewsymm": "site, EXB_SKEW"}),
    ("update_triangle", "layout uplo trans n k @alpha a lda b=NULL ldb=0 @beta c ldc",
     {"syrk": "site, EXB_SYMMETRIC, false", "syr2k": "site, EXB_SYMMETRIC, true", "herk": "site, EXB_HERMITIAN, false",
      "her2k": "site, EXB_HERMITIAN, true", "skewsyr2k": "site, EXB_SKEW, true"}),
)


def checked(routine):
    """The arguments that a check looks at."""
    return [a for a in routine.arguments if a.kind in ("option", "integer") and a.name not in ("stridea", "strideb")]


def head(routine):
    kind = "exb_update_kind kind, " if routine.base in ("syrk", "syr2k") else ""
    return (f"exb_fault exb_check_{routine.base}(const exb_site *site, {kind}"
            + ", ".join(("int " if a.kind == "option" else "int64_t ") + a.name for a in checked(routine)) + ")")


def holds(routine, argument):
    """What has to be true of a number."""
    name = argument.name
    if name == "stridec":
        return "batch <= 1 || exb_are_apart(layout, m, n, ldc, stridec)"
    if name.startswith("inc"):
        return f"{name} != 0"
    if not name.startswith("ld"):
        return f"{name} >= 0"
    shapes = [a.shape for a in routine.arguments if re.search(rf"\b{name}\b", a.shape or "")]
    options, _, dimensions = (shapes or ["m,n^op,ldb"])[0].rpartition(":")  # imatcopy has one array
    rows, *others = dimensions.split(",")
    others = others[:others.index(name)]
    if options and others:
        return f"exb_holds_band({name}, {others[0]}, 0)"
    if options:
        order, _, other = re.sub(r"\^.*", "", rows).partition("|")
        extent = f"side == EXB_LEFT ? {order} : {other}" if other else order
    elif len(others) > 1:
        return f"exb_holds_band({name}, {others[1]}, {others[2]})"
    else:
        columns, _, option = others[0].partition("^")
        swapped = f" != exb_is_transposed({option})" if option else ""
        by_columns = "(layout == EXB_COL_MAJOR)" if swapped else "layout == EXB_COL_MAJOR"
        extent = f"{by_columns}{swapped} ? {rows} : {columns}"
    return f"{name} >= exb_at_least_one({extent.replace('layout', routine.arguments[0].name)})"


def exchanged(routine, name):
    """What a column-major call has in the place of an argument."""
    names = [a.name for a in routine.arguments]
    pairs = ["m n", "kl ku"]
    if "transb" in names:
        pairs += ["transa transb", "lda ldb"]
    if routine.base in VECTORS_EXCHANGED:
        pairs.append("incx incy")
    for one, other in (p.split() for p in pairs):
        if name in (one, other) and one in names and other in names:
            return other if name == one else one
    if name == "trans" and routine.base in UPDATES:
        return "exb_flip_update(kind, trans)"
    return ("EXB_COL_MAJOR" if name == "layout" else f"exb_flip_{name}({name})" if name in ("uplo", "side", "trans")
            else name)


def check(routine):
    number = {a.name: i + 1 for i, a in enumerate(routine.arguments)}
    options = [a for a in checked(routine) if a.kind == "option"]
    lines = ["exb_fault f = exb_no_fault;"]
    if routine.base in KINDS:
        lines.append(f"const exb_update_kind kind = {KINDS[routine.base]};")
    if options[0].name == "order":  # Fortran gives it, too
        lines += ["exb_site seen = *site;", "if (site->convention == EXB_CALL_FORTRAN)",
                  "    seen.convention = EXB_CALL_CBLAS;", "site = &seen;"]
    for a in options:
        option = {"order": "layout"}.get(a.name, re.sub("[ab]$", "", a.name) if a.name.startswith("trans") else a.name)
        lines.append(f"exb_demand_option(&f, site, {number[a.name]}, exb_is_{option}({a.name}));")
    if routine.base not in NOT_NETLIBS:
        first = ["site"] + (["kind"] if routine.base in ("syrk", "syr2k") else [])
        values = ", ".join(first + [exchanged(routine, a.name) for a in checked(routine)])
        lines += ["if (!f.position && exb_is_swapped(site, layout))",
                  f"    return exb_from_row_major(exb_check_{routine.base}({values}));"]
    if routine.base in UPDATES:
        lines.append(f"exb_demand(&f, site, {number['trans']}, exb_is_trans_of(kind, trans));")
    lines += [f"exb_demand(&f, site, {number[a.name]}, {holds(routine, a)});"
              for a in checked(routine) if a.kind == "integer"]
    lines.append("return f;")
    return f"{head(routine)}\n{{\n" + "".join(f"    {line}\n" for line in lines) + "}\n\n"


def with_checks(routines):
    """One of each shape; routines of 16-bit numbers have those of floats."""
    return {r.base: r for r in routines if r.can_fail and r.name == r.of and not r.has_halves()}.values()


def make_checks(routines, banner):
    return (f'{banner}#include "checks.h"\n\n#include "core/check/check_rules.h"\n\n'
            + "".join(check(r) for r in with_checks(routines)))


def make_checks_header(routines, banner):
    return (f'{banner}#ifndef EXB_CHECKS_H\n#define EXB_CHECKS_H\n\n#include "core/check/check.h"\n\n'
            + "".join(f"{head(r)};\n" for r in with_checks(routines)) + "\n#endif\n")


def door_parameters(routine):
    """As a template declares them."""
    kinds = {"option": "int ", "integer": "int64_t ", "scalar": "exb_scalar ", "real scalar": "exb_real "}
    return ", ".join((kinds.get(a.kind) or ("" if a.written else "const ") + "exb_real *") + a.name
                     for a in routine.arguments)


def passed_to_driver(routine, word):
    by_address, name, _, otherwise = re.fullmatch(r"(@?)(\w+)(=?)(\w*)", word).groups()
    argument = next((a for a in routine.arguments if a.name in (name, name + "p")), None)
    if not argument:
        return otherwise
    if by_address:
        return f"&{name}" if argument.kind == "real scalar" else f"exb_t(parts_of)(&{name})"
    return argument.name


def door(routine, driver, words, known):
    kind = ["EXB_IS_COMPLEX ? EXB_UPDATE_SYMMETRIC : EXB_UPDATE_REAL"] if routine.base in ("syrk", "syr2k") else []
    values = ", ".join(["site", *kind, *(a.name for a in checked(routine))])
    passed = ", ".join([known] + [passed_to_driver(routine, w) for w in words.split()])
    return (f"void exb_entry({routine.base})(const exb_site *site, {door_parameters(routine)})\n{{\n"
            f"    if (!exb_rejected(site, exb_check_{routine.base}({values})))\n"
            f"        exb_t({driver})({passed});\n}}\n\n")


def make_doors(routines, banner):
    """For every type by itself: those of complex numbers, of reals, and of both."""
    out = banner + '#include "entry.h"\n\n#include "level2/drivers.h"\n#include "level3/call.h"\n\n'
    for driver, words, known in DRIVERS:
        for base, what in known.items():
            own = [r for r in routines if r.base == base and r.name == r.of]
            kinds = {r.is_complex for r in own}
            text = door(own[0], driver, words, what)
            only = "EXB_IS_COMPLEX" if kinds == {True} else "!EXB_IS_COMPLEX"
            out += text if len(kinds) == 2 else f"#if {only}\n{text}#endif\n\n"
    return out
