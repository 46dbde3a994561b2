"""What the tests of the three engines share: TAP, hard data, and every aggregate's value in fractions,
rounded once."""
import math
import os
import pathlib
import random
import sys
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from rounding import root, rounded  # noqa: E402
from tap import check, finish, skip  # noqa: E402, F401

def run_by(python):
    """Goes on with another interpreter, if that is there and is not this one."""
    if os.path.exists(python) and not os.environ.get("EXBLAS_SQL_RUN_BY"):
        os.environ["EXBLAS_SQL_RUN_BY"] = python
        sys.stdout.flush()
        os.execv(python, [python, *sys.argv])


class Sums:
    def __init__(self, pairs):
        self.n = len(pairs)
        x, y = [Fraction(p[0]) for p in pairs], [Fraction(p[1]) for p in pairs]
        self.x, self.y = sum(x), sum(y)
        self.xy = sum(map(Fraction.__mul__, x, y), Fraction(0))
        n, xx, yy = self.n, sum(v * v for v in x), sum(v * v for v in y)
        self.mx, self.my = n * xx - self.x ** 2, n * yy - self.y ** 2
        self.mxy = n * self.xy - self.x * self.y
        self.intercept = self.y * xx - self.x * self.xy


def ratio(n, d):
    return rounded(Fraction(n) / d) if d > 0 else None


def deviation(n, d):
    return root(Fraction(n) / d) if d > 0 else None


def r2(s):
    return None if s.mx == 0 else 1.0 if s.my == 0 else ratio(s.mxy ** 2, s.mx * s.my)


def corr(s):
    d = s.mx * s.my
    return math.copysign(root(s.mxy ** 2 / d), s.mxy) if d else None


# Name and arguments in SQL, and the value: y is the first argument of those with two.
AGGREGATES = {
    "exact_sum(x)": lambda s: rounded(s.x),
    "exact_avg(x)": lambda s: ratio(s.x, s.n),
    "exact_dot(x, y)": lambda s: rounded(s.xy),
    "exact_var_pop(x)": lambda s: ratio(s.mx, s.n ** 2),
    "exact_var_samp(x)": lambda s: ratio(s.mx, s.n * (s.n - 1)),
    "exact_stddev_pop(x)": lambda s: deviation(s.mx, s.n ** 2),
    "exact_stddev_samp(x)": lambda s: deviation(s.mx, s.n * (s.n - 1)),
    "exact_stddev(x)": lambda s: deviation(s.mx, s.n * (s.n - 1)),
    "exact_variance(x)": lambda s: ratio(s.mx, s.n * (s.n - 1)),
    "exact_covar_pop(y, x)": lambda s: ratio(s.mxy, s.n ** 2),
    "exact_covar_samp(y, x)": lambda s: ratio(s.mxy, s.n * (s.n - 1)),
    "exact_corr(y, x)": corr,
    "exact_regr_avgx(y, x)": lambda s: ratio(s.x, s.n),
    "exact_regr_avgy(y, x)": lambda s: ratio(s.y, s.n),
    "exact_regr_sxx(y, x)": lambda s: ratio(s.mx, s.n),
    "exact_regr_syy(y, x)": lambda s: ratio(s.my, s.n),
    "exact_regr_sxy(y, x)": lambda s: ratio(s.mxy, s.n),
    "exact_regr_slope(y, x)": lambda s: ratio(s.mxy, s.mx),
    "exact_regr_intercept(y, x)": lambda s: ratio(s.intercept, s.mx),
    "exact_regr_r2(y, x)": r2,
}


def groups():
    """Lists of (x, y), each hard in its own way; no result of theirs overflows."""
    r = random.Random(1)
    uniform = [(r.uniform(-1, 1), r.uniform(-1, 1)) for _ in range(300)]
    spread = [(r.uniform(-1, 1) * 2.0 ** r.randint(-200, 200), r.uniform(-1, 1) * 2.0 ** r.randint(-200, 200))
              for _ in range(120)]
    cancelling = [(s * v * 10.0 ** e, v) for v, e in ((1.1, 15), (0.3, 0), (7.7, -9)) for s in (1, -1)]
    yield uniform
    yield spread
    yield cancelling + [(1e-30, 1.0), (2.0, 3.0)]
    yield [(round(r.uniform(0, 1000), 2), float(r.randint(1, 50))) for _ in range(400)]
    yield [(1.0, 2.0), (1.0 + 2.0 ** -52, 4.0)]                            # a mean that is a tie
    yield [(2.0 ** 53, 1.0), (1.0, 2.0 ** 53), (2.0 ** -200, 2.0 ** -200)]  # ties broken from afar
    yield [(5e-324, 1e-310), (5e-324, 2e-310), (1.5e-323, -5e-324)]          # subnormal
    yield [(4.0, 5.0)]
    yield [(4.0, 5.0), (4.0, 6.0), (4.0, 7.0)]                              # x is constant
    yield [(4.0, 5.0), (6.0, 5.0)]                                          # y is
    yield [(1e9 + i, 3e9 - 2.0 * i) for i in range(50)]                     # a line
    yield [(1e15 + v, v) for v in (4.0, 7.0, 13.0, 16.0)]
    yield [(3e-5, -1e-5)] * 10


def rows_of_groups():
    """(group, x, y), shuffled over all groups, with rows that have a NULL, and a group of only such."""
    rows = [(g, x, y) for g, pairs in enumerate(groups()) for x, y in pairs]
    # A NULL in a row that none of the functions of one argument sees either.
    rows += [(g, None, None) for g in range(20)]
    random.Random(2).shuffle(rows)
    return rows


def check_groups(run, null=None):
    """All aggregates over all groups; run(sql) gives rows of numbers. `null` may change what is wanted where
    fractions have no value: null(aggregate, sums)."""
    names = list(AGGREGATES)
    got = {row[0]: row[1:] for row in run(f"select g, {', '.join(names)} from data group by g order by g")}
    for i, name in enumerate(names):
        wanted = {}
        for g, pairs in enumerate(groups()):
            s = Sums(pairs)
            value = AGGREGATES[name](s)
            wanted[g] = null(name, s) if value is None and null else value
        wanted |= {g: None for g in range(len(wanted), 20)}
        check(f"{name} by group", {g: got[g][i] for g in got}, wanted)
    empty = run(f"select {', '.join(names)} from data where g < 0")
    check("no rows: NULL", [tuple(row) for row in empty], [(None,) * len(names)])


def integers():
    """Pairs of which few are doubles; sums of x and of x y are in 64 bits."""
    r = random.Random(3)
    large = [(r.choice((1, -1)) * r.getrandbits(63), r.choice((1, -1)) * r.getrandbits(63)) for _ in range(40)]
    rows = large + [(-x, y) for x, y in large] + [(r.randint(-2 ** 20, 2 ** 20), r.randint(-9, 9)) for _ in range(9)]
    rows += [(2 ** 63 - 1, 1), (-2 ** 63, 1), (2 ** 53 + 1, 1), (-2 ** 53, 1), (0, 7), (-3, 2 ** 53 - 1), (3, 2 ** 53 + 1)]
    r.shuffle(rows)
    return rows


def check_integers(run, without=()):
    """All aggregates of the table `integers` (i, x, y), of integers of 64 bits; sums are integers, exactly. Frames
    that move, too: what is taken away is what was added."""
    names = ["exact_sum(x)", "exact_dot(x, y)"]
    names += [n for n in AGGREGATES if n not in names and n not in without]
    s = Sums(integers())
    (got,) = run(f"select {', '.join(names)} from integers")
    for name, value in zip(names, got):
        wanted = {"exact_sum(x)": int(s.x), "exact_dot(x, y)": int(s.xy)}.get(name, AGGREGATES[name](s))
        check(f"integers: {name}", value, wanted)
    frame = "over (order by i rows between 2 preceding and current row)"
    got = run(f"select exact_sum(x / 4) {frame}, exact_covar_pop(y, x) {frame} from integers order by i")
    parts = [integers()[max(0, i - 2):i + 1] for i in range(len(integers()))]
    quarters = [sum(int(x / Fraction(4)) for x, _ in p) for p in parts]
    check("integers: sums of a frame", [row[0] for row in got], quarters)
    wanted = [AGGREGATES["exact_covar_pop(y, x)"](Sums(p)) for p in parts]
    check("integers: covariances of a frame", [row[1] for row in got], wanted)


SERIES = [1e16, 1.0, -1e16, 0.1, None, 3e-5, 1e150, -1e150, 2.0, 2.0 ** -1000, 7.0, None, None, None, -3.0, 5e-324, 0.1,
          0.2, 0.3]
FRAMES = {  # of rows i, first and one past the last
    "rows between 2 preceding and 1 following": lambda i, n: (i - 2, i + 2),
    "rows between unbounded preceding and current row": lambda i, n: (0, i + 1),
    "rows between current row and unbounded following": lambda i, n: (i, n),
    "rows between 3 preceding and 2 preceding": lambda i, n: (i - 3, i - 1),
}


def frame_sum(values):
    """As SQL has it: of Inf and NaN, too."""
    values = [v for v in values if v is not None]
    special = [v for v in values if not math.isfinite(v)]
    if not values:
        return None
    return sum(special) if special else rounded(sum(map(Fraction, values), Fraction(0)))


def check_windows(run, series):
    """Frames that move, over the table `series` (i, x), against recomputation."""
    n = len(series)
    for frame, place in FRAMES.items():
        got = run(f"select exact_sum(x) over (order by i {frame}), exact_var_samp(x) over (order by i {frame}) "
                  "from series order by i")
        parts = [[v for v in series[max(0, place(i, n)[0]):max(0, place(i, n)[1])] if v is not None] for i in range(n)]
        check(f"sum over {frame}", [row[0] for row in got], [frame_sum(p) for p in parts])
        finite = all(v is None or math.isfinite(v) for v in series)
        if finite:
            variance = AGGREGATES["exact_var_samp(x)"]
            wanted = [variance(Sums([(v, v) for v in p])) if p else None for p in parts]
            check(f"variance over {frame}", [row[1] for row in got], wanted)


def check_sums(run, write_series, one):
    """Frames, and what overflows or has a sign only for floating point; one(values, what) is an aggregate of doubles."""
    write_series(SERIES)
    check_windows(run, SERIES)
    check("a sum that overflows only in between", one([1e308, 1e308, -1e308]), 1e308)
    check("a mean whose sum overflows", one([1e308, 1e308], "exact_avg(x)"), 1e308)
    check("zeros", one([-0.0, -0.0]), 0.0)


def check_specials(run, write_series, one):
    """Inf and NaN, as in the engine's own aggregates."""
    series = [1.0, math.inf, 2.0, 3.0, -math.inf, 4.0, math.nan, 5.0, 6.0, None, 0.5]
    write_series(series)
    check_windows(run, series)
    specials = ([1.0, math.inf], [math.inf, -math.inf], [math.nan, 1.0], [-math.inf, 1e308])
    for what in ("sum(x)", "avg(x)", "var_pop(x)", "stddev_samp(x)", "covar_samp(x, x)"):
        check(f"Inf and NaN in {what}", [one(v, "exact_" + what) for v in specials], [one(v, what) for v in specials])


# Revenues of suppliers, and Q15 of TPC-H in its own words: those whose revenue is the largest.
REVENUES = "select s, total from revenue order by s"
Q15 = "select s, total from revenue where total = (select max(total) from revenue) order by s"
N_RUNS = 30


def check_revenue(run, lines):
    """run(i): number i's rows of the two queries above; lines: the suppliers and amounts that they are of."""
    tables, winners = map(set, zip(*map(run, range(N_RUNS))))
    check(f"{N_RUNS} runs give one table", len(tables), 1)
    check("and one answer to Q15, never empty", (len(winners), all(winners)), (1, True))
    amounts = {}
    for s, x in lines:
        amounts.setdefault(s, []).append(x)
    check("which is right", tables.pop(), tuple((s, math.fsum(amounts[s])) for s in sorted(amounts)))
