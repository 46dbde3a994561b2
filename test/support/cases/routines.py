#!/usr/bin/env python3
"""Makes the table of routines that tests call.

    routines.py LIB-DIRECTORY OUT

Each routine of symbols.list in each type, and scatter_add and segment_sum, with its arguments.
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
ELSEWHERE = re.compile("[sdcz](axpyc|geadd|[io]matcopy)|i?(s|d|sc|dz|c|z)(amin|max|min)|(s|d|sc|dz)amax|[cz]rot|"
                       "scsum|dzsum")


def kind(a):
    if a.kind.startswith("array"):
        return "FUZZ_ARRAY"
    return {"option": "FUZZ_OPTION", "integer": "FUZZ_INTEGER"}.get(a.kind, "FUZZ_SCALAR")


def describe(a, letter):
    flags = f"{int(a.written)}, {int('real' in a.kind)}"
    return f'{{"{a.name}", {kind(a)}, {flags}, \'{a.half or letter}\'}}'


def result_letter(r):
    if r.returns_index:
        return "I"
    if r.returns_complex:
        return "T"
    return {"void": "-", "float": "s", "double": "d"}[r.result]


def row(name, base, letter, result, described):
    return (f"static const fuzz_argument arguments_{name}[] = {{{', '.join(described)}}};\n",
            f'    {{"{name}", "{base}", \'{letter}\', \'{result}\', {len(described)}, arguments_{name}}},\n')


def other(name, letter, arguments):
    kinds = {"n": "FUZZ_INTEGER", "n_bins": "FUZZ_INTEGER", "n_seg": "FUZZ_INTEGER",
             "index": "FUZZ_INDICES", "offset": "FUZZ_INDICES"}
    return row(name, name[1:], letter, "E",
               [f'{{"{a.rstrip("!")}", {kinds.get(a, "FUZZ_ARRAY")}, {int("!" in a)}, 0, \'{letter}\'}}' for a in arguments.split()])


def main():
    made = [row(r.name, r.kind, r.type, result_letter(r), [describe(a, r.type) for a in r.arguments])
            for r in generate.read(os.path.join(sys.argv[1], "symbols.list"))
            if not ELSEWHERE.fullmatch(r.of)] + [other(*o) for o in OTHERS]
    with open(sys.argv[2], "w") as f:
        f.write('/* Made by routines.py. */\n#include "routine.h"\n\n')
        f.write("".join(text for text, _ in made))
        f.write("\nconst fuzz_routine fuzz_routines[] = {\n" + "".join(e for _, e in made) + "};\n"
                f"const int n_fuzz_routines = {len(made)};\n")


main()
