#!/usr/bin/env python3
"""routine_calls.py LIST OUT: the function of routine_call.h, from lib/symbols.list."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../lib"))
import generate

FORMS = (("cblas", 0), ("cblas", 1), ("fortran", 0), ("fortran", 1))
OPTIONS = {"layout": ("rc", 101), "trans": ("ntcr", 111), "transb": ("ntc", 111), "uplo": ("ul", 121),
           "diag": ("nu", 131), "side": ("lr", 141)}
MEMBERS = {"order": "layout", "transa": "trans", "op": "trans", "sb": "alpha", "ap": "a", "d1": "x", "d2": "y", "x1": "a",
           "y1": "beta", "in": "x", "out": "y", "incin": "incx", "incout": "incy"}
SCALARS = {"c": "alpha", "s": "beta"}


def passed(routine, argument, style, integer):
    name = member_of(argument)
    member = "q->" + name
    if argument.kind == "option" and style == "cblas":
        letters, first = OPTIONS[name]
        return f'option("{letters}", {first}, {member})'
    if argument.kind == "option":
        return "&" + member
    if argument.kind == "integer":
        return f"&({integer}){{({integer}){member}}}" if style == "fortran" else f"({integer}){member}"
    is_pointer = argument.kind.startswith("array") or (argument.kind == "scalar" and routine.is_complex)
    return member if style == "fortran" or is_pointer else f"*(const {routine.part} *){member}"


def stored(routine, style):
    if routine.returns_complex:
        return f"*(exblas_complex_{routine.part} *)q->result = " if style == "fortran" else ""
    if routine.returns_index:
        return "*(int64_t *)q->result = " + ("1 + (int64_t)" if style == "cblas" else "")
    return "" if routine.result == "void" else f"*({routine.result} *)q->result = "


def member_of(argument):
    names = SCALARS if argument.kind.endswith("scalar") else {}
    return names.get(argument.name) or MEMBERS.get(argument.name, argument.name)


def taken(index, argument):
    member = member_of(argument)
    if argument.kind == "option":
        letters, first = OPTIONS[member]
        return f'    q->{member} = "{letters}"[v[{index}].i - {first}];\n'
    value = f"v[{index}].i" if argument.kind == "integer" else f"(void *)(uintptr_t)v[{index}].p"
    return f"    q->{member} = {value};\n"


def take(routine):
    text = "".join(taken(i, a) for i, a in enumerate(routine.arguments))
    return f"static void {routine.name}_take(routine_call *q, const exb_value *v)\n{{\n{text}}}\n\n"


def public_name(routine, style, size):
    name = "excblas_" + routine.cblas_name() if style == "cblas" else "ex" + routine.name
    return name + generate.SIZES[size][style == "fortran"]


def function(routine, number):
    style, size = FORMS[number]
    integer = generate.SIZES[size][2]
    values = [passed(routine, a, style, integer) for a in routine.visible(style)]
    values += ["q->result"] if routine.returns_complex and style == "cblas" else []
    return (f"static void {routine.name}_{number}(const routine_call *q)\n{{\n"
            f"    {stored(routine, style)}{public_name(routine, style, size)}({', '.join(values)});\n}}\n\n")


def main(path, out):
    routines = sorted(generate.read(path), key=lambda r: r.name)
    number = {r.name: i for i, r in enumerate(generate.proper(generate.read(path)))}
    text = "".join(take(r) + "".join(function(r, i) for i in range(len(FORMS))) for r in routines)
    rows = "".join(f'    {{"{r.name}", {{{", ".join(f"{r.name}_{i}" for i in range(len(FORMS)))}}}}},\n'
                   for r in routines)
    names = "".join(f'    {{"{public_name(r, *form)}", {number[r.of]}, {i}, {r.name}_{i}, {r.name}_take}},\n'
                    for r in routines for i, form in enumerate(FORMS))
    with open(out, "w") as f:
        f.write('/* Made by test/support/calls/routine_calls.py. */\n#include "routine_call_made.h"\n\n'
                + text + "const routine_entry routine_entries[] = {\n" + rows + "};\n"
                f"const size_t n_routine_entries = {len(routines)};\n"
                "const routine_name routine_names[] = {\n" + names + "    {0}};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
