#!/usr/bin/env python3
"""test_bench.py EXBLAS EXBLAS-BENCH: the suites run, what they print can be read, ExBLAS's errors are below half an ulp,
and bad usage is refused. Reports in TAP."""
import csv
import ctypes
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bindings/python"))
import tap  # noqa: E402

TOOL, BENCH = map(os.path.abspath, sys.argv[1:])
SUITES = ["level1", "level2", "level3", "solve", "numpy", "r", "prices", "size", "dot", "gemm", "range", "accuracy-sum",
          "accuracy-dot", "atomics", "sparse", "mpi"]
TIMED = ["size", "dot", "gemm", "level1", "level2", "level3", "solve", "atomics", "sparse"]


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
    """Made in pieces: what is there is not measured again, and stays with its instruction set and commit."""
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "results.md")

        def piece(wanted, *arguments, **more):
            status, _, err = run("--quick", "--report", page, *arguments, **more)
            assert status == wanted, (arguments, status, err)
            with open(page, encoding="utf-8") as f:
                return f.read()

        begun = piece(1, "level1", "level2", "--append", "--seconds", "0", EXBLAS_ISA="generic")
        assert begun.startswith("# Results\n") and begun.count("\n## Kernels: generic\n") == 1 and "| dsum |" not in begun
        whole = piece(0, "level1", "--append", EXBLAS_ISA="generic")
        row = re.search(r"\n\| dsum \|( \d+(\.\d+)? \|){5} \| \|\n", whole)
        assert row and len(whole.splitlines()) > len(begun.splitlines()) + 10, whole
        marked = whole.replace(row[0], "\n| dsum | 7.77 | | | | | | |\n")
        with open(page, "w", encoding="utf-8") as f:
            f.write(marked)
        assert piece(0, "level1", "--append", EXBLAS_ISA="generic") == marked
        own = run("--csv", "--quick", "accuracy-dot")[1].split("kernels ")[1].split(",")[0]
        both = piece(0, "solve", "accuracy-dot", "--append")
        if own != "generic":
            assert both.startswith(marked) and f"\n## Kernels: {own}\n" in both and "| dgels, 10 n equations, condition 1e6 |" in both
        assert "![" not in both
        with open(page, "w", encoding="utf-8") as f:
            f.write(re.sub(r"commit\s\S+,", "commit 0000000,", both) + "\n## Device: a GPU\n\n| gemm | 1 |\n")
        assert run("--quick", "level1", "--report", page, "--append")[0] == 3
        again = piece(0, "accuracy-dot")
        assert "| dsum |" not in again and "\n## Device: a GPU\n\n| gemm | 1 |\n" in again and "0000000" not in again
        if shutil.which("gnuplot"):
            figures = os.path.join(folder, "figures")
            text = piece(0, "accuracy-dot", "--append", "--plot", figures)
            assert "](figures/accuracy-dot.svg)" in text and os.path.exists(os.path.join(figures, "accuracy-dot.svg"))


def whole_programs():
    """Their mean is that of the ratios of all."""
    for language in ("numpy", "r"):
        status, out, err = run("--quick", "--csv", language)
        ratio = {r["series"]: float(r["value"]) for r in csv.DictReader(x for x in out.splitlines() if x[0] != "#")}
        if "left out" in err:
            continue
        *programs, mean = ratio.values()
        assert status == 0 and len(programs) == 14 and min(programs) > 0, (out, err)
        assert math.isclose(math.prod(programs) ** (1 / 14), mean, rel_tol=1e-4), out


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
    if not shutil.which("gnuplot"):
        raise ImportError("no gnuplot here")
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
    for arguments in (("speed",), ("--fast",), ("--plot",), ("--report",), ("--seconds", "x"), ("--blas",), ("--cpu", "x")):
        status, out, err = run(*arguments)
        assert (status, out, err.count("\n")) == (2, "", 1), (arguments, status, out, err)
    status, out, _ = run("--help")
    assert status == 0 and all(s in out for s in SUITES)
    assert "numpy_functions.py" in "".join(run("numpy", "--functions", "--help")[1:])
    for option in ("--plot", "--report"):
        status, _, err = run("--quick", "accuracy-sum", option, "/dev/null/x")
        assert status == 3 and "/dev/null/x" in err, (status, err)


tap.run(rows_as_json, rows_as_csv, page_of_results, whole_programs, other_libraries, pictures, bad_usage)
