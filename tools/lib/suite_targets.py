#!/usr/bin/env python3
"""suite_targets.py BUILD [OPTION of meson test...]: what Ninja has to build for the tests that these options choose, one
a line: the programs and libraries that they name, and for suites that use what is installed all of that."""
import argparse
import json
import os
import sys

# Suites whose tests are programs; what else they use, their commands and variables name.
PROGRAMS = {"unit"}


def introspect(build, what):
    with open(os.path.join(build, "meson-info", f"intro-{what}.json"), encoding="utf-8") as f:
        return json.load(f)


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
    tests = [t for t in introspect(build, "tests") if is_chosen(t)]
    needed = {i for t in tests for i in t["depends"]}
    uses_all = any(not {s.split(":")[-1] for s in t["suite"]} & PROGRAMS for t in tests)
    words = " ".join(w for t in tests for w in [*t["cmd"], *t["env"].values()])
    root = os.path.realpath(build)
    for target in introspect(build, "targets"):
        is_named = any(os.path.basename(f) in words for f in target["filename"])
        if target["id"] in needed or target["installed"] and (uses_all or is_named):
            for name in target["filename"]:
                print(os.path.relpath(os.path.realpath(name), root))


if __name__ == "__main__":
    main(*sys.argv[1:])
