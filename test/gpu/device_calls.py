#!/usr/bin/env python3
"""device_calls.py LIST HEADER.h.in OUT.c BACKEND...: routines of devices by name, for cuda, cl (OpenCL's buffers) and host.

LIST is lib/symbols.list, HEADER.h.in a template of a public header, whose lines `@prototypes` name the routines."""
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "lib/gpu"), str(root / "test/support/calls")]
import entries  # noqa: E402
import generate  # noqa: E402
from routine_calls import passed  # noqa: E402

HEADERS = {"cuda": "exblas/cuda.h", "cl": "exblas/opencl.h"}


def value(r, a, backend):
    is_size = backend != "cuda" and not a.name.startswith("inc")
    text = passed(r, a, "cblas", "size_t" if is_size else "int64_t")
    return f"{text}, at" if backend == "cl" and a.kind == "array" else text


def statement(r, backend):
    values = [entries.FIRST[backend].split()[1]] + [value(r, a, backend) for a in entries.visible(r, backend)]
    values += ["q->result", "1"][:2 if backend == "cl" else 1] if r.base in entries.SUMS else []
    values += ["0, NULL, NULL"] if backend == "cl" else []
    return f"{entries.PREFIX[backend]}{r.name}({', '.join(values)})"


def of_backend(routines, template, backend):
    names = [name for line in open(template) if (m := entries.LINE.fullmatch(line)) and m[1] == backend for name in m[2].split()]
    return entries.chosen(routines, names)


def function(routines, backend):
    lines = "".join(f'    if (strcmp(name, "{r.name}") == 0)\n        return {statement(r, backend)};\n' for r in routines)
    more = ", size_t at" if backend == "cl" else ""
    return (f"exblas_status device_call_{backend}({entries.FIRST[backend]}, const char *name, const routine_call *q{more})\n"
            f"{{\n{lines}    return EXBLAS_EUNSUPPORTED;\n}}\n\n")


def main():
    routines, template, out, backends = generate.read(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    made = {b: of_backend(routines, template, b) for b in backends}
    text = f'#include "gpu/device_job.h"\n#include "routine_call_made.h"\n\n#include <{HEADERS[backends[0]]}>\n\n'
    text += f'const char device_routines[] = " {" ".join(r.name for r in made[backends[0]])} ";\n\n'
    pathlib.Path(out).write_text(text + "".join(function(rs, b) for b, rs in made.items()))


if __name__ == "__main__":
    main()
