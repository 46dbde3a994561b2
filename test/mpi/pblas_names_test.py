#!/usr/bin/env python3
"""pblas_names_test.py NM LIBRARY SHIM OWN-NAMES SHIM-NAMES: the two objects export the routines of the
list, the drop-in one also gsum2d of BLACS, and nothing else that a program could call. In TAP."""
import subprocess
import sys

SUMS = {f"{t}gsum2d_" for t in "sdcz"} | {f"C{t}gsum2d" for t in "sdcz"}


def exports(nm, library):
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    names = {line.split()[-1].split("@")[0] for line in lines if line.split()[-2] != "A"}
    return {n for n in names if not n.startswith("exb_")}


def words(path):
    return set(open(path, encoding="utf-8").read().split())


def main():
    nm, library, shim, own, plain = sys.argv[1:]
    print("1..2")
    for number, (path, wanted) in enumerate([(library, words(own)), (shim, words(plain) | SUMS)], 1):
        wrong = exports(nm, path) ^ wanted
        print(f"{'not ok' if wrong else 'ok'} {number} - {path}")
        for name in sorted(wrong):
            print(f"# missing or surplus: {name}")


main()
