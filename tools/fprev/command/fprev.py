"""The command line of exblas-fprev."""
import getopt
import re
import signal
import sys
import types

from compare import compare
from report import Order
from session import ABIS, ROUTINES, TYPES, Failure, ask

USAGE = """\
usage: exblas-fprev TARGET [OPTION...]
       exblas-fprev compare TARGET TARGET [OPTION...]

Finds in which order a function adds, from its results alone, and checks the
order bit for bit on random data. compare tells whether two add alike, and if not,
an input on which they differ.

TARGET is [NAME=VALUE ...] LIBRARY[:SYMBOL], where the variables are set before the
library is loaded (one argument: "OPENBLAS_CORETYPE=Haswell libopenblas.so.0"),
or model:NAME, NAME one of
  sequential, reversed     from the first term to the last, or back
  strided:K                K lanes, then the lanes one after another (default 8)
  halves                   halves, added recursively
  pairwise                 as NumPy: blocks of 128 with 8 accumulators, then halves
  random:SEED              a random tree
  kahan, neumaier          compensated sums
  volta, ampere, hopper    fused additions of 4, 8, 16 terms and the running sum, cut
  exact                    the exact sum, rounded once
  with +fma after the first three: products are fused into the additions

  --routine sum|dot|asum|gemv|gemm   (default dot; sum for models)
  --type d|s|h|b       double, float, half, bfloat16 (default d)
  --n N                terms of sum, dot, asum; columns of the matrix (default 32)
  --m M, --k K         rows of the result or of gemv's matrix; terms of gemm (default: N)
  --trans n|t          gemv, gemm: with the transposed matrices
  --lda N, --incx N    leading dimension; increment of vectors
  --align B            arrays begin B bytes after a multiple of 64
  --threads T          sets the variables that BLAS libraries read
  --element I[,J]|all  the result that is looked at (default 0,0)
  --abi auto|fortran|cblas|fortran64|cblas64
  --seed S             of random choices (default 1)
  --json, -o FILE
  --timeout SECONDS    for one call (default 60)
  --limit SECONDS      for all calls together (default: none)
  --quiet              no progress

Exit status: 0 found and replayed, or alike; 1 different, inconsistent, or the replay
failed; 2 usage, or the target cannot be loaded; 3 the target crashed or returned NaN.
"""
MOST, A_DAY = 2 ** 30, 86401
# What is taken without the option, and which words or numbers; texts and what needs no value have neither.
OPTIONS = {
    "routine": (None, ROUTINES), "type": ("d", list(TYPES)), "trans": ("n", ("n", "t")), "abi": ("auto", ABIS),
    "m": (0, range(1, MOST)), "n": (32, range(MOST)), "k": (None, range(MOST)), "lda": (0, range(1, MOST)),
    "incx": (1, range(1, 2 ** 20 + 1)), "align": (0, range(64)), "threads": (0, range(1, 4097)),
    "seed": (1, range(2 ** 63)), "timeout": (60, range(1, A_DAY)), "limit": (0, range(1, A_DAY)),
    "element": ("0", None), "o": (None, None),
    "json": (False, None), "quiet": (False, None), "help": (False, None)}


def taken(name, text):
    default, known = OPTIONS[name]
    if default is False or known is None:
        return True if default is False else text
    if not isinstance(known, range):
        if text not in known:
            raise Failure(2, f"no such choice: {text} (see --help)")
        return text
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,999}", text) or int(text) not in known:
        raise Failure(2, f"--{name} {text}: not a number from {known[0]} to {known[-1]}")
    return int(text)


def set_element(q):
    """all, I or I,J; results of gemm are numbered by columns."""
    text, q.all, q.element = q.element, q.element == "all", 0
    if q.all:
        return
    found = re.fullmatch(r"([0-9]+)(?:,([0-9]+))?", text)
    i, j = (int(part or 0) for part in found.groups()) if found else (-1, 0)
    if i < 0 or (q.routine == "gemm" and (i >= q.m or j >= q.n)):
        raise Failure(2, f"--element {text}: no such element")
    q.element = i + j * (q.m if q.routine == "gemm" else 1)


def parse(words):
    """What is asked, and the targets."""
    q = types.SimpleNamespace(**{name: default for name, (default, _) in OPTIONS.items()})
    try:
        options, targets = getopt.gnu_getopt(words, "ho:", [name + "=" * (default is not False)
                                                            for name, (default, _) in OPTIONS.items() if name != "o"])
    except getopt.GetoptError as error:
        raise Failure(2, error.msg) from None
    for name, text in options:
        name = "help" if name == "-h" else name.lstrip("-")
        setattr(q, name, taken(name, text))
        if q.help:
            return q, []
    q.compare = targets[:1] == ["compare"]
    if len(targets) != (3 if q.compare else 1):
        raise Failure(2, f"{'compare needs two targets' if q.compare else 'one target is needed'} (see --help)")
    targets = targets[-2:] if q.compare else targets
    q.routine = q.routine or ("sum" if "model:" in targets[0] else "dot")
    q.m = q.m or q.n
    q.k = q.n if q.k is None else q.k
    if q.n == 0 or (q.routine == "gemm" and q.k == 0):
        raise Failure(2, "no terms: nothing is added, so there is no order")
    set_element(q)
    return q, targets


def reveal(q, targets):
    """The text, and the exit status."""
    answer = ask(q, *targets)
    orders = [Order(q, answer, found) for found in answer.orders]
    if q.json:
        text = ",\n".join(order.json() for order in orders)
        text = f"[{text}]\n" if q.all else f"{text}\n"
    else:
        text = "".join(f"{line}\n" for order in orders for line in order.lines())
    return text, 0 if all(order.is_good for order in orders) else 1


def main(words):
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends at once, and the worker with it
    try:
        q, targets = parse(words)
        try:
            file = open(q.o, "w", encoding="utf-8", errors="surrogateescape") if q.o else sys.stdout
        except OSError as error:
            raise Failure(2, f"cannot write {q.o}: {error.strerror}") from None
        text, status = (USAGE, 0) if q.help else (compare if q.compare else reveal)(q, targets)
        try:
            file.write(text)
            (file.close if q.o else file.flush)()  # after a failed close nothing tries again
        except OSError as error:
            raise Failure(2, f"cannot write the result: {error.strerror}") from None
        return status
    except Failure as failure:
        try:
            print("exblas-fprev:", failure.args[1], file=sys.stderr, flush=True)
        except OSError:
            pass
        return failure.args[0]
