#!/usr/bin/env python3
"""Makes the table of routines that the differential fuzzer calls.

    routines.py LIB-DIRECTORY OUT

Each routine of symbols.list in each type, and scatter_add and segment_sum, with its arguments and
a function for each of its four forms.
"""
import os
import re
import sys

sys.path.insert(0, sys.argv[1])
import generate  # noqa: E402

# Not in symbols.list: name, type, arguments.
OTHERS = [(f"{t}{name}", t, arguments)
          for name, arguments in (("scatter_add", "n x index n_bins y!"),
                                  ("segment_sum", "n_seg offset x y!")) for t in "sd"]
# Those that have a model only in every_special.py.
ELSEWHERE = re.compile("[sdcz](axpyc|geadd|[io]matcopy|skew.*)|i?(s|d|sc|dz|c|z)(amin|max|min)|(s|d|sc|dz)amax|"
                       "[cz](rot|s[yp](mv|r2?)|sbmv)|scsum|dzsum")
FORMS = (("cblas", 0), ("cblas", 1), ("fortran", 0), ("fortran", 1))


def kind(a):
    if a.kind.startswith("array"):
        return "FUZZ_ARRAY"
    return {"option": "FUZZ_OPTION", "integer": "FUZZ_INTEGER"}.get(a.kind, "FUZZ_SCALAR")


def describe(a):
    flags = f"{int(a.written)}, {int('real' in a.kind)}"
    return f'{{"{a.name}", {kind(a)}, {flags}}}'


def by_value(r, a, k):
    if kind(a) == "FUZZ_ARRAY" or (a.kind == "scalar" and r.is_complex):
        return f"v[{k}].p"
    if kind(a) == "FUZZ_SCALAR":
        return f"*(const {r.part} *)v[{k}].p"
    return f"(int)v[{k}].i" if a.kind == "option" else f"(INTEGER)v[{k}].i"


def call(r, style, wide):
    """The body of one form's caller."""
    integer = generate.SIZES[wide][2]
    before, values = "", []
    for k, a in enumerate(r.arguments):
        if style == "fortran" and a.name == "layout":
            continue
        if style == "fortran" and kind(a) == "FUZZ_INTEGER":
            before += f"    {integer} i{k} = ({integer})v[{k}].i;\n"
            values.append(f"&i{k}")
        elif style == "fortran" and kind(a) == "FUZZ_OPTION":
            values.append(f"v[{k}].p")
        elif style == "fortran":
            values.append(f"v[{k}].p")
        else:
            values.append(by_value(r, a, k).replace("INTEGER", integer))
    suffix = generate.SIZES[wide][style == "fortran"]
    name = "excblas_" + r.cblas_name() + suffix if style == "cblas" else "ex" + r.name + suffix
    if r.returns_complex and style == "cblas":
        return f"{before}    {name}({', '.join(values + ['result'])});\n"
    store = ""
    if r.returns_complex:
        store = f"*(exblas_complex_{r.part} *)result = "
    elif r.returns_index:
        # from 0 in CBLAS, from 1 in Fortran
        store = "*(int64_t *)result = " + ("1 + (int64_t)" if style == "cblas" else "")
    elif r.result != "void":
        store = f"*({r.result} *)result = "
    unused = "" if r.result != "void" or r.returns_complex else "    (void)result;\n"
    return f"{unused}{before}    {store}{name}({', '.join(values)});\n"


def result_letter(r):
    if r.returns_index:
        return "I"
    if r.returns_complex:
        return "T"
    return {"void": "-", "float": "s", "double": "d"}[r.result]


def type_letter(r):
    if r.name in ("dsdot", "sdsdot"):
        return "s"
    return {("float", 0): "s", ("double", 0): "d", ("float", 1): "c", ("double", 1): "z"}[
        r.part, r.is_complex]


def table_entry(name, base, letter, result, n):
    callers = ", ".join(f"call_{name}_{i}" for i in range(4))
    return f'    {{"{name}", "{base}", \'{letter}\', \'{result}\', {n}, arguments_{name}, {{{callers}}}}},\n'


def blas(r):
    r.part = "float" if type_letter(r) in "sc" else "double"
    text = (f"static const fuzz_argument arguments_{r.name}[] = "
            f"{{{', '.join(map(describe, r.arguments))}}};\n")
    for i, (style, wide) in enumerate(FORMS):
        text += (f"static void call_{r.name}_{i}(const fuzz_value *v, void *result)\n{{\n"
                 f"{call(r, style, wide)}}}\n")
    return text, table_entry(r.name, r.base, type_letter(r), result_letter(r), len(r.arguments))


def other(name, letter, arguments):
    """These have no Fortran form: the C forms stand there too."""
    kinds = {"n": "FUZZ_INTEGER", "n_bins": "FUZZ_INTEGER", "n_seg": "FUZZ_INTEGER",
             "index": "FUZZ_INDICES", "offset": "FUZZ_INDICES"}
    names = [a.rstrip("!") for a in arguments.split()]
    described = ", ".join(f'{{"{n}", {kinds.get(n, "FUZZ_ARRAY")}, {int(n + "!" in arguments)}, 0}}'
                          for n in names)
    text = f"static const fuzz_argument arguments_{name}[] = {{{described}}};\n"
    for i, (_, wide) in enumerate(FORMS):
        integer = generate.SIZES[wide][2]
        values = ", ".join(f"({integer})v[{k}].i" if kinds.get(n) == "FUZZ_INTEGER" else f"v[{k}].p"
                           for k, n in enumerate(names))
        text += (f"static void call_{name}_{i}(const fuzz_value *v, void *result)\n{{\n"
                 f"    *(int64_t *)result = exblas_{name}{'_64' if wide else ''}({values});\n}}\n")
    return text, table_entry(name, name[1:], letter, "E", len(names))


def main():
    routines = generate.read(os.path.join(sys.argv[1], "symbols.list"))
    made = [blas(r) for r in routines if not ELSEWHERE.fullmatch(r.of)] + [other(*o) for o in OTHERS]
    with open(sys.argv[2], "w") as f:
        f.write('/* Made by routines.py. */\n#include "routine.h"\n\n#include <exblas/cblas.h>\n'
                "#include <exblas/fortran.h>\n#include <exblas/scatter.h>\n\n")
        f.write("".join(text for text, _ in made))
        f.write("\nconst fuzz_routine fuzz_routines[] = {\n" + "".join(e for _, e in made) + "};\n"
                f"const int n_fuzz_routines = {len(made)};\n")


main()
