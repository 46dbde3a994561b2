"""Runs examples/analysis.py with OpenBLAS and with ExBLAS, and compares the answers.

    compare.py --root DIR --build DIR [--quick]

Called by tools/quickstart once everything is installed and built.
Exit status: 0 the claim holds, 1 it does not, 2 the comparison cannot be made.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

import exact
import kernels

MIN_VARYING = 3  # results on which OpenBLAS's answers must differ


class Failure(Exception):
    """The claim does not hold."""


class Impossible(Exception):
    """The comparison cannot be made here."""


class Bench:
    """The program, and how it is started with either BLAS."""

    def __init__(self, root, build, scratch):
        self.program = os.path.join(root, "examples", "analysis.py")
        self.stations = os.path.join(scratch, "stations.csv")
        self.saved = os.path.join(scratch, "run.npz")
        self.runner = os.path.join(build, "tools", "run", "exblas-run")
        subprocess.run([kernels.PYTHON, os.path.join(root, "examples", "data", "make_stations.py"), self.stations],
                       check=True)

    def start(self, side, kernel, threads):
        """Command prefix and environment."""
        if side == "OpenBLAS":
            return [], kernels.plain_environment(kernel.core, threads)
        return [self.runner, "--threads", str(threads)], kernels.exblas_environment(kernel.core, threads, kernel.isa)

    def probe(self, side, kernel):
        return kernels.probe(*self.start(side, kernel, 1))

    def analyse(self, side, kernel, threads):
        """The results of one run by name; None if it failed."""
        prefix, env = self.start(side, kernel, threads)
        command = prefix + [kernels.PYTHON, self.program, "--stations", self.stations, "--save", self.saved]
        done = subprocess.run(command, env=env, text=True, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            message = (done.stderr.strip().splitlines() or ["no message"])[-1]
            print(f"    {side} as {kernel.core}, {threads} threads failed: {message}")
            return None
        with np.load(self.saved) as archive:
            return {name: archive[name] for name in archive.files}


def usable_kernels(bench, quick):
    """Kernel sets that this processor has the instructions for and that OpenBLAS really took when asked to."""
    if not kernels.library_folders("openblas-pthread"):
        raise Impossible("Debian's OpenBLAS (package libopenblas0-pthread) was not found")
    found = []
    for kernel in kernels.candidates():
        seen = bench.probe("OpenBLAS", kernel)
        if seen and seen["core"].lower() == kernel.core.lower():
            check_plain(seen)
            found.append(kernel)
    if len(found) < 2:
        raise Impossible("this OpenBLAS has fewer than two kernel sets for this processor")
    return [found[0], found[len(found) // 2], found[-1]] if quick and len(found) > 3 else found


def check_plain(seen):
    """The plain side must be OpenBLAS for both BLAS and LAPACK, under Debian's NumPy."""
    files = [name for name in seen["files"] if "/libblas.so" in name or "/liblapack.so" in name]
    if not files or not all("/openblas-pthread/" in name for name in files):
        raise Impossible("the plain side does not run on OpenBLAS but on " + ", ".join(files))
    if not seen["numpy"].startswith(kernels.PACKAGES + "/"):
        raise Impossible("NumPy is not Debian's but " + seen["numpy"])


def check_exblas(seen):
    """exblas-run must have put the shim and netlib's libraries in place."""
    if seen is None:
        raise Failure("NumPy does not start under exblas-run")
    loaded = "\n".join(seen["files"])
    for part in ("/libexblas_shim.so", "/lapack/liblapack.so", "/blas/libblas.so"):
        if part not in loaded:
            raise Failure(f"under exblas-run {part[1:]} is not loaded")
    if "libopenblas" in loaded:
        raise Failure("under exblas-run OpenBLAS is still loaded")


def exact_answers(bench):
    sys.path.insert(0, os.path.dirname(bench.program))
    sys.dont_write_bytecode = True
    import analysis
    return exact.answers(analysis.load(bench.stations), analysis.RULE)


def distinct(runs, name):
    return len({run[name].tobytes() for run in runs})


def wrong(runs, name, right):
    """Of the runs, the least and the largest number of elements that are not correctly rounded."""
    counts = [exact.wrong_elements(run[name], right) for run in runs]
    return min(counts), max(counts)


def print_table(plain, ours, truth):
    print(f"\n{'':32} {'':>8} {'different answers':>21} {'wrongly rounded':>22}\n"
          f"{'result':32} {'numbers':>8} {'OpenBLAS':>12} {'ExBLAS':>8} {'OpenBLAS':>14} {'ExBLAS':>7}")
    for name, value in ours[0].items():
        columns = ""
        if name in truth:
            (least, most), (_, own) = (wrong(runs, name, truth[name]) for runs in (plain, ours))
            columns = f" {least:>6,} to {most:<6,}{own:>5,}"
        print(f"{name:32} {value.size:>8,} {distinct(plain, name):>12} {distinct(ours, name):>8}{columns}")


def check_claim(plain, ours, truth):
    varying = sum(distinct(plain, name) > 1 for name in plain[0])
    faults = [f"ExBLAS gave several answers for {name}" for name in ours[0] if distinct(ours, name) > 1]
    faults += [f"ExBLAS: elements of {name} are not correctly rounded" for name in truth
               if wrong(ours, name, truth[name])[1]]
    if varying < MIN_VARYING:
        faults.append(f"OpenBLAS gave different answers for only {varying} results")
    if faults:
        raise Failure("\n    ".join(faults))


def compare(bench, quick):
    print("The data: 20,000 hours of weather at eight stations, and NIST's Longley and Filip tables.")
    found, threads = usable_kernels(bench, quick), kernels.thread_counts()
    threads = sorted({threads[0], threads[-1]}) if quick else threads
    check_exblas(bench.probe("ExBLAS", found[0]))
    print("OpenBLAS carries kernels for these processors, all of which this one can run:\n    "
          + ", ".join(f"{kernel.core} ({kernel.label})" for kernel in found) + f"\n{len(found) * len(threads)} runs of "
          "python3 examples/analysis.py with either BLAS, by each of them, with " + " or ".join(map(str, threads))
          + " threads", flush=True)
    sides = {side: [bench.analyse(side, kernel, n) for kernel in found for n in threads]
             for side in ("OpenBLAS", "ExBLAS")}
    plain, ours = [run for run in sides["OpenBLAS"] if run], sides["ExBLAS"]
    if len(plain) < 2:
        raise Impossible("the program did not run with OpenBLAS")
    if None in ours:
        raise Failure("the program failed with ExBLAS")
    print("MPFR computes the answers without any rounding, then rounds each once", flush=True)
    truth = exact_answers(bench)
    print_table(plain, ours, truth)
    check_claim(plain, ours, truth)
    all_wrong = [sum(exact.wrong_elements(run[name], right) for name, right in truth.items()) for run in plain]
    print("Blank where LAPACK's own roundings are in the result.\n\n"
          f"Numbers that are not correctly rounded, of {sum(right.size for right in truth.values()):,}: OpenBLAS "
          f"{min(all_wrong):,} to {max(all_wrong):,}, ExBLAS 0\n"
          f"OpenBLAS: up to {max(distinct(plain, name) for name in plain[0])} different answers to the same question\n"
          "ExBLAS:   1 answer, always")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            compare(Bench(args.root, args.build, scratch), args.quick)
    except Failure as fault:
        print(f"QUICKSTART FAILED: the claim does not hold on this machine\n    {fault}")
        return 1
    except Impossible as reason:
        print(f"QUICKSTART STOPPED: the comparison cannot be made here\n    {reason}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
