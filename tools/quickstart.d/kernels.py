"""The processors that OpenBLAS can pretend to run on, and clean environments.

OpenBLAS carries a set of kernels for each processor family and picks one when
it is loaded; OPENBLAS_CORETYPE overrides the choice. A new processor runs the
kernels of the older ones, so one machine can show what the others would answer.
"""
import collections
import glob
import json
import os
import platform
import subprocess

PYTHON = "/usr/bin/python3"
PACKAGES = "/usr/lib/python3/dist-packages"     # where Debian keeps its NumPy

# OpenBLAS's name, processor flags that its kernels need, the instruction set
# that ExBLAS is limited to beside it, and a machine that would choose it.
Kernel = collections.namedtuple("Kernel", "core isa label")
AVX512 = "avx512f avx512dq avx512bw avx512vl avx512cd"
X86_64 = (
    ("Prescott", "pni", "generic", "Pentium 4, 2004"),
    ("Core2", "ssse3", "generic", "Core 2, 2006"),
    ("Barcelona", "pni popcnt abm", "generic", "Opteron, 2007"),
    ("Nehalem", "sse4_2", "generic", "Core i7, 2008"),
    ("Sandybridge", "avx", "generic", "Core i7, 2011"),
    ("Bulldozer", "avx fma4", "generic", "FX, 2011"),
    ("Piledriver", "avx fma fma4", "generic", "FX, 2012"),
    ("Haswell", "avx2 fma", "avx2", "Core i7, 2013"),
    ("Zen", "avx2 fma", "avx2", "Ryzen, 2017"),
    ("SkylakeX", AVX512, "avx512", "Xeon, 2017"),
    ("Cooperlake", AVX512 + " avx512_vnni avx512_bf16", "avx512vnni", "Xeon, 2020"),
    ("SapphireRapids", AVX512 + " avx512_vnni avx512_bf16 amx_tile", "amx", "Xeon, 2023"),
)
AARCH64 = (
    ("ARMV8", "asimd", "neon", "any 64-bit ARM"),
    ("CORTEXA53", "asimd", "neon", "Raspberry Pi 3"),
    ("CORTEXA57", "asimd", "neon", "Cortex-A57"),
    ("CORTEXA72", "asimd", "neon", "Raspberry Pi 4"),
    ("THUNDERX2T99", "asimd atomics", "neon", "ThunderX2"),
    ("NEOVERSEN1", "asimd atomics", "neon", "Graviton 2"),
    ("NEOVERSEV1", "sve", "neon", "Graviton 3"),
)

# Runs in the environment under test: which BLAS and LAPACK did NumPy get, and
# which kernels did OpenBLAS take?
PROBE = """
import ctypes, json
import numpy as np
np.linalg.solve(np.eye(3) + np.ones((3, 3)), np.ones(3))
with open("/proc/self/maps") as maps:
    files = sorted({line.split(None, 5)[5].strip() for line in maps if ".so" in line})
answer = {"numpy": np.__file__, "files": files, "core": ""}
if any("libopenblas" in name for name in files):
    openblas = ctypes.CDLL("libopenblas.so.0")
    openblas.openblas_get_corename.restype = ctypes.c_char_p
    answer["core"] = openblas.openblas_get_corename().decode()
print(json.dumps(answer))
"""


def processor_flags():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as cpuinfo:
        for line in cpuinfo:
            name, _, value = line.partition(":")
            if name.strip() in ("flags", "Features"):
                return set(value.split())
    return set()


def candidates():
    """The kernel sets whose instructions this processor has."""
    table = {"x86_64": X86_64, "aarch64": AARCH64}.get(platform.machine(), ())
    flags = processor_flags()
    return [Kernel(row[0], row[2], row[3]) for row in table if flags.issuperset(row[1].split())]


def thread_counts():
    """1, 2, 3 and all, as far as there are processors: OpenBLAS starts no more."""
    available = len(os.sched_getaffinity(0))
    return sorted({n for n in (1, 2, 3, min(available, 16)) if n <= available})


def library_folders(*names):
    """Debian's folders for these libraries, whichever alternative the system uses,
    as a search path; empty when one of them is missing."""
    folders = [glob.glob(f"/usr/lib/{platform.machine()}-*/{name}/lib*.so.3") for name in names]
    return ":".join(os.path.dirname(found[0]) for found in folders) if all(folders) else ""


def clean_environment():
    """The caller's environment without anything that steers a BLAS or Python."""
    steering = ("OPENBLAS_", "GOTO_", "OMP_", "EXBLAS_", "LD_", "PYTHON", "NPY_", "MKL_", "BLIS_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(steering)}
    env["PYTHONPATH"] = PACKAGES          # Debian's NumPy, not one from pip
    env["PYTHONNOUSERSITE"] = "1"
    return env


def plain_environment(core, threads):
    env = clean_environment()
    env["LD_LIBRARY_PATH"] = library_folders("openblas-pthread")
    env["OPENBLAS_CORETYPE"] = core
    env["OPENBLAS_NUM_THREADS"] = str(threads)
    return env


def exblas_environment(core, threads, isa):
    """The same, for a run through exblas-run: the BLAS is asked for by the same
    means, and ExBLAS may use the instructions of the same processor only."""
    env = plain_environment(core, threads)
    env["EXBLAS_ISA"] = isa
    return env


def probe(command, env):
    """What the program in this environment gets, or None if it cannot run."""
    done = subprocess.run(command + [PYTHON, "-c", PROBE], env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None
