"""Suites of exblas bench that are measured in this process, pinned to one processor: calls by addresses, timed in C."""
import ctypes
import functools
import itertools
import json
import math
import os
import platform
import re
import sys

from programs import COLUMNS, HERE, found, pin

ONE, TWO = ctypes.c_int(1), ctypes.c_int(2)
REALS = {"s": ctypes.c_float, "d": ctypes.c_double, "c": ctypes.c_float, "z": ctypes.c_double}
FIGURES = ("min_ns", "median_ns", "cycles", "ratio", "worst_ratio")
native = ctypes.CDLL(os.path.join(HERE, "libexblas_bench.so"))
native.exblas_info.restype = native.exblas_version.restype = ctypes.c_char_p
native.bench_errors.restype = ctypes.c_double


class Candidate(ctypes.Structure):
    """harness.h's."""
    _fields_ = [("run", ctypes.c_void_p), ("argument", ctypes.c_void_p * 16), ("before", ctypes.c_void_p),
                ("given", ctypes.c_void_p), ("restored", ctypes.c_void_p), ("start", ctypes.c_void_p),
                ("bytes", ctypes.c_size_t), *((name, ctypes.c_double) for name in FIGURES)]


def address(x):
    """Of a function, letters or another object of ctypes; an integer stands for itself."""
    if isinstance(x, int):
        return x
    if isinstance(x, bytes):
        return ctypes.cast(x, ctypes.c_void_p).value
    return ctypes.cast(x, ctypes.c_void_p).value if hasattr(x, "restype") else ctypes.addressof(x)


def candidate(function, *arguments, before=None, given=None, restored=None, start=None, n_bytes=0):
    c = Candidate(address(function), (ctypes.c_void_p * 16)(*map(address, arguments)), bytes=n_bytes,
                  **{k: address(v) for k, v in (("before", before), ("given", given), ("restored", restored),
                                                ("start", start)) if v is not None})
    c.kept = function, arguments, before, given, restored, start
    return c


def of_method(name, function, *arguments):
    return candidate(function, *arguments, before=native.exblas_set_method, given=name.encode())


def numbers(n):
    return (ctypes.c_double * n)()


def fill(x, n, seed, kind="uniform", narrow=False):
    native.data_fill(kind.encode(), ctypes.c_int64(n), x, ctypes.c_uint64(seed), narrow)


# --- the machine and other libraries ----------------------------------------------------


def text_in(name):
    return ctypes.c_char_p.in_dll(native, name).value.decode()


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
            return re.search(r"^model name\s*: *(.*)", f.read(), re.M)[1]
    except (OSError, TypeError):
        return "unknown processor"


def prepare(o):
    """One thread, pinned, and OpenBLAS's best kernels: it falls back to its oldest ones on a processor that it does not
    know by its model number. What is told of the machine."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if platform.machine() == "x86_64":
        os.environ.setdefault("OPENBLAS_CORETYPE", ("Prescott", "Haswell", "SkylakeX")[native.comparators_width()])
    native.exblas_set_num_threads(1)
    pin({o.cpu})
    return {"machine": processor(), "version": native.exblas_version().decode(),
            "kernels": native.exblas_info(b"isa").decode(), "compiler": native.exblas_info(b"compiler").decode(),
            "commit": text_in("bench_commit"), "cpu": o.cpu, "openblas": openblas_name(o),
            "coretype": os.environ.get("OPENBLAS_CORETYPE", ""), "mpirun": text_in("bench_mpirun")}


@functools.cache
def load(path):
    """With one thread, if it can be told; None: it is not there."""
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        print(error, file=sys.stderr)
        return None
    getattr(library, "openblas_set_num_threads", lambda n: None)(1)
    return library


def openblas(o, symbol):
    return getattr(load(o.openblas), symbol, None)


def openblas_name(o):
    config, core = openblas(o, "openblas_get_config"), openblas(o, "openblas_get_corename")
    if not config:
        return o.openblas if openblas(o, "dgemm_") else "no OpenBLAS"
    config.restype = core.restype = ctypes.c_char_p
    return f"OpenBLAS {config().decode().split(' ')[1]}, kernels {core().decode()}"


def libraries(o, symbol, *arguments):
    """Candidates that call it of OpenBLAS and of each further library, those that have it."""
    short = [os.path.basename(b) for b in o.blas]
    names = [s if short.count(s) == 1 else b for s, b in zip(short, o.blas)]
    every = {"OpenBLAS": openblas(o, symbol),
             **{name: getattr(load(b), symbol, None) for name, b in zip(names, o.blas)}}
    return {name: candidate(f, *arguments) for name, f in every.items() if f}


# --- measuring --------------------------------------------------------------------------


def measure(o, candidates, round_ns=math.inf):
    each = (Candidate * len(candidates))(*candidates)
    native.bench_measure(each, len(each), ctypes.c_double(min(o.round_ns, round_ns)), 9 if o.quick else 31)
    return each


def figures(c, elements=0, n_bytes=0, flops=0):
    """Those that apply."""
    every = {"ns_per_element": elements and c.min_ns / elements, "cycles_per_element": elements and c.cycles / elements,
             "gb_s": n_bytes / c.min_ns, "gflop_s": flops / c.min_ns}
    return {"min_ns": c.min_ns, "median_ns": c.median_ns, **{name: x for name, x in every.items() if x},
            "ratio": c.ratio, "worst_ratio": c.worst_ratio}


def point(o, x, candidates, base, value, *work):
    """A row for each candidate; value: of the time of a call."""
    first = list(candidates)[base]
    order = sorted(candidates, key=lambda name: name != first)
    timed = dict(zip(order, measure(o, [candidates[name] for name in order])))
    for name in candidates:
        c = timed[name]
        yield {"series": name, "x": x, "value": value(c.min_ns), "median": value(c.median_ns), **figures(c, *work)}


def over(o, x, theirs, ours, round_ns=math.inf):
    """A row for each of ours: its time over that of theirs."""
    first, *each = measure(o, [theirs, *ours.values()], round_ns)
    for name, c in zip(ours, each):
        yield {"series": name, "x": x, "value": c.ratio, "median": c.median_ns / first.median_ns, **figures(c)}


# --- sums -------------------------------------------------------------------------------

OF_LITERATURE = {"pairwise": native.pairwise_sum, "Neumaier": native.neumaier_sum,
                 "two-pass, 2 slices": native.two_pass_sum, "binned, K = 2": native.binned2_sum,
                 "binned, K = 3": native.binned3_sum}
SLOW = {"Hallberg": native.hallberg_sum, "fixed point HP(6,3)": native.fixed_point_sum}
MOST_MPFR = 1 << 18
METHODS = ("superacc", "fpe2", "fpe3", "fpe4", "fpe5", "fpe6", "fpe7", "fpe8", "fpe4ee", "fpe6ee", "fpe8ee", "filter",
           "auto")
FEW = ("superacc", "fpe2", "fpe4", "fpe8ee", "auto")


@functools.cache
def as_mpfr(of, n):
    """mpfr_sum and addresses of MPFR's numbers, kept for good, that are n doubles; None: MPFR is not there."""
    try:
        mpfr = ctypes.CDLL("libmpfr.so.6")
    except OSError:
        return None
    each = (ctypes.c_long * 4 * (n + 1))()  # their size; the last one takes the sum
    begin, size = address(each), ctypes.sizeof(each[0])
    pointers = (ctypes.c_void_p * (n + 1))(*range(begin, begin + (n + 1) * size, size))
    for i, p in enumerate(pointers):
        mpfr.mpfr_init2(ctypes.c_void_p(p), ctypes.c_long(53))
        mpfr.mpfr_set_d(ctypes.c_void_p(p), ctypes.c_double.from_address(of + 8 * min(i, n - 1)), 0)
    return mpfr.mpfr_sum, each, pointers


def sum_ways(n, x, more):
    """more: also what has a range of its own, or takes its time."""
    ways = {"plain loop": candidate(native.plain_sum, n, x, ONE)}
    ways |= {name: candidate(f, n, x) for name, f in {**OF_LITERATURE, **(SLOW if more else {})}.items()}
    mpfr = as_mpfr(address(x), min(len(x), MOST_MPFR)) if more and n.value <= MOST_MPFR else None
    if mpfr:
        ways["MPFR mpfr_sum"] = candidate(mpfr[0], mpfr[1][-1], mpfr[2], n.value, 0)
    return ways | {f"ExBLAS {m}": of_method(m, native.exdsum_, n, x, ONE) for m in FEW}


def dot_ways(o, n, x, y):
    arguments = n, x, ONE, y, ONE
    return {"plain loop": candidate(native.plain_dot, *arguments), **libraries(o, "ddot_", *arguments),
            "Dot2": candidate(native.dot2, *arguments),
            **{f"ExBLAS {m}": of_method(m, native.exddot_, *arguments) for m in FEW}}


def series_of(rows, ours):
    """Our default, which is the last one, stays the last."""
    return [*dict.fromkeys(r["series"] for r in rows if r["series"] != ours), ours]


def sizes(o, suite, title, what, n_vectors, ways, base=0):
    most, step = (1 << 16, 16) if o.quick else (1 << 24, 4)
    x, rows, n = [numbers(most) for _ in range(n_vectors)], [], 256 if o.quick else 64
    if n_vectors == 1:
        native.bench_spread(most, *x, ctypes.c_double(0))
    else:
        for seed, each in enumerate(x, 1):
            fill(each, most, seed)
    while n <= most:
        work = n, 8 * n_vectors * n, n_vectors * n
        rows += point(o, n, ways(ctypes.c_int(n), *x), base, lambda ns, n=n: n / ns, *work)
        n *= step
    level = [r["value"] for r in rows if r["series"] == "plain loop"][-1]
    return found(suite, title, rows, f"10^9 {what} a second", f"10^9 {what}/s", base=base, x_log=True, y_log=True,
                 series=series_of(rows, "ExBLAS auto"), ceiling=["plain loop, from memory", level])


def suite_size(o):
    return sizes(o, "size", "Sums of n doubles, dynamic range 1, one thread", "elements", 1,
                 lambda n, x: sum_ways(n, x, True))


def suite_dot(o):
    return sizes(o, "dot", "Dot products of n doubles, uniform in [-1, 1), one thread", "products", 2,
                 lambda n, x, y: dot_ways(o, n, x, y), int(bool(openblas(o, "ddot_"))))


def suite_range(o):
    n, rows = 10000 if o.quick else 100000, []
    x, size = numbers(n), ctypes.c_int(n)
    ways = {"plain loop": candidate(native.plain_sum, size, x, ONE),
            **{m: of_method(m, native.exdsum_, size, x, ONE) for m in METHODS}}
    for decades in range(0, 141, 70 if o.quick else 10):
        native.bench_spread(n, x, ctypes.c_double(decades))
        rows += point(o, decades, ways, 0, lambda ns: n / ns, n, 8 * n, n)
    return found("range", "Sums of 10^5 doubles by method and dynamic range, one thread", rows,
                 "10^9 elements a second", "10^9 elements/s", x="decades between smallest and largest magnitude",
                 y_log=True)


def errors(o, suite, title, with_y, ways):
    rows = []
    each = (Candidate * len(ways))(*ways.values())
    for n_bits in range(0, 201, 50 if o.quick else 8):
        condition = 10 ** native.bench_errors(each, len(each), ctypes.c_double(n_bits), with_y, 8 if o.quick else 64)
        rows += [{"series": name, "x": condition, "value": c.min_ns, "median": c.median_ns}
                 for name, c in zip(ways, each)]
    return found(suite, title, rows, "largest error, ulps (at most 10^{20} is shown)", "ulps", x="condition number",
                 x_log=True, y_log=True, y_powers=True)


def suite_accuracy_sum(o):
    return errors(o, "accuracy-sum", "Error of sums of 1000 doubles", False, sum_ways(ONE, ONE, False))


def suite_accuracy_dot(o):
    return errors(o, "accuracy-dot", "Error of dot products of 1000 doubles", True, dot_ways(o, ONE, ONE, ONE))


# --- routines ---------------------------------------------------------------------------

# A row's name and its arguments, a letter each: n the size, i and j increments of 1 and 2, 1 and 0 scalars, p and q an
# alpha of one bit and of 53; operands are a, b, the triangle t, and c, of which r is from the same numbers every time
# (n^2 numbers are copied for n^3 operations), and v a vector; others are options. Then the data and the largest size.
ROUTINES = {
    "level1": [
        ("dsum", "nai"), ("dasum", "nai"), ("dnrm2", "nai"), ("ddot", "naibi"), ("zdotu", "naibi"),
        ("dsum, stride 2", "naj"), ("ddot, stride 2", "najbj"), ("dsum of integers", "nai", "integers of 11 bits"),
        ("dsum over 10^60", "nai", "10^60"),
        ("dsum that cancels", "nai", "cancelling"), ("ddot over 10^60", "naibi", "10^60"),
        ("ddot that cancels", "naibi", "condition 2^60")],
    "level2": [
        *((f"{name} {trans}{by}", f"{trans}nn1anbi0ci") for name, by in (
            ("dgemv", ""), ("sgemv", ""), ("sbgemv", " by sgemv"), ("shgemv", " by sgemv"), ("zgemv", ""))
          for trans in "NT"),
        ("dsymv L", "Ln1anbi0ci"), ("dsymv U", "Un1anbi0ci"), ("dtrmv N", "LNNntnvi"), ("dtrmv T", "LTNntnvi"),
        ("dtrsv N", "LNNntnvi"), ("dtrsv T", "LTNntnvi"), ("dger, alpha 2^-40", "nnpaibicn"),
        ("dger, alpha of 53 bits", "nnqaibicn")],
    "level3": [
        ("dgemm", "NNnnn1anbn0cn", "normal"), ("dgemm T", "TNnnn1anbn0cn", "normal"),
        ("sgemm", "NNnnn1anbn0cn", "normal"),
        ("sbgemm by sgemm", "NNnnn1anbn0cn", "normal"), ("shgemm by sgemm", "NNnnn1anbn0cn", "normal"),
        ("bgemm by sgemm", "NNnnn1anbn0cn", "normal"), ("zgemm", "NNnnn1anbn0cn", "normal"),
        ("dsyrk", "LNnn1an0cn"), ("dsymm", "LLnn1anbn0cn"), ("dtrmm", "LLNNnn1tnrn"), ("dtrsm", "LLNNnn1tnrn"),
        ("ztrsm", "LLNNnn1tnrn"), ("dgemm of integers", "NNnnn1anbn0cn", "integers of 11 bits"),
        ("dgemm, exp(2 normal)", "NNnnn1anbn0cn", "exp(2 normal)"), ("dgemm over 10^60", "NNnnn1anbn0cn", "10^60", 256),
        ("dgemm, every exponent", "NNnnn1anbn0cn", "full range", 256)]}
# OpenBLAS has none of these, or slow ones.
PLAIN = {"dsum": native.plain_sum, "dasum": native.plain_asum, "dnrm2": native.plain_norm}


def routine(o, work, n, name, letters, kind="uniform", most=1 << 20):
    """The row of a routine for a size."""
    own = re.match(r"\w+", name)[0]
    other = name.rpartition(" by ")[2] if " by " in name else own
    theirs, parts, halves = PLAIN.get(own) or openblas(o, other + "_"), 2 if own[0] == "z" else 1, other != own
    if n > most or not theirs:
        return
    real = REALS[other[0]]
    count = parts * (n * n if work["t"] else 2 * n)
    for seed, letter in enumerate("abst" if work["t"] else "ab", 1):
        fill(work[letter], count, seed, kind, other[0] == "s")
    for i in range(n if work["t"] else 0):  # solutions stay of moderate size
        work["t"][parts * i * (n + 1)] = 4.0 * n
    operands = {**work, "n": ctypes.c_int(n), "i": ONE, "j": TWO, "1": (real * 2)(1), "0": (real * 2)(), "r": work["c"],
                "v": work["c"], "p": ctypes.c_double(2.0**-40),
                "q": ctypes.c_double(float.fromhex("0x1.23456789abcdfp-40"))}
    more = {}
    if "r" in letters or "v" in letters:
        more = {"restored": work["c"], "start": work["s"], "n_bytes": 8 * (n if "v" in letters else count)}
    call = candidate(theirs, *(operands.get(c) or c.encode() for c in letters), **more)
    if halves:  # of 16 bits, made of the others' numbers
        for x, bits in ("as", "bt"):
            native.data_cut("bg" in own, ctypes.c_int64(count), work[x], work[bits])
        operands |= {"a": work["s"], "b": work["t"]}
        operands["1"] = ctypes.c_uint16(0x3f80) if own == "bgemm" else operands["1"]
    ours = candidate(getattr(native, f"ex{own}_"), *(operands.get(c) or c.encode() for c in letters), **more)
    yield from over(o, n, call, {name: ours})


def level(o, suite, title, quick, most):
    largest, matrices = quick if o.quick else most, suite != "level1"
    room = 2 * (largest ** 2 if matrices else 2 * largest)
    work = {letter: numbers(room) if matrices or letter in "abc" else None for letter in "abcst"}
    rows = [row for n in COLUMNS if n <= largest for listed in ROUTINES[suite] for row in routine(o, work, n, *listed)]
    return found(suite, title, rows, "time / time of OpenBLAS", "times the other's time", x_log=True, y_log=True,
                 series=[listed[0] for listed in ROUTINES[suite]])


def suite_level1(o):
    return level(o, "level1", "Level 1, over OpenBLAS (sum, asum, nrm2: over plain loops)", 1 << 10, 1 << 20)


def suite_level2(o):
    return level(o, "level2", "Level 2, over OpenBLAS, uniform data", 64, 1024)


def suite_level3(o):
    return level(o, "level3", "Level 3, over OpenBLAS, normal data", 64, 1024)


def suite_gemm(o):
    a, b, c = (numbers((128 if o.quick else 2048) ** 2) for _ in range(3))
    rows, n, exact = [], 16, METHODS[:1] + METHODS[2:9]
    base = 0 if openblas(o, "dgemm_") else -1
    while n * n <= len(a):
        size, one, zero = ctypes.c_int(n), ctypes.c_double(1), ctypes.c_double(0)
        arguments = b"N", b"N", size, size, size, one, a, size, b, size, zero, c, size
        fill(a, n * n, 1)
        fill(b, n * n, 2)
        # Methods that compute every element exactly take seconds for large products.
        ways = {**libraries(o, "dgemm_", *arguments),
                **{m: of_method(m, native.exdgemm_, *arguments) for m in exact if n <= (64 if o.quick else 256)},
                "ExBLAS auto": of_method("auto", native.exdgemm_, *arguments)}
        rows += point(o, n, ways, base, lambda ns, n=n: ns / n ** 3, n ** 3, 0, 2 * n ** 3)
        n *= 2
    peak, = measure(o, [candidate(native.plain_peak, ctypes.c_int(1 << 20))])
    series = series_of(rows, "ExBLAS auto")
    return found("gemm", "Products of n x n matrices of doubles, uniform in [-1, 1), one thread", rows,
                 "ns per multiply-add", "ns", x_log=True, y_log=True, series=series, base=base % len(series),
                 ceiling=["FMA units at peak", peak.min_ns / (1 << 20)])


# --- the price list: every routine of the BLAS ----------------------------------------------

PRICED = 4, 16, 64, 256


def priced(o, operands, start, title, letters, letter, n):
    """Arguments: C, L, N, T, D (an N) are options; n the size; b of a band; l a leading dimension; i an increment; s a
    scalar; x read, w written. Vectors have n^2 / 4 numbers; what would grow or shrink from call to call is restored."""
    real, parts = REALS[letter], 2 if letter in "cz" else 1
    has_matrix, is_triangle, count = "L" in letters or "nn" in letters, "D" in letters, parts * n * n
    size = ctypes.c_int(n if has_matrix else n * n // 4)
    scalars, arrays = iter(((real * 2)(0.99999, 0.00223), (real * 2)(0.00447, 0.00141))), iter(operands)
    arguments, more = [], {}
    for k, c in enumerate(letters, 1):
        if c in "xw":
            last = next(arrays)
            fill(last, count, k, narrow=real is ctypes.c_float)
        arguments.append(last if c in "xw" else ctypes.c_int(n // 4) if c == "b" else ONE if c == "i" else next(scalars)
                         if c == "s" else size if c in "nl" else b"N" if c == "D" else c.encode())
    if is_triangle:  # in full storage, as a band or packed
        diagonal = ctypes.cast(operands[0], ctypes.POINTER(real))
        for i in range(n):
            diagonal[parts * (i * n + {"b": 0, "p": -(i * (i - 1) // 2)}.get(title[1], i))] = 4 * n
    if is_triangle or title.startswith("scal"):
        n_bytes = count * ctypes.sizeof(real) // (n if is_triangle and "wi" in letters else 1)
        ctypes.memmove(start, last, n_bytes)
        more = {"restored": last, "start": start, "n_bytes": n_bytes}
    return arguments, more


def suite_prices(o):
    with open(os.path.join(HERE, "prices.json"), encoding="utf-8") as f:
        listed = json.load(f)
    chosen = PRICED[:2] if o.quick else PRICED
    *operands, start = (numbers(2 * max(chosen) ** 2) for _ in range(5))
    rows = []
    for (title, names, letters), letter, n in itertools.product(listed, "sdcz", chosen):
        theirs = names.get(letter) and openblas(o, names[letter])
        if theirs:
            arguments, more = priced(o, operands, start, title, letters, letter, n)
            ours = candidate(getattr(native, "ex" + names[letter]), *arguments, **more)
            rows += over(o, title, candidate(theirs, *arguments, **more), {f"{letter}, {n}": ours}, 5e6)  # of 800
    return found("prices", "Every routine of the BLAS, over OpenBLAS", rows, "type, n", "times the other's time",
                 x="routine", series=[f"{letter}, {n}" for letter in "sdcz" for n in chosen])


# --- solutions, sums at random places, sparse matrices ---------------------------------------


class Problem(ctypes.Structure):
    """ways.c's."""
    _fields_ = [("m", ctypes.c_int), ("n", ctypes.c_int),
                *((name, ctypes.c_void_p) for name in ("a", "b", "left", "right", "matrix", "side"))]


# Condition, equations for each unknown, the largest number of unknowns.
SOLVED = [*((f"dgesv, condition {c}", float(c), 1, most) for c, most in (
    ("1e2", 1024), ("1e5", 1024), ("1e8", 1024), ("1e11", 1024), ("1e13", 1024), ("1e18", 256))),
          *((f"dgels, {times} n equations, condition {c}", float(c), times, most)
            for times, most in ((10, 256), (200, 64)) for c in ("1e6", "1e12"))]


def suite_solve(o):
    gesv, gels = openblas(o, "dgesv_"), openblas(o, "dgels_")
    largest, rows = 16 if o.quick else 1024, []
    if not gesv or not gels:
        return None
    arrays = {name: numbers(1 << 20) for name in ("a", "b", "left", "right", "matrix", "side")}
    x, pivot, room, failed = numbers(1024), (ctypes.c_int * 1024)(), ctypes.c_int(1 << 20), ctypes.c_int()
    for n, (name, condition, times, most) in itertools.product([c for c in COLUMNS if 16 <= c <= largest], SOLVED):
        if n > most:
            continue
        p = Problem(n * times, n, *map(address, arrays.values()))
        m, size, a, side = ctypes.c_int(p.m), ctypes.c_int(n), arrays["matrix"], arrays["side"]
        native.problem_set(ctypes.byref(p), ctypes.c_double(condition))
        theirs = ((gesv, size, ONE, a, size, pivot, side, size, failed) if times == 1 else
                  (gels, b"N", m, size, ONE, a, m, side, m, arrays["left"], room, failed))
        copied = {"before": native.problem_copy, "given": p}
        rows += over(o, n, candidate(*theirs, **copied), {name: candidate(native.problem_solve, p, x, **copied)})
    return found("solve", "Correctly rounded solutions, over OpenBLAS's dgesv and dgels", rows,
                 "time / time of OpenBLAS", "times the other's time", x="unknowns", x_log=True,
                 series=[s[0] for s in SOLVED])


def suite_atomics(o):
    n, most, rows, bins = 100000 if o.quick else 1 << 18, 4096 if o.quick else 1 << 18, [], 1
    x, y, index, size = numbers(n), numbers(most), (ctypes.c_int * n)(), ctypes.c_int(n)
    fill(x, n, 1)
    while bins <= most:
        native.places_set(n, bins, index)
        ways = {"plain loop": native.places_plain, "atomic doubles (CAS)": native.places_atomic}
        if bins <= 1 << 14:
            ways |= {"atomic HP(3,2)": native.places_fixed, "atomic accumulators": native.places_accumulators}
        ways["exblas_dscatter_add"] = native.places_scatter
        ways = {name: candidate(f, size, x, index, y, ctypes.c_int(bins)) for name, f in ways.items()}
        rows += point(o, bins, ways, 0, lambda ns: ns / n, n)
        bins *= 64 if o.quick else 8
    return found("atomics", "Sums at random places: y[index[i]] += x[i], one thread", rows, "ns per term", "ns",
                 x="places (bins)", x_log=True, y_log=True)


def suite_sparse(o):
    plain, threads, rows = candidate(native.sparse_plain), os.cpu_count() or 1, []
    threads = threads if 2 <= threads <= 16 else 1
    for side, count, n_threads in ((20, 8000, 1), (60, 216000, threads) if o.quick else (100, 1000000, threads)):
        for k, shape in enumerate(("7 points", "27 points", "random", "power law")):
            if not native.sparse_make(k, side, count):
                raise MemoryError
            handle = candidate(native.sparse_handle)
            rows += over(o, count, plain, {shape: candidate(native.sparse_csrmv), f"{shape}, handle": handle})
            if n_threads > 1:
                native.sparse_use_threads(n_threads)
                pin(range(n_threads))
                rows += over(o, count, plain, {f"{shape}, handle, {n_threads} threads": handle})
                native.sparse_use_threads(1)
                pin({o.cpu})
            native.sparse_free()
    return found("sparse", "Sparse products, over plain loops", rows,
                 "time / time of the plain loop", "times the plain loop's time", x="rows", x_log=True,
                 series=sorted(dict.fromkeys(r["series"] for r in rows), key=lambda s: "threads" in s))


# By their names, in the order in which they run.
SUITES = {"level1": suite_level1, "level2": suite_level2, "level3": suite_level3, "solve": suite_solve,
          "prices": suite_prices, "size": suite_size, "dot": suite_dot, "gemm": suite_gemm, "range": suite_range,
          "accuracy-sum": suite_accuracy_sum, "accuracy-dot": suite_accuracy_dot, "atomics": suite_atomics,
          "sparse": suite_sparse}
