#!/usr/bin/env python3
"""dynamic_section.py READELF LIBRARY SHIM: the SONAMEs are the library's own, and neither
object needs more than it says: libc, libm, threads, and for the drop-in the library.
Reports in TAP."""
import re
import subprocess
import sys


def entries(readelf, path, tag):
    text = subprocess.run([readelf, "-d", path], check=True, text=True, capture_output=True).stdout
    return re.findall(rf"\({tag}\).*\[(.*)\]", text)


def main():
    readelf, library, shim = sys.argv[1:]
    system = re.compile(r"(lib(c|m|dl|pthread|asan|ubsan|tsan|gcc_s)|ld-linux[-\w]*)\.so\.\d+")
    checks = [
        ("the library's SONAME", entries(readelf, library, "SONAME") == ["libexblas.so.0"]),
        ("the drop-in's SONAME is its own", entries(readelf, shim, "SONAME") == ["libexblas_shim.so"]),
        ("the library needs the system only",
         all(system.fullmatch(n) for n in entries(readelf, library, "NEEDED"))),
        ("the drop-in needs the library and the system only",
         "libexblas.so.0" in entries(readelf, shim, "NEEDED")
         and all(system.fullmatch(n) or n == "libexblas.so.0" for n in entries(readelf, shim, "NEEDED"))),
        ("no text relocations", not entries(readelf, library, "TEXTREL")
         and not entries(readelf, shim, "TEXTREL")),
    ]
    print(f"1..{len(checks)}")
    for i, (title, ok) in enumerate(checks, 1):
        print(f"{'ok' if ok else 'not ok'} {i} - {title}")


main()
