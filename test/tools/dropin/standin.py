"""Programs and libraries that a test makes for itself, and its report in TAP."""
import json
import os
import subprocess
import tempfile

number = 0
SECONDS = 60


def check(title, ok, note=""):
    global number
    number += 1
    print(f"{'ok' if ok else 'not ok'} {number} - {title}", flush=True)
    if not ok:
        print("\n".join("# " + line for line in str(note).splitlines()))


# Functions of others are called without a declaration, an error since GCC 14.
UNDECLARED = ["-Wno-error=implicit-function-declaration"]


class Workshop:
    """A folder, a compiler."""

    def __init__(self, compiler, folder):
        self.compiler, self.folder = compiler, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name, text, *options):
        source = self.path(os.path.basename(name) + ".c")
        with open(source, "w") as f:
            f.write(text)
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        shared = ["-shared", "-fPIC", f"-Wl,-soname,{os.path.basename(name)}"] if ".so" in name else []
        subprocess.run([*self.compiler, "-O0", "-w", *UNDECLARED, *shared, source, "-o", self.path(name),
                        f"-Wl,-rpath,{self.folder}", *options], check=True)
        return self.path(name)


def start(*command, seconds=SECONDS, **settings):
    """The finished process, or None: it hung and was killed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EXBLAS_")} | settings
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=environment)
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def report(run, *command, seconds=SECONDS):
    """What exblas-run says of a program: the whole, and {(symbol, caller, provider, reason)}."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = start(run, f"--report={file.name}", *command, seconds=seconds)
        if done is None:
            return None, set()
        if done.returncode != 0:
            return done, {("the program failed", "", "", str(done))}
        said = json.load(file)
    return said, {tuple(e[k] for k in ("symbol", "caller", "provider", "reason")) for e in said["elsewhere"]}
