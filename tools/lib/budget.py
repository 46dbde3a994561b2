"""What the tree may hold: a table of what, now, limit and aim. A change that needs more than a limit
raises it here, together with a line in CHANGELOG.md that says why a user would want what it brings.
A change that takes away lowers it."""
import re

# What a tool writes, and cases.
DATA = ("doc/figures/", "doc/results.md", "test/vectors/", "test/golden.txt",
        "test/tools/shim/lapack_answer.txt", "test/tools/shim/lapack_golden.txt", "examples/data/",
        "tools/mutate.d/equivalent.txt")
CODE = (".c", ".h", ".cl", ".cu")

# By name: the limit, and what it is to become.
LIMITS = {
    "lines of lib/": (45_000, 45_000),
    "lines of lib/level3": (7_325, 7_325),
    "files of lib/level3": (44, 44),
    "structs of lib/": (312, 312),
    "kernel slots": (37, 37),
    "ways to an element of a product": (6, 6),
    "lines of the tree": (145_000, 145_000),
    "words of pages": (25_000, 25_000),
    "commands of tools/": (12, 12),
}


def is_page(path):
    return path in ("README.md", "CONTRIBUTING.md") or re.fullmatch(r"doc/[^/]*\.md", path)


def ways(root):
    """The entries of the enum of ways in Level 3."""
    header = root / "lib/level3/way.h"
    found = header.exists() and re.search(r"enum \{([^}]*)\} exb_product_way;", header.read_text(encoding="utf-8"))
    return len(re.findall(r"^\s*EXB_WAY_\w+", found[1], re.M)) if found else 0


def counts(root, paths):
    """By name: what there is in the files of these paths."""
    text = {p: (root / p).read_bytes() for p in paths if not p.startswith(DATA)}
    text = {p: t.decode() for p, t in text.items() if b"\0" not in t}
    lines = {p: t.count("\n") for p, t in text.items()}
    code = [p for p in text if p.startswith("lib/") and p.endswith(CODE)]
    level3 = [p for p in code if p.startswith("lib/level3/")]
    return {
        "lines of lib/": sum(lines[p] for p in code),
        "lines of lib/level3": sum(lines[p] for p in level3),
        "files of lib/level3": len(level3),
        "structs of lib/": sum(len(re.findall(r"\bstruct( \w+)? \{", text[p])) for p in code),
        "kernel slots": sum(len(re.findall(r"^EXB_SLOT\(", text[p], re.M)) for p in code),
        "ways to an element of a product": ways(root),
        "lines of the tree": sum(lines.values()),
        "words of pages": sum(len(text[p].split()) for p in text if is_page(p)),
        "commands of tools/": sum(bool(re.fullmatch(r"tools/[^/.]+", p)) for p in text),
    }


def budget(root, paths):
    """Prints the table; yields what is over its limit."""
    now = counts(root, paths)
    print(f"{'':32} {'now':>7} {'limit':>7} {'aim':>7}")
    for name, (limit, aim) in LIMITS.items():
        print(f"{name:32} {now[name]:7} {limit:7} {aim:7}")
        if now[name] > limit:
            yield f"{name}: {now[name]}, more than {limit}, the limit in tools/lib/budget.py"
