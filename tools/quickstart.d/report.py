"""The tables that the comparison ends in, and its verdict."""
import hashlib
import os
import statistics
import textwrap

import numpy as np

import exact
from terminal import WIDTH, bold, count, say

MIN_VARYING = 3         # results on which the plain answers must differ
MAX_SHOWN = 5           # different answers of an example that are printed


def distinct(answers, name):
    return len({answer.digests[name] for answer in answers})


def spread(wrong, size):
    """Share of wrongly rounded elements over the runs, for the table."""
    low, high = min(wrong), max(wrong)
    if size == 1:
        return f"{sum(wrong)} of {len(wrong)} runs"
    shares = f"{100 * low // size}", f"{100 * high // size}"
    return (shares[0] if shares[0] == shares[1] else "-".join(shares)) + " %"


def print_table(plain, ours, truth):
    """One line a result."""
    say(f"{'':42}different answers      wrongly rounded      ExBLAS")
    say(f"{'result':31} {'numbers':>8} {'OpenBLAS':>10} {'ExBLAS':>8}"
        f"  {'OpenBLAS':>13} {'ExBLAS':>7}  SHA-256")
    say("-" * WIDTH)
    for name, value in ours[0].arrays.items():
        theirs, mine = distinct(plain, name), distinct(ours, name)
        columns = f"{'':>13} {'':>7}"
        if name in truth:
            wrong = [exact.wrong_elements(a.arrays[name], truth[name]) for a in plain]
            own = max(exact.wrong_elements(a.arrays[name], truth[name]) for a in ours)
            columns = f"{spread(wrong, value.size):>13} {own:>7}"
        digest = ours[0].digests[name][:10] if mine == 1 else "(several)"
        say(f"{name:31} {value.size:>8,} {theirs:>10} {mine:>8}  {columns}  {digest}")
    say("-" * WIDTH)


def most_spread(plain, name):
    """The element on which the plain runs differ most, relative to its size."""
    values = np.stack([np.ravel(answer.arrays[name]) for answer in plain])
    return int(np.argmax((values.max(axis=0) - values.min(axis=0)) / np.abs(values).max(axis=0)))


def print_example(plain, ours, name, index, truth=None):
    """One number as each run gave it: what the counts in the table mean."""
    groups = {}
    for answer in plain:
        value = float(np.ravel(answer.arrays[name])[index])
        groups.setdefault(value, {}).setdefault(answer.run.core, []).append(answer.run.threads)
    for value, cores in list(groups.items())[:MAX_SHOWN]:
        where = ", ".join(f"{core}\xa0{'/'.join(map(str, n))}" for core, n in cores.items())
        say(textwrap.fill(where, WIDTH, initial_indent=f"    OpenBLAS  {value!r:24} ",
                          subsequent_indent=39 * " ").replace("\xa0", " "))
    if len(groups) > MAX_SHOWN:
        say(f"              and {len(groups) - MAX_SHOWN} more")
    if truth is not None:
        say(f"    MPFR      {float(np.ravel(truth)[index])!r:24} the exact value, rounded once")
    values = {float(np.ravel(answer.arrays[name])[index]) for answer in ours}
    where = f"all {len(ours)} runs" if len(values) == 1 else ""
    for value in values:
        say(bold(f"    ExBLAS    {value!r:24} {where}"))


def wrong_numbers(answer, truth):
    return sum(exact.wrong_elements(answer.arrays[name], right) for name, right in truth.items())


def between(values, form):
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


def print_sides(sides, truth):
    """Time and errors of each side: time as the newest processor type, and over all."""
    total = sum(right.size for right in truth.values())
    newest = sides[0][1][-1].run.core
    say(f"{'':25}{'seconds as ' + newest:>26}  {'(of all)':20}{f'wrong, of {total:,}':>22}")
    for side, answers in sides:
        seconds = [answer.seconds for answer in answers]
        own = [answer.seconds for answer in answers if answer.run.core in (newest, "any")]
        wrong = [wrong_numbers(answer, truth) for answer in answers]
        say(f"    {side:25}{statistics.median(own):22.3f}  "
            f"{'(' + between(seconds, '{:.3f}') + ')':20}{between(wrong, '{:,}'):>22}")


def fingerprint(ours):
    """One hash over the results that are a single BLAS call on the table itself:
    nothing of NumPy's, LAPACK's or this machine's is in it."""
    names = ("normal equations: X'X", "normal equations: X'y", "rule of thumb: X w",
             "pressure x temperature", "dot product p1.t1", "norm of one column")
    text = "".join(ours[0].digests[name] for name in names)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_hashes(bench, plain, ours):
    path = os.path.join(bench.folder, "hashes.tsv")
    with open(path, "w", encoding="utf-8") as out:
        out.write("side\tkernels\tthreads\tresult\tsha256\n")
        for answer in plain + ours:
            for name, digest in answer.digests.items():
                out.write(f"{answer.run.side}\t{answer.run.core}\t{answer.run.threads}"
                          f"\t{name}\t{digest}\n")
    return os.path.relpath(path, bench.root)


def verdict(plain, ours, truth):
    """Every way in which the claim could fail, as sentences."""
    names = list(ours[0].digests)
    faults = []
    varying = [name for name in names if distinct(plain, name) > 1]
    if len(varying) < MIN_VARYING:
        faults.append(f"OpenBLAS gave different answers for only {len(varying)} results "
                      f"(at least {MIN_VARYING} are needed to show anything)")
    for name in names:
        answers = distinct(ours, name)
        if answers > 1:
            faults.append(f"ExBLAS gave {answers} different answers for {name}")
    for name, right in truth.items():
        for answer in ours:
            wrong = exact.wrong_elements(answer.arrays[name], right)
            if wrong:
                faults.append(f"ExBLAS: {wrong} of {right.size} elements of {name} are not "
                              f"correctly rounded ({answer.run.core}, "
                              f"{count(answer.run.threads, 'thread')})")
                break
    return varying, faults


def headlines(plain, ours, truth, varying):
    names = list(ours[0].digests)
    most = max(distinct(plain, name) for name in names)
    total = sum(right.size for right in truth.values())
    say(f"OpenBLAS, {len(plain)} runs: {len(varying)} of {len(names)} results changed with the "
        "processor type or the thread count.")
    say(f"ExBLAS,   {len(ours)} runs: 0 of {len(names)} results changed; all {total:,} numbers "
        "that MPFR can check\n    are the exact result, rounded once.")
    say()
    say(bold(f"    OpenBLAS: up to {most} different answers to the same question"))
    say(bold("    ExBLAS:   1 answer, always"))
