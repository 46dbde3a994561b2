"""exblas: exact sums, means, norms and dot products of files, and what the library has to show."""
import getopt
import math
import os
import re
import shutil
import signal
import sys
import types

from decimals import parse
from demo import demo, info
from native import library
from reduce import dot, reduce
from show import OK, RESOURCES, Failure, fail
from solve import solve
from source import FORMATS
from verify import verify

USAGE = """usage: exblas COMMAND [OPTION...] [FILE...]

  info                 the library: version, kernels, threads, method
  sum FILE...          the sum of a file's numbers, of each and of all files
  asum FILE...         the sum of their magnitudes
  nrm2 FILE...         the square root of the sum of their squares
  mean FILE...         the mean of their numbers
  var FILE...          the variance; --ddof 1: of a sample
  dot FILE FILE        the sum of the products of their numbers
  verify A B C         is C (npy) = alpha A B + beta C0, each element correctly rounded?
  verify --solve A B X is X (npy) the solution of A X = B, or of least squares?
  solve --cg A B       the solution of A x = B, A a Matrix Market file of coordinates;
                       also --bicgstab, --gmres
  solve --least-squares A B   the X with the least |B - A X|, or the least |X| (npy)
  demo                 one sum in many orders, with plain loops and with ExBLAS
  completions SHELL    what bash, zsh or fish shall know:
                       eval "$(exblas completions bash)"
{others}
Results are exact, rounded once. A FILE - is standard input.

  --format auto|npy|npz|raw|text|csv|mtx|parquet|arrow|jsonl
                       what the files are (default auto); also compressed by gzip
                       or zstd. parquet and arrow need pyarrow, or parquet duckdb
  --type f32|f64       numbers in raw and decimal files, and the result
                       (default: that of an npy file, otherwise f64)
  --column N|NAME      the column of csv files, by number from 1 or by its header;
                       the array of npz files
  --columns A,B,...|all   several columns, a result for each
  --by COLUMN          a result for each value in this column of a csv file
  --axis N             a result for each line along axis N of an npy file
  --skip-na            leave out NaN, empty fields, and NA, n/a, null and the like
  --header, --no-header   the first record of csv files has names, or numbers
  --delimiter C        what separates in csv and text files: , ; : | tab space
  --decimal .|,        what stands before decimals in csv and text files (default .)
  --ddof N             var: the divisor is n - N (default 0)
  --alpha X --beta X --c0 FILE   of verify (default 1, 0)
  --jacobi             solve: with the inverse of the diagonal as preconditioner
  --tolerance X        solve: the end is ||r|| <= X ||B|| (default 1e-10)
  --steps N            solve: at most N steps (default 10000)
  --history FILE       solve: ||r|| before the first step and after each
  --output FILE        solve: the solution, a Matrix Market file (default standard output)
  --all                verify: list all wrong elements, not just the first 20
  --json               numbers as {{"value": decimal, "hex": hexadecimal}}
  --quiet              no progress

Exit status: 0 done, or yes; 1 no; 2 bad input or usage; 3 out of memory or the like."""

# Commands that are programs of their own, which stand beside this one, at the same place of a build tree, or on PATH.
OTHERS = {"bench": """
  bench [SUITE...]     measurements (--quick, --plot, --report),
                       see exblas bench --help""", "grade": """
  grade LIBRARY...     judges the BLAS of a shared library, see exblas grade --help""", "trace-diff": """
  trace-diff A B       the first difference between two traces (EXBLAS_TRACE)"""}
BESIDE = ".", "../grade", "../trace", "../../perf/bench"

# What a command is for its options.
REDUCTIONS, READERS = ("reduce", "var"), ("reduce", "var", "dot")
OF_TEXT, SOLVERS, VERIFIERS = (*READERS, "solve"), ("solve", "solve --least-squares"), ("verify", "verify --solve")
NO_SOLVERS = *READERS, *VERIFIERS, "other"
ANY = *NO_SOLVERS, *SOLVERS
METHODS = "cg", "bicgstab", "gmres", "least-squares"

# The commands an option is for; with = it has a value.
OPTIONS = {
    "format=": READERS, "type=": READERS, "column=": OF_TEXT, "columns=": REDUCTIONS, "by=": REDUCTIONS, "axis=": REDUCTIONS,
    "skip-na": REDUCTIONS, "header": OF_TEXT, "no-header": OF_TEXT, "delimiter=": OF_TEXT, "decimal=": OF_TEXT,
    "ddof=": ("var",), "alpha=": ("verify",), "beta=": ("verify",), "c0=": ("verify",), "all": VERIFIERS, "solve": VERIFIERS,
    "json": NO_SOLVERS, "quiet": ANY, **dict.fromkeys(METHODS, SOLVERS), "jacobi": ("solve",), "tolerance=": ("solve",),
    "steps=": ("solve",), "history=": ("solve",), "output=": SOLVERS, "help": ANY}
DELIMITERS = {",": b",", ";": b";", ":": b":", "|": b"|", "tab": b"\t", "\t": b"\t", "space": b" ", " ": b" "}


def find_other(name):
    folder = os.path.dirname(os.path.realpath(sys.argv[0]))
    paths = (os.path.join(folder, place, f"exblas-{name}") for place in BESIDE)
    return next((path for path in paths if os.access(path, os.X_OK)), None) or shutil.which(f"exblas-{name}")


def run_other(name, words):
    path = find_other(name)
    if not path:
        fail(f"{name} is not part of this installation: it takes exblas-{name}", RESOURCES)
    try:
        os.execv(path, [f"exblas-{name}", *words])
    except OSError as error:
        fail(f"cannot run {path}: {error.strerror}", RESOURCES)


def usage():
    print(USAGE.format(others="".join(text[1:] + "\n" for name, text in OTHERS.items() if find_other(name))))
    return OK


def names_of_commands():
    return [*COMMANDS, *filter(find_other, OTHERS), "help"]


def names_of_options():
    return [name.rstrip("=") for name in OPTIONS]


def perhaps(word, names, dashes=""):
    """What it may be a slip of."""
    import difflib
    close = difflib.get_close_matches(word, names, 1)
    return f" (did you mean {dashes}{close[0]}?)" if close else ""


def completions(q):
    shell = q.files[0] if len(q.files) == 1 else ""
    commands, options = " ".join(names_of_commands()), names_of_options()
    words = " ".join([commands, *("--" + name for name in options)])
    if shell == "fish":
        print(f"complete -c exblas -n __fish_use_subcommand -a '{commands}'")
        for name in options:
            print(f"complete -c exblas -l {name}")
    elif shell in ("bash", "zsh"):
        print(f"complete -o default -W '{words}' exblas" if shell == "bash" else
              f"_exblas() {{ compadd -- {words}; _files }}; compdef _exblas exblas")
    else:
        fail("completions needs bash, zsh or fish")
    return OK


COMMANDS = {"sum": (reduce, "reduce"), "asum": (reduce, "reduce"), "nrm2": (reduce, "reduce"), "dot": (dot, "dot"),
            "mean": (reduce, "reduce"), "var": (reduce, "var"), "verify": (verify, "verify"), "demo": (demo, "other"),
            "info": (info, "other"), "solve": (solve, "solve"), "completions": (completions, "other")}


def choose(q, option, choices, otherwise):
    text = getattr(q, option)
    if text is not None and text not in choices:
        fail(f"--{option} {text}: no such choice, see exblas --help")
    return otherwise if text is None else choices[text]


def take_number(q, option, otherwise, least):
    text = getattr(q, option)
    n = otherwise if text is None else int(text) if re.fullmatch("[0-9]{1,10}", text) else -1
    if not least <= n < 2 ** 31 - 1:
        fail(f"--{option} {text}: a number from {least} up is needed")
    return n


def parse_words(command, kind, words):
    """The request: what options say, None or False where they are not given."""
    try:
        given, files = getopt.gnu_getopt(words, "h", list(OPTIONS))
    except getopt.GetoptError as error:
        word = ("-" if len(error.opt) == 1 else "--") + error.opt
        if "requires" in error.msg:
            fail(f"{word} needs a value, see exblas --help")
        fail(f"{word}: unknown option{perhaps(error.opt, names_of_options(), '--')}, see exblas --help")
    given = {name.lstrip("-"): value for name, value in given}
    for name, value in given.items():
        if not value and name + "=" in OPTIONS:
            fail(f"--{name} needs a value, see exblas --help")
    if given.keys() & {"h", "help"}:
        return None
    q = types.SimpleNamespace(command=command, files=files)
    for option in OPTIONS:
        name = option.rstrip("=")
        setattr(q, name.replace("-", "_"), given.get(name) if option.endswith("=") else name in given)
    q.format = choose(q, "format", dict(zip(FORMATS, FORMATS)), "auto")
    q.type = choose(q, "type", {"f32": "f32", "f64": "f64"}, None)
    q.delimiter = choose(q, "delimiter", DELIMITERS, None)
    q.decimal_given, q.decimal = q.decimal is not None, choose(q, "decimal", {".": b".", ",": b","}, b".")
    q.ddof, q.steps = take_number(q, "ddof", 0, 0), take_number(q, "steps", 10000, 1)
    q.tolerance = take_tolerance(q.tolerance)
    methods = [name for name in METHODS if name in given]
    q.method = methods[0] if methods else None
    if len(methods) > 1:
        fail("--cg, --bicgstab, --gmres and --least-squares are one choice")
    check(q, kind, given)
    return q


def take_tolerance(text):
    try:
        x = 1e-10 if text is None else parse(os.fsencode(text), False) or math.nan
    except OverflowError:
        x = math.nan
    if not 0 < x < 1:
        fail(f"--tolerance {text}: a number between 0 and 1 is needed")
    return x


def check(q, kind, given):
    """Options that mean nothing to the command are errors: none is silently ignored."""
    variant = "solve" if kind == "verify" and q.solve else "least-squares" if q.method == "least-squares" else None
    kind = f"{kind} --{variant}" if variant and kind in ("verify", "solve") else kind
    for option, kinds in OPTIONS.items():
        if option.rstrip("=") in given and kind not in kinds:
            fail(f"{kind if variant else q.command} has no option --{option.rstrip('=')}")
    for is_bad, text in (
            (kind == "solve" and not q.method, "solve: --cg, --bicgstab, --gmres or --least-squares is needed"),
            (q.header and q.no_header, "--header and --no-header are one choice"),
            (q.delimiter == q.decimal == b",", "--delimiter and --decimal are both ,"),
            (q.column is not None and q.columns is not None, "--column and --columns are one choice"),
            (q.axis and (q.columns or q.by), f"--axis is for npy, {'--by' if q.by else '--columns'} for csv"),
            (kind == "other" and q.files and q.command != "completions", f"{q.command} takes no files")):
        if is_bad:
            fail(text)


def run(words):
    if len(words) > 1 and words[0] == "help":
        words = [words[1], "--help"]
    command = words[0] if words else ""
    if command in ("--help", "-h", "help"):
        return usage()
    if command in ("--version", "-V", "version"):
        print("exblas", library.exblas_version().decode())
        return OK
    if command in OTHERS:
        run_other(command, words[1:])
    if not command:
        fail("no command, see exblas --help")
    if command not in COMMANDS:
        fail(f"no such command: {command}{perhaps(command, names_of_commands())}, see exblas --help")
    action, kind = COMMANDS[command]
    q = parse_words(command, kind, words[1:])
    return action(q) if q else usage()


def end(text, status):
    red = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    try:
        print("\033[31mexblas:\033[m" if red else "exblas:", text, file=sys.stderr, flush=True)
    except OSError:
        pass
    return status


def main(words):
    """Every error is found before anything is written; output that could not be written is not a success."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends at once
    try:
        status = run(words)
        sys.stdout.flush()
    except Failure as failure:
        return end(*failure.args)
    except (MemoryError, OverflowError):
        return end("not enough memory", RESOURCES)
    except OSError as error:
        os._exit(end(f"cannot write the result: {error.strerror}", RESOURCES))
    return status
