"""Prints the bits of exblas.sum, dot, gemm and their like in every type that they take, a line each."""
import hashlib

import numpy as np

import exblas

g = np.random.RandomState(2)


def numbers(dtype, *shape):
    """Of both signs and many magnitudes: no function of the C library had a part in them."""
    if np.dtype(dtype).kind in "iu":
        return g.randint(0, 100, shape).astype(dtype)
    scale = np.ldexp(1.0, g.randint(-7, 8, shape))
    x = (g.random_sample(shape) - 0.5) * scale
    return (x + 1j * (g.random_sample(shape) - 0.5) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def functions(a):
    """Name: result, for an array of 60 x 40."""
    x, y = a[:, 0].copy(), a[:, 1].copy()
    yield "sum", exblas.sum(a), exblas.sum(a, axis=0), exblas.sum(a, axis=1), exblas.cumsum(x)
    yield "mean, var, norm", exblas.mean(a), exblas.var(a, axis=0), exblas.std(a, axis=1), exblas.norm(a), exblas.asum(a)
    yield "dot, vdot", exblas.dot(x, y), exblas.vdot(x, y), exblas.dot(a, a[0])
    yield "matmul, einsum", exblas.matmul(a, a.T), exblas.einsum("ij,ik->jk", a, a)
    yield "cov", exblas.cov(a), exblas.corrcoef(a[:5])
    if a.dtype.char in "fdFD":
        yield "gemm, gemv", exblas.gemm(a, a.T, 0.5, 0.25, a[:, :1] * a[:, :1].T), exblas.gemv(a, a[0], 3.0, -1.0, x)
        yield "scatter_add", exblas.scatter_add(np.arange(60) % 7, x, 7)
    if a.dtype.char in "fd":
        yield "solve", exblas.solve(a[:40], a[:40, :3])


for dtype in "efdFDbBhHiIqQ":
    for name, *results in functions(numbers(dtype, 60, 40)):
        digest = hashlib.sha256()
        for result in results:
            digest.update(np.ascontiguousarray(result).tobytes())
        print(dtype, f"{name:16}", digest.hexdigest()[:16])
