#!/usr/bin/env python3
"""Makes the CUDA sources of kernels from their text and the list of instances.

    instances.py INCLUDE-DIR LIST programs              the programs, one a line
    instances.py INCLUDE-DIR LIST program NAME OUT.cu   all instances of a program
    instances.py INCLUDE-DIR LIST table OUT.c           the table of all programs

A program's text is expanded as for OpenCL (embed.py) and stands in the .cu file once per instance,
in a namespace of its own, with the macros of its options before it and all of its macros undefined
after it.
"""
import itertools
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
import embed  # noqa: E402

BANNER = "/* Made by lib/gpu/cuda/instances.py. */\n"
SYSTEM_HEADERS = "#include <float.h>\n#include <math.h>\n"


def alternatives(options):
    """'-DX={0,1} -DY=2' to ['-DX=0 -DY=2', '-DX=1 -DY=2']."""
    parts = re.split(r"\{([^}]*)\}", options)
    choices = [[p] if i % 2 == 0 else p.split(",") for i, p in enumerate(parts)]
    return ["".join(c) for c in itertools.product(*choices)]


def read(path):
    """Program to the list of its options."""
    programs = {}
    for line in open(path):
        program, *options = line.split("#")[0].split() or [None]
        if program:
            programs.setdefault(program, []).extend(alternatives(" ".join(options)))
    return programs


def definitions(options):
    return [o[2:].replace("=", " ", 1) for o in options.split()]


def make_program(root, program, instances):
    lines = [line for line in embed.program(root, root / "gpu" / "kernels" / f"{program}.cl") if not re.match(r"\s*#\s*include\s+<", line)]
    text = "\n".join(lines) + "\n"
    kernels = [m[1] for m in embed.KERNEL.finditer(text)]
    macros = sorted(set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M)))
    out, entries = BANNER + SYSTEM_HEADERS + '#include "gpu/cuda/instances.h"\n', ""
    for i, options in enumerate(instances):
        defined = definitions(options)
        out += "".join(f"#define {d}\n" for d in defined)
        out += f"namespace instance_{i} {{\n{text}}}\n"
        names = macros + [d.split()[0] for d in defined]
        out += "".join(f"#undef {m}\n" for m in dict.fromkeys(names))
        entries += "".join(f'    {{"{program}", "{k}", "{options}", (const void *)instance_{i}::{k}}},\n' for k in kernels)
    return out + f"extern const exb_cuda_kernel exb_cuda_{program}[] = {{\n{entries}    {{0, 0, 0, 0}},\n}};\n"


def make_table(programs):
    out = BANNER + '#include "gpu/cuda/instances.h"\n\n'
    out += "".join(f"extern const exb_cuda_kernel exb_cuda_{p}[];\n" for p in programs)
    entries = "".join(f"    exb_cuda_{p},\n" for p in programs)
    return out + f"\nconst exb_cuda_kernel *const exb_cuda_programs[] = {{\n{entries}    0,\n}};\n"


def write_if_changed(path, text):
    """A program whose kernels are as they were is not compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    root, programs, what = pathlib.Path(sys.argv[1]), read(sys.argv[2]), sys.argv[3]
    if what == "programs":
        print("\n".join(programs))
        return
    if what == "program":
        text = make_program(root, sys.argv[4], programs[sys.argv[4]])
    else:
        text = make_table(programs)
    write_if_changed(pathlib.Path(sys.argv[-1]), text)


if __name__ == "__main__":
    main()
