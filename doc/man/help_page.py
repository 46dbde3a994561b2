#!/usr/bin/env python3
"""help_page.py NAMES TITLE OUTPUT COMMAND: the manual page, of section 1, of a command: what its --help prints."""
import os
import re
import subprocess
import sys

from header_page import escape

names, title, output, command = sys.argv[1:]
said = subprocess.run([command, "--help"], check=True, stdout=subprocess.PIPE, encoding="utf-8",
                      env={**os.environ, "COLUMNS": "100"}).stdout
shown = [re.sub(r"(?<!\S)\\-[^\s,|:]+", r"\\fB\g<0>\\fR", escape(line)) or ".sp" for line in said.splitlines()]
with open(output, "w", encoding="utf-8") as f:
    f.write("\n".join([f'.TH {names.split(",")[0].upper()} 1 "" "ExBLAS" "User Commands"', ".SH NAME",
                       f"{escape(names)} \\- {escape(title)}", ".SH DESCRIPTION", ".nf", *shown, ".fi",
                       ".SH SEE ALSO", ".BR exblas (1)", ""]))
