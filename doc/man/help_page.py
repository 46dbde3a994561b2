#!/usr/bin/env python3
"""help_page.py NAMES TITLE OUTPUT COMMAND: the manual page, of section 1, of a command: what its --help prints, and
what a file NAME.more has beside that."""
import os
import pathlib
import re
import subprocess
import sys

from header_page import escape

names, title, output, command = sys.argv[1:]
said = subprocess.run([command, "--help"], check=True, stdout=subprocess.PIPE, encoding="utf-8",
                      env={**os.environ, "COLUMNS": "100"}).stdout
shown = [re.sub(r"(?<!\S)\\-[^\s,|:]+", r"\\fB\g<0>\\fR", escape(line)) or ".sp" for line in said.splitlines()]
name = names.split(",")[0]
more = pathlib.Path(__file__).with_name(name + ".more")
with open(output, "w", encoding="utf-8") as f:
    f.write("\n".join([f'.TH {name.upper()} 1 "" "ExBLAS" "User Commands"', ".SH NAME",
                       f"{escape(names)} \\- {escape(title)}", ".SH DESCRIPTION", ".nf", *shown, ".fi",
                       (more.read_text(encoding="utf-8") if more.exists() else "") + ".SH SEE ALSO",
                       ".BR exblas (1), exblas-run (1)", ""]))
