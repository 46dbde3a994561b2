#!/usr/bin/python3
"""usage: perf/bench/numpy_programs.py [--n N,...] [--only NAME,...] [--samples N] [--cpu N] [--run RUN]...

Whole NumPy programs under exblas-run beside the same ones without: inv, eigh, svd, qr, solve, lstsq,
cholesky, T.T @ T, corrcoef. Prints, for each program and size, the time without, the time under each
RUN (an exblas-run; default that of build/) and their ratio, and the geometric means.

Each side is a process that stays; they take turns, one thread each, all on processor --cpu (default
0), and the fastest of --samples calls (default 9) counts. OPENBLAS_CORETYPE=SkylakeX is set where
AVX-512 is there and the variable is not set: OpenBLAS takes old kernels on processors it does not
know. Exit status: 0 done; 2 usage; 3 a side cannot be started.
"""
import argparse
import math
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = ["inv", "eigh", "svd", "qr", "solve", "lstsq", "cholesky", "T.T@T", "corrcoef"]


def programs(n):
    """Functions of a side, by name, with their data."""
    import numpy as np

    r = np.random.default_rng(1)
    a, b, t = (r.standard_normal(shape) for shape in ((n, n), n, (4 * n, n // 2)))
    symmetric, positive = (a + a.T) / 2, a @ a.T / n + np.eye(n)
    line = t[:, 0].copy()
    return {"inv": lambda: np.linalg.inv(a), "eigh": lambda: np.linalg.eigh(symmetric),
            "svd": lambda: np.linalg.svd(a), "qr": lambda: np.linalg.qr(a),
            "solve": lambda: np.linalg.solve(a, b),
            "lstsq": lambda: np.linalg.lstsq(t, line, rcond=None),
            "cholesky": lambda: np.linalg.cholesky(positive), "T.T@T": lambda: t.T @ t,
            "corrcoef": lambda: np.corrcoef(t.T)}


def seconds_of(call):
    """Of one call, of as many as fill 20 ms."""
    count, total = 0, 0.0
    while total < 0.02:
        begin = time.perf_counter()
        call()
        total += time.perf_counter() - begin
        count += 1
    return total / count


def serve():
    """A side: lines `NAME N` come in, seconds go out."""
    known = {}
    for line in sys.stdin:
        name, n = line.split()
        if n not in known:
            known[n] = programs(int(n))
        print(seconds_of(known[n][name]), flush=True)


class Side:
    def __init__(self, run, cpu):
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", EXBLAS_NUM_THREADS="1")
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
            if "avx512f" in f.read():
                environment.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
        self.process = subprocess.Popen(
            ["taskset", "-c", str(cpu)] + run + [sys.executable, __file__, "--serve"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def seconds(self, name, n):
        try:
            self.process.stdin.write(f"{name} {n}\n")
            self.process.stdin.flush()
            return float(self.process.stdout.readline())
        except (OSError, ValueError):
            print("numpy_programs.py: a side ended (is NumPy there?)", file=sys.stderr)
            sys.exit(3)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def fastest(sides, name, n, samples):
    best = [math.inf] * len(sides)
    for _ in range(samples):
        for i, side in enumerate(sides):
            best[i] = min(best[i], side.seconds(name, n))
    return best


def report(sides, names, n, samples):
    logs = [0.0] * (len(sides) - 1)
    for name in names:
        best = fastest(sides, name, n, samples)
        ratios = [x / best[0] for x in best[1:]]
        logs = [s + math.log(x) for s, x in zip(logs, ratios)]
        cells = "".join(f"  {1e3 * x:10.3f} {q:7.2f}" for x, q in zip(best[1:], ratios))
        print(f"{name:10} {n:6}  {1e3 * best[0]:10.3f}{cells}", flush=True)
    cells = "".join(f"  {'':10} {math.exp(s / len(names)):7.2f}" for s in logs)
    print(f"{'mean':10} {n:6}  {'':10}{cells}", flush=True)


def parse():
    p = argparse.ArgumentParser(description=__doc__, usage=argparse.SUPPRESS, add_help=True,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--n", default="100,800")
    p.add_argument("--only", default=",".join(PROGRAMS))
    p.add_argument("--samples", type=int, default=9)
    p.add_argument("--cpu", type=int, default=0)
    p.add_argument("--run", action="append")
    p.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    o = p.parse_args()
    names, sizes = o.only.split(","), o.n.split(",")
    if o.samples < 1 or not set(names) <= set(PROGRAMS) or not all(
            n.isdigit() and int(n) >= 2 for n in sizes):
        p.error("a program or a number is not understood, see --help")
    return o, names, [int(n) for n in sizes]


def main():
    o, names, sizes = parse()
    if o.serve:
        serve()
        return 0
    runs = o.run or [os.path.join(ROOT, "build", "tools", "run", "exblas-run")]
    try:
        sides = [Side(run, o.cpu) for run in [[]] + [[r] for r in runs]]
    except OSError as e:
        print(f"numpy_programs.py: {e}", file=sys.stderr)
        return 3
    head = "".join(f"  {'exblas ms':>10} {'ratio':>7}" for _ in runs)
    print(f"{'program':10} {'n':>6}  {'plain ms':>10}{head}")
    for n in sizes:
        report(sides, names, n, o.samples)
    for side in sides:
        side.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
