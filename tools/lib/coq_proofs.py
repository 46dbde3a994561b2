#!/usr/bin/env python3
"""usage: coq_proofs.py [--all] | --mutate [--list] [NAME...]

What tools/tiers/proofs does with proof/coq/: builds it in build-prove/, checks it and lists its theorems.
With --mutate, breaks the proofs as proof/mutations.txt says and asks that each then fails."""
import hashlib
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
from broken_tree import write_if_changed  # noqa: E402
from mutations import read_file  # noqa: E402

SOURCES = os.path.join(ROOT, "proof", "coq")
BUILD = os.path.join(ROOT, "build-prove")
# Of Coq's standard library: classical logic and real numbers. No other axiom is accepted.
AXIOMS = {"ClassicalDedekindReals.sig_not_dec", "ClassicalDedekindReals.sig_forall_dec",
          "FunctionalExtensionality.functional_extensionality_dep", "Classical_Prop.classic"}


def run(command, cwd=ROOT):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def names():
    """The files, in the order in which they may be compiled."""
    listed = [line for line in read(os.path.join(SOURCES, "_CoqProject")).split("\n")
              if line.endswith(".v")]
    return [line[:-2] for line in listed]


def constants(overlay=None):
    """Constants.v as the C compiler sees the headers, those of `overlay` before the tree's."""
    program = os.path.join(overlay or BUILD, "constants")
    includes = ["-I" + os.path.join(folder, "lib") for folder in (overlay, ROOT) if folder]
    made = run([os.environ.get("CC", "cc"), "-std=gnu11", *includes, "-I" + ROOT + "/include",
                os.path.join(SOURCES, "constants.c"), "-o", program, "-lm"])
    if made.returncode != 0:
        raise RuntimeError(made.stdout)
    return run([program]).stdout


def squeezed(text):
    return re.sub(r"\s+", "", text)


def misquoted(name, text, overlay=None):
    """The lines of C beside definitions that their file does not have."""
    for file, lines in re.findall(r"\(\* C: (\S+)\n(.*?)\*\)", text, re.S):
        path = os.path.join(overlay or ROOT, file)
        source = squeezed(read(path if os.path.exists(path) else os.path.join(ROOT, file)))
        for line in lines.strip().split("\n"):
            if squeezed(line) not in source:
                yield f"{name}.v quotes what {file} does not say: {line.strip()}"


def copy_sources():
    for name in names():
        if name != "Constants":
            write_if_changed(f"{BUILD}/{name}.v", read(f"{SOURCES}/{name}.v"))
    write_if_changed(f"{BUILD}/Constants.v", constants())
    write_if_changed(f"{BUILD}/_CoqProject", read(f"{SOURCES}/_CoqProject"))
    made = run(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile"], BUILD)
    if made.returncode != 0:
        raise RuntimeError(made.stdout)


def theorems():
    for name in names():
        for theorem in re.findall(r"^Theorem (\w+)", read(f"{BUILD}/{name}.v"), re.M):
            yield name, theorem


def state_of_objects(what):
    state = hashlib.sha256(what.encode())
    for name in names():
        with open(f"{BUILD}/{name}.vo", "rb") as f:
            state.update(f.read())
    return state.hexdigest()


def assumptions(listed):
    """For each theorem the axioms that it rests on."""
    text = "".join(f"From ExBLAS Require {name}.\n" for name in names())
    text += "".join(f"Print Assumptions {name}.{theorem}.\n" for name, theorem in listed)
    stamp = f"{BUILD}/Assumptions.out"
    if state_of_objects(text) != (read(stamp).split("\n")[0] if os.path.exists(stamp) else ""):
        write_if_changed(f"{BUILD}/Assumptions.v", text)
        done = run(["coqc", "-Q", ".", "ExBLAS", "Assumptions.v"], BUILD)
        if done.returncode != 0:
            raise RuntimeError(done.stdout)
        write_if_changed(stamp, state_of_objects(text) + "\n" + done.stdout)
    found = []
    for line in read(stamp).split("\n")[1:]:
        if line.startswith(("Axioms:", "Closed under")):
            found.append([])
        elif line and line[0] not in " \t":
            found[-1].append(line.split()[0])
    return found


def check_objects(everything):
    """coqchk: the kernel alone reads the compiled proofs; with `everything` also those of Flocq and
    Coq's library. Once for every state of them."""
    state = state_of_objects("coqchk")
    stamp = f"{BUILD}/checked-{'all' if everything else 'own'}"
    if os.path.exists(stamp) and read(stamp) == state:
        return None
    modules = [f"ExBLAS.{name}" for name in names()]
    listed = modules if everything else [word for m in modules for word in ("-norec", m)]
    done = run(["coqchk", "-silent", "-o", "-Q", ".", "ExBLAS", *listed], BUILD)
    if done.returncode != 0:
        return done.stdout
    write_if_changed(stamp, state)
    return None


def prove(everything):
    wrong = [complaint for name in names() if name != "Constants"
             for complaint in misquoted(name, read(f"{SOURCES}/{name}.v"))]
    copy_sources()
    made = run(["make", "-j2", "--no-print-directory"], BUILD)
    if made.returncode != 0:
        print(made.stdout)
        return 1
    listed = list(theorems())
    axioms = assumptions(listed)
    for (name, theorem), used in zip(listed, axioms):
        short = ", ".join(sorted(axiom.split(".")[-1] for axiom in used)) or "no axiom"
        print(f"proof/coq/{name}.v: {theorem}: {short}")
        wrong += [f"{theorem} rests on {axiom}" for axiom in set(used) - AXIOMS]
    if len(axioms) != len(listed):
        wrong.append("the assumptions of some theorems are not known")
    for name in names():
        if re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture)\b", read(f"{BUILD}/{name}.v")):
            wrong.append(f"{name}.v has something that is not proved")
    checked = check_objects(everything)
    if checked:
        wrong.append("coqchk: " + checked)
    for complaint in wrong:
        print("  " + complaint)
    print(f"{len(listed)} theorems, 0 admitted, {len(wrong)} complaints" if not wrong else
          f"{len(listed)} theorems, {len(wrong)} complaints")
    return 1 if wrong else 0


def verdict(mutation, folder):
    """What the proofs say to a mutation, in a copy of the build; and whether they notice it."""
    file = os.path.join(ROOT, mutation.file)
    text = read(file)
    if text.count(mutation.old) != 1:
        return f"does not apply: its text is there {text.count(mutation.old)} times", False
    text = text.replace(mutation.old, mutation.new)
    if mutation.file.endswith(".v"):
        write_if_changed(os.path.join(folder, os.path.basename(file)), text)
    else:
        overlay = os.path.join(folder, "overlay")
        write_if_changed(os.path.join(overlay, mutation.file), text)
        try:
            write_if_changed(f"{folder}/Constants.v", constants(overlay))
        except RuntimeError as failure:
            print(failure, file=sys.stderr)
            return "does not compile", False
        for name in names():
            if name in mutation.tests:
                for complaint in misquoted(name, read(f"{folder}/{name}.v"), overlay):
                    return complaint, True
    made = run(["make", "--no-print-directory", *(t + ".vo" for t in mutation.tests)], folder)
    if made.returncode == 0:
        return "SURVIVED", False
    failed = re.findall(r'File "\./(\w+)\.v", line (\d+)', made.stdout)
    if not failed or failed[-1][0] not in mutation.tests:
        print(made.stdout, file=sys.stderr)
        return "fails elsewhere", False
    return f"{failed[-1][0]}.v, line {failed[-1][1]}, is not proved", True


def mutate(wanted, only_list):
    mutations = [m for m in read_file(os.path.join(ROOT, "proof", "mutations.txt"))
                 if not wanted or any(m.name.startswith(w) for w in wanted)]
    if only_list:
        for m in mutations:
            print(f"{m.name:30} {m.file:36} {' '.join(m.tests)}")
        return 0
    copy_sources()
    made = run(["make", "-j2", "--no-print-directory"], BUILD)
    if made.returncode != 0:
        sys.exit(made.stdout)
    n_caught = 0
    for m in mutations:
        folder = BUILD + "-mutate"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(BUILD, folder)
        says, caught = verdict(m, folder)
        n_caught += caught
        print(f"{m.name:30} {says}", flush=True)
    shutil.rmtree(BUILD + "-mutate", ignore_errors=True)
    print(f"{n_caught} of {len(mutations)} broken proofs fail")
    return 0 if mutations and n_caught == len(mutations) else 1


def main(arguments):
    options = {a for a in arguments if a.startswith("-")}
    wanted = [a for a in arguments if not a.startswith("-")]
    os.makedirs(BUILD, exist_ok=True)
    if "--mutate" in options:
        return mutate(wanted, "--list" in options)
    return prove("--all" in options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
