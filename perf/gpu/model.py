#!/usr/bin/env python3
"""model.py [--check PAGE]: times of routines on an H200, from instructions of their loops.

Prints the table of doc/gpu-model.md; --check compares it with the page's, in TAP. Counts are those of sass_loops.py,
per element; the machine's figures are published ones. A loop takes the longest of four times: its bytes at the
bandwidth, its bytes as they come with what is on the way at once, its FP64 operations, its instructions."""
import pathlib
import sys

UNITS, GHZ, GBS, LATENCY_NS, LAUNCH_US = 132, 1.755, 4300, 700, 2.5
LANES, FP64_LANES, ISSUED = 128, 64, 0.8  # of a multiprocessor and clock; the share of slots that loops fill
L2_GBS, WAIT_US, ATOMICS_US = 5500, 10, 167e3  # of the cache; until the host goes on; 64-bit atomics a microsecond
# GH200, cuBLAS 13.1 (github.com/UCHINO-Yuki/GEMMul8_numerical_results): a product of bytes, and of numbers.
PRODUCT_MS = {8192: 0.725, 16384: 5.45}
CUBLAS_MS = {("d", 8192): 17.8, ("d", 16384): 144, ("s", 8192): 22}

# Routine: bytes, instructions and FP64 operations an element, bytes on the way in a multiprocessor.
LOOPS = [
    ("dsum", 8, 16.3, 8, 1024 * 32),
    ("ddot", 16, 23.5, 11, 1024 * 64),
    ("ssum", 4, 8.1, 2, 1024 * 32),
    ("sdot", 8, 12.6, 2, 1024 * 64),
    ("dgemv", 8, 27.8, 14, 1024 * 32),  # of A; x is in the cache
    ("sgemv", 4, 14.8, 2, 1024 * 32),
]


def loop(bytes_each, instructions, fp64, on_the_way, elements):
    """Microseconds of each limit."""
    per_us = UNITS * GHZ * 1e3
    return {"bandwidth": bytes_each * elements / (GBS * 1e3),
            "latency": bytes_each * elements / (UNITS * on_the_way / LATENCY_NS * 1e3),
            "FP64": fp64 * elements / (FP64_LANES * per_us),
            "instructions": instructions * elements / (ISSUED * LANES * per_us)}


def vectors():
    for name, *counts in LOOPS:
        n = 16384**2 if name.endswith("gemv") else 10**8
        times = loop(*counts, n)
        which = max(times, key=times.get)
        total = times[which] + (4 if name.endswith("gemv") else 2) * LAUNCH_US
        yield f"`{name}`", f"{n:.1e}", f"{total:.0f} us", which, f"{100 * times['bandwidth'] / total:.0f} % of bandwidth"


def gemm(kind, n, moduli, open_share):
    """Milliseconds of the phases of a square product by residues; its table has the derivations."""
    e = 8 if kind == "d" else 4
    clock = UNITS * LANES * ISSUED * GHZ * 1e6  # instructions a millisecond
    convert = 2 * n * n * (moduli * 9.1 + 60)
    per_gb = 1e3 / (GBS * 0.85)
    return {"scan": 2 * n * n * e / 1e9 * per_gb,
            "forecast": 0.18,
            "convert": max(convert / clock, 2 * n * n * (e + moduli) / 1e9 * per_gb),
            "products": moduli * PRODUCT_MS[n],
            "finish": max(n * n * (moduli / 2 * 35.3 + 300) / clock, n * n * (4 * moduli + 2 * e) / 1e9 * per_gb),
            "open": open_share * n * n * n * 2 * e / (L2_GBS * 1e6)}


def products():
    for kind, n, moduli in (("d", 8192, 15), ("d", 8192, 19), ("d", 16384, 19), ("s", 8192, 9)):
        phases = gemm(kind, n, moduli, 1.2e-4)
        total = sum(phases.values())
        which = max((p for p in phases if p != "products"), key=phases.get)
        yield (f"`{kind}gemm`, {moduli} moduli", str(n), f"{total:.1f} ms", f"products {phases['products']:.1f}, {which} "
               f"{phases[which]:.1f}", f"{CUBLAS_MS[kind, n] / total:.2f} x cuBLAS")


def scatter():
    """Microseconds of 10^7 doubles with 32-bit indices beside plain additions by atomics: normal numbers lie between
    79 bits, which are three words of 37, and take two pieces."""
    n, words, plain = 10**7, 3, 10**7 / ATOMICS_US + LAUNCH_US
    for bins in (2**10, 2**16, 2**20):
        copies = max(2**14 // bins, 1)
        survey, clear = 12 * n + 8 * bins, 8 * words * bins * copies
        fold = clear / (GBS * 1e3) + LAUNCH_US if copies > 1 else 0
        total = ((survey + clear + 8 * (words + 2) * bins) / (GBS * 1e3) + 2 * n / ATOMICS_US + 4 * LAUNCH_US
                 + WAIT_US + fold)
        yield (f"`dscatter_add`, {bins} bins", f"{n:.1e}", f"{total:.0f} us", "atomics", f"{total / plain:.2f} x unordered")


def main():
    lines = ["| routine | size | time | limit | ratio |", "|---|---|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in [*vectors(), *products(), *scatter()]]
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        page = pathlib.Path(sys.argv[2]).read_text().splitlines()
        missing = [line for line in lines if line not in page]
        print(f"{'not ok' if missing else 'ok'} 1 - the page has the table of model.py\n1..1")
        print("".join(f"# {line}\n" for line in missing), end="")
        return bool(missing)
    print("\n".join(lines))
    return 0


sys.exit(main())
