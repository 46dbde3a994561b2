#!/usr/bin/env python3
"""kernel_arguments.py LIB-DIR: no kernel has an argument that OpenCL C forbids.

OpenCL C 1.2, section 6.9 k: arguments of kernels are neither bool, half, size_t, ptrdiff_t,
intptr_t or uintptr_t nor structures with members of these types; compilers do not all say so.
Prints TAP, a test a kernel.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
LIB = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(LIB / "gpu"))
import embed  # noqa: E402

FORBIDDEN = {"bool", "_Bool", "half", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t"}
STRUCT = re.compile(r"typedef\s+struct\s*\w*\s*\{([^{}]*)\}\s*(\w+)\s*;")


def forbidden_in(words, members):
    """The forbidden types among words, and within the structures that they name."""
    for word in words:
        if word in FORBIDDEN:
            yield word
        elif word in members:
            for inner in forbidden_in(members[word], members):
                yield f"{word}: {inner}"


def main():
    n, failed = 0, 0
    for path in sorted((LIB / "gpu" / "kernels").glob("*.cl")):
        text = "\n".join(embed.expand(LIB, path, set()))
        members = {name: re.findall(r"\w+", body) for body, name in STRUCT.findall(text)}
        for name, arguments in embed.KERNEL.findall(text):
            n += 1
            found = sorted(set(forbidden_in(re.findall(r"\w+", arguments), members)))
            failed += bool(found)
            print(f"{'not ok' if found else 'ok'} {n} - {name}" + "".join(f"\n# {f}" for f in found))
    print(f"1..{n}")
    return 1 if failed or n < 20 else 0


sys.exit(main())
