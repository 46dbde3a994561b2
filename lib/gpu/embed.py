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


def program(root, kernel):
    """The lines of a file of kernels."""
    text = "\n".join(expand(root, kernel, set()))
    return KERNEL.sub(lambda m: "\n    EXB_TAKE_".join([m[0]] + [f"{k}{of};" for k, of in PLACE.findall(m[2])]), text).splitlines()


def literal(line):
    escaped = line.replace("\\", "\\\\").replace('"', '\\"')
    return f'    "{escaped}\\n"'


def main():
    root, out, *kernels = sys.argv[1:]
    c = ["/* Made by lib/gpu/embed.py. */", '#include "gpu/sources.h"', "", "#include <stddef.h>", ""]
    names = []
    for kernel in map(pathlib.Path, kernels):
        names.append(kernel.stem)
        lines = program(pathlib.Path(root), kernel)
        c += [f"static const char *const {kernel.stem}[] = {{"] + [literal(line) + "," for line in lines] + ["};", ""]
    c.append("const exb_gpu_source exb_gpu_sources[] = {")
    c += [f'    {{"{name}", sizeof {name} / sizeof *{name}, {name}}},' for name in names]
    c += ["    {NULL, 0, NULL},", "};", ""]
    pathlib.Path(out).write_text("\n".join(c))


if __name__ == "__main__":
    main()
