"""Prints the bits of sums and products of pip's NumPy, in all types of floats."""
import hashlib

import numpy

# Multiples of 2^-53: no function of the C library had a part in them.
g = numpy.random.RandomState(1)


def numbers(*shape):
    return g.random_sample(shape) - 0.5


digest = hashlib.sha256()
for dtype in ("d", "f", "D", "F"):
    a = (numbers(150, 90) + (1j * numbers(150, 90) if dtype in "DF" else 0)).astype(dtype)
    for result in (a @ a.T, a.T.dot(a[:, 0].copy()), a @ a[0], numpy.vdot(a[:, 1], a[:, 2]), a.sum(), a.sum(axis=0),
                   a.mean(axis=1), a.var(), a.std(axis=0), numpy.einsum("ij,kj->ik", a, a), numpy.cumsum(a[0]),
                   numpy.cov(a), numpy.linalg.norm(a, axis=1)):
        digest.update(numpy.ascontiguousarray(result).tobytes())
print(numpy.__version__, digest.hexdigest()[:16])
