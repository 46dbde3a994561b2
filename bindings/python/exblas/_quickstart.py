"""One NumPy program on every processor type of its OpenBLAS, without and with ExBLAS: `exblas quickstart`.

usage: exblas quickstart [--quick] [--help]

Runs products, a solution, singular values, a least-squares fit, sums and statistics with the NumPy of this
environment: once for each processor type that its OpenBLAS can be told to take this one for and for one and all
threads, then the same by exblas-run --numpy. Says how many different answers there were to each question.

  --quick   three processor types

exit status: 0 ExBLAS gave one answer to each, 1 it did not, 2 the comparison cannot be made
"""
import collections
import json
import os
import subprocess
import sys

from exblas import _commands

# From old to new; those that this processor cannot be fail or fall back, and are left out.
TYPES = {"x86_64": ("Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX"),
         "aarch64": ("ARMV8", "CORTEXA57", "NEOVERSEN1", "NEOVERSEV1")}
QUICK = {"x86_64": ("Prescott", "Sandybridge", "Haswell"), "aarch64": ("ARMV8", "CORTEXA57", "NEOVERSEN1")}
NEEDED = {"Sandybridge": "avx", "Haswell": "avx2", "Zen": "avx2", "SkylakeX": "avx512f"}

PROGRAM = """
import hashlib, json
import numpy as np
r = np.random.default_rng(1)
a, b, y = r.normal(size=(150, 150)), r.normal(size=(150, 90)), r.normal(size=150)
answers = {
    "product of two matrices": a @ b, "matrix times vector": a @ y, "dot product": np.dot(y, a[:, 0]),
    "solution of a system": np.linalg.solve(a, y), "singular values": np.linalg.svd(a, compute_uv=False),
    "least squares": np.linalg.lstsq(b, y, rcond=None)[0], "eigenvalues": np.linalg.eigvalsh(a + a.T),
    "sum": a.sum(), "means": b.mean(axis=0), "variance": a.var(), "norm": np.linalg.norm(a), "covariance": np.cov(b.T),
}
print(json.dumps({k: [hashlib.sha256(np.ascontiguousarray(v).tobytes()).hexdigest(), repr(float(np.ravel(v)[0]))]
                  for k, v in answers.items()}))
"""
OF_LAPACK = ("solution of a system", "singular values", "least squares", "eigenvalues")


def processor_types(quick):
    machine = os.uname().machine
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            flags = set(f.read().split())
    except OSError:
        flags = set()
    known = (QUICK if quick else TYPES).get(machine, ())
    return [name for name in known if machine != "x86_64" or NEEDED.get(name, "lm") in flags]


def run(front, kind, threads):
    """The answers of one run; None if it failed."""
    environment = {**os.environ, "OPENBLAS_CORETYPE": kind, "OPENBLAS_NUM_THREADS": str(threads),
                   "EXBLAS_NUM_THREADS": str(threads)}
    done = subprocess.run([*front, sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True,
                          check=False)
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return None


def all_runs(front, kinds):
    """Question: bits of its answer, with the first number, of all runs; and how many runs there were."""
    answers, count = collections.defaultdict(dict), 0
    for kind in kinds:
        for threads in sorted({1, os.cpu_count() or 1}):
            for question, (bits, first) in (run(front, kind, threads) or {}).items():
                answers[question].setdefault(bits, first)
                count += question == "sum"
    return answers, count


def show(plain, ours):
    print(f"\n{'different answers':28} {'NumPy':>8} {'with ExBLAS':>12}")
    for question, found in plain.items():
        print(f"{question:28} {len(found):8} {len(ours[question]):12}")
    example = max(plain, key=lambda question: len(set(plain[question].values())))
    print(f"\nThe first number of: {example}")
    print(f"  NumPy:       {', '.join(sorted(set(plain[example].values())))}")
    print(f"  with ExBLAS: {', '.join(sorted(set(ours[example].values())))}")


def main(arguments):
    if set(arguments) - {"--quick"}:
        print(__doc__)
        return 0 if arguments == ["--help"] else 2
    command = _commands.find("exblas-run")
    try:
        import numpy
    except ImportError:
        print("exblas quickstart: this environment has no NumPy", file=sys.stderr)
        return 2
    kinds = processor_types("--quick" in arguments)
    if command is None or not kinds:
        print(f"exblas quickstart: {'no exblas-run' if command is None else 'not for this processor'}", file=sys.stderr)
        return 2
    print(f"NumPy {numpy.__version__}, told to be on: {', '.join(kinds)}")
    (plain, n_plain), (ours, n_ours) = all_runs([], kinds), all_runs([command, "--numpy"], kinds)
    if n_plain < 2 or n_ours != n_plain:
        print(f"exblas quickstart: {n_plain} runs without and {n_ours} with ExBLAS", file=sys.stderr)
        return 2
    show(plain, ours)
    several = [question for question, found in ours.items() if len(found) > 1]
    good = not several
    print(f"\n{n_plain} runs each: " + ("one answer to every question with ExBLAS" if good
                                        else "NOT one answer to every question with ExBLAS"))
    if several and set(several) <= set(OF_LAPACK):
        print("NumPy's own LAPACK calls its own BLAS. One answer takes a LAPACK that calls ours: Debian's liblapack64-3 and "
              "liblapack3,\nor a build with -Dlapack (doc/lapack.md).")
    return 0 if good else 1
