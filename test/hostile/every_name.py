#!/usr/bin/env python3
"""every_name.py LIST OUT: from lib/symbols.list, a function for each public name of each
routine that makes the call from arguments as data, and the table of them (every_name.h)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import generate

FORMS = [(style, size) for size in range(2) for style in ("cblas", "fortran")]


def by_value(routine, argument):
    return argument.kind == "real scalar" or argument.kind == "scalar" and not routine.is_complex


def passed(routine, argument, index, style, integer):
    """The expression for argument number `index` of v, and what must be declared for it."""
    v = f"v[{index}]"
    if argument.kind.startswith("array"):
        return f"(void *)(uintptr_t){v}.p", ""
    if argument.kind == "option" and style == "fortran":
        return f"every_letter({v}.i)", ""
    if argument.kind == "option":
        return f"(int){v}.i", ""
    if argument.kind == "integer" and style == "fortran":
        return f"&i{index}", f"    const {integer} i{index} = ({integer}){v}.i;\n"
    if argument.kind == "integer":
        return f"({integer}){v}.i", ""
    if by_value(routine, argument) and style == "cblas":
        return f"*(const {routine.part} *){v}.p", ""
    return f"{v}.p", ""


def taken(routine, style, call):
    """The call with its result put where the caller wants it; an index from 1, 0 for none or
    the first of CBLAS."""
    if routine.returns_complex and style == "cblas":
        return f"    {call};\n"
    if routine.returns_index:
        return f"    const int64_t index = (int64_t){call};\n    memcpy(result, &index, sizeof index);\n"
    if routine.result == "void" and not routine.returns_complex:
        return f"    {call};\n    (void)result;\n"
    kind = f"exblas_complex_{routine.part}" if routine.returns_complex else routine.result
    return f"    const {kind} r = {call};\n    memcpy(result, &r, sizeof r);\n"


def function(routine, style, size):
    cblas_suffix, fortran_suffix, integer = generate.SIZES[size]
    name = (f"excblas_{routine.cblas_name()}{cblas_suffix}" if style == "cblas"
            else f"ex{routine.name}{fortran_suffix}")
    values, declared = [], ""
    for index, argument in enumerate(routine.arguments):
        if style == "fortran" and argument.name == "layout":
            continue
        text, line = passed(routine, argument, index, style, integer)
        values.append(text)
        declared += line
    if routine.returns_complex and style == "cblas":
        values.append("result")
    call = f"{name}({', '.join(values)})"
    head = f"static void call_{name}(const exb_value *v, void *result)"
    return name, f"{head}\n{{\n{declared}{taken(routine, style, call)}}}\n\n"


def numbered(routines):
    """Each name with the number of its routine in exb_routines."""
    number = {r.name: i for i, r in enumerate(generate.proper(routines))}
    return [(number[r.of], r) for r in routines]


def main(path, out):
    text, rows = "", ""
    for number, routine in numbered(generate.read(path)):
        for style, size in FORMS:
            name, body = function(routine, style, size)
            text += body
            is_fortran = "true" if style == "fortran" else "false"
            rows += f"    {{\"{name}\", {number}, {is_fortran}, call_{name}}},\n"
    with open(out, "w") as f:
        f.write('/* Made by test/hostile/every_name.py. */\n#include "every_name.h"\n\n'
                "#include <exblas/cblas.h>\n#include <exblas/fortran.h>\n#include <string.h>\n\n"
                + text + "const every_name every_names[] = {\n" + rows + "    {0}};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
