"""Functions of public headers that take arrays of integers, of 32 bits or, with _64, of 64: both call one in the
library, whose indices say which they are (acc/index.h). For lib/generate.py.
"""
import collections
import re

# How a parameter of a header's shape begins, what stands for that in public and in the library, and how the
# parameter, p, is passed on.
Kind = collections.namedtuple("Kind", "begin public own passed")
KINDS = (
    Kind("const integer *", "const exblas_int{size} *", "exb_index ", "(exb_index){{.{member} = {p}}}"),
    Kind("integer *", "exblas_int{size} *", "exb_index_target ", "(exb_index_target){{.{member} = {p}}}"),
    Kind("integer ", "exblas_int{size} ", "int64_t ", "{p}"),
    Kind("scalar ", "exb_scalar_argument ", "exb_scalar ", "{p}"),
    Kind("const element *", "exb_values ", "const exb_real *", "{p}"),
    Kind("element *", "exb_results ", "exb_real *", "{p}"),
    Kind("", "", "", "{p}"),
)


def parameters(text, how, size=""):
    """The parameters of a shape: `public`, as the library's `own`, or as they are `passed`."""
    out = []
    for p in re.sub(r"exblas_\?(\w+)", r"exblas_t(\1)", text).split(", "):
        kind = next(k for k in KINDS if p.startswith(k.begin))
        name = "" if how == "passed" else p[len(kind.begin):]
        out.append(getattr(kind, how).format(size=size, member="wide" if size else "narrow", p=re.search(r"\w+$", p)[0])
                   + name)
    return ", ".join(out)


def functions(shapes):
    """(before, result, name, parameters, after) of those with arrays of integers; before, after: for some types."""
    for letters, shape in shapes:
        if re.search(r"\binteger \*", shape):
            only = {"cz": "EXB_IS_COMPLEX", "sd": "!EXB_IS_COMPLEX"}.get(letters)
            found = re.fullmatch(r"(\w+) exblas_\?(\w+)\((.*)\)", shape).groups()
            yield (f"#if {only}\n", *found, "#endif\n") if only else ("", *found, "")


def make_header(shapes, banner):
    return (f'{banner}#ifndef EXB_INDEXED_H\n#define EXB_INDEXED_H\n\n'
            '#include "acc/index.h"\n#include "core/type.h"\n\n'
            '#include "exblas/scatter.h"\n#include "exblas/sparse.h"\n\n'
            + "".join(f"{before}{result} exb_t({name})({parameters(text, 'own')});\n{after}"
                      for before, result, name, text, after in functions(shapes)) + "\n#endif\n")


def make_doors(shapes, banner):
    return (f'{banner}#include "indexed.h"\n\n'
            + "".join(f"{before}{result} exblas_t({name}{size and '_' + size})({parameters(text, 'public', size)})\n"
                      f"{{\n    return exb_t({name})({parameters(text, 'passed', size)});\n}}\n{after}\n"
                      for before, result, name, text, after in functions(shapes) for size in ("", "64")))
