"""Makes a case smaller as long as the same is wrong with it."""
import time

import shapes


def candidates(case):
    """Cases that are simpler in one thing, the largest steps first."""
    r = case.routine
    for a in r.integers:
        n = case.args[a.name]
        if a.name in shapes.INTEGERS:
            for smaller in dict.fromkeys((0, 1, n // 4, n // 2, n - n // 4, n - 1)):
                if 0 <= smaller < n:
                    yield changed(case, a.name, smaller)
        elif a.name.startswith("inc") and n != 1:
            yield changed(case, a.name, 1)
        elif a.step is None and a.name.startswith("ld"):
            c = changed(case, a.name, 0)
            if c.args[a.name] < n:
                yield c
    for a in r.options:
        plain = {"layout": "c", "order": "c", "side": "l", "uplo": "l", "diag": "n"}.get(a.name)
        if plain and case.args[a.name] != plain and a.name != "side":
            yield changed(case, a.name, plain)
    for name, v in case.scalars.items():
        for value in (1.0, 0.0):
            if v != (value, *(0.0 for _ in v[1:])) and (value or any(v)):
                c = case.copy()
                c.scalars[name] = (value, *(0.0 for _ in v[1:]))
                yield c
    yield from simpler_numbers(case)


def simpler_numbers(case):
    for name, v in case.values.items():
        size = len(v)
        while size:
            for at in range(0, len(v), size):
                for value in (0.0, 1.0):
                    piece = v[at:at + size]
                    if any(x != value and x == x and (x != 1.0 or value) for x in piece) and len(v) // size <= 32:
                        c = case.copy()
                        c.values[name][at:at + size] = [value if x == x and abs(x) != float("inf") else x
                                                        for x in piece]
                        if c.values[name] != v:
                            yield c
            size //= 2


def changed(case, name, value):
    c = case.copy()
    c.args[name] = value
    try:
        if name in shapes.INTEGERS:
            c.resize(case.args)
        else:
            c.tighten()
    except IndexError:
        return None
    return c


def again(judge, case, what):
    """The finding of that kind that the case has, or None."""
    return next((f for f in judge.check(case) if f.what == what), None)


def shrink(judge, finding, seconds):
    """The smallest finding of the same kind that time allows."""
    end = time.time() + seconds
    if finding.what.startswith(("an illegal", "an offset", "many", "callers")) or not again(judge, finding.case, finding.what):
        return finding
    progress = True
    while progress and time.time() < end:
        progress = False
        for c in candidates(finding.case):
            if time.time() > end:
                break
            smaller = c and again(judge, c, finding.what)
            if smaller:
                finding, progress = smaller, True
                break
    return finding
