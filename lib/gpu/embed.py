#!/usr/bin/env python3
"""embed.py INCLUDE-DIR OUT KERNEL.cl...: makes a C file with the text of kernels, includes expanded.

A file with `#pragma once` or an include guard is expanded once per kernel, another one each time it is
included. A kernel begins with what its places stand for (gpu/device.h). The C file defines exb_gpu_sources
(gpu/sources.h), one entry per kernel file, named after it, and a last one with NULL.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
ONCE = "#pragma once"
KERNEL = re.compile(r"EXB_KERNEL(?:_OF\(\d\))?\s+void\s+(\w+)\s*\((.*?)\)\s*\{", re.S)
PLACE = re.compile(r"EXB_(PLACE|CONSTANTS|LOCAL_ARG)(\([^()]*\))")
FORBIDDEN = {"bool", "_Bool", "half", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t"}
STRUCT = re.compile(r"typedef\s+struct\s*\w*\s*\{([^{}]*)\}\s*(\w+)\s*;")
GUARD = re.compile(rf"#ifndef (EXB_\w+_H)\n#define \1\n|^{ONCE}$", re.M)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)


def find(root, name):
    """A header of the library, or a public one that kernels read, too."""
    return root / name if (root / name).exists() else root.parent / "include" / name


def expand(root, path, seen):
    text = path.read_text()
    if GUARD.search(text):
        if path in seen:
            return []
        seen.add(path)
    lines = []
    for line in without_comments(text).splitlines():
        included = INCLUDE.match(line)
        if included:
            lines += expand(root, find(root, included[1]), seen)
        elif line.strip() and line != ONCE:
            lines.append(line.rstrip())
    return lines


def check_arguments(text):
    """OpenCL C 1.2, section 6.9 k: what arguments of kernels, or members of structures there, must not be."""
    members = {name: body for body, name in STRUCT.findall(text)}
    for name, arguments in KERNEL.findall(text):
        words = set(re.findall(r"\w+", arguments))
        for _ in members:  # as deep as structures may lie in each other
            words.update(re.findall(r"\w+", " ".join(members.get(w, "") for w in words)))
        if FORBIDDEN.intersection(words):
            sys.exit(f"embed.py: an argument of the kernel {name} has a type that OpenCL forbids there")


def program(root, kernel):
    """The lines of a file of kernels."""
    text = "\n".join(expand(root, kernel, set()))
    check_arguments(text)
    return KERNEL.sub(lambda m: "\n    EXB_TAKE_".join([m[0]] + [f"{k}{of};" for k, of in PLACE.findall(m[2])]), text).splitlines()


def main():
    root, out, *kernels = sys.argv[1:]
    c = '/* Made by lib/gpu/embed.py. */\n#include "gpu/sources.h"\n\n#include <stddef.h>\n\n'
    for kernel in map(pathlib.Path, kernels):  # as numbers: a C compiler need not take strings of more than 4095 characters
        text = "\n".join(program(pathlib.Path(root), kernel)) + "\n"
        c += f"static const char {kernel.stem}[] = {{{','.join(map(str, text.encode()))},0}};\n"
    entries = "".join(f'    {{"{k.stem}", {k.stem}}},\n' for k in map(pathlib.Path, kernels))
    pathlib.Path(out).write_text(f"{c}\nconst exb_gpu_source exb_gpu_sources[] = {{\n{entries}    {{NULL, NULL}},\n}};\n")


if __name__ == "__main__":
    main()
