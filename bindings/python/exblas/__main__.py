"""python -m exblas COMMAND ...: `run [exblas-run's options] program` starts a program on ExBLAS, `fprev` is
exblas-fprev; `quickstart` compares; all else are the words of the command `exblas`."""
import subprocess
import sys

from exblas import _commands

# What the package has besides: the command that it takes, its name and its line of --help.
OWN = (("exblas-run", "quickstart", "  quickstart           one NumPy program on many processor types, without and with ExBLAS"),
       ("exblas-run", "run", "  run PROGRAM...       a program with ExBLAS as its BLAS, see exblas run --help"),
       ("exblas-fprev", "fprev", "  fprev FUNCTION...    the order in which a function adds, see exblas fprev --help"))


def main(words=None):
    words = sys.argv[1:] if words is None else words
    _commands.end_with_reader()
    if words[:1] == ["run"]:
        return _commands.start("exblas-run", _with_interpreter(words[1:]))
    if words[:1] == ["fprev"]:
        return _commands.start("exblas-fprev", words[1:])
    if words[:1] == ["quickstart"]:
        from exblas import _quickstart
        return _quickstart.main(words[1:])
    own = [(name, line) for command, name, line in OWN if _commands.find(command)]
    if (words in (["--help"], ["-h"]) or words[:1] == ["help"]) and _commands.find("exblas"):
        return _with_own(words, "\n\nResults are", "".join("\n" + line for _, line in own))
    if words[:1] == ["completions"] and _commands.find("exblas"):
        return _with_own(words, " help", "".join(" " + name for name, _ in own))
    return _commands.start("exblas", words)


def _with_own(words, end, own):
    """What the command exblas lists, up to the end of its commands, and what the package has besides."""
    done = subprocess.run([sys.executable, _commands.find("exblas"), *words], stdout=subprocess.PIPE, text=True, check=False)
    commands, mark, rest = done.stdout.partition(end)
    print(commands + own * bool(mark) + mark + rest, end="")
    return done.returncode


# exblas-run's options whose value is the next word.
TAKES_VALUE = {"--threads", "--method", "--trace", "--complex-return"}


def _with_interpreter(words):
    """A program that is a Python file, or -m or -c, runs in this interpreter."""
    at = 0
    while at < len(words) and words[at].startswith("--"):
        at += 2 if words[at] in TAKES_VALUE else 1
        if words[at - 1] == "--":
            break
    program = words[at:at + 1]
    if program and (program[0].endswith(".py") or program[0] in ("-m", "-c")):
        return [*words[:at], sys.executable, *words[at:]]
    return words


if __name__ == "__main__":
    sys.exit(main())
