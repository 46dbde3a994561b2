#!/usr/bin/env python3
"""device_calls.py LIST HEADER.h.in OUT.c BACKEND...: the functions of device_call.h for cpu, cuda, cl, host.

LIST is lib/symbols.list, HEADER.h.in a template of a public header, whose lines `@prototypes` name the routines."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "lib/gpu"))
import entries  # noqa: E402
import generate  # noqa: E402

HEADERS = {"cpu": "exblas/cblas.h", "cuda": "exblas/cuda.h", "cl": "exblas/opencl.h", "host": "exblas/opencl.h"}
FIRST = {"cpu": "", "cuda": "exblas_cuda_handle handle, ", "cl": "cl_command_queue queue, ",
         "host": "cl_command_queue queue, "}


def value(r, a, backend):
    name = "c->" + {"transa": "trans"}.get(a.name, a.name)
    if a.kind == "array":
        return f"{name}, c->offset" if backend == "cl" else name
    if a.kind == "integer":
        size = backend in ("cl", "host") and not a.name.startswith("inc")
        return f"({'exblas_int' if backend == 'cpu' else 'size_t' if size else 'int64_t'}){name}"
    by_value = "scalar" in a.kind and not (r.is_complex and a.kind == "scalar")
    return f"*(const {r.part} *){name}" if by_value else name


def statement(r, backend):
    is_sum = r.base in entries.SUMS
    values = [value(r, a, backend) for a in entries.visible(r, backend)]
    if backend == "cpu":
        if is_sum and not r.returns_complex:
            return f"*({r.part} *)c->r = excblas_{r.name}({', '.join(values)}), EXBLAS_OK"
        return f"excblas_{r.cblas_name()}({', '.join(values + ['c->r'] * is_sum)}), EXBLAS_OK"
    values.insert(0, "handle" if backend == "cuda" else "queue")
    values += ["c->r", "c->offset_r"][:2 if backend == "cl" else 1] if is_sum else []
    values += ["0, NULL, c->done"] if backend == "cl" else []
    return f"{entries.PREFIX[backend]}{r.name}({', '.join(values)})"


def function(routines, template, backend):
    wanted = "cuda" if backend == "cpu" else backend
    names = [name for line in open(template) if (m := entries.LINE.fullmatch(line)) and m[1] == wanted
             for name in m[2].split()]
    lines = "".join(f'    if (strcmp(c->name, "{r.name}") == 0)\n        return {statement(r, backend)};\n'
                    for r in entries.chosen(routines, names))
    return (f"exblas_status device_call_{backend}({FIRST[backend]}const device_call *c)\n{{\n{lines}"
            "    return EXBLAS_EUNSUPPORTED;\n}\n\n")


def main():
    routines, template, out, backends = generate.read(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    text = f'#include "gpu/calls/device_call.h"\n\n#include <{HEADERS[backends[0]]}>\n#include <string.h>\n\n'
    pathlib.Path(out).write_text(text + "".join(function(routines, template, b) for b in backends))


if __name__ == "__main__":
    main()
