#!/usr/bin/env python3
"""test_fprev.py TOOL EXBLAS TARGETS OPENBLAS: exblas-fprev finds the orders of its models, judges
ExBLAS and OpenBLAS, and says clearly what went wrong. Reports in TAP."""
import contextlib
import io
import json
import os
import subprocess
import sys

import orders

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bindings/python"))
import tap  # noqa: E402

TOOL, EXBLAS, TARGETS, OPENBLAS = sys.argv[1:]
sys.path.insert(0, os.path.dirname(TOOL))
import fprev  # noqa: E402

TREES = {"sequential": orders.sequential, "reversed": orders.reversed_, "strided:4": orders.strided(4),
         "strided": orders.strided(8), "halves": orders.halves, "pairwise": orders.numpy}
TREES.update({f"random:{seed}": orders.random(seed) for seed in (1, 5)})
FUSED = {"volta": 4, "ampere": 8, "hopper": 16}

REPORTS = {
    "model:halves --n 1": "f8635b72451e2f22",
    "model:neumaier --n 3": "1abaee84f70cbe65",
    "model:kahan --n 4": "e0d4ba21b3ec368e",
    "model:sequential+fma --n 3 --routine dot --type s": "6abaa25353b4e21f",
    "model:ampere --n 65": "3db29affa71f6700",
    "TARGETS:cblas_blocks --type s --n 66": "722b559beb9a1a9c",
    "TARGETS:cblas_fickle --n 9": "3fdd4b86082b5ad6",
    "EXBLAS --routine gemv --n 4 --m 3 --element all": "694436a34d806d99",
    "EXBLAS --routine gemm --n 4 --m 3 --k 5 --element 1,2": "6fecbf6448f32140",
    "EXBLAS --routine gemm --n 4 --m 3 --k 5 --element 1,2 --json": "168d23bedba675d1",
    "compare model:sequential model:halves --n 8": "ca43f994335c11e8",
    "compare model:sequential model:sequential+fma --n 17 --routine dot": "b79c64d61a69738a",
}


def run(*arguments):
    return subprocess.run([TOOL, "--quiet", *map(str, arguments)], text=True, capture_output=True, timeout=100)


def find(*arguments, status=0):
    """In this process, to which Python's start is nothing."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        same(arguments, fprev.main(["--quiet", "--json", *map(str, arguments)]), status)
    return json.loads(out.getvalue())


def same(what, got, want):
    assert got == want, f"{what}: {got} instead of {want}"


def check_tree(name, n, tree, *options):
    r = find(f"model:{name}", "--n", n, *options)
    same((name, n, options), r["tree"], tree)
    same((name, n, options), r["class"], "tree")
    same((name, n), r["hash"], orders.fnv(orders.text(tree)))
    assert r["replay"]["runs"] > 0 and r["replay"]["mismatches"] == 0, r["replay"]


def models_of_known_order():
    for name, order in TREES.items():
        for n in (1, 2, 3, 5, 8, 17, 64, 131, 256):
            check_tree(name, n, order(n), "--seed", n)


def types_and_routines():
    for letter in "dshb":
        for name in ("sequential", "halves", "random:5"):
            tree = TREES[name](100)
            check_tree(name, 100, tree, "--type", letter)
            check_tree(name, 100, tree, "--type", letter, "--routine", "dot")
            check_tree(name, 60, TREES[name](60), "--type", letter, "--routine", "asum")


def more_terms_than_the_format_counts():
    for letter, n, name in (("b", 300, "sequential"), ("b", 700, "pairwise"), ("h", 2100, "pairwise")):
        r = run(f"model:{name}", "--n", n, "--type", letter)
        same("status", r.returncode, 0)
        phrase = "NumPy's pairwise sum" if name == "pairwise" else "from first to last"
        assert phrase in r.stdout and "48 random inputs, 0 differ" in r.stdout, r.stdout


def fused_units():
    for name, width in FUSED.items():
        for n in (3, 4, 5, 16, 33, 256):
            for letter in "dh":
                r = find(f"model:{name}", "--n", n, "--routine", "dot", "--type", letter)
                same((name, n), r["tree"], orders.fused(width)(n))
                same((name, n), r["replay"]["mismatches"], 0)
                same((name, n), r["class"], "fused")
        adder = find(f"model:{name}", "--n", 64)["adder"]
        same(name, adder, {"extra_bits": {4: 0, 8: 1, 16: 2}[width], "rounding": "zero"})


def compensated_and_exact():
    for n in (3, 4, 9, 40, 200):
        for letter in "ds":
            for routine in ("sum", "dot"):
                options = ("--n", n, "--type", letter, "--routine", routine)
                same(("kahan", options), find("model:kahan", *options)["class"], "compensated")
                same(("neumaier", options), find("model:neumaier", *options)["class"], "compensated")
                r = find("model:exact", *options)
                same(("exact", options), (r["class"], r["tree"], r["hash"]), ("exact", None, None))
                assert r["exact_bits"] > (2000 if letter == "d" else 240), r["exact_bits"]


def fused_products():
    for letter in "dshb":
        for name, order in (("sequential", orders.sequential), ("reversed", orders.reversed_)):
            plain = find(f"model:{name}", "--n", 20, "--routine", "dot", "--type", letter)
            fma = find(f"model:{name}+fma", "--n", 20, "--routine", "dot", "--type", letter)
            same("fma", (plain["fma"], fma["fma"]), (False, True))
            start = 0 if name == "sequential" else 19
            same("leaves", fma["fused_leaves"], [i for i in range(20) if i != start])
            same("hash", fma["hash"], orders.fnv(orders.text(order(20), fma["fused_leaves"])))
            same("tree", fma["tree"], plain["tree"])


def this_library_is_exact():
    for letter in "dshb":
        for routine in ("dot", "gemv", "gemm") + (("sum", "asum") if letter in "ds" else ()):
            for abi in ("auto", "cblas", "fortran", "cblas64", "fortran64"):
                r = find(EXBLAS, "--routine", routine, "--type", letter, "--n", 24, "--abi", abi)
                same((routine, letter, abi), r["class"], "exact")
                same("replay", r["replay"]["mismatches"], 0)
        for routine, options in (("dot", ("--incx", 3)), ("gemv", ("--trans", "t", "--lda", 31)),
                                 ("gemm", ("--m", 30, "--k", 7)),
                                 ("gemm", ("--trans", "t", "--m", 5, "--k", 30, "--element", "4,7"))):
            r = find(EXBLAS, "--routine", routine, "--type", letter, "--n", 24, *options)
            same((routine, options), r["class"], "exact")


def names_and_interfaces():
    r = find(TARGETS, "--n", 9)
    same("order", (r["symbol"], r["tree"]), ("cblas_ddot", orders.reversed_(9)))
    r = find(TARGETS, "--n", 9, "--routine", "asum")
    same("order", (r["symbol"], r["tree"]), ("dasum_64_", orders.sequential(9)))
    r = find(TARGETS, "--n", 9, "--type", "s", "--incx", 2, "--align", 4)
    same("order", (r["symbol"], r["tree"]), ("scipy_cblas_sdot64_", orders.sequential(9)))
    r = find(TARGETS + ":cblas_ddot", "--n", 5)
    same("order", r["tree"], orders.reversed_(5))


def wide_partial_sums():
    r = find(TARGETS + ":cblas_blocks", "--type", "s", "--n", 24, "--abi", "cblas")
    tree = orders.chain([orders.chain(list(range(i, i + 4))) for i in range(0, 24, 4)])
    same("order", (r["class"], r["tree"], r["replay"]["mismatches"]), ("tree", tree, 0))
    same("additions in double below the last one", r["wide"], 4)


def ill_behaved_targets():
    for symbol, status, words in (("nan", 3, "NaN"), ("crash", 3, "crashed in call 1"),
                                  ("exit", 3, "ended the process in call 1 with status 7"),
                                  ("hang", 3, "did not return in 1 s")):
        r = run(f"{TARGETS}:cblas_{symbol}", "--n", 9, "--timeout", 1)
        same(symbol, (r.returncode, r.stdout, r.stderr.count("\n")), (status, "", 1))
        assert words in r.stderr, r.stderr
    r = run(f"{TARGETS}:cblas_hang", "--n", 9, "--limit", 1)
    same("limit", (r.returncode, r.stdout, r.stderr.count("\n")), (3, "", 1))
    assert "no answer within 1 s and 1 calls; 9 terms need at least 8 calls" in r.stderr, r.stderr
    for symbol in ("fickle", "sorting", "forgetful"):
        r = find(f"{TARGETS}:cblas_{symbol}", "--n", 9, status=1)
        same(symbol, r["class"], "inconsistent")
        assert r["note"], symbol


def bad_usage():
    for arguments, words in (
            (("nolib.so",), "cannot load"), (("libm.so.6",), "has no ddot"),
            ((TARGETS + ":nothing_",), "has no symbol nothing_"),
            ((TARGETS, "--type", "h"), "has no shdot"),
            (("model:nothing",), "no such model"), (("model:halves+fma",), "no +fma"),
            (("model:strided:0",), "number of lanes"), (("model:random:x",), "a model is NAME"),
            (("model:sequential", "--n", "0"), "no terms"), (("model:sequential", "--n", "x"), "not a number"),
            (("model:sequential", "--n", "-1"), "not a number"), ((), "one target"),
            (("model:sequential", "--n", str(2 ** 30)), "not a number from 0 to 1073741823"),
            (("compare", "model:exact"), "two targets"), (("model:exact", "--element", "5"), "no such element"),
            (("model:exact", "--routine", "gemm"), "models are"), (("model:exact", "--type", "q"), "no such choice"),
            (("model:exact", "-o", "/nonexistent/file"), "cannot write"),
            (("model:exact", "-o", "/dev/full"), "cannot write the result: No space left"),
            ((TARGETS, "--routine", "gemv"), "has no dgemv")):
        r = run(*arguments)
        same(arguments, (r.returncode, r.stdout, r.stderr.count("\n")), (2, "", 1))
        assert words in r.stderr, (arguments, r.stderr)
    r = run("--help")
    same("help", (r.returncode, r.stderr), (0, ""))
    assert "usage: exblas-fprev" in r.stdout and "hopper" in r.stdout


def comparisons():
    r = run("compare", "model:pairwise", "model:strided", "--n", 4)
    same("different", r.returncode, 0 if orders.numpy(4) == orders.strided(8)(4) else 1)
    r = find("compare", "model:sequential", "model:halves", "--n", 8, status=1)
    same("same", r["same"], False)
    a = [float.fromhex(x) for x in r["input"]["a"]]
    forward = 0.0
    for x in a:
        forward += x
    half = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]))
    assert forward != half
    same("input", [float.fromhex(x) for x in r["input"]["results"]], [forward, half])
    same("same", find("compare", "model:reversed", TARGETS, "--n", 7, "--routine", "dot")["same"], True)
    for a, b in (("sequential", "kahan"), ("exact", "kahan"), ("volta", "ampere"), ("exact", "sequential"), ("halves", "exact")):
        r = find("compare", f"model:{a}", f"model:{b}", "--n", 20, status=1)
        assert len(set(r["input"]["results"])) == 2, (a, b, r["input"]["results"])
    r = find("compare", "model:sequential", "model:sequential+fma", "--n", 20, "--routine", "dot", status=1)
    assert len(set(r["input"]["results"])) == 2
    same("crash", run("compare", "model:exact", TARGETS + ":cblas_crash", "--routine", "dot").returncode, 3)


def words():
    for name, n, phrase in (("sequential", 20, "from first to last"), ("reversed", 20, "from last to first"),
                            ("strided:4", 32, "4 lanes × 8 terms (stride 4)"), ("strided:4", 34, "4 lanes × 8 to 9 terms"), ("halves", 32, "pairwise: halves"),
                            ("pairwise", 64, "8 lanes × 8 terms (stride 8), then pairwise: NumPy's pairwise sum"),
                            ("pairwise", 67, "then the other 3 terms: N"), ("pairwise", 65, "then the other 1 term: N"),
                            ("pairwise", 1000, "NumPy's pairwise sum"), ("random:1", 50, "no simple pattern"),
                            ("ampere", 64, "fused additions of up to 8 terms and the running sum")):
        r = run(f"model:{name}", "--n", n)
        assert phrase in r.stdout, (name, r.stdout)


def reports():
    """Whole texts, each looked at once: run the line to see it."""
    for line, want in REPORTS.items():
        text = run(*line.replace("TARGETS", TARGETS).replace("EXBLAS", EXBLAS).split()).stdout
        same(line, orders.fnv(text.replace(TARGETS, "TARGETS").replace(EXBLAS, "EXBLAS")), want)


def openblas():
    if not has_openblas():
        raise ImportError("no OpenBLAS here")
    for kernel in ("Prescott", "Haswell"):
        target = f"OPENBLAS_CORETYPE={kernel} {OPENBLAS}"
        for letter in "ds":
            for options in (("dot",), ("asum",), ("gemv",), ("gemv", "--trans", "t"), ("gemm",)):
                for n in (7, 50):
                    r = find(target, "--type", letter, "--n", n, "--threads", 1, "--routine", *options)
                    same((kernel, letter, options, n), (r["class"], r["replay"]["mismatches"]), ("tree", 0))
    r = find("compare", f"OPENBLAS_CORETYPE=Prescott {OPENBLAS}", f"OPENBLAS_CORETYPE=Haswell {OPENBLAS}",
             "--n", 50, status=1)
    assert len(set(r["input"]["results"])) == 2


def elements():
    r = find(EXBLAS, "--routine", "gemv", "--n", 12, "--m", 9, "--element", "all")
    same("elements", [(x["class"], x["elements_alike"], x["m"]) for x in r], [("exact", 9, 9)])
    if has_openblas():
        r = find(OPENBLAS, "--routine", "gemm", "--n", 11, "--m", 9, "--k", 40, "--element", "all")
        same("elements", sum(x["elements_alike"] for x in r), 99)


def has_openblas():
    return bool(OPENBLAS) and run(OPENBLAS, "--n", 4).returncode == 0


tap.run(models_of_known_order, types_and_routines, more_terms_than_the_format_counts, fused_units, compensated_and_exact,
        fused_products, this_library_is_exact, names_and_interfaces, wide_partial_sums, ill_behaved_targets, bad_usage,
        comparisons, words, reports, openblas, elements)
