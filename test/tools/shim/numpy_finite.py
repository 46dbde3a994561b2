#!/usr/bin/env python3
"""Decompositions by NumPy of matrices with one Inf or NaN: each ends within a second, with LinAlgError or with NaN.

To be started under exblas-run, with the NumPy of the system or of pip. Says `N calls`, or which one failed.
"""
import itertools
import signal
import sys

import numpy as np

ONE = {"svd": np.linalg.svd, "svdvals": lambda a: np.linalg.svd(a, compute_uv=False), "pinv": np.linalg.pinv,
       "lstsq": lambda a: np.linalg.lstsq(a, np.ones(len(a)), rcond=None)[0], "eigh": np.linalg.eigh,
       "eigvalsh": np.linalg.eigvalsh, "eig": np.linalg.eig, "rank": np.linalg.matrix_rank, "cond": np.linalg.cond,
       "norm": lambda a: np.linalg.norm(a, 2), "solve": lambda a: np.linalg.solve(a, np.ones(len(a)))}
SECONDS = 1.0


def matrices():
    for n, value, kind in itertools.product((1, 2, 3, 10), (np.inf, -np.inf, np.nan), "fdFD"):
        for i, j in {(0, 0), (n - 1, n - 1), (n // 2, 0), (n - 1, 0)}:
            for what in ("ones", "two diagonals"):
                a = np.ones((n, n), kind) if what == "ones" else (np.eye(n) + np.eye(n, k=1)).astype(kind)
                a[i, j] = value
                yield f"{what}({n}, {n}) of {kind} with {value} at ({i}, {j})", a


def outcome(function, a):
    """Whether a call says that it has no result."""
    try:
        with np.errstate(all="ignore"):
            result = function(a)
    except np.linalg.LinAlgError:
        return True
    parts = result if isinstance(result, tuple) else (result,)
    return not all(np.isfinite(part).all() for part in parts)


def main():
    calls = 0
    for title, a in matrices():
        for name, function in ONE.items():
            # rank counts what is above a bound, solve divides by Inf, and neither iterates.
            may_be_finite = name == "rank" or name == "solve" and not np.isnan(a).any()
            print(f"{name} of {title}", end=" ", flush=True, file=sys.stderr)
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            told = outcome(function, a)
            signal.setitimer(signal.ITIMER_REAL, 0)
            print("told" if told or may_be_finite else "FINITE", file=sys.stderr)
            if not (told or may_be_finite):
                sys.exit(f"{name} of {title} is finite")
            calls += 1
    print(f"{calls} calls")


main()
