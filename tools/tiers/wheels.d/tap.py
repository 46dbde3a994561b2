"""usage: tap.py COMMAND...: exit status 1 if the TAP report of a command has a failure or no plan."""
import re
import subprocess
import sys

report = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True, check=False).stdout
print(report, end="")
sys.exit(bool(re.search(r"^not ok", report, re.M)) or not re.search(r"^1\.\.[1-9]", report, re.M))
