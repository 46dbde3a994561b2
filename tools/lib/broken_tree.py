"""The copy of the tree in which faults are planted, its build and its tests."""
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# As far from the sources as an ordinary build folder: compiler caches then know the objects.
COPY = os.path.join(ROOT, os.environ.get("MUTATE_FOLDER", "build-mutate"))
BUILD = os.path.join(COPY, "build")
NICE = ["nice", "-n", "10"] if os.nice(0) < 10 else []
JOBS = int(os.environ.get("MUTATE_JOBS", "1"))
MEMORY = 6 << 30 # bytes a broken test may take


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options)


def write_if_changed(path, data):
    """A new time stamp only where there is something to build. Data: bytes, or text."""
    data = data if isinstance(data, bytes) else data.encode()
    if os.path.exists(path):
        with open(path, "rb") as f:
            if f.read() == data:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def copy_tree():
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                           check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
    wanted = {n for n in names if n and os.path.isfile(os.path.join(ROOT, n))}
    for name in wanted:
        with open(os.path.join(ROOT, name), "rb") as f:
            write_if_changed(os.path.join(COPY, name), f.read())
        shutil.copymode(os.path.join(ROOT, name), os.path.join(COPY, name))
    for folder, folders, files in os.walk(COPY):
        if folder == COPY and "build" in folders:
            folders.remove("build")
        for name in files:
            path = os.path.join(folder, name)
            if os.path.relpath(path, COPY) not in wanted:
                os.remove(path)


def build(targets):
    if not targets: # ninja would build all
        return subprocess.CompletedProcess([], 0, "")
    return run(NICE + ["ninja", "-C", BUILD, "-j", str(JOBS), *targets])


def bounded(cpu_seconds):
    """For a broken test, which neither runs for ever nor fills memory or disk. Its own time counts:
    machines have other work."""
    def set_limits():
        if cpu_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_seconds) + 1, int(cpu_seconds) + 2))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_limits


def cpu_seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Tests:
    """The tests of the build folder by name: executables, or scripts and launchers of what they
    depend on, with their environment."""

    def __init__(self):
        def introspect(what):
            return json.loads(run(["meson", "introspect", BUILD, what]).stdout)
        self.by_name = {t["name"]: t for t in introspect("--tests")}
        self.files = {t["id"]: t["filename"] for t in introspect("--targets")}
        self.seconds = {} # of a processor, of tests in the tree as it is
        self.last_seconds = 0

    def targets(self, name):
        test = self.by_name[name]
        made = [os.path.relpath(test["cmd"][0], BUILD)]
        if made[0].startswith(".."):
            made = [os.path.relpath(f, BUILD) for id in test["depends"] for f in self.files[id]]
        return made

    def pass_unbroken(self, name):
        """In the tree as it is, however long it takes on a machine that has other work."""
        passed = self.passes(name, limit=None)
        self.seconds[name] = self.last_seconds
        return passed

    def passes(self, name, limit):
        """Scripts may end with 0 after `not ok`. limit: in seconds of a processor; a test that
        waits for ever has ten times as long. Programs end at their first failure."""
        test, since = self.by_name[name], cpu_seconds_of_children()
        environment = dict(os.environ, **test["env"])
        child = subprocess.Popen(NICE + test["cmd"], env=environment, cwd=test["workdir"] or BUILD,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 errors="replace", start_new_session=True,
                                 preexec_fn=bounded(limit))
        stop = threading.Timer(10 * (limit or 10 ** 6), os.killpg, (child.pid, signal.SIGKILL))
        stop.daemon = True
        stop.start()
        passed = True
        for line in child.stdout:
            passed = passed and not line.startswith(("not ok", "1..0 # SKIP"))
            if not passed and test["cmd"][0].startswith(BUILD): # a script may have servers to stop
                os.killpg(child.pid, signal.SIGKILL)
        passed = child.wait() == 0 and passed
        stop.cancel()
        self.last_seconds = cpu_seconds_of_children() - since
        return passed


def alone(test_target):
    """Compiles one test and links it against the library as it is: for mutations of functions of
    headers, which the test has copies of."""
    stem = test_target + ".p/"
    listed = run(["ninja", "-C", BUILD, "-t", "commands", test_target]).stdout.splitlines()
    log = ""
    for command in listed:
        if f" -o {stem}" in command or f" -o {test_target} " in command:
            done = run(NICE + ["sh", "-c", command], cwd=BUILD)
            log += done.stdout
            if done.returncode != 0:
                return subprocess.CompletedProcess(command, 1, log)
    return subprocess.CompletedProcess(test_target, 0, log)


class Applied:
    """A mutation while it stands in the copy, or in the build folder's copy of a Python module."""

    def __init__(self, m):
        self.m = m
        self.path = os.path.join(COPY, m.file)
        built = os.path.join(BUILD, m.file)
        if m.file.endswith(".py") and os.path.exists(built):
            self.path = built

    def __enter__(self):
        with open(self.path, encoding="utf-8") as f:
            self.text = f.read()
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(self.m.apply(self.text))

    def __exit__(self, *_):
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(self.text)


def first_to_fail(m, names, tests, least_seconds):
    """What became of a mutation in these tests, in words, and whether it was caught."""
    try:
        for name in names:
            built = alone(*tests.targets(name)) if m.alone else build(tests.targets(name))
            if built.returncode != 0:
                print(built.stdout, file=sys.stderr)
                return "does not compile", False
            if not tests.passes(name, limit=max(least_seconds, 10 * tests.seconds[name])):
                return f"caught by {name}", True
        return "SURVIVED " + ", ".join(names), False
    finally:
        if m.alone: # ninja does not know what was made behind its back
            for name in names:
                for path in glob.glob(os.path.join(BUILD, *tests.targets(name)) + ".p/*.o"):
                    os.remove(path)


def configured():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1)) # what is applied is taken back
    copy_tree()
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        made = run(["meson", "setup", BUILD, COPY, "--buildtype=release", "-Dtests=enabled"])
        if made.returncode != 0:
            sys.exit(made.stdout)
    for engine in ("duckdb", "postgresql"): # from tools/check; tests are skipped without
        there, here = os.path.join(ROOT, "build-check", engine), os.path.join(BUILD, engine)
        if os.path.exists(there) and not os.path.exists(here):
            os.symlink(there, here)
    build(["build.ninja"]) # knows tests that were added since
    return Tests()
