#!/usr/bin/env python3
"""headers.py CC CXX INCLUDE-DIR...: each public header compiles alone, as C11 and as
C++17, with all warnings; mpi.h if MPI_CFLAGS says how. Reports in TAP."""
import os
import pathlib
import subprocess
import sys


def main():
    cc, cxx, *dirs = sys.argv[1:]
    mpi_flags = os.environ.get("MPI_CFLAGS")
    headers = sorted({f"exblas/{h.name}" for d in dirs for h in pathlib.Path(d, "exblas").glob("*.h")
                      if h.name != "mpi.h" or mpi_flags})
    languages = [(cc, "c", "-std=c11"), (cxx, "c++", "-std=c++17")]
    print(f"1..{len(headers) * len(languages)}")
    number = 0
    for header in headers:
        for compiler, language, standard in languages:
            number += 1
            command = [compiler, "-x", language, standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                       "-fsyntax-only", *[f"-I{d}" for d in dirs], *(mpi_flags or "").split(), "-"]
            done = subprocess.run(command, input=f"#include <{header}>\ntypedef int not_empty;\n", text=True,
                                  capture_output=True)
            ok = "ok" if done.returncode == 0 else "not ok"
            print(f"{ok} {number} - {header} as {language}")
            for line in done.stderr.splitlines():
                print("#", line)


main()
