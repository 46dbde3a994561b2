"""answers.py numpy_blas|numpy_lapack|scipy_blas|scipy_symmetric: prints the bits of results of NumPy or SciPy."""
import hashlib
import sys

import numpy


def numpy_blas():
    """In double, single and complex."""
    g = numpy.random.RandomState(1)
    for dtype in ("d", "f", "D", "F"):
        a = (g.randn(150, 90) + (1j * g.randn(150, 90) if dtype in "DF" else 0)).astype(dtype)
        yield from (a @ a[:90].T.copy()[:90], a.T.dot(a[:, 0].copy()), a @ a[0], numpy.vdot(a[:, 1], a[:, 2]))


def numpy_lapack():
    a = numpy.random.RandomState(2).randn(120, 120)
    s = a @ a.T + numpy.eye(120)
    yield from (numpy.linalg.solve(a, a[0]), numpy.linalg.inv(a), numpy.linalg.cholesky(s), numpy.linalg.svd(a)[1],
                numpy.linalg.eigh(s)[0], numpy.linalg.lstsq(a, a[1], rcond=None)[0], numpy.linalg.qr(a)[1])


def scipy_blas():
    from scipy.linalg import blas
    a = numpy.random.RandomState(3).randn(100, 100)
    z = a + 1j * a.T
    yield from (blas.ddot(a[0], a[1]), blas.zdotc(z[0], z[1]), blas.dgemm(1.0, a, a), blas.zgemm(1.0, z, z),
                blas.dgemv(1.0, a, a[0]), blas.dnrm2(a[2]), blas.dtrsv(a + 100 * numpy.eye(100), a[3]))


def scipy_symmetric():
    """Solutions of symmetric and Hermitian systems, which LAPACK 3.12 finds with gemmtr."""
    from scipy.linalg import lapack
    a = numpy.random.RandomState(4).randn(200, 200)
    for matrix, solve in ((a + a.T, lapack.dsysv), (a + a.T + 1j * (a - a.T), lapack.zhesv)):
        x, info = solve(matrix, numpy.ones(200))[2:]
        assert info == 0 and abs(matrix @ x - 1).max() < 1e-9
        yield x


digest = hashlib.sha256()
for result in globals()[sys.argv[1]]():
    digest.update(numpy.ascontiguousarray(result).tobytes())
print(numpy.__version__, digest.hexdigest()[:16])
