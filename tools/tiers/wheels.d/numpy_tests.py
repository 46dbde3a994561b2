"""NumPy's own tests of sum, mean, var, std, einsum, cumsum, bincount, cov, corrcoef, norms and ufuncs, while
exblas.patch() is in force. Fails if a test fails that is not in EXPECTED."""
import os
import sys
import tempfile

import numpy
import pytest

import exblas

# Two rounded steps, with a mean that is given, must give the bits of one exact one. Products raise no floating-point
# exceptions, which numpy.errstate would turn into errors.
EXPECTED = ("::TestNonarrayArgs::test_std_with_mean", "::TestNonarrayArgs::test_var_with_mean",
            "::TestMethods::test_dot_errstate[float16]", "::TestMethods::test_dot_errstate[float64]")
FILES = ["numpy._core.tests.test_einsum", "numpy._core.tests.test_multiarray", "numpy._core.tests.test_numeric", "numpy._core.tests.test_ufunc",
         "numpy.lib.tests.test_function_base", "numpy.lib.tests.test_histograms", "numpy.lib.tests.test_nanfunctions", "numpy.linalg.tests.test_linalg"]
WORDS = "sum or Sum or mean or Mean or var or Var or std or Std or einsum or bincount or Bincount or cov or Cov or corr or norm or Stats or test_linalg or reduc or accumul or trace or dot or Dot or matmul or Matmul or MatMul or matvec or vecmat or orrelat or onvolve or histogram or Histogram"

MOST_SECONDS = 60  # of one test
# Tests that ask for more are skipped: they fill tens of GiB with numbers.
os.environ["NPY_AVAILABLE_MEM"] = "1 GB"


class Patch:
    """Patches before the tests, and keeps the names of those that fail."""
    failed = []

    @staticmethod
    def pytest_sessionstart():
        exblas.patch()

    @staticmethod
    def pytest_runtest_logreport(report):
        if report.failed:
            Patch.failed.append(report.nodeid.split("tests/")[-1])


def main():
    with tempfile.TemporaryDirectory() as folder:
        status = pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", folder, "-k", WORDS, "--tb=line",
                              "--timeout", str(MOST_SECONDS), "--pyargs", *FILES], plugins=[Patch])
    unexpected = [name for name in Patch.failed if not any(name.startswith(e) for e in EXPECTED)]
    print(f"{len(Patch.failed)} tests failed, {len(unexpected)} of them not expected, with NumPy {numpy.__version__}")
    print("\n".join(unexpected))
    return bool(unexpected) or status not in (0, 1)


if __name__ == "__main__":
    sys.exit(main())
