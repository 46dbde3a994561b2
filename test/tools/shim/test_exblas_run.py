#!/usr/bin/env python3
"""test_exblas_run.py EXBLAS-RUN: its options and exit codes, and what the program gets of the caller's environment and
of its choices. The script is copied into a tree of its own beside stand-ins, so that nothing but it is tested. Reports
in TAP."""
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python"))
import tap  # noqa: E402

ORIGINAL = sys.argv[1]
ROOM = tempfile.TemporaryDirectory()
TREE = pathlib.Path(ROOM.name).resolve()
RUN, SHIM, SHOW = TREE / "tools/run/exblas-run", TREE / "tools/shim/libexblas_shim.so", TREE / "show"
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("EXBLAS_", "LD_", "PYTHON"))}


def start(*words, **settings):
    environment = {k: v for k, v in {**CLEAN, **settings}.items() if v is not None}
    return subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def place(*paths):
    """Stand-ins for objects: any library that can be loaded."""
    libm = re.search(r"=> (/\S+)", start("ldd", "/bin/sh").stdout)[1]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(libm, path)
    return [str(path.resolve()) for path in paths]


def shown(*words, run=RUN, program=SHOW, **settings):
    """The environment that a program gets, and its arguments."""
    lines = start(run, *words, program, **settings).stdout.splitlines()
    return {k: v for k, _, v in (line.partition("=") for line in lines)}


def gives(title, wanted, *words, **settings):
    """Parts of the environment."""
    found = shown(*words, **settings)
    tap.check(title, {k: found.get(k) for k in wanted}, wanted)


def ends(title, status, *words, lines=None, says="", **settings):
    """The exit status, and the message: its number of lines, and a part of its last one."""
    done = start(RUN, *words, **settings)
    said = [line for line in done.stderr.splitlines() if "netlib" not in line]
    tap.check(title, (done.returncode, lines in (None, len(said)), says in (said or [""])[-1]), (status, True, True))


def messages():
    tap.check("--help", "usage: exblas-run" in start(RUN, "--help").stdout, True)
    tap.check("--version", start(RUN, "--version").stdout.startswith("exblas-run "), True)
    ends("no program", 125, lines=1)
    for option in ("--bogus", "-x", "--report=", "--trace=", "--mpi", "--trace-blas", "--complex-return=c",
                   "--threads=0", "--threads=two", "--threads=-1", "--threads=", "--method="):
        ends(option, 125, option, "true", lines=1)
    for option in ("--threads", "--method", "--trace", "--complex-return"):
        ends(option + " without a value", 125, option, lines=1)


def exit_codes():
    (TREE / "plain.txt").write_text("data\n")
    ends("true", 0, "true")
    ends("the program's own status", 37, "sh", "-c", "exit 37")
    ends("missing program", 127, "no-such-program-anywhere", says="no-such-program-anywhere")
    ends("missing path", 127, TREE / "nothing")
    ends("not executable", 126, TREE / "plain.txt")
    ends("a directory", 126, TREE)
    ends("not executable, on PATH", 126, "plain.txt", PATH=f"{TREE}:{CLEAN['PATH']}")
    ends("killed by signal", -15, "sh", "-c", "kill -TERM $$")


def environment():
    other, = place(TREE / "libother.so")
    gives("--threads, --method, LD_PRELOAD",
          {"EXBLAS_NUM_THREADS": "3", "EXBLAS_METHOD": "fpe4ee", "LD_PRELOAD": str(SHIM)},
          "--threads", "3", "--method", "fpe4ee")
    gives("LD_PRELOAD kept, ours first", {"LD_PRELOAD": f"{SHIM}:{other}"}, "--", LD_PRELOAD=other)
    path = shown(LD_LIBRARY_PATH="/opt/one:/opt/two")["LD_LIBRARY_PATH"]
    tap.check("LD_LIBRARY_PATH kept, ours first", path.endswith("/opt/one:/opt/two"), True)
    tap.check("no empty part", "" in shown().get("LD_LIBRARY_PATH", "/").split(":"), False)
    gives("the environment without options", {"EXBLAS_NUM_THREADS": "5"}, EXBLAS_NUM_THREADS="5")
    for name in ("lapack", "blas"):
        done = start(RUN, SHOW)
        is_there = glob.glob(f"/usr/lib/*/{name}/lib{name}.so.3")
        tap.check(f"netlib's {name}, or that it is missing",
                  f"/{name}" in shown()["LD_LIBRARY_PATH"] if is_there else f"lib{name}3" in done.stderr, True)
    tap.check("--no-lapack", "/lapack" in shown("--no-lapack").get("LD_LIBRARY_PATH", ""), False)
    said = start(RUN, script(TREE / "a b/show it", SHOW.read_text()), "one two", "", "*", "--help").stdout
    tap.check("arguments", said.splitlines()[-4:], ["<one two>", "<>", "<*>", "<--help>"])
    done = subprocess.run([RUN, "./show", "x  y"], cwd=TREE, env=CLEAN, capture_output=True, text=True, check=False)
    tap.check("relative program", done.stdout.splitlines()[-1], "<x  y>")


def places():
    (TREE / "a b/link").symlink_to(RUN)
    (TREE / "a b/link2").symlink_to("link")
    gives("through a symbolic link", {"LD_PRELOAD": str(SHIM)}, run=TREE / "a b/link2")
    found = start("sh", "-c", f"cd / && exblas-run '{SHOW}'", PATH=f"{RUN.parent}:{CLEAN['PATH']}")
    tap.check("found on PATH", f"LD_PRELOAD={SHIM}\n" in found.stdout, True)
    bindir, libdir = (re.search(f"^{name}='(.*)'$", RUN.read_text(), re.M)[1] for name in ("BINDIR", "LIBDIR"))
    if bindir.startswith("/") or libdir.startswith("/"):
        return
    installed = script(TREE / "prefix" / bindir / "exblas-run", RUN.read_text())
    done = start(installed, "true")
    tap.check("no shim", (done.returncode, done.stderr.count("\n")), (125, 1))
    gives("installed", {"LD_PRELOAD": place(TREE / "prefix" / libdir / "exblas/libexblas_shim.so")[0]}, run=installed)


def objects():
    """The report, the trace and the other objects."""
    gives("--report", {"EXBLAS_REPORT": "-", "EXBLAS_TRACE": None, "LD_PRELOAD": str(SHIM)}, "--report")
    found = shown("--report=r.json", "--trace", "t.%p")
    tap.check("--report=FILE, --trace", (found["EXBLAS_REPORT"], found["EXBLAS_REPORT_PID"], found["EXBLAS_TRACE"]),
              ("r.json", found["PID"], "t.%p"))
    tracer, f2c = place(SHIM.with_name("libexblas_trace.so"), SHIM.with_name("libexblas_shim_f2c.so"))
    gives("--trace-blas", {"EXBLAS_TRACE_BLAS": "libx.so", "LD_PRELOAD": tracer}, "--trace", "t",
          "--trace-blas=libx.so")
    gives("--complex-return", {"LD_PRELOAD": f2c}, "--complex-return", "f2c")
    gives("--complex-return gnu", {"LD_PRELOAD": str(SHIM)}, "--complex-return=gnu")
    trace = "--trace", "t"
    lapack = SHIM.with_name("libexblas_lapack.so")
    place(lapack)
    gives("LAPACK is the program's where its calls are traced", {"EXBLAS_LAPACK": "program"}, *trace, "--trace-blas")
    gives("whatever the caller says", {"EXBLAS_LAPACK": "program"}, *trace, "--trace-blas", EXBLAS_LAPACK="exact")
    gives("without --trace-blas it is not touched", {"EXBLAS_LAPACK": None}, *trace)
    gives("nor is what the caller says", {"EXBLAS_LAPACK": "exact"}, *trace, EXBLAS_LAPACK="exact")
    lapack.unlink()
    gives("and without jumps there is nothing to say", {"EXBLAS_LAPACK": None}, *trace, "--trace-blas")
    # Without the two objects --mpi is an error.
    mpi = place(TREE / "lib/mpi/libexblas_pmpi.so", TREE / "lib/mpi/pblas/libexblas_pblas_shim.so")
    other = str(TREE / "libother.so")
    gives("--mpi and --threads", {"LD_PRELOAD": ":".join([str(SHIM), *mpi, other]), "EXBLAS_NUM_THREADS": "2"}, "--mpi",
          "--threads", "2", LD_PRELOAD=other)


def numpy():
    package = TREE / "bindings/python/exblas/_startup"
    startup = f"{TREE}/tools/run/../../bindings/python/exblas/_startup"
    script(package / "sitecustomize.py", 'print("ours")\n')
    script(TREE / "caller/mine.py", 'print("the caller\'s")\n')
    gives("ours before the folders of PYTHONPATH", {"PYTHONPATH": startup + ":/one:/two"}, "--numpy",
          PYTHONPATH="/one:/two")
    gives("no empty part, which is the working folder", {"PYTHONPATH": startup}, "--numpy", PYTHONPATH="")
    done = start(RUN, "--numpy", "python3", "-c", "import mine", PYTHONPATH=str(TREE / "caller"))
    tap.check("a module of the caller", done.stdout, "ours\nthe caller's\n")


def compiled(name, *options):
    """Of a program that ends with 3; None where there is no compiler for it."""
    (TREE / "main.c").write_text("int main(void) { return 3; }\n")
    path = TREE / name
    return path if shutil.which("cc") and start("cc", *options, "-o", path, TREE / "main.c").returncode == 0 else None


def loaders():
    """What nothing can be preloaded into is named in one line; of a script its interpreter."""
    static = compiled("static", "-static")
    if static:
        done = start(RUN, "--report", static)
        tap.check("a static program", (done.returncode, "static→static static" in done.stderr), (3, True))
        ends("without a report", 3, static, lines=1)
    glibc, musl = compiled("glibc"), compiled("musl", "-Wl,--dynamic-linker=/nowhere/ld-musl-x86_64.so.1")
    if not glibc or not musl:
        return
    ends("a program of glibc, of which nothing is said", 3, "--no-lapack", glibc, lines=0)
    script(TREE / "musl_script", f"#!{musl}\n")
    script(TREE / "musl_by_env", "#! /usr/bin/env -S A=1 musl\n")
    for program in ("musl", "musl_script", "musl_by_env"):
        ends(f"musl: {program}", 126, program, says="/musl is for musl (/nowhere/ld-musl-x86_64.so.1)",
             PATH=f"{TREE}:{CLEAN['PATH']}")
    elf = bytearray(glibc.read_bytes())
    elf[18] = 0o377
    (TREE / "foreign").write_bytes(elf)
    (TREE / "foreign").chmod(0o755)
    said = start(RUN, TREE / "foreign").stderr
    tap.check("for another processor", f"{TREE}/foreign is for another processor" in said, True)


def closed():
    """Descriptors that the caller has closed; the program's own messages cannot end in files that it opens."""
    seven = script(TREE / "seven", "#!/bin/sh\n[ -e /dev/fd/2 ] && exit 7\n")
    for ends_of in ("<&-", ">&-", "2>&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        tap.check(f"closed: {ends_of}", start("sh", "-c", f"'{RUN}' --report '{seven}' {ends_of}").returncode, 7)


script(RUN, pathlib.Path(ORIGINAL).read_text(encoding="utf-8"))
place(SHIM)
script(SHOW, "#!/bin/sh\nenv\necho PID=$$\nfor argument; do printf '<%s>\\n' \"$argument\"; done\n")
for part in (messages, exit_codes, environment, places, objects, numpy, loaders, closed):
    part()
tap.finish()
