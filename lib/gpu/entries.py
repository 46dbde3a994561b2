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
import generate  # noqa: E402

LINE = re.compile(r"@prototypes (cuda|cl|host) (.*)@\s*")
PREFIX = {"cuda": "exblas_cuda_", "cl": "exblas_cl_", "host": "exblas_cl_host_"}
FIRST = {"cuda": "exblas_cuda_handle handle", "cl": "cl_command_queue queue", "host": "cl_command_queue queue"}
LAST = {"cl": ["cl_uint n_wait", "const cl_event *wait", "cl_event *done"]}
INCLUDES = {"cuda": '#include "gpu/cuda/handle.h"\n#include "exblas/cuda_acc.h"\n',
            "cl": '#include "gpu/opencl/cl_host.h"\n#include "exblas/opencl.h"\n#include "exblas/opencl_scatter.h"\n'}
DECLARED = re.compile(r"EXBLAS_API (exblas_status exblas_(cuda|cl)_([sd])(\w+)\(([^;]*)\));")
SUMS = {"sum": "SUM", "asum": "ASUM", "nrm2": "NRM2", "dot": "DOT", "dotu": "DOT", "dotc": "DOT"}
FLOWS = {"hemm": "symm", "herk": "syrk"}


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


def member(r, a, backend):
    """The member of the description that holds an argument."""
    name = {"transa": "trans"}.get(a.name, a.name)
    value = a.name
    if a.kind == "array":
        offset = "off" + a.name if backend == "cl" else "0"
        value = f'{{"{a.name}", (void *)(uintptr_t){a.name}, {offset}}}'
    elif a.kind == "integer":
        value = f"(exb_i64){a.name}"
    elif "scalar" in a.kind and not (r.is_complex and a.kind == "scalar"):
        value = "&" + a.name
    return f".{name} = {value}"


def entry(r, backend):
    is_sum = r.base in SUMS
    is_batch = r.base == "gemm_batch_strided"
    given = [a for a in visible(r, backend) if not a.name.startswith("stride") and a.name != "batch"]
    if is_sum:  # whose length is still to be checked
        given = [a for a in given if a.name != "n"]
    members = [f".is_s = {int(r.part == 'float')}", f".is_complex = {int(r.is_complex)}"]
    members += [member(r, a, backend) for a in given]
    backend_name = {"cuda": "cuda", "cl": "cl", "host": "cl_host"}[backend]
    values = ["handle" if backend == "cuda" else "queue", "&call"]
    if is_sum:
        members += [f".op = EXB_GPU_{SUMS[r.base]}", f".conjugate = {int(r.base == 'dotc')}"]
        members += ['.result = {"r", r, offr}'] if backend == "cl" else []
        values += {"cuda": ["n", "result"], "cl": ["n"], "host": ["n", "r"]}[backend]
    elif is_batch:
        values += ["(const exb_i64[]){stridea, strideb, stridec}", "batch"]
    else:
        members.append(f".hermitian = {int(r.base in FLOWS)}")
        flow = FLOWS.get(r.base, r.base)
        values += [f"exb_gpu_call_{flow}"] if backend != "host" else []
    values += ["n_wait", "wait", "done"] if backend == "cl" else []
    run = "reduce" if is_sum else "batch" if is_batch else r.base if backend == "host" else "matrix"
    return (f"{prototype(r, backend)}\n{{\n    exb_gpu_{'reduce' if is_sum else 'matrix'}_call call = "
            f"{{{', '.join(members)}}};\n    return exb_{backend_name}_{run}({', '.join(values)});\n}}\n\n")


def declared_entry(text, backend, letter, name, parameters):
    """Of scatter_add, scatter_add_64, acc_add, acc_dot, whose description has their arguments."""
    members = [f".is_s = {int(letter == 's')}"]
    for words in (p.replace("*", " * ").split() for p in parameters.split(",")):
        last = words[-1]
        member = {"acc": "result"}.get(last, last)
        if "cl_mem" in words or ("*" in words and last not in ("wait", "done")):
            members.append(f'.{member} = {{"{last}", (void *)(uintptr_t){last}, {"off" + last if backend == "cl" else "0"}}}')
        elif last.startswith(("n", "inc")) and last != "n_wait":
            members.append(f".{last} = (exb_i64){last}")
    if name.startswith("scatter_add"):
        kind, run = "scatter", "scatter_add"
        members.append(f".is_wide = {int(name.endswith('_64'))}")
    else:
        kind, run = "reduce", "accumulate"
        members.append(f".op = EXB_GPU_{'DOT' if name == 'acc_dot' else 'SUM'}")
    values = "queue, &call, n_wait, wait, done" if backend == "cl" else "handle, &call"
    return (f"{text}\n{{\n    exb_gpu_{kind}_call call = {{{', '.join(members)}}};\n"
            f"    return exb_{backend}_{run}({values});\n}}\n\n")


def declared(template):
    return "".join(declared_entry(*m.groups()) for m in DECLARED.finditer(template)
                   if re.fullmatch(r"scatter_add(_64)?|acc_add|acc_dot", m[4]))


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
