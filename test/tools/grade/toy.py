#!/usr/bin/env python3
"""toy.py LIB-DIRECTORY FAULTS OUT: the routines of faults.txt as C, each ExBLAS's but for what it does otherwise."""
import re
import sys

sys.path.insert(0, sys.argv[1])
import generate  # noqa: E402


def faults(path):
    """By routine, the C of all its faults."""
    found, name = {}, None
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line[0] == " ":
                found[name] += line
            elif line[0] != "#":
                name = line.split()[0]
                found.setdefault(name, "")
    return found


def made(r, code):
    element = f"{r.part} complex" if r.is_complex else r.part
    parameters, locals_, passed = [], "", []
    for a in r.visible("fortran"):
        kind = {"option": "char", "integer": "int"}.get(a.kind, r.part if "real" in a.kind else element)
        is_array = a.kind.startswith("array")
        parameters.append(f"{kind} *{a.name}" if is_array else f"const {kind} *{a.name}_")
        passed.append(a.name if is_array else "&" + a.name)
        if not is_array:
            value = f"(char)(32 | *{a.name}_)" if a.kind == "option" else f"*{a.name}_"
            locals_ += f"    {kind} {a.name} = {value};\n"
    result = "int" if r.returns_index else element if r.returns_complex else r.result
    if not re.search(r"CALL;\n(?!    return)|return [^;]*;\n$|^    return;\n$", code, re.M):
        code += f"    {'' if result == 'void' else 'return '}CALL;\n"
    return (f"\n#undef T\n#define T {element}\n#undef CALL\n#define CALL EX(ex{r.name}_)({', '.join(passed)})\n"
            f"{result} {r.name}_({', '.join(parameters)})\n{{\n{locals_}{code}}}\n")


def main():
    of = faults(sys.argv[2])
    text = "".join(made(r, of[r.name]) for r in generate.read(sys.argv[1] + "/symbols.list") if r.name in of)
    with open(sys.argv[3], "w", encoding="utf-8") as f:
        f.write(text)


main()
