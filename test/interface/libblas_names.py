#!/usr/bin/env python3
"""libblas_names.py NM LIBBLAS SHIM-NAMES SUBROUTINE-NAMES: the drop-in libblas.so.3 exports what the
list of routines says and netlib's helpers, and with them every name of netlib's own BLAS if that
is installed. Reports in TAP."""
import glob
import subprocess
import sys

HELPERS = set("""scabs1_ dcabs1_ cblas_scabs1 cblas_dcabs1 scabs1sub_ dcabs1sub_ lsame_ xerbla_
                 xerbla_array_ cblas_xerbla RowMajorStrg CBLAS_CallFromC""".split())


def exports(nm, library):
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.split()[-2] != "A"}


def main():
    nm, libblas, shim_names, subroutine_names = sys.argv[1:]
    have = exports(nm, libblas)
    wanted = set(open(shim_names).read().split()) | set(open(subroutine_names).read().split())
    wanted |= HELPERS
    print("1..2")
    difference = wanted ^ have
    print(f"{'not ok' if difference else 'ok'} 1 - exported names")
    for name in sorted(difference):
        print(f"# {'missing' if name in wanted else 'surplus'}: {name}")
    netlib = glob.glob("/usr/lib/*/blas/libblas.so.3")
    if not netlib:
        print("ok 2 - netlib's names # SKIP netlib's BLAS is not installed")
        return
    missing = exports(nm, netlib[0]) - have
    print(f"{'not ok' if missing else 'ok'} 2 - netlib's {len(exports(nm, netlib[0]))} names")
    for name in sorted(missing):
        print(f"# missing: {name}")


main()
