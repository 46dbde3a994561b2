#!/usr/bin/env python3
"""test_calls.py BUILD EXBLAS: BLAS calls of NumPy's programs are recorded and replayed: the same bits as the
accumulator's; broken records are refused; `exblas bench numpy` and `r` print their tables. Reports in TAP."""
import os
import subprocess
import sys
import tempfile

BUILD, TOOL = map(os.path.abspath, sys.argv[1:])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CALLS = [sys.executable, os.path.join(ROOT, "perf", "calls", "calls.py"), "--build", BUILD]
EXPECTED = {"inv": {"dgemm", "dtrsm"}, "eigh": {"dsymv", "dsyr2k", "dtrmv", "dtrmm", "dgemv"}, "qr": {"dger", "dgemv"}}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def skipped(err):
    return "skip " + "; ".join(err.strip().splitlines())


def tables(text):
    """Rows by program."""
    found, rows = {}, []
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2:
            rows = found[words[0]] = []
        elif words[0] != "routine":
            rows.append(words)
    return found


def replayed_bits_are_right(folder):
    status, out, err = run(*CALLS, "--check", "--n", "72", "--step", "5", "--only", ",".join(EXPECTED), "--keep", folder)
    if status == 3:
        return skipped(err)
    assert status == 0, out + err
    found = tables(out)
    for name, routines in EXPECTED.items():
        rows = found[name]
        assert routines <= {r[0] for r in rows}, (name, rows)
        assert all(int(r[1]) > 0 and int(r[2]) > 0 and 0 <= float(r[3]) < 50 and r[4] == "0" for r in rows), rows
    return ""


def broken_records_are_refused(folder):
    path = os.path.join(folder, "inv-72.calls")
    if not os.path.exists(path):
        return "skip no record"
    with open(path, "rb") as f:
        whole = f.read()
    for k, broken in enumerate((whole[:-5], b"\xff" * 64, whole[:4])):
        name = os.path.join(folder, f"broken-{k}")
        with open(name, "wb") as f:
            f.write(broken)
        status, _, err = run(os.path.join(BUILD, "perf", "replay"), "--check", name)
        assert status == 2 and "record" in err, (k, status, err)
    return ""


def time_programs(language, names):
    status, out, err = run(TOOL, "bench", language, "--n", "12", "--only", ",".join(names), "--samples", "1", "--markdown")
    if status == 3:
        return skipped(err)
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in out.splitlines() if line.startswith("|")]
    assert status == 0 and [r[0] for r in rows[2:]] == [*names, "mean"], out + err
    assert all(float(r[4]) > 0 for r in rows[2:]), rows
    assert run(TOOL, "bench", language, "--only", "nothing")[0] == 2
    return ""


def programs_of_numpy_are_timed(_):
    return time_programs("numpy", ["inv", "A@B"])


def programs_of_r_are_timed(_):
    assert run(TOOL, "bench", "r", "--sums")[0] == 2
    return time_programs("r", ["eigen(symmetric)", "A%*%B"])


def main():
    tests = [replayed_bits_are_right, broken_records_are_refused, programs_of_numpy_are_timed,
             programs_of_r_are_timed]
    print(f"1..{len(tests)}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for k, test in enumerate(tests, 1):
            try:
                note = test(folder)
                print(f"ok {k} - {test.__name__}" + (f" # SKIP {note[5:]}" if note else ""))
            except AssertionError as e:
                failed += 1
                print(f"not ok {k} - {test.__name__}\n# {e!r}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
