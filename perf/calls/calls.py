#!/usr/bin/python3
"""usage: perf/calls/calls.py [--n N,...] [--only NAME,...] [--step N] [--check] [--keep FOLDER] [--build FOLDER]

Records the BLAS calls that the system's LAPACK makes for NumPy's inv, eigh, svd, qr and lstsq, with
their operands, and replays them: of each routine the share of elements that left the first filter,
how many calls had other bits than the accumulator (none), and the time beside OpenBLAS's.

  --n       orders (default 100)
  --step    of each routine every so many-th call (default 1)
  --check   without times; exit status 1 if a bit differs
  --keep    the records stay there, as NAME-N.calls
  --build   the build folder (default build)

Debian's python3-numpy, libblas3 and liblapack3 are what is recorded. Exit status: 0 done; 1 bits differ; 2 usage;
3 NumPy, or these libraries, are not there.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

PYTHON = "/usr/bin/python3"  # Debian's, whose NumPy calls libblas.so.3
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = {
    "inv": "numpy.linalg.inv(a)", "eigh": "numpy.linalg.eigh(a + a.T)",
    "svd": "numpy.linalg.svd(a)", "qr": "numpy.linalg.qr(a)",
    "lstsq": "numpy.linalg.lstsq(numpy.vstack((a, a + 1)), a[0].repeat(2), rcond=None)"}
START = "import numpy; a = numpy.random.default_rng(1).standard_normal(({n}, {n})); "


def netlib():
    """The folders of the reference's shared libraries."""
    found = [sorted(glob.glob(f"/usr/lib/*/{name}/lib{name}.so.3")) for name in ("blas", "lapack")]
    if not all(found):
        print("calls.py: libblas3 and liblapack3 are not there", file=sys.stderr)
        sys.exit(3)
    return ":".join(os.path.dirname(f[0]) for f in found)


def record(o, name, n, path):
    environment = dict(os.environ, LD_LIBRARY_PATH=netlib(), RECORD_FILE=path,
                       RECORD_STEP=str(o.step),
                       LD_PRELOAD=os.path.join(ROOT, o.build, "perf", "record.so"))
    command = [PYTHON, "-c", START.format(n=n) + PROGRAMS[name]]
    done = os.path.exists(PYTHON) and subprocess.run(command, env=environment, check=False)
    if not done or done.returncode or not os.path.exists(path):
        print(f"calls.py: {name} made no calls (is NumPy there?)", file=sys.stderr)
        sys.exit(3)


def replay(o, path):
    command = [os.path.join(ROOT, o.build, "perf", "replay")]
    return subprocess.run(command + ["--check"] * o.check + [path], check=False).returncode


def parse():
    p = argparse.ArgumentParser(description=__doc__, usage=argparse.SUPPRESS,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--n", default="100")
    p.add_argument("--only", default=",".join(PROGRAMS))
    p.add_argument("--step", type=int, default=1)
    p.add_argument("--check", action="store_true")
    p.add_argument("--keep")
    p.add_argument("--build", default="build")
    o = p.parse_args()
    o.names, o.sizes = o.only.split(","), o.n.split(",")
    if not set(o.names) <= set(PROGRAMS) or not all(n.isdigit() and int(n) > 0 for n in o.sizes):
        p.error("a program or a number is not understood, see --help")
    return o


def main():
    o = parse()
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for n in o.sizes:
            for name in o.names:
                path = os.path.join(o.keep or folder, f"{name}-{n}.calls")
                record(o, name, n, path)
                print(f"{name} {n}", flush=True)
                status = max(status, replay(o, path))
                if not o.keep:
                    os.remove(path)
    return status


if __name__ == "__main__":
    sys.exit(main())
