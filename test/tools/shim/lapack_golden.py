#!/usr/bin/env python3
"""lapack_golden.py EXPECTED PROGRAM: the hashes that PROGRAM prints (of LAPACK's drivers, of numpy.linalg's
functions) under every instruction set and two numbers of threads. Reports in TAP."""
import os
import subprocess
import sys

expected_file, program = sys.argv[1:]
with open(expected_file, encoding="utf-8") as file:
    expected = dict(line.split() for line in file)
print("1..4")
settings = [{}, {"EXBLAS_ISA": "generic"}, {"EXBLAS_ISA": "avx2"}, {"EXBLAS_NUM_THREADS": "2"}]
for number, setting in enumerate(settings, 1):
    out = subprocess.run([program], env=os.environ | setting, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = dict(line.split() for line in out.splitlines())
    print(f"{'ok' if found == expected else 'not ok'} {number} - {setting}")
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            print(f"# {name}: {found.get(name)}, not {expected.get(name)}")
