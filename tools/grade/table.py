#!/usr/bin/env python3
"""Makes the table of routines that exblas-grade reads.

    table.py LIB-DIRECTORY OUT

Each routine of symbols.list in each type, with its arguments and what they refer to.
"""
import json
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
import generate  # noqa: E402
import operands  # noqa: E402


def argument(a, r):
    shape, few, fields = a.layout({b.name: b.name for b in r.arguments})
    return {"name": a.name, "kind": a.kind.split()[0] if a.kind.startswith("array") else a.kind.split()[-1],
            "type": a.half or r.type,
            "real": bool(a.real) or not r.is_complex, "written": a.written, "read": a.read(r.arguments),
            "shape": shape, "few": few, **fields}


def routine(r):
    result = {"'i'": "I", "0": "-"}.get(generate.result_letter(r), generate.result_letter(r).strip("'"))
    group = r.name if r.has_halves() else r.base if r.name == r.of else r.name[1:]
    return {"name": r.name, "cblas": r.cblas_name(), "base": r.kind if r.has_halves() else group, "group": group,
            "type": r.type, "result": result,
            "hermitian": operands.is_hermitian(r.name), "own": r.drop_in != "blas",
            "arguments": [argument(a, r) for a in r.arguments]}


def main():
    routines = generate.read(pathlib.Path(sys.argv[1]) / "symbols.list")
    pathlib.Path(sys.argv[2]).write_text(json.dumps([routine(r) for r in routines]), encoding="utf-8")


main()
