# %% program
# Only where this file runs: the page has the pictures.
try:
    from matplotlib import pyplot as plt
except ImportError:
    from unittest.mock import MagicMock
    plt = MagicMock()  # without Matplotlib there are no pictures

# %% [markdown]
# ## One sum, a thousand orders
#
# Floating-point addition rounds at every step, so a sum depends on the order of its terms. The number of threads, the
# vector length and the split of a table change it. `exblas.sum` is the exact sum, rounded once. It has no order.

# %%
import exblas
import numpy as np

rng = np.random.default_rng(1)
x = rng.normal(size=50_000)
x -= np.mean(x)  # residuals: their sum is nearly 0
orders = [rng.permutation(x) for _ in range(1000)]
plain = [np.sum(order) for order in orders]
exact = [exblas.sum(order) for order in orders]
print("different sums in 1000 orders:", len(set(plain)), "by NumPy,", len(set(exact)), "by ExBLAS")
assert len(set(exact)) == 1

# %% picture tour-orders
plt.figure(figsize=(8, 4.5), layout="constrained")
plt.hist(plain, bins=60, color="#7f7f7f", label="numpy.sum")
plt.axvline(exact[0], color="#d00000", lw=2.5, label="exblas.sum, all 1000")
plt.xlabel("sum")
plt.ylabel("orders")
plt.title("One sum of 50,000 residuals in 1000 orders")
plt.legend()

# %% [markdown]
# ## How many digits are right
#
# The more of a sum cancels, the fewer digits of a plain result are right. The condition number of a dot product,
# 2 Σ|xy| / |Σxy|, says how much cancels. Fractions give the right result.

# %%
from fractions import Fraction
from typing import Any


def cancelling(digits: float) -> tuple[Any, Any]:
    """Two vectors whose products cancel but for about 10^-digits of them."""
    a, b = rng.normal(size=200) * 10.0 ** rng.uniform(0, digits / 2, 200), rng.normal(size=200)
    rest = rng.normal(size=40) * 10.0 ** (-digits / 2)
    return np.concatenate([a, -a, rest]), np.concatenate([b, b, rng.normal(size=40)])


conditions: list[float] = []
errors: dict[str, list[float]] = {"numpy.dot": [], "exblas.dot": []}
for digits in np.arange(0, 40, 0.5):
    a, b = cancelling(digits)
    products = [Fraction(p) * Fraction(q) for p, q in zip(a.tolist(), b.tolist())]
    true = sum(products, Fraction(0))
    conditions.append(float(2 * sum(map(abs, products)) / abs(true)))
    for name, dot in (("numpy.dot", np.dot), ("exblas.dot", exblas.dot)):
        errors[name].append(max(float(abs(Fraction(float(dot(a, b))) - true) / abs(true)), 1e-18))
print("largest relative error of exblas.dot:", f"{max(errors['exblas.dot']):.2g}")
assert max(errors["exblas.dot"]) <= 2.0 ** -53

# %% picture tour-digits
plt.figure(figsize=(8, 4.5), layout="constrained")
plt.loglog(conditions, errors["numpy.dot"], "o", ms=4, color="#7f7f7f", label="numpy.dot")
plt.loglog(conditions, errors["exblas.dot"], "o", ms=4, color="#d00000", label="exblas.dot")
plt.axhline(2.0 ** -53, color="black", ls="--", lw=1, label="half a unit in the last place")
plt.xlabel("condition number")
plt.ylabel("relative error")
plt.title("Dot products of 440 terms")
plt.legend()

# %% [markdown]
# ## A matrix product, element by element
#
# A BLAS for another processor adds in another order. Subtracting `exblas.matmul` shows which elements of `a @ b` are not
# correctly rounded, and by how much.

# %%
a, b = rng.normal(size=(80, 300)), rng.normal(size=(300, 80))
wanted = exblas.matmul(a, b)
off = (a @ b - wanted) / np.spacing(abs(wanted))
print(np.count_nonzero(off), "of", off.size, "elements of a @ b are not correctly rounded")
print(f"the worst is off by {abs(off).max():.0f} units in the last place")
assert np.array_equal(exblas.matmul(b.T, a.T).T, wanted)
assert np.array_equal(exblas.einsum("ij,jk", a, b), wanted)

# %% picture tour-product
plt.figure(figsize=(8, 4.5), layout="constrained")
plt.imshow(np.clip(off, -8, 8), cmap="RdBu", vmin=-8, vmax=8)
plt.colorbar(label="units in the last place (cut at 8)")
plt.title("a @ b by NumPy's BLAS minus the rounded product")

# %% [markdown]
# ## A variance far from zero
#
# When the numbers are large and nearly equal, their squares cancel. The textbook formula loses its digits first, the
# two-pass formula later. `exblas.var` is the exact variance of the numbers that are there, rounded once.

# %%
noise, shifts = rng.normal(size=1000), 10.0 ** np.arange(0, 13, 0.5)
ways: dict[str, Any] = {"mean of squares minus square of mean": lambda y: np.mean(y * y) - np.mean(y) ** 2,
                        "numpy.var": np.var, "exblas.var": exblas.var}


def variance(y: Any) -> Fraction:
    """Of the numbers as they are, by fractions."""
    terms = [Fraction(v) for v in y.tolist()]
    return sum((v * v for v in terms), Fraction(0)) / len(terms) - (sum(terms, Fraction(0)) / len(terms)) ** 2


spread: dict[str, list[float]] = {name: [] for name in ways}
for y in (noise + shift for shift in shifts):
    true = variance(y)
    for name, way in ways.items():
        spread[name].append(min(max(float(abs(Fraction(float(way(y))) - true) / true), 1e-18), 10.0))
print("largest relative error of exblas.var:", f"{max(spread['exblas.var']):.2g}")
assert max(spread["exblas.var"]) <= 2.0 ** -53

# %% picture tour-variance
plt.figure(figsize=(8, 4.5), layout="constrained")
for (name, values), colour in zip(spread.items(), ("#0072b2", "#7f7f7f", "#d00000")):
    plt.loglog(shifts, values, "o-", ms=4, color=colour, label=name)
plt.xlabel("mean of the numbers, whose standard deviation is 1")
plt.ylabel("relative error of the variance (cut at 10)")
plt.title("Variance of 1000 numbers")
plt.legend()

# %% [markdown]
# ## Sums in parts
#
# An accumulator holds an exact sum. Parts may be summed anywhere, in any order, and put together later: files,
# processes, days.

# %%
parts = [exblas.Accumulator(part) for part in np.array_split(x, 7)]
total = parts[6]
for part in parts[:6]:
    total += part
print("from parts:", float(total), " at once:", float(exblas.sum(x)), " mean:", total.quotient(len(x)))
assert float(total) == exact[0]

# %% program
plt.show()
