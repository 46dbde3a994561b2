"""Which tests cover a source: those of its name in the folder of test/ that mirrors its own, or
those that a line of test/covers.txt names."""
import fnmatch
import os
import re


def stem(path):
    return re.sub(r"(_tmpl)?\.[a-z]+$", "", os.path.basename(path))


def own_tests(path):
    """Paths below test/, there or not."""
    folder = os.path.dirname(path)
    folder = folder.split("/", 1)[1] if folder.startswith("lib/") else folder
    return [f"{folder}/{stem(path)}_test{end}" for end in (".c", ".py", ".sh")]


def has_test(root, path):
    return any((root / "test" / test).exists() for test in own_tests(path))


def covers(root):
    """test/covers.txt: `NAMES TEST...`, names below lib/ as a shell has them, paths below test/."""
    lines = (root / "test/covers.txt").read_text(encoding="utf-8").splitlines()
    return {name: words[1:] for words in map(str.split, lines)
            if words and not words[0].startswith("#") for name in expanded(words[0])}


def expanded(names):
    """`a/{b,c}.c`: a/b.c and a/c.c."""
    before, brace, rest = names.partition("{")
    if not brace:
        return [names]
    inside, _, after = rest.partition("}")
    return [before + name + after for name in inside.split(",")]


def matches(source, pattern):
    return (os.path.dirname(source) == os.path.dirname(pattern)
            and fnmatch.fnmatch(os.path.basename(source), os.path.basename(pattern)))
