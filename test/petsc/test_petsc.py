#!/usr/bin/env python3
"""test_petsc.py PLUGIN PYTHON MPIRUN...: an unmodified petsc4py program has one history of residuals
for any number of processes if PETSc loads the plugin, and several without. With TEST_SHORT in the environment: a few of the
combinations. Reports in TAP."""
import os
import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).parent / "history.py"
SOLVERS = (["-ksp_type", "cg"], ["-ksp_type", "bcgs", "-wind", "0.2"], ["-ksp_type", "gmres", "-wind", "0.2", "-ksp_gmres_restart", "7"])
PRECONDITIONERS = (["-pc_type", "none"], ["-pc_type", "jacobi"], ["-pc_type", "pbjacobi"],
                   ["-pc_type", "bjacobi", "-pc_bjacobi_blocks", "144"])
LARGE = ["-side", "400", "-ksp_type", "cg", "-pc_type", "jacobi"]  # two threads pay off on up to three processes
PROCESSES = ((1, 2), (2, 1), (3, 2), (4, 1), (7, 1), (7, 2), (8, 1))  # and threads of each


def run(mpirun, python, processes, options, threads=1):
    os.environ["EXBLAS_NUM_THREADS"] = str(threads)
    done = subprocess.run([*mpirun, "-n", str(processes), python, PROGRAM, "-ksp_rtol", "1e-9", *options],
                          text=True, capture_output=True, timeout=100)
    if done.returncode != 0:
        print(f"# {processes} processes, {' '.join(options)}: {done.stdout}{done.stderr}".replace("\n", "\n# "))
        return None
    first, *numbers = done.stdout.split("\n")
    return first.split(), numbers


def one_history(plugin, mpirun, python, options):
    """The problems with these options."""
    ours = ["-dll_append", plugin, "-vec_type", "exblas", "-mat_type", "aijexblas"]
    wanted = run(mpirun, python, 1, [*ours, *options, "-exact", "-objects_dump"])  # the latter prints what is not freed
    if wanted is None:
        return ["does not run"]
    types, numbers = wanted
    problems = [] if types[:2] == ["seqaijexblas", "exblas"] and int(types[2]) > 0 else [f"found {types}"]
    if len(numbers) < 10:
        problems.append(f"a history of {len(numbers)}")
    for processes, threads in PROCESSES[2::3] if os.environ.get("TEST_SHORT") else PROCESSES:
        found = run(mpirun, python, processes, [*ours, *options], threads)
        if found is None or found[1] != numbers:
            problems.append(f"{processes} processes of {threads} threads differ")
        elif found[0][:2] != ["seqaijexblas" if processes == 1 else "mpiaijexblas", "exblas"]:
            problems.append(f"{processes} processes: types {found[0]}")
    return problems


def main():
    plugin, python, *mpirun = sys.argv[1:]
    if subprocess.run([python, "-c", "import petsc4py"], capture_output=True).returncode != 0:
        print("1..0 # SKIP no petsc4py")
        return
    calls = [[*solver, *preconditioner] for solver in SOLVERS for preconditioner in PRECONDITIONERS]
    if os.environ.get("TEST_SHORT"):
        calls = [calls[1], calls[7], calls[10]]
    else:
        calls.append(LARGE)
    print(f"1..{len(calls) + 1}")
    for number, options in enumerate(calls, 1):
        problems = one_history(plugin, mpirun, python, options)
        print(f"{'not ok' if problems else 'ok'} {number} - {' '.join(options)}")
        for problem in problems:
            print("#", problem)
    plain = {tuple(run(mpirun, python, n, ["-ksp_type", "cg"] + ["-pc_type", "jacobi"])[1]) for n in (1, 2, 3)}
    print(f"{'ok' if len(plain) > 1 else 'not ok'} {len(calls) + 1} - PETSc alone has {len(plain)} histories")


main()
