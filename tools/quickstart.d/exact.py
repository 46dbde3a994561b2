"""The exact answers: every sum in MPFR without any rounding, then rounded once.

Only results that are one BLAS operation on the tables (or on numbers NumPy
makes from them without BLAS) have an exact answer to compare with; what
LAPACK derives from them depends on LAPACK's own roundings.
"""
import math

import gmpy2
import numpy as np

FIRST_PRECISION = 256       # bits; doubled until nothing is rounded


def to_mpfr(values):
    """Floats as MPFR numbers: exact, 53 bits hold each."""
    return [gmpy2.mpfr(float(v), 53) for v in values]


def exact_dot(x, y, precision=FIRST_PRECISION):
    """The sum of products as an MPFR number that is not rounded: MPFR's own
    inexact flag says so."""
    with gmpy2.local_context(gmpy2.context(), precision=precision) as context:
        total, fma = gmpy2.mpfr(0), gmpy2.fma
        for a, b in zip(x, y):
            total = fma(a, b, total)
        if not context.inexact:
            return total
    return exact_dot(x, y, 2 * precision)


def round_to(value, dtype):
    """One rounding, ties to even, subnormals included."""
    bits, emin, emax = (24, -148, 128) if dtype == np.float32 else (53, -1073, 1024)
    with gmpy2.local_context(gmpy2.context(), precision=bits, emin=emin, emax=emax,
                             subnormalize=True):
        return dtype(float(gmpy2.mpfr(value, bits)))


def product(left, right, dtype=np.float64):
    """left @ right, each element correctly rounded; right may be a vector."""
    rows = [to_mpfr(row) for row in left]
    columns = [to_mpfr(column) for column in np.atleast_2d(right.T)]
    result = np.array([[round_to(exact_dot(row, column), dtype) for column in columns]
                       for row in rows])
    return result if right.ndim == 2 else result[:, 0]


def gram(left):
    return product(left, left.T)


def covariance(table):
    """np.cov's own steps, with an exact product between its roundings."""
    centred = table.T - np.average(table.T, axis=1)[:, None]
    return gram(centred) * np.true_divide(1, len(table) - 1)


def answers(stations, rule):
    """Exact arrays by the names that analysis.py gives its results."""
    pressure, temperature = stations[:, 0:8], stations[:, 8:16]
    anomaly = stations - stations.mean(axis=0)
    days = (anomaly / stations.std(axis=0))[12::96]
    x = np.column_stack([np.ones(len(stations)), np.delete(stations, 15, axis=1)])
    single = anomaly.astype(np.float32)
    exact = {
        "covariance matrix": covariance(stations),
        "normal equations: X'X": gram(x.T),
        "normal equations: X'y": product(x.T, stations[:, 15]),
        "rule of thumb: X w": product(x, rule),
        "pressure x temperature": product(pressure.T, temperature),
        "the same in single precision": product(single[:, 0:8].T, single[:, 8:16], np.float32),
        "similarity of 209 days": gram(days),
        "dot product p1.t1": product(pressure[:, :1].T, temperature[:, 0])[0],
        "norm of one column": np.float64(math.sqrt(gram(temperature[:, 7:8].T)[0, 0])),
    }
    return {name: np.asarray(value) for name, value in exact.items()}


def wrong_elements(value, exact):
    """How many elements are not the exact answer rounded once, bit for bit."""
    unsigned = np.dtype(f"u{exact.dtype.itemsize}")
    if value.dtype != exact.dtype or value.shape != exact.shape:
        return exact.size
    same = (np.ascontiguousarray(value).reshape(-1).view(unsigned)
            == np.ascontiguousarray(exact).reshape(-1).view(unsigned))
    return int(exact.size - same.sum())
