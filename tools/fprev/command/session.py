"""Asks a target in a process of its own and watches it: one that crashes, exits or hangs is a result too."""
import ctypes
import json
import mmap
import os
import re
import select
import signal
import sys
import time
import types

import worker
from blas_names import NAMES, names_in
from worker import Failure

ROUTINES = ("sum", "dot", "asum", "gemv", "gemm")
TYPES = {"d": "double", "s": "float", "h": "half", "b": "bfloat16"}
ABIS = ("auto", "fortran", "cblas", "fortran64", "cblas64")
TICK, LONG = 0.2, 10  # seconds
THREADS = [f"{name}_NUM_THREADS" for name in ("EXBLAS", "OPENBLAS", "OMP", "MKL", "BLIS")]


def split_target(target, n_threads):
    """The variables before a target, and the target."""
    variables = dict.fromkeys(THREADS, str(n_threads)) if n_threads else {}
    while found := re.match(r" *([^ =/.:]+)=([^ ]*) ", target):
        if found[1].startswith("LD_"):  # which the process has read
            raise Failure(2, f"{found[1]} is for both targets: set it before exblas-fprev")
        variables[found[1]] = found[2]
        target = target[found.end():]
    return variables, target.lstrip(" ")


def names_of(q, target):
    """The library, what it lacks if it has none of the names, and these, each with how it is called (auto: unknown)."""
    library, colon, symbol = target.rpartition(":")
    if target.startswith("model:"):
        return target, "", []
    if colon:
        wide = "64" * symbol.endswith(("64_", "_64"))
        guess = f"cblas{wide}" if "cblas_" in symbol else f"fortran{wide}" if symbol.endswith("_") else "auto"
        return library, f"symbol {symbol}", [(symbol, guess if q.abi == "auto" else q.abi)]
    routine = "s" * (q.type in "hb") + q.type + q.routine  # of 16-bit numbers: sbdot, shgemm, with results of floats
    names = names_in(target) if q.abi == "auto" else [named for named in NAMES if named[1] == q.abi]
    what = f"{routine} under any name known to --abi {'auto' if q.abi == 'auto' else 'given'}"
    return target, what, [(name.replace("?", routine), abi) for name, abi in names]


class Child:
    """A process with these variables, which sends what a function returns; what a library prints is no answer."""

    def __init__(self, variables, function):
        self.answer, out = os.pipe()
        try:
            self.pid = os.fork()
        except OSError as error:
            raise Failure(3, f"cannot start a process: {error.strerror}") from None
        if self.pid == 0:
            self.run(variables, function, out)
        os.close(out)

    def run(self, variables, function, out):
        os.dup2(2, 1)
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # when nobody waits for the answer any more
        os.environ.update(variables)
        try:
            text = f"0 {function()}"
        except Failure as failure:
            text = " ".join(map(str, failure.args))
        except Exception as error:
            text = f"3 {type(error).__name__}: {error}"
        data = os.fsencode(text) + b"\0"
        while data:
            data = data[os.write(out, data):]
        os._exit(0)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)

    def end(self):
        os.close(self.answer)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class Watch:
    """Waits with an eye on the count of calls."""

    def __init__(self, q, target, calls):
        self.q, self.target, self.calls = q, target, calls
        self.started = time.monotonic()
        self.last, self.last_change = 0, self.started
        self.shown = self.said = False

    def seconds(self):
        return time.monotonic() - self.started

    def fewest_seconds(self):
        """Every term but one has to be compared with another in a call of its own: what these take at this rate."""
        return int(self.seconds() * (self.q.n - 1) / self.calls[0]) if self.calls[0] else 0

    def show(self):
        """On a terminal all the time; elsewhere once, when it has taken long."""
        seconds, terminal = self.seconds(), os.isatty(2)
        if self.q.quiet or (not terminal and (self.said or seconds < LONG)):
            return
        text = f"{self.target}: {self.calls[0]} calls in {int(seconds)} s"
        if seconds > 2 and self.calls[0]:
            text += f", of at least {self.q.n - 1} in {self.fewest_seconds()} s"
        sys.stderr.write(f"\r\033[K{text} " if terminal else f"{text}; see --n and --limit\n")
        sys.stderr.flush()
        self.shown, self.said = terminal, True

    def wait(self, child):
        """For the beginning of the answer, of which all is known then."""
        while not select.select([child.answer], [], [], TICK)[0]:
            self.show()
            if self.calls[0] != self.last:
                self.last, self.last_change = self.calls[0], time.monotonic()
            if time.monotonic() - self.last_change >= self.q.timeout:
                child.kill()
                raise Failure(3, f"{self.target}: call {self.calls[0]} did not return in {self.q.timeout} s")
            if self.q.limit and self.seconds() >= self.q.limit:
                child.kill()
                raise Failure(3, f"{self.target}: no answer within {self.q.limit} s and {self.calls[0]} calls; "
                                 f"{self.q.n} terms need at least {self.q.n - 1} calls, some {self.fewest_seconds()} s")

    def explain(self, status):
        """What became of a child that did not answer."""
        if status >= 0:
            return f"{self.target} ended the process in call {self.calls[0]} with status {status}"
        when = "in call" if self.calls[0] else "while being loaded, call"
        return f"{self.target} crashed {when} {self.calls[0]}: {signal.strsignal(-status)}"


def ask(q, target, inputs=range(0), masks=(-1, -1)):
    """The orders of a target; or its results for these inputs, and the terms of the last one. Number 0 has a huge term
    and its negative where the masks are, all else are random."""
    variables, rest = split_target(target, q.threads)
    count = mmap.mmap(-1, 8)  # of calls: shared
    watch = Watch(q, target, memoryview(count).cast("q"))
    child = Child(variables, lambda: worker.answer(q, *names_of(q, rest), inputs, masks, ctypes.c_int64.from_buffer(count)))
    try:
        watch.wait(child)
        answer = bytearray()  # up to a NUL: others that a library started may keep the pipe open
        while not answer.endswith(b"\0") and (piece := os.read(child.answer, 1 << 20)):
            answer += piece
        answer = os.fsdecode(bytes(answer.rstrip(b"\0")))
    finally:
        child.end()
        if watch.shown:
            sys.stderr.write("\r\033[K")
    status, _, rest = answer.partition(" ")
    if status and status != "0":
        raise Failure(int(status), rest)
    if not rest.endswith("}\n"):
        raise Failure(3, watch.explain(child.status))
    symbol, _, text = rest.partition("\n")
    return types.SimpleNamespace(target=target, symbol=symbol, **json.loads(text))
