#!/usr/bin/env python3
"""static_rounding.py OBJDUMP LIB ARCHIVE...: in kernels that define EXB_UNGUARDED (simd.h) every
floating-point instruction names its rounding and raises no flag, whatever the compiler made of it;
but what converts whole numbers and scales them, which is exact. LIB: the folder of the sources.
Reports in TAP."""
import pathlib
import re
import subprocess
import sys

EXACT = {"cvtsi2sd", "addsd", "mulsd"}
ARITHMETIC = re.compile(r"(.*[ps][sd]|cvt\w*|f(add|sub|mul|div|i?ld|i?st|comi?)p?[slt]?)[lq]?")
ONLY_MOVES = re.compile(
    r"(mov|and|andn|or|xor|broadcast|perm|shuf|unpck|blend|insert|extract|compress|expand|test)\w*")


def unguarded_sources(folder):
    """The names of the objects of the sources that define EXB_UNGUARDED."""
    paths = [p for p in folder.glob("*/kernels/*.c") if "#define EXB_UNGUARDED" in p.read_text()]
    return {"_".join(p.relative_to(folder).parts) + ".o" for p in paths}


def instructions(objdump, archive, members):
    """(member, function, mnemonic, operands) of all members."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", archive], check=True, text=True,
                          capture_output=True).stdout
    member = function = None
    for line in text.splitlines():
        if found := re.match(r"(?:.*[/(])?([^/()]+\.o)\)?:\s+file format", line):
            member = found[1]
        elif found := re.match(r"[0-9a-f]+ <(.*)>:", line):
            function = found[1]
        elif member in members and (found := re.match(r"\s*[0-9a-f]+:\s+(\S+)\s*(.*)", line)):
            yield member, function, found[1], found[2]


def leaves_a_trace(mnemonic, operands):
    name = mnemonic.removeprefix("v")
    return bool(ARITHMETIC.fullmatch(name) and not ONLY_MOVES.fullmatch(name)
                and name.rstrip("lq") not in EXACT and "sae}" not in operands)


def main():
    objdump, folder, *archives = sys.argv[1:]
    members = unguarded_sources(pathlib.Path(folder))
    print(f"1..{len(archives)}")
    for i, archive in enumerate(archives, 1):
        code = list(instructions(objdump, archive, members))
        named = sum("sae}" in operands for *_, operands in code)
        left = [line for line in code if leaves_a_trace(*line[2:])]
        for _, function, mnemonic, operands in left:
            print(f"# {function}: {mnemonic} {operands}")
        ok = named > 0 and not left and {line[0] for line in code} == members
        print(f"{'ok' if ok else 'not ok'} {i} - {pathlib.Path(archive).name}: {named} instructions "
              f"name their rounding, {len(left)} do not")


main()
