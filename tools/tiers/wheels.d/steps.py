"""Steps of numerical Python as people write it; prints a line for each: its name and a hash of its results.

usage: steps.py [numpy scipy sklearn statsmodels pandas torch]   (default: those that can be imported)
"""
import functools
import hashlib
import importlib.util
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
STEPS = {}  # by package and name


def add(package, functions):
    STEPS.setdefault(package, {}).update(functions)


def digest(results):
    h = hashlib.sha256()
    for r in results if isinstance(results, (tuple, list)) else [results]:
        h.update(np.ascontiguousarray(r).tobytes())
    return h.hexdigest()[:16]


def problem(n, kind=float):
    rng = np.random.default_rng(n)
    a = rng.standard_normal((n, n))
    a = a if kind is float else a.astype(kind) if kind is np.float32 else a + 1j * rng.standard_normal((n, n))
    return a, a[:, : max(1, n // 8)].copy(), a @ a.conj().T + n * np.eye(n, dtype=a.dtype)


def on_problems(function, sizes=(7, 60, 130)):
    """The results for several sizes, and for real, complex and single precision."""
    results = []
    for n in sizes:
        for kind in (float, complex, np.float32):
            found = function(*problem(n, kind))
            results.extend(found if isinstance(found, tuple) else [found])
    return results


def of_matrices(functions):
    return {name: functools.partial(on_problems, function) for name, function in functions.items()}


N = np.linalg
add("numpy", of_matrices({
        "matmul": lambda a, b, s: a @ b, "gram": lambda a, b, s: a.T @ a, "dot": lambda a, b, s: np.vdot(a, s),
        "einsum": lambda a, b, s: np.einsum("ij,jk->ik", a, b, optimize=True),
        "matrix_power": lambda a, b, s: N.matrix_power(a / len(a), 5), "solve": lambda a, b, s: N.solve(a, b),
        "inv": lambda a, b, s: N.inv(a), "det": lambda a, b, s: N.det(a / 4), "slogdet": lambda a, b, s: tuple(N.slogdet(a)),
        "cholesky": lambda a, b, s: N.cholesky(s), "qr": lambda a, b, s: tuple(N.qr(a)),
        "lstsq": lambda a, b, s: N.lstsq(b, a[:, :2], rcond=None)[0], "svd": lambda a, b, s: tuple(N.svd(a)),
        "eigh": lambda a, b, s: tuple(N.eigh(s)), "eigvalsh": lambda a, b, s: N.eigvalsh(s),
        "eig": lambda a, b, s: tuple(N.eig(a)), "pinv": lambda a, b, s: N.pinv(b), "cond": lambda a, b, s: N.cond(a),
        "matrix_rank": lambda a, b, s: N.matrix_rank(a), "norm_2": lambda a, b, s: N.norm(a, 2)}))


def polyfit():
    x = np.linspace(-1, 1, 300)
    return np.polyfit(x, 1 / (1 + 25 * x * x), 9), np.roots([1, -6, 11, -6.1, 2])


add("numpy", {"polyfit": polyfit, "covariance": lambda: (np.cov(problem(150)[0]), np.corrcoef(problem(150)[0]))})


def scipy_steps():
    import scipy.linalg as L
    add("scipy", of_matrices({
            "lu_factor": lambda a, b, s: L.lu_factor(a)[0], "lu": lambda a, b, s: tuple(L.lu(a)),
            "sp_solve": lambda a, b, s: L.solve(a, b), "solve_pos": lambda a, b, s: L.solve(s, b, assume_a="pos"),
            "cho_solve": lambda a, b, s: L.cho_solve(L.cho_factor(s), b),
            "solve_triangular": lambda a, b, s: L.solve_triangular(a + len(a) * np.eye(len(a), dtype=a.dtype), b),
            "sp_lstsq": lambda a, b, s: L.lstsq(b, a[:, :2])[0], "sp_svd": lambda a, b, s: tuple(L.svd(a, lapack_driver="gesvd")),
            "qr_pivoting": lambda a, b, s: tuple(L.qr(a, pivoting=True)[:2]), "schur": lambda a, b, s: tuple(L.schur(a)),
            "hessenberg": lambda a, b, s: L.hessenberg(a), "ldl": lambda a, b, s: tuple(L.ldl(s)),
            "sp_eigh": lambda a, b, s: tuple(L.eigh(s)), "eigh_general": lambda a, b, s: tuple(L.eigh((a + a.conj().T) / 2, s)),
            "eigh_subset": lambda a, b, s: tuple(L.eigh(s, subset_by_index=[0, 3])),
            "sp_eig": lambda a, b, s: tuple(L.eig(a)), "qz": lambda a, b, s: tuple(L.qz(a, s)),
            "expm": lambda a, b, s: L.expm(a / len(a)), "logm": lambda a, b, s: L.logm(s / len(a)),
            "sqrtm": lambda a, b, s: L.sqrtm(s), "null_space": lambda a, b, s: L.null_space(b.T),
            "polar": lambda a, b, s: tuple(L.polar(a)), "sylvester": lambda a, b, s: L.solve_sylvester(a[:7, :7], s[:7, :7], s[:7, :7]),
            "solve_banded": lambda a, b, s: L.solve_banded((1, 1), s[:3] + 9, b)}))

    def direct():
        a, z = problem(100)[0], problem(100, complex)[0]
        b = L.blas
        return (b.ddot(a[0], a[1]), b.zdotc(z[0], z[1]), b.dgemm(1.0, a, a), b.zgemm(1.0, z, z), b.dgemv(1.0, a, a[0]),
                b.dnrm2(a[2]), b.dtrsv(a + 100 * np.eye(100), a[3]))

    def symmetric():
        """By dsysv and zhesv, which call gemmtr in LAPACK 3.12."""
        z, right = problem(200, complex)[0], np.ones(200)
        return [solve(m, right)[2] for m, solve in ((z.real + z.real.T, L.lapack.dsysv), (z + z.conj().T, L.lapack.zhesv))]

    def optimize():
        from scipy.optimize import least_squares, minimize, rosen, rosen_der
        x = np.linspace(0, 3, 40)
        fit = least_squares(lambda p: p[0] / (1 + p[1] * x) - 1 / (1 + x), [2.0, 0.5])
        return minimize(rosen, np.full(6, 0.7), jac=rosen_der, method="BFGS").x, fit.x

    def sparse_eigs():
        from scipy.sparse import diags
        from scipy.sparse.linalg import eigsh
        return eigsh(diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(300, 300)).tocsc(), k=4, sigma=0, v0=np.ones(300))[0]
    add("scipy", {"direct": direct, "symmetric": symmetric, "optimize": optimize, "sparse_eigs": sparse_eigs})


def sklearn_steps():
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
    x = np.random.default_rng(3).standard_normal((400, 20))
    y = x @ np.arange(20) + np.sin(x[:, 0] * 0)
    label = (y > 0).astype(int)
    models = {
        "linear_regression": lambda: LinearRegression().fit(x, y).coef_, "ridge": lambda: Ridge(0.5).fit(x, y).coef_,
        "pca": lambda: PCA(5, svd_solver="full").fit(x).components_,
        "logistic_regression": lambda: LogisticRegression().fit(x, label).coef_,
        "discriminant": lambda: LinearDiscriminantAnalysis().fit(x, label).coef_,
        "gaussian_process": lambda: GaussianProcessRegressor(optimizer=None).fit(x[:80], y[:80]).predict(x[80:90]),
        "kmeans": lambda: KMeans(3, n_init=1, random_state=0).fit(x).cluster_centers_}
    add("sklearn", models)


def statsmodels_steps():
    import statsmodels.api as sm
    rng = np.random.default_rng(4)
    x = sm.add_constant(rng.standard_normal((300, 4)))
    y = x @ np.arange(5.0) + rng.standard_normal(300)
    models = {"ols": lambda: [sm.OLS(y, x).fit().params, sm.OLS(y, x).fit().bse],
              "wls": lambda: sm.WLS(y, x, weights=np.arange(300) + 1.0).fit().params,
              "glm": lambda: sm.GLM(y, x).fit().params,
              "logit": lambda: sm.Logit((y > 2).astype(float), x).fit(disp=0).params}
    add("statsmodels", models)


def pandas_steps():
    import pandas as pd
    frame = pd.DataFrame(problem(60)[0])
    models = {"frame_dot": lambda: frame.dot(frame).to_numpy(), "frame_cov": lambda: frame.cov().to_numpy()}
    add("pandas", models)


def torch_steps():
    import torch
    def tensors(*shape):
        return torch.from_numpy(np.random.default_rng(5).standard_normal(shape))
    a, batch = tensors(150, 150), tensors(8, 40, 40)
    models = {"mm": lambda: a @ a, "bmm": lambda: torch.bmm(batch, batch), "torch_solve": lambda: torch.linalg.solve(a, a[:, :3]),
              "torch_inv": lambda: torch.linalg.inv(a), "torch_svd": lambda: tuple(torch.linalg.svd(a)),
              "torch_eigh": lambda: tuple(torch.linalg.eigh(a + a.T)), "torch_qr": lambda: tuple(torch.linalg.qr(a)),
              "torch_lstsq": lambda: torch.linalg.lstsq(a[:, :20], a[:, 20:22]).solution}
    add("torch", models)


def main(*wanted):
    packages = wanted or ("numpy", "scipy", "sklearn", "statsmodels", "pandas", "torch")
    for package in packages:
        if importlib.util.find_spec(package) is None:
            continue
        globals().get(package + "_steps", lambda: None)()
        for name, function in STEPS[package].items():
            print(f"{package}.{name} {digest(function())}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
