#!/usr/bin/env python3
"""Finds the first BLAS call at which two traces (EXBLAS_TRACE) differ.

usage: exblas-trace-diff [--quiet] A B

A and B are what programs wrote under `exblas-run --trace FILE`, or with EXBLAS_TRACE=FILE.
Calls are compared in the order of the files. At the first one that differs it is said what
does: the call itself, what went in (then the cause lies between this call and the one
before), or only what came out (then this call is the cause).

exit status: 0 the same, 1 different, 2 not a trace or not readable
"""
import signal
import sys


class Call:
    """SEQ THREAD routine k=v ... in=H,H out=H"""

    def __init__(self, line):
        number, _, self.routine, *fields = line.split()
        self.number = int(number)
        pairs = dict(f.split("=", 1) for f in fields)
        self.inputs, self.outputs = pairs.pop("in"), pairs.pop("out")
        self.arguments = pairs

    def __str__(self):
        return " ".join([self.routine, *(f"{k}={v}" for k, v in self.arguments.items())])


def fail(text):
    print(f"exblas-trace-diff: {text}", file=sys.stderr)
    sys.exit(2)


def calls(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            if not file.readline().startswith("exblas-trace 1 "):
                fail(f"{path} is not a trace (its first line is not 'exblas-trace 1 PID PROGRAM')")
            for number, line in enumerate(file, 2):
                if line.startswith("exblas-trace "):
                    continue
                try:
                    yield Call(line)
                except (ValueError, KeyError):
                    fail(f"{path}, line {number}: not a call (cut short?)")
    except OSError as error:
        fail(f"{path}: {error.strerror}")


def which(a, b):
    """The numbers, from 1, of the hashes that differ."""
    pairs = list(zip(a.split(","), b.split(",")))
    return ", ".join(str(i) for i, (x, y) in enumerate(pairs, 1) if x != y)


def difference(a, b):
    """What is different between two calls, None if nothing is."""
    if a is None or b is None:
        return "calls: one run makes no further call"
    if a.routine != b.routine:
        return "calls: another routine"
    if a.arguments != b.arguments:
        names = [k for k in a.arguments if a.arguments[k] != b.arguments.get(k)]
        return f"calls: other arguments ({', '.join(names)})"
    if a.inputs != b.inputs:
        return (f"inputs: array {which(a.inputs, b.inputs)} already held other numbers; "
                "look between this call and the one before")
    if a.outputs != b.outputs:
        return f"outputs: result {which(a.outputs, b.outputs)} differs for the same inputs"
    return None


def compare(first, second):
    """(number of equal calls, call of A, call of B, what differs)"""
    equal = 0
    while True:
        a, b = next(first, None), next(second, None)
        if a is None and b is None:
            return equal, None, None, None
        found = difference(a, b)
        if found:
            return equal, a, b, found
        equal += 1


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ends when nobody reads on
    arguments = sys.argv[1:]
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    quiet = "--quiet" in arguments
    files = [a for a in arguments if a != "--quiet"]
    if len(files) != 2 or any(f.startswith("-") for f in files):
        fail("two traces are needed: exblas-trace-diff A B")
    equal, a, b, found = compare(calls(files[0]), calls(files[1]))
    if not found:
        if not quiet:
            print(f"the same: {equal} calls")
        return 0
    if not quiet:
        print(f"{equal} calls are the same, then the first difference is in {found}")
        for path, call in zip(files, (a, b)):
            print(f"  {path}: " + (f"call {call.number}: {call} in={call.inputs} out={call.outputs}"
                                   if call else "ends here"))
    return 1


if __name__ == "__main__":
    sys.exit(main())
