#!/usr/bin/env python3
"""test_man.py FOLDER TOOL...: the page of each command names every option that its --help lists, and no other; its
requests are ones that man knows. Reports in TAP."""
import os
import re
import subprocess
import sys

REQUESTS = {"TH", "SH", "TP", "B", "BI", "BR", "I", "IB", "IR", "RB", "RI", "br", "nf", "fi", "PP"}


def options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text))


folder, tools = sys.argv[1], sys.argv[2:]
print(f"1..{len(tools)}")
for number, tool in enumerate(tools, 1):
    name = os.path.basename(tool)
    page = open(os.path.join(folder, name + ".1")).read()
    said = options(subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout) | {"--help"}
    written = options(re.sub(r"\\f.", "", page.replace("\\-", "-")))
    unknown = {line.split()[0][1:] for line in page.splitlines() if line.startswith(".")} - REQUESTS
    good = said == written and not unknown
    print(f"{'ok' if good else 'not ok'} {number} - {name}.1")
    if not good:
        print(f"# only in --help: {said - written}, only in the page: {written - said}, requests: {unknown}")
