#!/usr/bin/env python3
"""suite_targets.py BUILD [OPTION of meson test...]: what Ninja has to build for the tests that these options choose, one
a line: the programs and libraries that they name, and all that is installed."""
import argparse
import json
import os
import subprocess
import sys


def introspect(build, what):
    return json.loads(subprocess.run(["meson", "introspect", build, what], check=True, stdout=subprocess.PIPE).stdout)


def chooser(options):
    parser = argparse.ArgumentParser()
    for option in ("--suite", "--no-suite"):
        parser.add_argument(option, action="append", default=[])
    parser.add_argument("names", nargs="*")
    o, _ = parser.parse_known_intermixed_args([w for w in options if not w.replace(".", "").isdigit()])

    def is_chosen(test):
        suites = {s.split(":")[-1] for s in test["suite"]}
        return (not suites & set(o.no_suite) and (not o.suite or suites & set(o.suite))
                and (not o.names or test["name"] in o.names))
    return is_chosen


def main(build, *options):
    is_chosen = chooser(options)
    needed = {i for t in introspect(build, "--tests") if is_chosen(t) for i in t["depends"]}
    root = os.path.realpath(build)
    for target in introspect(build, "--targets"):
        if target["installed"] or target["id"] in needed:
            for name in target["filename"]:
                print(os.path.relpath(os.path.realpath(name), root))


if __name__ == "__main__":
    main(*sys.argv[1:])
