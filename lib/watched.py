"""Routines as data (observe/routine.h), and the entries as seen by what watches calls.

What the arrays of a routine hold is told here by family: most follow from the names of the
arguments. An array of a routine that nothing here fits is left undescribed, and is then
never looked at; test/observe/watch_test.c fails for it.
"""
import re

FEW = {"rotg": {"a": 1, "b": 1, "c": 1, "s": 1}, "rotm": {"param": 5},
       "rotmg": {"d1": 1, "d2": 1, "x1": 1, "param": 1}}
# Arrays whose old elements are never read.
OUTPUTS = {("copy", "y"), ("rotg", "c"), ("rotg", "s"), ("rotmg", "param")}
HERMITIAN = ("hemv", "hbmv", "hpmv", "her", "hpr", "her2", "hpr2", "hemm", "herk", "her2k")
FIELDS = ("rows", "columns", "step", "lower", "upper", "swap", "uplo", "diag", "stride")


def matrix(rows, columns, step, swap=None):
    return {"shape": "MATRIX", "rows": rows, "columns": columns, "step": step, "swap": swap}


def triangle(routine, order, step, hermitian=False, other=None, swap=None, diag=None):
    return {"shape": "TRIANGLE", "rows": order, "columns": other, "step": step, "swap": swap,
            "uplo": "uplo", "diag": diag, "hermitian": hermitian}


def operand_shape(base, name, has):
    """Matrices of Level 2 and 3."""
    hermitian = base in HERMITIAN
    diag = "diag" if "diag" in has else None
    if base in ("gemv", "ger", "geru", "gerc"):
        return matrix("m", "n", "lda")
    if base == "gbmv":
        return {"shape": "BAND", "rows": "m", "columns": "n", "step": "lda", "lower": "kl",
                "upper": "ku"}
    if name == "ap":
        return {"shape": "PACKED", "rows": "n", "uplo": "uplo", "diag": diag,
                "hermitian": hermitian}
    if re.fullmatch("(sb|hb)mv|tb[ms]v", base):
        return {"shape": "TRIANGLE_BAND", "rows": "n", "step": "lda", "lower": "k",
                "uplo": "uplo", "diag": diag, "hermitian": hermitian}
    if re.fullmatch("(sy|he)(mv|r|r2)|tr[ms]v", base):
        return triangle(base, "n", "lda", hermitian, diag=diag)
    if base in ("gemm", "gemmt", "gemm_batch_strided"):
        rows = "n" if base == "gemmt" else "m"
        found = {"a": matrix(rows, "k", "lda", "transa"), "b": matrix("k", "n", "ldb", "transb"),
                 "c": triangle(base, "n", "ldc") if base == "gemmt" else matrix("m", "n", "ldc")}[name]
        return dict(found, stride="stride" + name) if "batch" in has else found
    if re.fullmatch("(sy|he)r2?k", base):
        return triangle(base, "n", "ldc", hermitian) if name == "c" else matrix(
            "n", "k", "ld" + name, "trans")
    if re.fullmatch("(sy|he)mm|tr[ms]m", base):
        return matrix("m", "n", "ld" + name) if name != "a" else triangle(
            base, "m", "lda", hermitian, other="n", swap="side", diag=diag)
    return None


def vector_shape(base, name):
    """x and y: n elements, but m and n in turn for a matrix that is not square."""
    shape = {"shape": "VECTOR", "rows": "n", "step": "inc" + name}
    if base in ("gemv", "gbmv"):
        first, second = ("n", "m") if name == "x" else ("m", "n")
        shape.update(rows=first, columns=second, swap="trans")
    elif base in ("ger", "geru", "gerc") and name == "x":
        shape.update(rows="m")
    return shape


def shape_of(routine, argument, has):
    base, name = routine.base, argument.name
    if base in FEW and name in FEW[base]:
        return {"shape": "FEW", "few": FEW[base][name]}
    if name in ("x", "y"):
        return vector_shape(base, name)
    return operand_shape(base, name, has) or {"shape": "NONE"}


def read_of(base, argument, has):
    """When BLAS looks at the old elements."""
    if (base, argument.name) in OUTPUTS:
        return "NEVER"
    if argument.written and "beta" in has:
        return "UNLESS_BETA_0"
    if "alpha" in has and (not argument.written or base in ("trmm", "trsm")):
        return "UNLESS_ALPHA_0"
    return "ALWAYS"


KINDS = {"option": "OPTION", "integer": "INTEGER"}


def describe(routine, argument, index):
    kind = KINDS.get(argument.kind, "ARRAY" if argument.kind.startswith("array") else "SCALAR")
    real = int(argument.kind in ("real scalar", "array of reals"))
    shape = shape_of(routine, argument, index) if kind == "ARRAY" else {"shape": "NONE"}
    numbers = [f".{f} = {index.get(shape.get(f), -1)}" for f in FIELDS]
    read = read_of(routine.base, argument, index) if kind == "ARRAY" else "ALWAYS"
    return (f"        {{.name = \"{argument.name}\", .kind = EXB_ARG_{kind}, .is_real = {real},\n"
            f"         .is_written = {int(argument.written)},"
            f" .is_hermitian = {int(shape.get('hermitian') or 0)},\n"
            f"         .shape = EXB_SHAPE_{shape['shape']}, .read = EXB_READ_{read},"
            f" .few = {shape.get('few', 0)},\n         {', '.join(numbers)}}},\n")


def result_letter(routine):
    if routine.returns_index:
        return "'i'"
    if routine.result == "void" and not routine.returns_complex:
        return "0"
    if routine.returns_complex:
        return "'c'" if routine.part == "float" else "'z'"
    return "'s'" if routine.result == "float" else "'d'"


def table(routine):
    index = {a.name: i for i, a in enumerate(routine.arguments)}
    letter = ("c" if routine.part == "float" else "z") if routine.is_complex else (
        "s" if routine.part == "float" else "d")
    head = (f"static const exb_routine routine_{routine.name} = {{\n"
            f"    .name = \"{routine.name}\", .type = '{letter}', .result = {result_letter(routine)},\n"
            f"    .n_arguments = {len(routine.arguments)}, .layout = {index.get('layout', -1)},"
            f" .alpha = {index.get('alpha', -1)}, .beta = {index.get('beta', -1)},"
            f" .batch = {index.get('batch', -1)},\n    .argument = {{\n")
    return head + "".join(describe(routine, a, index) for a in routine.arguments) + "    }};\n\n"


def value(routine, argument):
    if argument.kind in ("option", "integer"):
        return f"{{.i = {argument.name}}}"
    by_value = argument.kind == "real scalar" or argument.kind == "scalar" and not routine.is_complex
    return f"{{.p = {'&' if by_value else ''}{argument.name}}}"


def values(routine):
    return f"    const exb_value v[] = {{{', '.join(value(routine, a) for a in routine.arguments)}}};\n"


def watched(routine):
    """A function as the entry, that tells observe/watch.h of the call."""
    names = (["site"] if routine.can_fail else []) + [a.name for a in routine.arguments]
    result = "NULL" if routine.result == "void" else "&result"
    if routine.returns_complex:
        names.append("ret")
        result = "ret"
    keep = "" if routine.result == "void" else f"{routine.result} result = "
    done = "" if routine.result == "void" else "    return result;\n"
    return (f"{routine.entry('watched')}\n{{\n{values(routine)}    exb_watch watch;\n"
            f"    exb_watch_begin(&watch, &routine_{routine.name}, v);\n"
            f"    {keep}exb_entry_{routine.name}({', '.join(names)});\n"
            f"    exb_watch_end(&watch, {result});\n{done}}}\n\n")


def choose(routine):
    """What wrappers call: the entry itself unless calls are watched."""
    names = (["site"] if routine.can_fail else []) + [a.name for a in routine.arguments]
    names += ["ret"] if routine.returns_complex else []
    call = f"({', '.join(names)})"
    back = "" if routine.result == "void" else "return "
    return (f"static inline {routine.entry('call')}\n{{\n    if (exb_is_watching()) {{\n"
            f"        {back}exb_watched_{routine.name}{call};\n"
            f"    }} else {{\n        {back}exb_entry_{routine.name}{call};\n    }}\n}}\n\n")


def make_watched(routines, banner):
    return (banner + '#include "entry.h"\n#include "observe/watch.h"\n\n#include <stddef.h>\n\n'
            + "".join(table(r) + watched(r) for r in routines)
            + "const exb_routine *const exb_routines[] = {\n"
            + "".join(f"    &routine_{r.name},\n" for r in routines) + "    NULL};\n")
