#!/usr/bin/env python3
"""count_tests.py MESON-LOGS: names the failed and skipped tests of a Meson test run, then
prints a line with the numbers of passed and failed cases. A program counts by its
cases if all is well, and as one failure if anything in it failed, crashed or ran out of time. A
run that left no report is a failure."""
import json
import os
import sys
import xml.etree.ElementTree as tree


def cases_by_program(path):
    """Number of cases by the last part of the suite's name."""
    if not os.path.exists(path):
        return {}
    suites = tree.parse(path).getroot().iter("testsuite")
    return {s.get("name").split(" / ")[-1]: len(list(s.iter("testcase"))) for s in suites}


def main(logs):
    passed = failed = 0
    path = os.path.join(logs, "testlog.json")
    if not os.path.exists(path):
        print("no test report: the run did not finish")
        print("0 1")
        return
    cases = cases_by_program(os.path.join(logs, "testlog.junit.xml"))
    for line in open(path):
        test = json.loads(line)
        name, result = test["name"], test["result"]
        if result in ("OK", "EXPECTEDFAIL"):
            passed += cases.get(name.split(" / ")[-1], 1)
        elif result == "SKIP":
            print(f"skipped {name}")
        else:
            failed += 1
            print(f"FAILED {name} ({result})")
    print(passed, failed)


if __name__ == "__main__":
    main(sys.argv[1])
