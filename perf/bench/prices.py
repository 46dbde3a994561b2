#!/usr/bin/env python3
"""usage: prices.py symbols.list OUTPUT

Writes the routines of the drop-in BLAS as suites.py calls them: a title, their names in s, d, c and z and a letter for
each argument of their Fortran form."""
import json
import re
import sys

KINDS = {"order": "C", "side": "L", "uplo": "L", "op": "N", "trans": "N", "transa": "N", "transb": "N", "diag": "D",
         "m": "n", "n": "n", "k": "n", "kl": "b", "ku": "b", "alpha": "s", "beta": "s"}


def letter(word, is_band):
    name, _, shape = word.partition("(")
    if name == "k" and is_band:
        return "b"
    if name in KINDS:
        return KINDS[name]
    if name.startswith("inc"):
        return "i"
    if name.startswith("ld"):
        return "l"
    return "s" if shape == ")r" else "w" if ")" in shape and "*" in shape else "x"


def rows(path):
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if len(words) < 5 or words[0].startswith("#") or words[3] != "blas" or "(=" in line:
            continue
        name, types, arguments = words[0], words[1], [w for w in words[4:] if w != "layout"]
        if "?" in name:
            part = {"s": "s", "d": "d", "c": "s", "z": "d"}
            names = {t: name.replace("?", t).replace("@", part[t]) + "_" for t in types}
            text = "".join(letter(w, re.match(r"\W*[sght]b", name) is not None) for w in arguments)
            option = "C" if name.startswith("?h") else "T"
            for i in range(1 + ("N" in text)):
                yield name.replace("?", "").replace("@", "") + i * f" {option}", names, text.replace("N", option, i)


with open(sys.argv[2], "w", encoding="utf-8") as f:
    json.dump(list(rows(sys.argv[1])), f)
