#!/usr/bin/env python3
"""Everyday linear algebra on three tables, in plain NumPy.

    analysis.py [--stations FILE] [--save FILE.npz]

Covariances, least squares, principal components, an SVD, a few products and
norms: what people do with tables. The tables are the Longley and Filip data
of the NIST Statistical Reference Datasets and 20,000 hours of weather at
eight stations (examples/data/make_stations.py writes that one).

--save writes the results.
"""
import argparse
import os
import sys
import time
from typing import Any

import numpy as np

Table = np.ndarray[Any, np.dtype[np.float64]]
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")

# A rule of thumb for tomorrow's temperature at station 8: an intercept, and
# weights for the pressures, temperatures and vapour pressures of the others.
RULE = np.array([31.7,
                 2e-4, -1e-4, 3e-4, 1e-4, -2e-4, 4e-4, -3e-4, -1e-4,
                 0.11, 0.07, 0.19, 0.23, 0.05, 0.13, 0.17,
                 1e-3, 2e-3, -1e-3, 3e-3, 1e-3, -2e-3, 2e-3, -3e-3])


def load(path: str) -> Table:
    return np.loadtxt(path, delimiter=",", skiprows=1)


def weather(stations: Table) -> dict[str, Any]:
    """Results on the weather table: pressures, temperatures, vapour pressures."""
    pressure, temperature = stations[:, 0:8], stations[:, 8:16]
    anomaly = stations - stations.mean(axis=0)
    scaled = anomaly / stations.std(axis=0)
    out: dict[str, Any] = {}

    covariance = np.cov(stations, rowvar=False)
    out["covariance matrix"] = covariance
    out["covariance: Cholesky factor"] = np.linalg.cholesky(covariance)
    out["covariance: inverse"] = np.linalg.inv(covariance)
    variances, patterns = np.linalg.eigh(covariance)
    out["covariance: eigenvalues"] = variances
    out["principal components"] = anomaly @ patterns[:, -3:]
    out["SVD: singular values"] = np.linalg.svd(scaled, compute_uv=False)

    # The temperature at station 8 from everything else.
    y = stations[:, 15]
    x = np.column_stack([np.ones(len(stations)), np.delete(stations, 15, axis=1)])
    out["normal equations: X'X"] = x.T @ x
    out["normal equations: X'y"] = x.T @ y
    out["normal equations: solution"] = np.linalg.solve(x.T @ x, x.T @ y)
    fit = np.linalg.lstsq(x, y, rcond=None)[0]
    out["least squares: coefficients"] = fit
    out["least squares: residual norm"] = np.linalg.norm(y - x @ fit)

    out["rule of thumb: X w"] = x @ RULE
    out["pressure x temperature"] = pressure.T @ temperature
    out["the same in single precision"] = (anomaly[:, 0:8].astype(np.float32).T
                                           @ anomaly[:, 8:16].astype(np.float32))
    days = scaled[12::96]
    out["similarity of 209 days"] = days @ days.T
    out["dot product p1.t1"] = pressure[:, 0] @ temperature[:, 0]
    out["norm of one column"] = np.linalg.norm(temperature[:, 7])
    return out


def longley(table: Table) -> dict[str, Any]:
    """Employment from six economic series, 1947 to 1962."""
    y = table[:, 0]
    x = np.column_stack([np.ones(len(table)), table[:, 1:]])
    return {"Longley: coefficients": np.linalg.lstsq(x, y, rcond=None)[0],
            "Longley: correlations": np.corrcoef(table, rowvar=False)}


def filip(table: Table) -> dict[str, Any]:
    """A polynomial of degree 10 through 82 points."""
    y, x = table[:, 0], table[:, 1]
    return {"Filip: polynomial of degree 10": np.polyfit(x, y, 10)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--stations", metavar="FILE",
                        default=os.path.join(DATA, "stations.csv"))
    parser.add_argument("--save", metavar="FILE.npz")
    args = parser.parse_args()
    if not os.path.exists(args.stations):
        sys.exit(f"{args.stations} is not there; examples/data/make_stations.py writes it")

    tables = [load(args.stations), load(os.path.join(DATA, "longley.csv")),
              load(os.path.join(DATA, "filip.csv"))]
    start = time.perf_counter()
    results: dict[str, Any] = {}
    for analyse, table in zip((weather, longley, filip), tables):
        results.update(analyse(table))
    seconds = time.perf_counter() - start

    for name, value in results.items():
        first = np.ravel(value)[:3]
        more = " ..." if np.size(value) > 3 else ""
        print(f"{name:32s}" + "".join(f" {float(v):22.15g}" for v in first) + more)
    print(f"computed in {seconds:.3f} s")

    if args.save:
        np.savez(args.save, **results)


if __name__ == "__main__":
    main()
