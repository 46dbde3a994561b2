#!/usr/bin/env python3
"""exblas grade against ExBLAS, sound and with each of many faults, and against netlib's BLAS and LAPACK where they
are; bad libraries. Prints TAP.

    test_grade.py EXBLAS-GRADE TOY NO-BLAS ABORTS [ROUTINES]
"""
import ctypes
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python"))
import tap  # noqa: E402

GRADE, TOY, NO_BLAS, ABORTS, *FEW = sys.argv[1:]
LINES = pathlib.Path(__file__).with_name("faults.txt").read_text(encoding="utf-8").splitlines()
FAULTS = [(routine, what) for routine, what in (line.split(None, 1) for line in LINES if line[0] not in " #")
          if not FEW or routine in FEW[0].split(",")]


def report(ok, text):
    tap.check(text, bool(ok), True)


def run(*words, **environment):
    return subprocess.run([sys.executable, GRADE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment}, check=False)


def grade(library, folder, routines, *words, **environment):
    """The report of a library by routine, and the exit status."""
    path = os.path.join(folder, "report.json")
    done = run(library, "--json", path, "--routines", ",".join(routines), *words, **environment)
    if done.returncode not in (0, 1):
        print("# " + done.stderr.replace("\n", "\n# "))
        return {}, done.returncode
    with open(path, encoding="utf-8") as f:
        routines = json.load(f)["libraries"][0]["routines"]
    return {r["routine"]: r for r in routines}, done.returncode


def lost(faulty):
    """What the report of a routine says against it."""
    return [f["what"] for f in faulty["findings"]] + [n for n, ok in faulty["notes"].items() if not ok]


def sound(title, found, status):
    """Nothing is found."""
    for name, r in found.items():
        for f in r["findings"]:
            print(f"# {name}: {f['what']}: {f['text']}")
    report(status == 0 and found, f"nothing is found in {title}")


def programs(folder):
    """Each program of a finding shows it."""
    shown = 0
    paths = sorted(pathlib.Path(folder).glob("*.c"))
    for path in paths:
        binary = os.path.join(folder, "program")
        subprocess.run(["cc", "-w", "-rdynamic", str(path), "-o", binary, "-ldl", "-lm"], check=True)
        done = subprocess.run([binary], stdout=subprocess.PIPE, text=True, check=False)
        shown += done.returncode == 1
        if done.returncode != 1:
            print(f"# {path.name}: {done.returncode} {done.stdout}")
    report(paths and shown == len(paths), f"{shown} of {len(paths)} programs show their finding")


def flags_are_cleared():
    """What is said of a call that clears floating-point flags, where one was raised."""
    native = ctypes.CDLL(str(pathlib.Path(GRADE).parent / "libexblas_grade.so"))
    native.grade_enter(2)
    ctypes.CDLL("libm.so.6").feclearexcept(-1)
    return native.grade_leave() == 2


def main():
    report(flags_are_cleared(), "flags that are cleared")
    routines = dict(FAULTS)
    with tempfile.TemporaryDirectory() as folder:
        own, status = grade("", folder, routines)
        sound("ExBLAS", own, status)
        other = [n for n, r in own.items() if lost(r) or r["rounded"] != r["results"] or r["grade"] != "A"]
        report(not other, f"which is correctly rounded{' but for ' + ', '.join(other) if other else ''}")
        for blas in glob.glob("/usr/lib/*/blas/libblas.so.3")[:1]:
            # Not gemv: cblas_zgemv does not return for no rows.
            plain = [r for r in routines if r[1:] != "gemv"]
            lapack = blas.replace("blas", "lapack")
            sound("netlib's", *grade(lapack if os.path.exists(lapack) else blas, folder, plain,
                                     LD_LIBRARY_PATH=os.path.dirname(blas)))
        faulty, status = grade(TOY, folder, routines, "--findings", folder)
        report(status == 1, "findings are told by the exit status")
        found = 0
        for routine, what in FAULTS:
            why = lost(faulty[routine]) if routine in faulty else []
            what, _, must = what.partition(": ")
            ok = must in why if must else bool(why)
            found += ok
            report(ok, f"{routine}: {what}: {', '.join(why) or 'not found'}")
        print(f"# {found} of {len(FAULTS)} faults found")
        programs(folder)
        page = os.path.join(folder, "page.html")
        done = run("--routines", "dot", "--types", "d", "--html", page)
        report(done.returncode == 0 and "<table>" in pathlib.Path(page).read_text(encoding="utf-8"), "a page")
    for words, text in (([NO_BLAS], "has none of the routines"), (["/no/such.so"], "cannot load"),
                        ([__file__], "cannot load"), ([ABORTS], "ends a program"),
                        ([TOY, "--routines", "nonsense"], "no routine nonsense"),
                        ([TOY, "--types", "x"], "--types takes"), ([TOY, "--threads", "0"], "--threads takes")):
        done = run(*words)
        lines = done.stderr.splitlines()
        name = " ".join(map(os.path.basename, words))
        report(done.returncode == 2 and len(lines) == 1 and text in lines[0], f"{name}: {text}")
    tap.finish()


main()
