#!/usr/bin/env python3
"""test_bench.py EXBLAS EXBLAS-BENCH: the suites run, what they print can be read, ExBLAS's errors are below half an ulp,
and bad usage is refused. Reports in TAP."""
import csv
import ctypes
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

TOOL, BENCH = map(os.path.abspath, sys.argv[1:])
SUITES = ["size", "dot", "range", "gemm", "level1", "level2", "level3", "solve", "accuracy-sum",
          "accuracy-dot", "atomics", "threads", "sparse", "mpi"]
TIMED = ["size", "dot", "gemm", "level1", "level2", "level3", "solve", "atomics", "threads", "sparse"]


def run(*arguments, **more):
    path = os.path.dirname(BENCH) + ":" + os.environ["PATH"]
    done = subprocess.run([TOOL, "bench", *arguments], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PATH": path, **more})
    return done.returncode, done.stdout, done.stderr


def rows_as_json():
    status, out, err = run("--quick", "--json", "accuracy-sum", "accuracy-dot", "range")
    report = json.loads(out)
    assert status == 0 and {"machine", "version", "kernels", "compiler", "commit", "suites"} <= set(report), err
    assert [s["suite"] for s in report["suites"]] == ["range", "accuracy-sum", "accuracy-dot"]
    for suite in report["suites"]:
        for row in suite["rows"]:
            assert row["value"] > 0 and math.isfinite(row["value"]), row
            ours = suite["suite"] != "range" and row["series"].startswith("ExBLAS")
            assert not ours or row["value"] <= 0.5, row
    worst = [max(r["value"] for r in s["rows"] if r["series"] == "plain loop") for s in report["suites"][1:]]
    assert min(worst) > 1e15, worst


def rows_as_csv():
    status, out, err = run("--quick", "--csv", *TIMED, "mpi")
    rows = list(csv.DictReader(line for line in out.splitlines() if not line.startswith("#")))
    left_out = {"mpi"} if "mpi: left out" in err else set()
    assert status == 0 and {r["suite"] for r in rows} == {*TIMED, "mpi"} - left_out, err
    series = {s: {r["series"] for r in rows if r["suite"] == s} for s in TIMED}
    assert series["size"] >= {"pairwise", "Hallberg", "binned, K = 3", "ExBLAS auto"}, series
    assert series["gemm"] >= {"superacc", *(f"fpe{p}" for p in range(3, 9)), "fpe4ee", "ExBLAS auto"}, series
    for r in rows:
        if r["suite"] != "mpi":
            assert 0 < float(r["min_ns"]) <= float(r["median_ns"]) and float(r["ratio"]) <= float(r["worst_ratio"]), r
        if r["suite"] == "size":
            n, ns = float(r["x"]), float(r["min_ns"])
            assert math.isclose(float(r["ns_per_element"]), ns / n, rel_tol=1e-4), r
            assert math.isclose(float(r["gb_s"]), 8 * n / ns, rel_tol=1e-4), r
            assert math.isclose(float(r["value"]), n / ns, rel_tol=1e-4), r
        if r["suite"] == "gemm":
            assert math.isclose(float(r["gflop_s"]), 2 * float(r["x"]) ** 3 / float(r["min_ns"]), rel_tol=1e-4), r
    ratios = [float(r["ratio"]) for r in rows if (r["suite"], r["series"]) == ("size", "plain loop")]
    assert set(ratios) == {1.0}, ratios


def page_of_results():
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "results.md")
        status, _, err = run("--quick", "dot", "accuracy-dot", "--report", page)
        assert status == 0, err
        with open(page, encoding="utf-8") as f:
            text = f.read()
        assert "exblas bench --quick dot accuracy-dot --report" in text
        assert text.count("\n## ") == 2 and "| 4096 |" in text and "![" not in text, text
        status, _, err = run("--quick", "level1", "--report", page, "--append", EXBLAS_ISA="generic")
        with open(page, encoding="utf-8") as f:
            more = f.read().removeprefix(text)
        assert status == 0 and more.count("kernels generic\n") == 1 and "\n| sum |" in more and "# Results" not in more, err


def other_libraries():
    """A library that has no BLAS, or is not there, is left out; one that has is a series of its own."""
    status, out, err = run("--quick", "--csv", "dot", "--blas", "libm.so.6", "--blas", "/no/such/blas.so")
    assert status == 0 and "libm" not in out and "/no/such/blas.so" in err, (out, err)
    path = next((p for p in ("libblas.so.3", "libopenblas.so.0") if loads(p)), None)
    if path:
        status, out, err = run("--quick", "--csv", "dot", "--blas", path)
        assert status == 0 and f'dot,"{path}",' in out, (out, err)


def loads(path):
    try:
        return bool(ctypes.CDLL(path).ddot_)
    except (OSError, AttributeError):
        return False


def pictures():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.join(folder, "new")
        status, _, err = run("--quick", "accuracy-sum", "--plot", folder)
        assert status == 0, err
        assert sorted(os.listdir(folder)) == [f"accuracy-sum.{e}" for e in ("csv", "png", "svg")]
        svg = xml.dom.minidom.parse(os.path.join(folder, "accuracy-sum.svg"))
        texts = " ".join(t.toxml() for t in svg.getElementsByTagName("text"))
        assert all(words in texts for words in ("condition number", "Neumaier", "ulps")), texts[:500]
        with open(os.path.join(folder, "accuracy-sum.png"), "rb") as f:
            assert f.read(8) == b"\x89PNG\r\n\x1a\n"


def bad_usage():
    for arguments in (("speed",), ("--fast",), ("--plot",), ("--report",), ("--blas",), ("--cpu", "x")):
        status, out, err = run(*arguments)
        assert (status, out, err.count("\n")) == (2, "", 1), (arguments, status, out, err)
    status, out, _ = run("--help")
    assert status == 0 and all(s in out for s in SUITES)
    for option in ("--plot", "--report"):
        status, _, err = run("--quick", "accuracy-sum", option, "/dev/null/x")
        assert status == 3 and "/dev/null/x" in err, (status, err)


def main():
    tests = [rows_as_json, rows_as_csv, page_of_results, other_libraries, pictures, bad_usage]
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace("_", " ")
        if test is pictures and not shutil.which("gnuplot"):
            print(f"ok {number} - {name} # SKIP no gnuplot here")
            continue
        try:
            test()
            print(f"ok {number} - {name}", flush=True)
        except Exception as error:  # whatever went wrong is this test's failure
            text = str(error).replace("\n", " ")
            print(f"not ok {number} - {name}\n# {type(error).__name__}: {text[:1000]}", flush=True)


main()
