#!/usr/bin/env python3
"""test_bench.py EXBLAS EXBLAS-BENCH: the suites run, what they print can be read, ExBLAS's errors are below half an ulp,
and bad usage is refused. Reports in TAP."""
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

TOOL, BENCH = map(os.path.abspath, sys.argv[1:])
SUITES = ["size", "range", "accuracy-sum", "accuracy-dot"]


def run(*arguments):
    path = os.path.dirname(BENCH) + ":" + os.environ["PATH"]
    done = subprocess.run([TOOL, "bench", *arguments], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PATH": path})
    return done.returncode, done.stdout, done.stderr


def rows_as_json():
    status, out, err = run("--quick", "--json", *SUITES[2:], "range")
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
    status, out, err = run("--quick", "--csv", "size")
    rows = list(csv.DictReader(line for line in out.splitlines() if not line.startswith("#")))
    assert status == 0 and {r["series"] for r in rows} >= {"pairwise", "Hallberg", "ExBLAS auto"}, err
    assert all(r["suite"] == "size" and 0 < float(r["median"]) <= float(r["value"]) * 1.0001 for r in rows)


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
    for arguments in (("speed",), ("--fast",), ("--plot",), ("--cpu", "x")):
        status, out, err = run(*arguments)
        assert (status, out, err.count("\n")) == (2, "", 1), (arguments, status, out, err)
    status, out, _ = run("--help")
    assert status == 0 and all(s in out for s in SUITES)
    status, _, err = run("--quick", "accuracy-sum", "--plot", "/dev/null/x")
    assert status == 3 and "/dev/null/x" in err, (status, err)


def main():
    tests = [rows_as_json, rows_as_csv, pictures, bad_usage]
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
