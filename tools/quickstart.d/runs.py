"""The program under either BLAS: which runs there are, and what each answered."""
import collections
import os
import shutil
import subprocess
import tempfile
import time

import numpy as np

import kernels
from terminal import count, progress, say

# side: "plain", "ExBLAS" or "netlib"; core and label: the processor to pretend;
# isa: what ExBLAS is limited to beside it.
Run = collections.namedtuple("Run", "side core label threads isa")
# digests: SHA-256 by result; seconds: computing; wall: with start-up and reading.
Answer = collections.namedtuple("Answer", "run arrays digests seconds wall")


class Failure(Exception):
    """The claim does not hold."""


class Impossible(Exception):
    """The comparison cannot be made here."""


class Bench:
    """Where things are, and how the program is started on either side."""

    def __init__(self, root, build):
        self.root = root
        self.program = os.path.join(root, "examples", "analysis.py")
        self.runner = os.path.join(build, "tools", "run", "exblas-run")
        self.folder = os.path.join(build, "quickstart")
        self.stations = os.path.join(self.folder, "stations.csv")
        os.makedirs(self.folder, exist_ok=True)
        self.scratch = tempfile.mkdtemp(dir=self.folder)

    def start(self, run):
        """Command prefix and environment of a run."""
        if run.side == "netlib":
            return [], kernels.netlib_environment()
        if run.side == "plain":
            return [], kernels.plain_environment(run.core, run.threads)
        return ([self.runner, "--threads", str(run.threads)],
                kernels.exblas_environment(run.core, run.threads, run.isa))

    def make_stations(self):
        maker = os.path.join(self.root, "examples", "data", "make_stations.py")
        subprocess.run([kernels.PYTHON, maker, self.stations], check=True)

    def analyse(self, run):
        """One run of the program: arrays by name, seconds computing, seconds in all."""
        prefix, env = self.start(run)
        saved = os.path.join(self.scratch, "run.npz")
        hashes = os.path.join(self.scratch, "run.txt")
        begin = time.perf_counter()
        done = subprocess.run(prefix + [kernels.PYTHON, self.program, "--stations", self.stations,
                                        "--save", saved, "--hashes", hashes],
                              env=env, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        wall = time.perf_counter() - begin
        if done.returncode != 0:
            message = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise RuntimeError(f"exit status {done.returncode}: {message}")
        with np.load(saved) as archive:
            arrays = {name: archive[name] for name in archive.files}
        with open(hashes, encoding="utf-8") as lines:
            digests = {name: digest for digest, name in
                       (line.rstrip("\n").split("  ", 1) for line in lines)}
        seconds = float(done.stdout.rsplit("computed in", 1)[1].split()[0])
        return Answer(run, arrays, digests, seconds, wall)

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)


def usable_kernels(bench, quick):
    """Kernel sets that this processor has the instructions for and that
    OpenBLAS really took when asked to."""
    if not kernels.library_folders("openblas-pthread"):
        raise Impossible("Debian's OpenBLAS (package libopenblas0-pthread) was not found")
    found, version = [], ""
    for core, _, isa, label in kernels.candidates():
        progress(f"asking OpenBLAS for its {core} kernels")
        run = Run("plain", core, label, 1, isa)
        seen = kernels.probe(*bench.start(run))
        if seen is None or seen["core"].lower() != core.lower():
            continue
        check_plain(seen)
        version = " ".join(seen["config"].split()[:2])
        found.append(run)
    progress("")
    if len(found) < 2:
        raise Impossible("this OpenBLAS has fewer than two kernel sets for this processor")
    if quick and len(found) > 3:
        found = [found[0], found[len(found) // 2], found[-1]]
    return found, version


def check_plain(seen):
    """The plain side must be OpenBLAS for both BLAS and LAPACK, under Debian's NumPy."""
    files = [name for name in seen["files"] if "/libblas.so" in name or "/liblapack.so" in name]
    if not files or not all("/openblas-pthread/" in name for name in files):
        raise Impossible("the plain side does not run on OpenBLAS but on " + ", ".join(files))
    if not seen["numpy"].startswith(kernels.PACKAGES + "/"):
        raise Impossible("NumPy is not Debian's but " + seen["numpy"])


def check_exblas(bench, run):
    """exblas-run must have put the shim and netlib's libraries in place."""
    seen = kernels.probe(*bench.start(run))
    if seen is None:
        raise Failure("NumPy does not start under exblas-run")
    loaded = "\n".join(seen["files"])
    for part in ("/libexblas_shim.so", "/lapack/liblapack.so", "/blas/libblas.so"):
        if part not in loaded:
            raise Failure(f"under exblas-run {part[1:]} is not loaded")
    if "libopenblas" in loaded:
        raise Failure("under exblas-run OpenBLAS is still loaded")


def all_runs(bench, side, found, threads):
    """The program once per kernel set and thread count, on one side."""
    answers = []
    for kernel in found:
        for n in threads:
            run = kernel._replace(side=side, threads=n)
            progress(f"{side}: {run.core}, {count(n, 'thread')}")
            try:
                answers.append(bench.analyse(run))
            except RuntimeError as error:
                progress("")
                where = f"{run.core}, {count(n, 'thread')}"
                if side == "ExBLAS":
                    raise Failure(f"{where}: the program failed, {error}") from None
                say(f"    left out: OpenBLAS as {where} ({error})")
    progress("")
    return answers
