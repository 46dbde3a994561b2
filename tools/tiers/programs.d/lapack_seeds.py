"""How often the ratios of LAPACK's symmetric eigenvalue drivers exceed their threshold, by BLAS.

usage: lapack_seeds.py N s|d|c|z TYPE|all LAPACK-DIR NAME=LD_LIBRARY_PATH...

The seeds are the same for each BLAS; so are the matrices, up to rounding. One process a seed.
"""
import os
import random
import re
import subprocess
import sys
from collections import Counter

THRESHOLD = 50.0  # of sep.in
BELOW = 10.0  # ratios from here on are printed by the program
LEVELS = (10, 20, 50, 100)
RATIO = re.compile(r"type=\s*(\d+), seed=.*result\s+(\d+) is\s*(\S+)")
COUNT = re.compile(r"\(\s*(\d+) tests run|out of\s+(\d+) tests")


def sep_input(seed, matrix):
    """sep.in with another seed and threshold, without error exits; one type, one order, or all."""
    every = matrix == "all"
    blocks = ["5", "1 3 3 3 10", "2 2 2 2 2", "1 0 5 9 1"] if every else ["1", "10", "2", "1"]
    orders = ["6", "0 1 2 3 5 20"] if every else ["1", "20"]
    types = "1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 17 18 19 20 21" if every else matrix
    lines = ["SEP:  data file", *orders, *blocks, str(BELOW), "F", "T", "F", "2", "%d %d %d %d" % seed,
             "SEP %d" % len(types.split()), types, ""]
    return "\n".join(lines) + "\n"


def run(program, path, text):
    """The (matrix type, test, ratio) from BELOW on, and the number of tests of one run."""
    environment = dict(os.environ, LD_LIBRARY_PATH=path)
    done = subprocess.run([program], input=text, env=environment, capture_output=True, text=True, check=True)
    if "End of tests" not in done.stdout:
        raise SystemExit("a run did not end: " + done.stdout[-500:])
    ratios = [(int(m), int(t), float(r.replace("D", "E"))) for m, t, r in RATIO.findall(done.stdout)]
    return ratios, sum(int(a or b) for a, b in COUNT.findall(done.stdout))


def study(name, program, path, seeds, matrix):
    """One line: how many ratios, and how many seeds, are above each of some values."""
    above, failures, hit, tests = Counter(), Counter(), 0, 0
    for seed in seeds:
        ratios, count = run(program, path, sep_input(seed, matrix))
        tests += count
        above.update(level for _, _, r in ratios for level in LEVELS if r >= level)
        failed = [(m, t) for m, t, r in ratios if r >= THRESHOLD]
        failures.update(failed)
        hit += bool(failed)
    levels = "".join("%7d" % above[level] for level in LEVELS)
    print("%-9s%8d%11d%s%11d" % (name, len(seeds), tests, levels, hit), flush=True)
    return failures


def main(count, kind, matrix, directory, *libraries):
    generator = random.Random(7)
    seeds = [tuple(generator.randrange(4096) for _ in range(3)) + (2 * generator.randrange(2048) + 1,)
             for _ in range(int(count))]
    print("BLAS        seeds      tests   >=10   >=20   >=50  >=100  seeds with a failure")
    for library in libraries:
        name, path = library.split("=", 1)
        failures = study(name, directory + "/xeigtst" + kind, path + ":" + directory, seeds, matrix)
        for (m, test), times in sorted(failures.items()):
            print("          type %d, result %d above %g: %d times" % (m, test, THRESHOLD, times))


if __name__ == "__main__":
    main(*sys.argv[1:])
