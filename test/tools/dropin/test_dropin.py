#!/usr/bin/env python3
"""test_dropin.py EXBLAS-RUN TRACE-DIFF PROGRAM STATIC-PROGRAM LINKED-PROGRAM: reports and traces of programs that know
nothing of them, under exblas-run. Reports in TAP."""
import json
import os
import sys
import tempfile

from standin import check, start

run, diff, program, static, linked = sys.argv[1:]


def report(*command):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = start(run, f"--report={file.name}", *command)
        return done, json.load(file)


print("1..16")
done, said = report("--no-lapack", program, "all")
check("exact results", done.stdout.endswith("2 1\n"), done)
check("calls and elements", said["routines"][0]["routine"] == "ddot"
      and said["routines"][0]["calls"] == 2 and said["routines"][0]["elements"] == 5, said)
reasons = {e["symbol"]: e["reason"] for e in said["elsewhere"]}
named = next((symbol for symbol in reasons if symbol.startswith("mkl_")), "")
check("of a naming one line", named in ("mkl_ddot_+1", "mkl_dgemv_+1"), said)
check("why calls went elsewhere", reasons == {"cblas_dgemm_pack": "not-covered", named: "unknown-prefix",
                                              "dgesv_": "bundled-lapack"}, said)
_, said = report(program)
check("a function that was not called is not named", not said["elsewhere"], said)
done = start(run, "--report", program)
check("as text", "routine " in done.stderr and "\nddot " in done.stderr, done.stderr)
done, said = report(static)
name = os.path.basename(static)
check("a BLAS linked into the program", (name, name, "static") in [
    (e["caller"], e["provider"], e["reason"]) for e in said["elsewhere"]], said)
_, said = report("/bin/ls", "/")
check("none intercepted", [e["reason"] for e in said["elsewhere"]] == ["none-intercepted"], said)
done = start(run, program, EXBLAS_VERBOSE="1")
check("a line a call", done.stderr.count("exblas: ddot n=") == 2, done.stderr)
done = start(linked, EXBLAS_VERBOSE="2")
check("our own libblas.so.3 is not elsewhere", done.stdout == "1000\n" and "\nddot " in done.stderr
      and "elsewhere" not in done.stderr, done)
done = start(run, program, EXBLAS_VERBOSE="2")
check("a table at exit", done.stderr.count("\nddot ") == 1, done.stderr)

with tempfile.TemporaryDirectory() as folder:
    a, b, c = (os.path.join(folder, name) for name in "abc")
    start(run, "--trace", a, "--trace-blas", program)
    start(run, "--trace", b, "--trace-blas", program, TEST_ORDER="1")
    start(run, "--trace", c, program)
    done = start(diff, a, b)
    check("the first call that differs", done.returncode == 1 and done.stdout.startswith(
        "1 calls are the same, then the first difference is in outputs: result 1") and "n=3" in done.stdout,
        done)
    check("the same", start(diff, a, a).returncode == 0)
    check("another routine underneath, exact this time", start(diff, a, c).returncode == 1)
    text = open(a).read()
    open(b, "w").write(text.replace(text.splitlines()[1].split("in=")[1][:16], "0" * 16))
    done = start(diff, a, b)
    check("inputs that differ", done.returncode == 1 and "inputs: array 1" in done.stdout, done)
    check("not a trace", start(diff, a, program).returncode == 2)
