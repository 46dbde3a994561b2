"""The drivers of LAPACK, by residuals that are exact but for one rounding, and by orthogonality."""
import ctypes
import random

import judge as one_call
import library
import residual
from blas_names import names_in

DRIVERS = ("gesv", "posv", "getrf", "potrf", "geqrf", "gels", "syev", "gesvd")
LARGEST = 30.0  # what LAPACK's own tests allow, in units of n times the rounding unit
ORDERS = (1, 2, 5, 16, 33, 65, 130, 257)  # the last in --long
STEPS = 8  # more than the calls of a driver


class Recorded(Exception):
    """The call that is asked for was reached."""


def proper(name):
    """Complex symmetric eigenvalues are those of Hermitian matrices."""
    return name.replace("sy", "he") if name[0] in "cz" else name


def find(lib, name):
    for pattern, abi in names_in(lib.path):
        if abi.startswith("fortran"):
            found = lib.find(pattern.replace("?", proper(name)))
            if found:
                return found, ctypes.c_int64 if abi.endswith("64") else ctypes.c_int32
    return None


class Numbers:
    """Matrices of one type, column by column, complex numbers as two reals."""

    def __init__(self, lib, oracle, routines, letter):
        self.library, self.oracle, self.letter = lib, oracle, letter
        self.parts = 2 if letter in "cz" else 1
        self.real = library.REALS[letter]
        self.unit = one_call.UNIT[letter]
        self.tape, self.arrays, self.scales = [], [], []  # calls, arrays and what they were, bounds of residuals
        self.journal = self.stop = None
        self.gemm = oracle.call(next(r for r in routines if r.name == letter + "gemm"))

    def array(self, values):
        return (self.real * max(1, len(values)))(*values)

    def call(self, name, *words):
        """Calls with integers and letters by reference; workspace stands for work and lwork. Returns info."""
        function, integer = find(self.library, self.letter + name)
        info, lwork = integer(-99), integer(-1)
        for w in words:
            if isinstance(w, ctypes.Array) and not any(w is v for v, _ in self.arrays):
                self.arrays.append((w, list(w)))
        self.tape.append([function.__name__, 8 * ctypes.sizeof(integer), words, 100000])
        if len(self.tape) == self.stop:
            raise Recorded
        if self.journal:
            self.journal.at(self.first_step + len(self.tape))
        work, rwork = self.array([0.0] * 2), self.array([0.0] * 4000)

        def arguments():
            for w in words:
                if w == "work":
                    yield from (work, ctypes.byref(lwork))
                elif w == "rwork":
                    if self.parts == 2:
                        yield rwork
                else:
                    yield ctypes.byref(integer(w)) if isinstance(w, int) else w.encode() if isinstance(w, str) else w
        sizes = [ctypes.c_size_t(1)] * sum(isinstance(w, str) and w not in ("work", "rwork") for w in words)
        if "work" in words:
            function(*arguments(), ctypes.byref(info), *sizes)
            lwork = integer(int(work[0]))
            self.tape[-1][3] = lwork.value
            work = self.array([0.0] * lwork.value * self.parts)
        function(*arguments(), ctypes.byref(info), *sizes)
        return info.value

    def product(self, a, b, m, n, k, ta="n", tb="n", c=None, alpha=1.0):
        """alpha op(A) op(B) + C."""
        out = self.array(c or [0.0] * (m * n * self.parts))
        a, b = self.array(a), self.array(b)
        one = (1.0, 0.0)[:self.parts]
        args = {"layout": "c", "transa": ta, "transb": tb, "m": m, "n": n, "k": k, "lda": max(1, m if ta == "n" else k),
                "ldb": max(1, k if tb == "n" else n), "ldc": max(1, m)}
        values, _ = self.gemm.prepare(args, {"alpha": (alpha, 0.0)[:self.parts], "beta": one}, {
            "a": ctypes.addressof(a), "b": ctypes.addressof(b), "c": ctypes.addressof(out)})
        self.gemm.function(*values)
        return list(out)

    def variable(self, w):
        return f"v{next(i for i, (v, _) in enumerate(self.arrays) if v is w)}"

    def ratio(self, size, scale):
        self.scales.append(scale)
        return size / scale

    def norm(self, v, rows):
        """The largest sum of magnitudes of a column."""
        rows *= self.parts
        return max((sum(map(abs, v[j:j + rows])) for j in range(0, len(v), rows)), default=0.0) if rows else 0.0

    def random(self, rng, m, n):
        return [ctypes.c_float(rng.uniform(-1, 1)).value for _ in range(m * n * self.parts)]

    def identity(self, n, x=1.0):
        v = [0.0] * (n * n * self.parts)
        for i in range(n):
            v[i * (n + 1) * self.parts] = x
        return v

    def triangle(self, v, rows, columns, upper, unit=False, height=None):
        """One triangle of a matrix of `height` rows, zeros elsewhere."""
        p, height, out = self.parts, height or rows, []
        for j in range(columns):
            for i in range(rows):
                keep = i <= j if upper else i >= j
                at = (j * height + i) * p
                out += [1.0, 0.0][:p] if unit and i == j else v[at:at + p] if keep else [0.0] * p
        return out

    def h(self):
        return "c" if self.parts == 2 else "t"

    def definite(self, rng, n):
        a = self.random(rng, n, n)
        return self.product(a, a, n, n, n, "n", self.h(), self.identity(n, float(n)))

    def orthogonality(self, q, m, n):
        """|Q'Q - I| in units of m."""
        r = self.product(q, q, n, n, m, self.h(), "n", self.identity(n), -1.0)
        return self.ratio(self.norm(r, n), max(m, 1) * self.unit)


def solved(x, a, b, n, nrhs, answer):
    """|B - A X| in units of |A||X| n."""
    r = x.product(a, answer, n, nrhs, n, c=b, alpha=-1.0)
    return x.ratio(x.norm(r, n), n * x.unit * max(x.norm(a, n) * x.norm(answer, n), 1e-300))


def gesv(x, rng, n):
    a, b = x.random(rng, n, n), x.random(rng, n, 3)
    out, pivots = x.array(b), (ctypes.c_int64 * n)()
    info = x.call("gesv", n, 3, x.array(a), n, pivots, out, n)
    return info, [solved(x, a, b, n, 3, list(out))]


def posv(x, rng, n):
    a, b = x.definite(rng, n), x.random(rng, n, 3)
    out = x.array(b)
    info = x.call("posv", "L", n, 3, x.array(a), n, out, n)
    return info, [solved(x, a, b, n, 3, list(out))]


def getrf(x, rng, n):
    m = n + 3
    a = x.random(rng, m, n)
    lu, pivots = x.array(a), (ctypes.c_int64 * n)()
    info = x.call("getrf", m, n, lu, m, pivots)
    wide = find(x.library, x.letter + "getrf")[1] is ctypes.c_int64
    order = list(pivots) if wide else list((ctypes.c_int32 * n).from_buffer(pivots))
    p, swapped = x.parts, list(a)
    for i, other in enumerate(order):
        for j in range(n):
            s, t = (j * m + i) * p, (j * m + other - 1) * p
            swapped[s:s + p], swapped[t:t + p] = swapped[t:t + p], swapped[s:s + p]
    r = x.product(x.triangle(list(lu), m, n, False, True), x.triangle(list(lu), n, n, True, height=m), m, n, n,
                  c=swapped, alpha=-1.0)
    return info, [x.ratio(x.norm(r, m), m * x.unit * x.norm(a, m))]


def potrf(x, rng, n):
    a = x.definite(rng, n)
    out = x.array(a)
    info = x.call("potrf", "L", n, out, n)
    low = x.triangle(list(out), n, n, False)
    return info, [x.ratio(x.norm(x.product(low, low, n, n, n, "n", x.h(), a, -1.0), n), n * x.unit * x.norm(a, n))]


def geqrf(x, rng, n):
    m = n + 4
    a = x.random(rng, m, n)
    q, tau = x.array(a), x.array([0.0] * n * x.parts)
    info = x.call("geqrf", m, n, q, m, tau, "work")
    r = x.triangle(list(q), n, n, True, height=m)
    info = info or x.call("ungqr" if x.parts == 2 else "orgqr", m, n, n, q, m, tau, "work")
    left = x.product(list(q), r, m, n, n, c=a, alpha=-1.0)
    return info, [x.ratio(x.norm(left, m), m * x.unit * x.norm(a, m)), x.orthogonality(list(q), m, n)]


def gels(x, rng, n):
    m = n + 4
    a, b = x.random(rng, m, n), x.random(rng, m, 2)
    out, p = x.array(b), x.parts
    info = x.call("gels", "N", m, n, 2, x.array(a), m, out, m, "work")
    answer = [v for j in range(2) for v in list(out)[j * m * p:(j * m + n) * p]]
    left = x.product(a, answer, m, 2, n, c=b, alpha=-1.0)
    turned = x.product(a, left, n, 2, m, x.h())
    return info, [x.ratio(x.norm(turned, n), m * x.unit * x.norm(a, m) * max(
        x.norm(b, m), x.norm(a, m) * x.norm(answer, n)))]


def syev(x, rng, n):
    a = x.random(rng, n, n)
    a = x.product(a, x.identity(n), n, n, n, x.h(), "n", a)  # A + A'
    z, w = x.array(a), x.array([0.0] * n)
    info = x.call("syev", "V", "L", n, z, n, w, "work", "rwork")
    scaled = [v * w[i // (n * x.parts)] for i, v in enumerate(z)]
    left = x.product(a, list(z), n, n, n, c=[-v for v in scaled])
    sorted_ok = 0.0 if list(w) == sorted(w) else float("inf")
    return info, [x.ratio(x.norm(left, n), n * x.unit * x.norm(a, n)), x.orthogonality(list(z), n, n), sorted_ok]


def gesvd(x, rng, n):
    m = n + 2
    a = x.random(rng, m, n)
    s, u, v = x.array([0.0] * n), x.array([0.0] * m * n * x.parts), x.array([0.0] * n * n * x.parts)
    info = x.call("gesvd", "S", "S", m, n, x.array(a), m, s, u, m, v, n, "work", "rwork")
    scaled = [e * s[i // (m * x.parts)] for i, e in enumerate(u)]
    left = x.product(scaled, list(v), m, n, n, c=a, alpha=-1.0)
    sorted_ok = 0.0 if list(s) == sorted(s, reverse=True) and min(s, default=0) >= 0 else float("inf")
    return info, [x.ratio(x.norm(left, m), m * x.unit * x.norm(a, m)), x.orthogonality(list(u), m, n),
                  x.orthogonality(list(v), n, n), sorted_ok]


def numbers(lib, oracle, routines, letter, i, journal=None, stop=None):
    x = Numbers(lib, oracle, routines, letter)
    x.journal, x.stop, x.first_step = journal, stop, i * STEPS
    return x


def run(x, driver, n, seed):
    return globals()[driver](x, random.Random(f"{seed} {driver} {n}"), n)


def finding(x, driver, n, seed, what, why):
    text = f"{proper(x.letter + driver)}, order {n}, seed {seed}{why}"
    return {"what": what, "calls": 1, "text": text, "program": residual.write(x, driver, n, what, text)}


def judge(lib, oracle, routines, _, what, options, journal):
    letter, driver = what
    largest, findings = 0.0, []
    for i, n in enumerate(ORDERS if options["long"] else ORDERS[:-1]):
        x = numbers(lib, oracle, routines, letter, i, journal)
        info, residuals = run(x, driver, n, options["seed"])
        largest = max(largest, *residuals)
        if (info != 0 or not max(residuals) <= LARGEST) and not findings:
            findings.append(finding(x, driver, n, options["seed"], "LAPACK fails" if info else "a residual is too large", (
                f": info {info}" if info else ": residual, orthogonality " + ", ".join(f"{r:.3g}" for r in residuals)
                + f", more than {LARGEST:.0f} n u")))
    return {"routine": proper(letter + driver), "type": letter, "base": driver, "forms": ["fortran"], "results": 0,
            "rounded": 0, "ulps": largest, "ratio": largest / LARGEST, "grade": "F" if findings else "A",
            "notes": {}, "findings": findings}


def crashed(lib, oracle, routines, what, seed, step, why):
    """The report of a call that ended its process."""
    letter, driver = what
    x = numbers(lib, oracle, routines, letter, step // STEPS, None, step % STEPS)
    try:
        run(x, driver, ORDERS[step // STEPS], seed)
    except Recorded:
        pass
    return finding(x, driver, ORDERS[step // STEPS], seed, why, "")
