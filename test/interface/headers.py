#!/usr/bin/env python3
"""headers.py CC CXX INCLUDE-DIR...: each public header compiles alone, as C11 and as
C++17, with all warnings; those that need more than a compiler if MPI_CFLAGS, OPENCL_CFLAGS
or CUDA_CFLAGS say how. Reports in TAP."""
import os
import pathlib
import subprocess
import sys

from tap import report


NEEDS = {"mpi.h": "MPI_CFLAGS", "mpi_blas.h": "MPI_CFLAGS", "mpi_sparse.h": "MPI_CFLAGS",
         "opencl.h": "OPENCL_CFLAGS", "opencl_scatter.h": "OPENCL_CFLAGS",
         "cuda.h": "CUDA_CFLAGS", "cuda_acc.h": "CUDA_CFLAGS"}


def main():
    cc, cxx, *dirs = sys.argv[1:]
    flags = {h: os.environ.get(variable) for h, variable in NEEDS.items()}
    headers = sorted({f"exblas/{h.name}" for d in dirs for h in pathlib.Path(d, "exblas").glob("*.h")
                      if flags.get(h.name, "") is not None})
    languages = [(cc, "c", "-std=c11"), (cxx, "c++", "-std=c++17")]
    print(f"1..{len(headers) * len(languages)}")
    for header in headers:
        for compiler, language, standard in languages:
            command = [compiler, "-x", language, standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                       "-fsyntax-only", *[f"-I{d}" for d in dirs], *flags.get(pathlib.Path(header).name, "").split(), "-"]
            done = subprocess.run(command, input=f"#include <{header}>\ntypedef int not_empty;\n", text=True,
                                  capture_output=True)
            report(f"{header} as {language}", done.stderr.splitlines() or ["no message"] if done.returncode else [])


main()
