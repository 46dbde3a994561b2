"""The suites numpy and r of exblas bench: whole programs under exblas-run beside the same ones without. Each side is a
process that stays, says which programs it has, and tells the processor time of a call."""
import math
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = next((p for p in (os.path.join(HERE, "../tools/run/exblas-run"), os.path.join(HERE, "../../bin/exblas-run"))
            if os.path.exists(p)), "exblas-run")
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


def measure(suite, quick, coretype):
    """What exblas-bench would find; None: it cannot be run here."""
    language, largest, command = LANGUAGES[suite]
    environment = {**os.environ, "EXBLAS_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": coretype}
    try:
        sides = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
                 for words in (command, [RUN, *command])]
    except OSError:
        return None
    names = [side.stdout.readline().split() for side in sides]
    sizes = [n for n in (64, 256, 1024) if n <= (64 if quick else largest)]
    found = list(rows(sides, names[0], language, sizes, 1 if quick else 3)) if all(names) else []
    for side in sides:
        side.communicate()
    return found and {
        "suite": suite, "title": f"Programs of {language} under exblas-run", "x": "n",
        "y": "time / time without exblas-run", "unit": "times the time without exblas-run", "x_log": True,
        "y_log": False, "y_powers": False, "base": 0, "ceiling": [], "series": list(dict.fromkeys(r["series"] for r in found)),
        "rows": found}
