#!/usr/bin/env python3
"""grid_calls.py LIST OUT: the routines of grid_call.h, from lib/mpi/pblas/pblas.list."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib/mpi/pblas"))
import pblas


def passed(word):
    name = pblas.FIELDS.get(word.name, word.name)
    if word.shape:
        step = f", &q->{name}.inc" if word.is_vector else ""
        return f"(void *)q->{name}.local, &q->{name}.i, &q->{name}.j, q->{name}.desc{step}"
    by_address = word.letters or name in ("m", "n", "k", "index")
    return ("&" if by_address else "") + "q->" + name


def type_letter(routine):
    return "sdcz"[(routine.part == "double") + 2 * (routine.element == "void")]


def row(routine):
    operands = "".join("r" if w.real else w.name for w in routine.words if w.shape)
    letters = "".join(w.letters for w in routine.words if w.name in ("trans", "transa"))
    return f"    {{\"{routine.name[1:]}\", '{type_letter(routine)}', \"{operands}\", \"{letters}\", {routine.name}}},\n"


def main(path, out):
    routines = pblas.read(path)
    with open(out, "w") as f:
        f.write('/* Made by test/mpi/grid_calls.py. */\n#include "grid_call.h"\n\n#include <exblas/pblas.h>\n\n')
        for r in routines:
            f.write(f"static void {r.name}(grid_call *q)\n{{\n"
                    f"    ex{r.name}_({', '.join(map(passed, r.words))});\n}}\n\n")
        f.write("const grid_routine grid_routines[] = {\n" + "".join(map(row, routines)) + "};\n"
                f"const int n_grid_routines = {len(routines)};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
