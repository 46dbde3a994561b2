#!/usr/bin/env python3
"""debian_install.py BUILD: every file that this build installs is in exactly one Debian package
(packaging/debian), but for what those are built without. Reports in TAP."""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACES = {"bindir": "usr/bin", "libdir": "usr/lib/any", "libdir_shared": "usr/lib/any", "libdir_static": "usr/lib/any",
          "moduledir_shared": "usr/lib/any", "includedir": "usr/include", "datadir": "usr/share", "mandir": "usr/share/man",
          "py_platlib": "usr/lib/python3", "py_purelib": "usr/lib/python3", "prefix": "usr"}
# Built without: CUDA; PostgreSQL's extension, which lies with PostgreSQL.
LEFT_OUT = re.compile("cuda|postgresql")


def as_pattern(words):
    """dh_install's: a star stands for anything but a slash, a folder for all that is in it."""
    return re.compile(re.escape(words).replace(r"\*", "[^/]*") + "(/.*)?")


def destinations(build):
    """Paths as in a package."""
    plan = json.loads((build / "meson-info/intro-install_plan.json").read_text(encoding="utf-8"))
    for kind in plan.values():
        for facts in kind.values():
            path = re.sub(r"^\{(\w+)\}", lambda m: PLACES[m[1]], facts["destination"])
            yield re.sub(r"^(lib|share|include)/[\w-]+-linux-gnu", r"usr/\1/any", path)


def main():
    patterns = {package.stem: [as_pattern(line) for line in package.read_text(encoding="utf-8").split()]
                for package in (ROOT / "packaging/debian").glob("*.install")}
    wrong, count = [], 0
    for path in destinations(pathlib.Path(sys.argv[1])):
        if LEFT_OUT.search(path):
            continue
        count += 1
        found = [package for package, known in patterns.items() if any(p.fullmatch(path) for p in known)]
        if len(found) != 1:
            wrong.append(f"# {path}: {' and '.join(found) or 'in no package'}")
    print(f"{'ok' if count and not wrong else 'not ok'} 1 - each of {count} files is in one Debian package")
    print("\n".join([*wrong, "1..1"]))


main()
