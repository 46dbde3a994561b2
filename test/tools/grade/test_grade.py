#!/usr/bin/env python3
"""exblas grade against a BLAS of plain loops, sound and with each of its faults, and against one made of MPFR;
bad libraries. Prints TAP.

    test_grade.py EXBLAS-GRADE TOY EXACT-TOY NO-BLAS ABORTS [ROUTINES]
"""
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python"))
import tap  # noqa: E402

GRADE, TOY, EXACT, NO_BLAS, ABORTS, *FEW = sys.argv[1:]
FEW = ["--routines"] * len(FEW) + FEW
FAULTS = pathlib.Path(__file__).resolve().parent / "faults.txt"


def report(ok, text):
    tap.check(text, bool(ok), True)


def run(*words, **environment):
    return subprocess.run([sys.executable, GRADE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment}, check=False)


def grade(library, folder, *words, faults=""):
    """The report of a library by routine, and the exit status."""
    path = os.path.join(folder, "report.json")
    done = run(library, "--json", path, *words, *FEW, TOY_FAULTS=faults)
    if done.returncode not in (0, 1):
        print("# " + done.stderr.replace("\n", "\n# "))
        return {}, done.returncode
    with open(path, encoding="utf-8") as f:
        routines = json.load(f)["libraries"][0]["routines"]
    return {r["routine"]: r for r in routines}, done.returncode


def lost(sound, faulty):
    """What the report of a routine says against it."""
    notes = [n for n, ok in sound["notes"].items() if ok and not faulty["notes"].get(n, True)]
    return [f["what"] for f in faulty["findings"]] + notes


def programs(folder):
    """Each program of a finding shows it."""
    shown = 0
    paths = sorted(pathlib.Path(folder).glob("*.c"))
    for path in paths:
        binary = os.path.join(folder, "program")
        subprocess.run(["cc", "-w", "-rdynamic", str(path), "-o", binary, "-ldl", "-lm"], check=True)
        done = subprocess.run([binary], stdout=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, "TOY_FAULTS": "all"})
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
    faults = [line.split(None, 2) for line in FAULTS.read_text(encoding="utf-8").splitlines() if line[:1].isdigit()]
    faults = [f for f in faults if not FEW or f[1] in FEW[1].split(",")]
    with tempfile.TemporaryDirectory() as folder:
        sound, status = grade(TOY, folder)
        for name, r in sound.items():
            for f in r["findings"]:
                print(f"# {name}: {f['what']}: {f['text']}")
        report(status == 0, "nothing is found in a sound library")
        faulty, status = grade(TOY, folder, "--findings", folder, faults="all")
        report(status == 1, "findings are told by the exit status")
        found = 0
        for number, routine, what in faults:
            why = lost(sound[routine], faulty[routine]) if routine in sound and routine in faulty else []
            what, _, must = what.partition(": ")
            ok = must in why if must else bool(why)
            found += ok
            report(ok, f"fault {number}, {routine}: {what}: {', '.join(why) or 'not found'}")
        print(f"# {found} of {len(faults)} faults found")
        programs(folder)
        own, status = grade("", folder, "--types", "d")
        report(status == 0 and own, "ExBLAS finds nothing in itself")
        exact, status = grade(EXACT, folder)
        report(status == 0 and exact, "nothing is found in a library made of MPFR")
        other = [n for n, r in exact.items() if r["rounded"] != r["results"] or r["grade"] != "A"]
        report(not other, f"which is correctly rounded{' but for ' + ', '.join(other) if other else ''}")
        page = os.path.join(folder, "page.html")
        done = run(TOY, "--routines", "dot", "--types", "d", "--html", page)
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
