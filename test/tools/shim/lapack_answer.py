#!/usr/bin/env python3
"""Prints hashes for each function of numpy.linalg in each type, the same as lapack_answer.f90's.

NumPy computes in double whatever it is given, so single precision is scipy.linalg.lapack's. So is det, for which NumPy
adds logarithms of the C library.
"""
import numpy as np
import scipy.linalg.lapack as lapack

ORDERS = (5, 30, 100, 300)
FACTOR = np.uint64(6364136223846793005)
TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
ROOM = 1 << 20  # for work space, of which less would mean other blocks
L = np.linalg


class Generator:
    """Multiples of 2^-20 in [-1, 1)."""

    def __init__(self, state, kind):
        self.state, self.kind = state, kind

    def draw(self):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return ((self.state >> 10) - 1048576) / 1048576

    def fill(self, rows, columns):
        is_complex = issubclass(self.kind, np.complexfloating)
        numbers = [complex(self.draw(), self.draw()) if is_complex else self.draw() for _ in range(rows * columns)]
        return np.array(numbers, self.kind).reshape(columns, rows).T


def pose(n, kind):
    """A general matrix, right-hand sides, and a Hermitian positive definite matrix."""
    g = Generator(n, kind)
    a, b, h = g.fill(n, n), g.fill(n, 3), np.triu(g.fill(n, n), 1)
    return a, b, h + h.conj().T + np.diag(2.0 * n + 1 + np.arange(n)).astype(kind)


def absorb(answer, array):
    """Goes on with a polynomial in FACTOR of the bits of all numbers, by columns, modulo 2^64."""
    array = np.ascontiguousarray(np.asarray(array).T)
    part = array.real.dtype
    words = array.ravel().view(part).view(np.uint32 if part == np.float32 else np.uint64).astype(np.uint64)
    powers = np.multiply.accumulate(np.full(words.size + 1, FACTOR)) * np.uint64(pow(int(FACTOR), -1, 1 << 64))
    return answer * powers[-1] + (words * powers[-2::-1]).sum(dtype=np.uint64)


class InDouble:
    """By numpy.linalg."""

    def __init__(self, letter):
        self.letter = letter

    def call(self, name, *arguments, **options):
        return getattr(lapack, self.letter + name)(*arguments, **options)

    def solve(self, a, b, h):
        return L.solve(a, b)

    def inv(self, a, b, h):
        return L.inv(a)

    def cholesky(self, a, b, h):
        return L.cholesky(h)

    def qr(self, a, b, h):
        return tuple(L.qr(tall(a)))

    def lstsq(self, a, b, h):
        x, _, _, s = L.lstsq(tall(a), b, rcond=-1)
        return x, s

    def svd(self, a, b, h):
        return tuple(L.svd(a))

    def eigh(self, a, b, h):
        return tuple(L.eigh(h))

    def eig(self, a, b, h):
        return tuple(x.astype(np.complex128) for x in L.eig(a))

    def det(self, a, b, h):
        factors, pivots, _ = self.call("getrf", a / 8)
        product = -a.dtype.type(1) if np.count_nonzero(pivots != np.arange(len(a))) % 2 else a.dtype.type(1)
        for x in factors.diagonal():
            product = product * x
        return product

    def pinv(self, a, b, h):
        return L.pinv(tall(a))

    def cond(self, a, b, h):
        return L.cond(a)


class InSingle(InDouble):
    """By scipy.linalg.lapack."""

    def __init__(self, letter):
        super().__init__(letter)
        self.is_real = letter == "s"

    def solve(self, a, b, h):
        return self.call("gesv", a, b)[2]

    def inv(self, a, b, h):
        return self.solve(a, np.eye(len(a), dtype=a.dtype), h)

    def cholesky(self, a, b, h):
        return self.call("potrf", h, lower=1, clean=1)[0]

    def qr(self, a, b, h):
        t = tall(a)
        factors, tau, _, _ = self.call("geqrf", t, lwork=ROOM)
        q = self.call("orgqr" if self.is_real else "ungqr", factors, tau, lwork=ROOM)[0]
        return q, np.triu(factors[: t.shape[1]])

    def lstsq(self, a, b, h):
        sizes = [ROOM] * (2 if self.is_real else 3)
        x, s, _, _ = self.call("gelsd", tall(a), b, *sizes, cond=-1)
        return x[: tall(a).shape[1]], s

    def svd(self, a, b, h, **options):
        return self.call("gesdd", a, lwork=ROOM, **options)[:3]

    def eigh(self, a, b, h):
        more = {} if self.is_real else {"lrwork": ROOM}
        return self.call("syevd" if self.is_real else "heevd", h, lower=1, lwork=ROOM, liwork=ROOM, **more)[:2]

    def eig(self, a, b, h):
        if not self.is_real:
            w, _, v, _ = self.call("geev", a, compute_vl=0, lwork=ROOM)
            return w, v
        wr, wi, _, vr, _ = self.call("geev", a, compute_vl=0, lwork=ROOM)
        v = vr.astype(np.complex64)
        for j in np.flatnonzero(wi > 0):
            v[:, j].imag, v[:, j + 1] = vr[:, j + 1], v[:, j]
            v[:, j + 1].real, v[:, j + 1].imag = vr[:, j], -vr[:, j + 1]
        w = np.empty(len(wr), np.complex64)
        w.real, w.imag = wr, wi
        return w, v

    def pinv(self, a, b, h):
        u, s, vt = self.svd(tall(a).conj(), b, h, full_matrices=0)
        return np.matmul(vt.T, np.multiply((1 / s)[:, None], u.T))

    def cond(self, a, b, h):
        s = self.svd(a, b, h, compute_uv=0)[1]
        return s[0] / s[-1]


def tall(a):
    return a[:, : (len(a) + 1) // 2]


def main():
    for letter, kind in TYPES.items():
        by = InSingle(letter) if letter in "sc" else InDouble(letter)
        problems = [pose(n, kind) for n in ORDERS]
        for what in ("solve", "inv", "cholesky", "qr", "lstsq", "svd", "eigh", "eig", "det", "pinv", "cond"):
            answer = np.ones(1, np.uint64)
            for n, problem in zip(ORDERS, problems):
                results = getattr(by, what)(*problem)
                for x in results if isinstance(results, tuple) else (results,):
                    answer = absorb(answer, np.atleast_1d(x))
                print(f"{letter}{what}-{n} {int(answer[0]):016X}", flush=True)


if __name__ == "__main__":
    main()
