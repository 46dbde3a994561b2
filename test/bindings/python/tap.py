"""Tests of several parts, reported in TAP."""


def run(*parts):
    """Functions that raise what is wrong, or an ImportError for what is not installed."""
    print(f"1..{len(parts)}")
    for number, part in enumerate(parts, 1):
        name = part.__name__.replace("_", " ")
        try:
            part()
            print(f"ok {number} - {name}")
        except ImportError as error:
            print(f"ok {number} - {name} # SKIP {error}".replace("\n", " "))
        except BaseException as error:
            print(f"not ok {number} - {name}")
            print("\n".join(f"# {line}" for line in f"{type(error).__name__}: {error}".splitlines()[:40]))


def refused(kind, words, call, n_lines=1):
    """The call ends in an error of that kind, which has these words; engines put lines around ours."""
    try:
        call()
    except kind as error:
        assert words in str(error) and str(error).count("\n") < n_lines, error
        return
    raise AssertionError(f"no {kind.__name__}: {words}")
