#!/usr/bin/env python3
"""as_cpp.py FILE.cu FILE.cpp: the kernels that instances.py made for nvcc, as C++ for emulated_kernel.h.

The block of shared memory whose size a launch chooses is a pointer, and a kernel's address in the table
of instances becomes that of its description."""
import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text()
text = text.replace("extern __shared__ double exb_local_block[];", "void *exb_local_block = emulated_shared;")
text, n_kernels = re.subn(r"\(const void \*\)(instance_\d+::\w+)", r"(const void *)&emulated_launch<&\1>::kernel", text)
if n_kernels == 0 or "extern __shared__" in text:
    sys.exit(f"{sys.argv[1]}: this is not what instances.py made")
text = '#include "emulated_kernel.h"\n' + text
to = pathlib.Path(sys.argv[2])
if not to.exists() or to.read_text() != text:  # what is as it was is not compiled again
    to.write_text(text)
