#!/usr/bin/env python3
"""exblas-fprev: shows in which order a library adds; see --help."""
import os
import signal
import sys

def end(text):
    print("exblas-fprev:", text, file=sys.stderr or open(os.devnull, "w"))
    sys.exit(2)


if sys.version_info < (3, 8):
    end("Python 3.8 or later is needed, this is " + sys.version.split()[0])
if sys.stdout is None:
    end("standard output is closed")
if sys.stderr is None:
    sys.stderr = open(os.devnull, "w")
HERE = os.path.dirname(os.path.realpath(__file__))
# In a build tree, and installed.
for folder in (HERE, os.path.join(HERE, "..", "@LIBDIR@", "exblas", "fprev")):
    if os.path.exists(os.path.join(folder, "exblas-fprev-worker")):
        sys.path.insert(0, os.path.realpath(folder))
        break
else:
    end("its files are not beside it: install it again")
from command import main  # noqa: E402

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ends when nobody reads on
signal.signal(signal.SIGINT, signal.SIG_DFL)
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(encoding="utf-8", errors="surrogateescape")
sys.exit(main(sys.argv[1:]))
