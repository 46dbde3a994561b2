#!/usr/bin/env python3
"""sass_loops.py CUBIN...: the instructions of the innermost loops of kernels.

Needs nvdisasm, from the CUDA toolkit or NVDISASM. Of every loop that has no other loop inside it and reads global
memory, a line: kernel, instructions, of those FP64 arithmetic, loads from global memory, their bytes, loads of
constants by a computed address. These are what doc/gpu-model.md is made from."""
import os
import re
import subprocess
import sys

NVDISASM = os.environ.get("NVDISASM", "nvdisasm")
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*?);", re.M)
FP64 = ("DADD", "DMUL", "DFMA", "DSETP")
WIDTH = {"64": 8, "128": 16, "U8": 1, "S8": 1, "U16": 2}


def kernels_of(cubin):
    text = subprocess.run([NVDISASM, cubin], check=True, stdout=subprocess.PIPE, text=True).stdout
    for section in re.split(r"^\s*\.section\s+\.text\.", text, flags=re.M)[1:]:
        yield section.split(",")[0].strip('"'), section


def loops_of(section):
    """(first, last) addresses of loops: branches back to a label."""
    labels, at = {}, 0
    found = []
    for line in section.splitlines():
        label = re.match(r"^(\.L_x_\w+):", line)
        instruction = INSTRUCTION.match(line)
        if instruction:
            at = int(instruction[1], 16)
            target = re.search(r"`\((\.L_x_\w+)\)", instruction[3])
            if instruction[2].startswith("BRA") and target and target[1] in labels:
                found.append((labels[target[1]], at))
        elif label:
            labels[label[1]] = at + 16
    return [f for f in found if not any(g != f and f[0] <= g[0] and g[1] <= f[1] for g in found)]


def width_of(name):
    parts = name.split(".")
    return next((WIDTH[p] for p in parts if p in WIDTH), 4)


def main():
    for cubin in sys.argv[1:]:
        for kernel, section in kernels_of(cubin):
            code = [(int(m[1], 16), m[2]) for m in INSTRUCTION.finditer(section)]
            for first, last in loops_of(section):
                names = [name for at, name in code if first <= at <= last]
                loads = [n for n in names if n.startswith("LDG")]
                if loads:
                    print(f"{kernel}: {len(names)} instructions, {sum(n.split('.')[0] in FP64 for n in names)} FP64, "
                          f"{len(loads)} LDG, {sum(map(width_of, loads))} bytes, "
                          f"{sum(n.startswith(('LDC', 'ULDC')) for n in names)} LDC")


main()
