"""Suites of exblas bench that other programs run. numpy and r: whole programs under exblas-run beside the same ones
without. Each side is a process that stays, says which programs it has, and tells the processor time of a call. mpi: one
sum by exblas-bench-mpi, over more and more processes."""
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = [4, 16, 64, 256, 1024, 1 << 15, 1 << 20]  # sizes of the page of results


def find(name, folder=""):
    """In a build tree, where it is in that folder, or beside what was started."""
    places = os.path.join(HERE, folder, name), os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), name)
    return next((p for p in places if os.path.exists(p)), name)


def pin(processors):
    try:
        os.sched_setaffinity(0, processors)
    except OSError:
        print(f"cannot pin to processor {min(processors)}", file=sys.stderr)


# What the language is called, the largest size, and a side's command.
LANGUAGES = {"numpy": ("NumPy", 1024, ["/usr/bin/python3", "-s", os.path.join(HERE, "numpy_programs.py")]),
             "r": ("R", 256, ["Rscript", "--vanilla", os.path.join(HERE, "r_programs.R")])}


def seconds_of(side, name, n):
    print(name, n, file=side.stdin, flush=True)
    return float(side.stdout.readline())


def row(sides, series, name, n, rounds):
    times = [[seconds_of(side, name, n) for side in sides] for _ in range(rounds)]
    ratios = [ours / plain for plain, ours in times]
    best = 1e9 * min(ours for _, ours in times)
    return {"series": series, "x": n, "value": min(ratios), "median": ratios[-1], "min_ns": best, "median_ns": best,
            "ratio": min(ratios), "worst_ratio": max(ratios)}


def rows(sides, names, language, sizes, rounds):
    """Those of a size, and their geometric mean."""
    for n in sizes:
        found = [row(sides, f"{language} {name}", name, n, rounds) for name in names]
        mean = math.exp(math.fsum(math.log(r["value"]) for r in found) / len(found))
        yield from [*found, {"series": f"{language}, geometric mean", "x": n, "value": mean, "median": mean}]


def found(suite, title, rows, y, unit, **more):
    """What a suite found; None: it cannot be run here."""
    return rows and {"suite": suite, "title": title, "x": "n", "y": y, "unit": unit, "x_log": False, "y_log": False,
                     "y_powers": False, "base": 0, "ceiling": [],
                     "series": list(dict.fromkeys(r["series"] for r in rows)), "rows": rows, **more}


def language_suite(suite, quick, machine):
    language, largest, command = LANGUAGES[suite]
    environment = {**os.environ, "EXBLAS_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                   "OPENBLAS_CORETYPE": machine["coretype"]}
    pin({machine["cpu"]})
    try:
        sides = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
                 for words in (command, [find("exblas-run", "../../tools/run"), *command])]
    except OSError:
        return None
    names = [side.stdout.readline().split() for side in sides]
    sizes = [n for n in (64, 256, 1024) if n <= (64 if quick else largest)]
    every = list(rows(sides, names[0], language, sizes, 1 if quick else 3)) if all(names) else []
    for side in sides:
        side.communicate()
    return found(suite, f"Programs of {language} under exblas-run", every, "time / time without exblas-run",
                 "times the time without exblas-run", x_log=True)


def mpi_suite(quick, machine):
    n, n_processors, every, processes = 1 << (16 if quick else 22), os.cpu_count(), [], 1
    environment = {"OMPI_MCA_mpi_yield_when_idle": "1", **os.environ}  # more processes than processors
    pin(range(n_processors))
    while machine["mpirun"] and processes <= max(4, n_processors):
        command = [*machine["mpirun"].split(), "-n", str(processes), find("exblas-bench-mpi", ".."), str(n)]
        try:
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False)
        except OSError:  # no mpirun
            break
        lines = re.findall(r"^ *\d+ +\d+ +(plain|exact) +([\d.]+) +([\d.]+)", done.stdout, re.M)
        if done.returncode or len(lines) != 2:
            break
        every += [{"series": f"{kind}, {what}", "x": processes, "value": float(us), "median": float(us)}
                  for kind, *both in lines for what, us in zip(("local sums", "allreduce"), both)]
        processes *= 2
    return found("mpi", f"One sum of {n} doubles over MPI processes", every, "microseconds, slowest process", "us",
                 x="processes", y_log=True)


# By their names, in the order in which they run.
SUITES = {"numpy": lambda *how: language_suite("numpy", *how), "r": lambda *how: language_suite("r", *how),
          "mpi": mpi_suite}
