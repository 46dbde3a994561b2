"""Prints the bits of BLAS results of SciPy."""
import hashlib
import numpy
import scipy
from scipy.linalg import blas

a = numpy.random.RandomState(3).randn(100, 100)
z = a + 1j * a.T
digest = hashlib.sha256()
for result in (blas.ddot(a[0], a[1]), blas.zdotc(z[0], z[1]), blas.dgemm(1.0, a, a), blas.zgemm(1.0, z, z),
               blas.dgemv(1.0, a, a[0]), blas.dnrm2(a[2]), blas.dtrsv(a + 100 * numpy.eye(100), a[3])):
    digest.update(numpy.ascontiguousarray(result).tobytes())
print(scipy.__version__, digest.hexdigest()[:16])
