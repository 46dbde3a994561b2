"""Under which names libraries export a BLAS routine, and how each is called: for exblas-fprev and exblas-grade."""
import os
import re

# ? is the routine's BLAS name. Of several that a library has the first is taken.
NAMES = (("cblas_?", "cblas"), ("excblas_?", "cblas"), ("scipy_cblas_?", "cblas"), ("cblas_?64_", "cblas64"),
         ("cblas_?_64", "cblas64"), ("excblas_?_64", "cblas64"), ("scipy_cblas_?64_", "cblas64"),
         ("cblas_?", "cblas64"), ("?_", "fortran"), ("ex?_", "fortran"), ("scipy_?_", "fortran"), ("?", "fortran"),
         ("?64_", "fortran64"), ("?_64_", "fortran64"), ("ex?_64_", "fortran64"), ("scipy_?_64_", "fortran64"),
         ("scipy_?64_", "fortran64"), ("?_", "fortran64"))


def names_in(path):
    """Those of a library by its path: one of 64-bit integers may use the plain names (libblas64.so.3, ..._ilp64.so)."""
    is_64 = re.search(r"64\.so|64-|64_", os.path.basename(path)) is not None
    return [(name, abi) for name, abi in NAMES if name not in ("cblas_?", "?_", "?") or abi.endswith("64") == is_64]
