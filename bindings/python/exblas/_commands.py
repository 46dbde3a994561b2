"""The commands of the package, which lie in its folder bin/, with the library in lib/."""
import os
import shutil
import signal
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")


def find(name):
    """The path of a command: the package's own, else the one that is installed elsewhere."""
    own = os.path.join(FOLDER, name)
    if os.path.exists(own):
        return own
    # Not the script that called us, which has the same name.
    here = os.path.dirname(os.path.abspath(sys.argv[0]))
    others = [p for p in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.abspath(p) != here]
    return shutil.which(name, path=os.pathsep.join(others))


def end_with_reader():
    """A pipe that nobody reads any more ends this process and the program that it becomes, without a word."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def start(name, arguments):
    """Becomes the command."""
    path = find(name)
    if path is None:
        print(f"{name}: not installed with this package", file=sys.stderr)
        return 125
    interpreter = [sys.executable] if name in ("exblas", "exblas-fprev", "exblas-trace-diff") else []
    words = [*interpreter, path, *arguments]
    end_with_reader()
    os.execv(words[0], words)


run, fprev, trace_diff = (lambda name=name: start(name, sys.argv[1:]) for name in ("exblas-run", "exblas-fprev", "exblas-trace-diff"))
