#!/usr/bin/env python3
"""usage: programs.py numpy|r LARGEST [--quick]

The suites numpy and r of exblas bench: whole programs under exblas-run beside the same ones without. Each side is a
process that stays, says which programs it has, and tells the processor time of a call. Writes for each program and size,
and for their geometric mean, a line: name, n, best ratio, ratio of the last round, worst ratio, nanoseconds.
"""
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = next((p for p in (os.path.join(HERE, "../tools/run/exblas-run"), os.path.join(HERE, "../../bin/exblas-run"))
            if os.path.exists(p)), "exblas-run")
LANGUAGES = {"numpy": ("NumPy", ["/usr/bin/python3", "-s", os.path.join(HERE, "numpy_programs.py")]),
             "r": ("R", ["Rscript", "--vanilla", os.path.join(HERE, "r_programs.R")])}


def start(command):
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "EXBLAS_NUM_THREADS": "1"})


def seconds_of(side, name, n):
    print(name, n, file=side.stdin, flush=True)
    return float(side.stdout.readline())


def measure(sides, name, n, rounds):
    times = [[seconds_of(side, name, n) for side in sides] for _ in range(rounds)]
    ratios = [ours / plain for plain, ours in times]
    return min(ratios), ratios[-1], max(ratios), 1e9 * min(ours for _, ours in times)


def main():
    language, command = LANGUAGES[sys.argv[1]]
    quick = "--quick" in sys.argv
    try:
        sides = start(command), start([RUN, *command])
    except OSError:
        return
    names = [side.stdout.readline().split() for side in sides][-1]
    for n in (64, 256, 1024) if names else ():
        if n > (64 if quick else int(sys.argv[2])):
            break
        logs = []
        for name in names:
            found = measure(sides, name, n, 1 if quick else 3)
            logs.append(math.log(found[0]))
            print(f"{language} {name}", n, *found, sep="\t", flush=True)
        mean = math.exp(math.fsum(logs) / len(logs))
        print(f"{language}, geometric mean", n, mean, mean, mean, 0, sep="\t", flush=True)


main()
