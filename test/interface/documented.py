#!/usr/bin/env python3
"""documented.py HEADER...: every function that a public header declares stands below a comment, in one paragraph with
it, and every header that takes arrays says what it has to: shapes and units, errors, aliasing, sources. With
--doxygen DOXYGEN DOXYFILE, the reference is generated without a warning and has every function. Reports in TAP."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import report

TOPICS = {
    "shapes and units": r"\b(elements|words|rows)\b",
    "errors": r"(EINVAL|ERANGE|error|[Ii]llegal)",
    "aliasing": r"(overlap|may be the same|alias)",
    "sources": r"\bSources?:",
}
# Without arrays of numbers, or the same functions as another header, which is named.
PLAIN = {"exblas.h", "types.h", "version.h"}
REFERS = {"fortran.h": "exblas/cblas.h"}
DECLARATION = re.compile(r"^(?:EXBLAS_API|EXBLAS_HP_FN|static inline)\b[^;{(]*?\b(\w+)\s*\(", re.M)


def paragraphs(text):
    return re.split(r"\n[ \t]*\n", text)


def functions(text):
    return DECLARATION.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.S))


def undocumented(text):
    """Functions in paragraphs that do not begin with a comment."""
    found = []
    for paragraph in paragraphs(text):
        if not paragraph.lstrip().startswith("/*"):
            found += functions(paragraph)
    return found


def missing_topics(name, text):
    comments = " ".join(re.findall(r"/\*.*?\*/", text, flags=re.S))
    if name in PLAIN or not functions(text):
        return []
    if name in REFERS:
        return [] if REFERS[name] in comments else [f"does not name {REFERS[name]}"]
    return [f"nothing about {topic}" for topic, words in TOPICS.items() if not re.search(words, comments)]


def check_reference(doxygen, doxyfile, headers):
    """What the pages say of each function, and what doxygen says of the headers."""
    with tempfile.TemporaryDirectory() as folder:
        with open(doxyfile, encoding="utf-8") as f:
            settings = f.read() + f"\nOUTPUT_DIRECTORY = {folder}\n"
        done = subprocess.run([doxygen, "-"], input=settings, text=True, capture_output=True)
        pages = pathlib.Path(folder, "html").glob("*_8h.html")
        words = {word for page in pages for word in re.findall(r"\w+", page.read_text(encoding="utf-8"))}
    problems = done.stderr.splitlines() if done.returncode == 0 else [f"doxygen: {done.stderr}"]
    for header in headers:
        problems += [f"{name} is not in the reference" for name in functions(open(header, encoding="utf-8").read())
                     if name not in words]
    return problems


def main():
    arguments = sys.argv[1:]
    doxygen = arguments[1:3] if arguments[0] == "--doxygen" else None
    headers = arguments[3:] if doxygen else arguments
    print(f"1..{2 * len(headers) + bool(doxygen)}")
    for header in headers:
        with open(header, encoding="utf-8") as f:
            text = f.read()
        name = os.path.basename(header)
        report(f"{name}: every function is documented", undocumented(text))
        report(f"{name}: says what it has to", missing_topics(name, text))
    if doxygen:
        report("the reference has every function", check_reference(*doxygen, headers))


main()
