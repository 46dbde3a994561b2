#!/usr/bin/env python3
"""exblas-fprev: shows in which order a library adds; see --help."""
import os
import signal
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
# In a build tree, and installed.
for folder in (HERE, os.path.join(HERE, "..", "@LIBDIR@", "exblas", "fprev")):
    if os.path.exists(os.path.join(folder, "exblas-fprev-worker")):
        sys.path.insert(0, os.path.realpath(folder))
        break
else:
    sys.exit("exblas-fprev: its files are not beside it: install it again")
from command import main  # noqa: E402

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ends when nobody reads on
signal.signal(signal.SIGINT, signal.SIG_DFL)
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(encoding="utf-8", errors="surrogateescape")
sys.exit(main(sys.argv[1:]))
