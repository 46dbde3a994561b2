#!/usr/bin/env python3
"""suite_targets.py BUILD SUITE: what Ninja has to build for the tests of a suite, one a line: the programs and libraries
that they name, and all that is installed."""
import json
import os
import subprocess
import sys


def introspect(build, what):
    return json.loads(subprocess.run(["meson", "introspect", build, what], check=True, stdout=subprocess.PIPE).stdout)


def main(build, suite):
    needed = {i for t in introspect(build, "--tests") if any(s.split(":")[-1] == suite for s in t["suite"])
              for i in t["depends"]}
    root = os.path.realpath(build)
    for target in introspect(build, "--targets"):
        if target["installed"] or target["id"] in needed:
            for name in target["filename"]:
                print(os.path.relpath(os.path.realpath(name), root))


if __name__ == "__main__":
    main(*sys.argv[1:])
