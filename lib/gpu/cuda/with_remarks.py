#!/usr/bin/env python3
"""with_remarks.py FILE COMMAND...: runs a compiler; what it says goes to FILE, and to the screen if it fails."""
import pathlib
import subprocess
import sys

result = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
pathlib.Path(sys.argv[1]).write_text(result.stdout)
if result.returncode:
    sys.stdout.write(result.stdout)
sys.exit(result.returncode)
