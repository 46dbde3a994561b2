#!/usr/bin/env python3
"""header_pages.py PAGE... -- HEADER...: the page of section 3 of each header names every function, but for those with
64-bit integers, shows all that the header declares, says every word of its first comment, shows no body of a function,
and is text that roff takes without a warning (skipped without groff). Reports in TAP."""
import os
import re
import shutil
import subprocess
import sys

from tap import report

DECLARED = re.compile(r"^(?:EXBLAS_API|EXBLAS_HP_FN|static inline)\b[^;{(]*?\b(\w+)\s*\(|^[a-z][\w *]*[ *](fprev_\w+)\(", re.M)


def shown(page):
    """As a terminal of any width shows it: without requests, fonts and escapes."""
    text = re.sub(r"(?m)^\.\w+.*\n?", "", page)
    return re.sub(r"\\[-&]", lambda m: "-" if m.group() == "\\-" else "", re.sub(r"\\f.", "", text))


def problems_of(page, header):
    with open(page, encoding="utf-8") as f:
        text = f.read()
    with open(header, encoding="utf-8") as f:
        source = f.read()
    name_section = text.split(".SH SYNOPSIS")[0]
    declarations = text.split(".SH DECLARATIONS")[1]
    first = re.search(r"/\*(.*?)\*/", source, re.S).group(1)
    for function in {a or b for a, b in DECLARED.findall(re.sub(r"/\*.*?\*/", "", source, flags=re.S))}:
        if not function.endswith("_64") and not re.search(rf"\b{function}\b", name_section):
            yield f"{function} is not in NAME"
        if not re.search(rf"\b{function}\(", declarations):
            yield f"{function} is not declared"
    words = set(re.findall(r"\w{3,}", first)) - set(re.findall(r"\w+", shown(text)))
    if words:
        yield f"left out of the description: {words}"
    if re.search(r"^\\fB +(return|if|for)\b", declarations, re.M):
        yield "there is a body"
    if shutil.which("groff"):
        said = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-z", page], capture_output=True, text=True).stderr
        yield from said.splitlines()


def main():
    split = sys.argv.index("--")
    pages = {os.path.basename(p): p for p in sys.argv[1:split]}
    headers = sys.argv[split + 1:]
    print(f"1..{len(headers)}")
    for header in headers:
        page = f"exblas_{os.path.basename(header)}.3"
        report(page, list(problems_of(pages[page], header)))


main()
