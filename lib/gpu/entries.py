#!/usr/bin/env python3
"""Makes the public routines of devices from lib/symbols.list.

    entries.py LIST header OUT TEMPLATE         a header
    entries.py LIST entries OUT.c TEMPLATE...   the functions that headers declare

A line `@prototypes cuda NAME ...@` of a template stands for these routines in all their types;
`cl`: on OpenCL's buffers, `host`: of OpenCL on the host's memory. Entries are made for these, and
for the scatter-adds and accumulators that are declared as they are. An entry describes its call
(gpu/flow/front.h) and hands it over.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
import checks  # noqa: E402
import generate  # noqa: E402

LINE = re.compile(r"@prototypes (cuda|cl|host) (.*)@\s*")
PREFIX = {"cuda": "exblas_cuda_", "cl": "exblas_cl_", "host": "exblas_cl_host_"}
FIRST = {"cuda": "exblas_cuda_handle handle", "cl": "cl_command_queue queue", "host": "cl_command_queue queue"}
LAST = {"cl": ["cl_uint n_wait", "const cl_event *wait", "cl_event *done"]}
INCLUDES = {"cuda": '#include "checks.h"\n#include "gpu/cuda/handle.h"\n#include "exblas/cuda_acc.h"\n',
            "cl": '#include "checks.h"\n#include "gpu/opencl/context.h"\n#include "exblas/opencl.h"\n#include "exblas/opencl_scatter.h"\n'}
DECLARED = re.compile(r"EXBLAS_API (exblas_status exblas_(cuda|cl)_([sd]?)"
                      r"(scatter_add(?:_64)?|acc_(?:add|dot|round|merge|normalize))\(([^;]*)\));")
DECLARED_FLOWS = {"acc_add": "accumulate", "acc_dot": "accumulate", "acc_normalize": "acc_merge",
                  "scatter_add_64": "scatter_add"}
SUMS = {"sum": "SUM", "asum": "ASUM", "nrm2": "NRM2", "dot": "DOT", "dotu": "DOT", "dotc": "DOT"}
FLOWS = {"hemm": "symm", "herk": "syrk", "trsv": "trsm", "trmm": "trsm", "gemm_batch_strided": "gemm"}
MEMBERS = {"transa": "trans", "results": "y"}


def visible(r, backend):
    """A CUDA handle has a layout."""
    return [a for a in r.arguments if not (backend == "cuda" and a.name == "layout")]


def declare(r, a, backend):
    if a.kind == "integer":
        kind = "int64_t" if backend == "cuda" else "exblas_int64" if a.name.startswith("inc") else "size_t"
        return f"{kind} {a.name}"
    if a.kind == "array" and backend == "cl":
        return f"cl_mem {a.name}, size_t off{a.name}"
    return r.declare(a, "", "cblas")


def prototype(r, backend):
    declared = [FIRST[backend]] + [declare(r, a, backend) for a in visible(r, backend)]
    if r.base in SUMS:
        element = "void" if r.returns_complex else r.part
        declared.append({"cuda": f"{element} *result", "cl": "cl_mem r, size_t offr", "host": f"{element} *r"}[backend])
    return f"exblas_status {PREFIX[backend]}{r.name}({', '.join(declared + LAST.get(backend, []))})"


def operand(name, backend, home="EXB_GPU_DEVICE"):
    return f'{{"{name}", (void *)(uintptr_t){name}, {"off" + name if backend == "cl" else "0"}, {home}}}'


def member(r, a, backend):
    """The member of the description that holds an argument."""
    name = MEMBERS.get(a.name, a.name)
    value = a.name
    if a.kind == "array":
        home = "DEVICE" if backend != "host" else "HOST_WRITTEN" if a.written else "HOST_READ"
        value = operand(a.name, backend, "EXB_GPU_" + home)
    elif a.kind == "integer":
        value = f"(exb_i64){a.name}"
    elif "scalar" in a.kind and not (r.is_complex and a.kind == "scalar"):
        value = "&" + a.name
    return f".{name} = {value}"


def check(r, name):
    """The function that checks a call of a routine."""
    kind = [f"EXB_UPDATE_{'SYMMETRIC' if r.is_complex else 'REAL'}"] if r.base == "syrk" else []
    values = ["site"] + kind + ["c->" + MEMBERS.get(a.name, a.name) for a in checks.checked(r)]
    return (f"static exb_fault {name}(const exb_site *site, const exb_gpu_call *c)\n"
            f"{{\n    return exb_check_{r.base}({', '.join(values)});\n}}\n\n")


def definition(head, backend, members, flow, run="call"):
    values = [FIRST[backend].split()[-1], "&call", "exb_gpu_call_" + flow]
    values += {"cuda": [], "cl": ["n_wait", "wait", "done"], "host": ["0", "NULL", "NULL"]}[backend]
    run = f"exb_{'cuda' if backend == 'cuda' else 'cl'}_{run}"
    return f"{head}\n{{\n    exb_gpu_call call = {{{', '.join(members)}}};\n    return {run}({', '.join(values)});\n}}\n\n"


def entry(r, backend):
    members = [f".is_s = {int(r.part == 'float')}", f".is_complex = {int(r.is_complex)}"]
    members += [member(r, a, backend) for a in visible(r, backend)]
    before = ""
    if r.base in SUMS:
        result, home = "result" if backend == "cuda" else "r", "HOST_RESULT" if backend == "host" else "DEVICE"
        members += [f".op = EXB_GPU_{SUMS[r.base]}", f".conjugate = {int(r.base == 'dotc')}",
                    f".result = {operand(result, backend, 'EXB_GPU_' + home)}"]
    else:
        before = check(r, f"check_{backend}_{r.name}")
        members += [f'.routine = "{r.base}"', f".check = check_{backend}_{r.name}",
                    f".hermitian = {int(r.base.startswith('he'))}",
                    f".real_scalars = {int(all(a.kind != 'scalar' for a in r.arguments))}"]
        if all(a.name != "m" for a in r.arguments):
            members.append(".m = (exb_i64)n")
    flow = "reduce" if r.base in SUMS else FLOWS.get(r.base, r.base)
    run = "batch" if r.base == "gemm_batch_strided" else "call"
    return before + definition(prototype(r, backend), backend, members, flow, run)


def declared_entry(text, backend, letter, name, parameters):
    """Of scatter-adds and accumulators, whose description has their arguments."""
    members = [f".is_s = {int(letter == 's')}", f".is_wide = {int(name.endswith('_64'))}"]
    for words in (p.replace("*", " * ").split() for p in parameters.split(",")):
        last = words[-1]
        if "cl_mem" in words or ("*" in words and last not in ("wait", "done")):
            members.append(f".{MEMBERS.get(last, last)} = {operand(last, backend)}")
        elif last.startswith(("n", "inc")) and last != "n_wait":
            members.append(f".{last} = (exb_i64){last}")
    members.append(f".op = EXB_GPU_{'DOT' if name == 'acc_dot' else 'SUM'}")
    return definition(text, backend, members, DECLARED_FLOWS.get(name, name))


def declared(template):
    return "".join(declared_entry(*m.groups()) for m in DECLARED.finditer(template))


def chosen(routines, names):
    missing = set(names) - {r.base for r in routines}
    if missing:
        sys.exit(f"entries.py: no routine {', '.join(sorted(missing))} in the list")
    of_parts = ("scsum", "dzsum")  # sums of complex numbers are complex here
    return [r for name in names for r in routines if r.base == name and r.name not in of_parts]


def main():
    routines, what, out = generate.read(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    text, includes = "", ""
    templates = "".join(pathlib.Path(p).read_text() for p in sys.argv[4:])
    for line in templates.splitlines(keepends=True):
        m = LINE.fullmatch(line)
        if m and what == "header":
            text += "".join(f"EXBLAS_API {prototype(r, m[1])};\n" for r in chosen(routines, m[2].split()))
        elif m:
            includes = includes or INCLUDES[m[1]]
            text += "".join(entry(r, m[1]) for r in chosen(routines, m[2].split()))
        elif what == "header":
            text += line
    if what == "entries":
        text += declared(templates)
        text = f"/* Made by lib/gpu/entries.py from lib/symbols.list. */\n{includes}\n{text}"
    out.write_text(text)


if __name__ == "__main__":
    main()
