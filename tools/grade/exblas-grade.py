#!/usr/bin/env python3
"""exblas-grade: judges the BLAS and LAPACK of shared libraries; see --help."""
import os
import signal
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
# In a build tree, and installed.
for folder in (HERE, os.path.join(HERE, "..", "@LIBDIR@", "exblas", "grade")):
    if os.path.exists(os.path.join(folder, "grade_routines.json")):
        sys.path.insert(0, os.path.realpath(folder))
        break
else:
    sys.exit("exblas-grade: its files are not beside it: install it again")
from grade import main  # noqa: E402

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ends when nobody reads on
sys.exit(main(sys.argv[1:]))
