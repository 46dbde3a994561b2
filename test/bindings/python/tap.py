"""Tests of several parts, reported in TAP."""
import functools
import importlib
import os
import random
import sys
import traceback


number = n_failed = 0


def check(title, got, wanted):
    """A test of its own: results are equal, and of one kind."""
    global number, n_failed
    number += 1
    same = repr(got) == repr(wanted)
    n_failed += not same
    print(f"{'ok' if same else 'not ok'} {number} - {title}", flush=True)
    if not same:
        print(f"# got    {got!r}\n# wanted {wanted!r}"[:3000])


def finish():
    """After the last check."""
    print(f"1..{number}")
    sys.exit(1 if n_failed else 0)


def skip(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(0)


def needed(name):
    """The module of this name; without it the test is skipped."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        skip(error)


def run(*parts):
    """Functions that raise or yield what is wrong, or raise an ImportError for what is not installed."""
    print(f"1..{len(parts)}")
    for number, part in enumerate(parts, 1):
        name = part.__name__.replace("_", " ")
        try:
            wrong = list(part() or ())
        except ImportError as error:
            print(f"ok {number} - {name} # SKIP {error}".replace("\n", " "))
            continue
        except BaseException as error:
            wrong = ["".join(traceback.format_exception(error)[-2:])]
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}" + (f": {len(wrong)} wrong" if wrong else ""))
        for line in "\n".join(wrong).splitlines()[:40]:
            print("#", line)


def seeded(n_rounds):
    """A part that gets random numbers from each of so many seeds; TEST_ROUNDS: of another number, TEST_SEED: from that on."""
    first, n = (int(os.environ.get(name, value)) for name, value in (("TEST_SEED", 1), ("TEST_ROUNDS", n_rounds)))

    def decorate(part):
        @functools.wraps(part)
        def run():
            for seed in range(first, first + n):
                try:
                    words = list(part(random.Random(seed)) or ())
                except Exception as error:
                    words = [f"{type(error).__name__}: {error}"]
                yield from (f"TEST_SEED={seed} TEST_ROUNDS=1: {wrong}" for wrong in words)
        return run
    return decorate


def refused(kind, words, call, n_lines=1):
    """The call ends in an error of that kind or of one of these, which has these words; engines put lines around ours."""
    try:
        call()
    except kind as error:
        assert words in str(error) and str(error).count("\n") < n_lines, error
        return
    raise AssertionError(f"no {kind}: {words}")
