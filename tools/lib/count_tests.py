#!/usr/bin/env python3
"""count_tests.py JUNIT: names the failed and skipped cases of a Meson test run, then
prints a line with the numbers of passed and failed cases. A run that left no report,
or a program that failed without a failing case of its own, counts as a failure."""
import os
import sys
import xml.etree.ElementTree as tree


def main(path):
    passed = failed = 0
    if not os.path.exists(path):
        print("no test report: the run did not finish")
        print("0 1")
        return
    for suite in tree.parse(path).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            name = f"{suite.get('name')}: {case.get('name')}"
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
                print(f"FAILED {name}")
            elif case.find("skipped") is not None:
                print(f"skipped {name}")
            else:
                passed += 1
    print(passed, failed)


if __name__ == "__main__":
    main(sys.argv[1])
