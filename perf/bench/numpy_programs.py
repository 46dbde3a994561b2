"""A side of `exblas bench numpy`: says which programs it has; then lines `NAME N` come in, the seconds of a call go out."""
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit()  # it has no programs


def programs(n):
    """Functions by name, with their data."""
    r = np.random.default_rng(1)
    a, b, t = (r.standard_normal(shape) for shape in ((n, n), n, (4 * n, n // 2)))
    symmetric, positive = (a + a.T) / 2, a @ a.T / n + np.eye(n)
    line = t[:, 0].copy()
    return {"inv": lambda: np.linalg.inv(a), "eigh": lambda: np.linalg.eigh(symmetric),
            "eigvalsh": lambda: np.linalg.eigvalsh(symmetric), "svd": lambda: np.linalg.svd(a),
            "pinv": lambda: np.linalg.pinv(a), "qr": lambda: np.linalg.qr(a),
            "solve": lambda: np.linalg.solve(a, b), "det": lambda: np.linalg.det(a),
            "lstsq": lambda: np.linalg.lstsq(t, line, rcond=None),
            "cholesky": lambda: np.linalg.cholesky(positive), "eig": lambda: np.linalg.eig(a),
            "A@B": lambda: a @ symmetric, "T.T@T": lambda: t.T @ t,
            "corrcoef": lambda: np.corrcoef(t.T)}


def seconds_of(call, least=0.02):
    """Processor time of one call, of as many as fill 20 ms: other programs on a shared processor are left out."""
    count, total = 0, 0.0
    while total < least:
        begin = time.thread_time()
        call()
        total += time.thread_time() - begin
        count += 1
    return total / count


print(*programs(4), flush=True)
known = {}
for request in sys.stdin:
    name, n = request.split()
    if n not in known:
        known[n] = programs(int(n))
    print(seconds_of(known[n][name]), flush=True)
