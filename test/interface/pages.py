#!/usr/bin/env python3
"""pages.py [ROOT]: pages and comments agree with the tree. Reports in TAP.

- Every routine of lib/symbols.list has its row, with its types, in the table of doc/guarantee.md, and every row is of
  a routine of the list.
- Every file that a page or a comment names exists. A name with a folder is a path from the root, from lib/ or
  include/ as in #include, or from the folder of the file that names it; a bare name is a file anywhere in the tree.
  NAME, FILE and the like, as in lib/core/simd/simd_NAME.h, and the N of levelN stand for any text.
- Every test that the column `tests` of a table names exists.
- Every operation v_* that lib/core/simd/simd.h lists is defined for each instruction set, and those that other files
  use are listed.
- The tables of instruction sets and of systems are as tools/lib/tested.py writes them.
- Lines of pages and of the manual have up to 120 characters without the targets of links; cells of tables have up to
  20 words, sentences of the guides up to 25.
- Guides are plain English: none of the words of IDIOM, which readers stop at.
- Measured times and ratios stand in doc/results.md and README.md alone. (None of the three holds of the changelog.)"""
import fnmatch
import itertools
import os
import pathlib
import re
import sys

import tap

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
MOST_CHARACTERS, MOST_WORDS, MOST_WORDS_OF_SENTENCE = 120, 20, 25
IDIOM = re.compile(r"\b(beside|besides|likewise|anew|for one|of which|of whom|affair|way of|whatever|whoever)\b", re.I)
MEASURED = re.compile(r"\b\d[\d.]* ?(?:ns|µs|us|ms|GB/s|GFLOP/s)\b|\d times (?:OpenBLAS|NumPy|as long)")
MAY_MEASURE = {"README.md", "doc/results.md"}
SOURCES = "c|h|cl|cc|cpp|cu|py|sh|md|g|f90|svg"
PICTURE = "doc/figures/flow.svg"  # has paths, too
# Files of other projects and of users.
FOREIGN = {"cblas.h", "mpif.h", "program.py", "sep.in", "se2.in"}


def files_of_tree():
    """Paths from the root, without build folders and what is no source."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if not re.match(r"\.|build|third-party|own$|__pycache__", f))
        found += [(pathlib.Path(folder, n)).relative_to(ROOT).as_posix() for n in names]
    return sorted(found)


FILES = files_of_tree()
FOLDERS = {p.as_posix() for f in FILES for p in pathlib.PurePosixPath(f).parents}
# First folders of paths from the root and of paths from lib/.
TOP = {f.split("/")[i] for f in FILES for i in (0, 1) if f.count("/") > i and (i == 0 or f.startswith("lib/"))}
KNOWN = set(FILES) | FOLDERS
NAMES = {os.path.basename(f) for f in FILES}


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


def made_by(build_file):
    """Names that a build file gives as outputs (a plain name, or a word of the file and an ending), and its programs."""
    text, folder = text_of(build_file), os.path.dirname(build_file)
    names = re.findall(r"output: *\[?'([^']+)'", text)
    for ending in re.findall(r"output: *\w+ \+ '(\.\w+)'", text):
        names += [word + ending for word in re.findall(r"'(\w+)'", text)]
    programs = re.findall(r"executable\(\s*'([\w-]+)'", text)
    return names + [f"{folder}/{p}" for p in programs]


MADE = {n for f in FILES if f.endswith(("meson.build", "CMakeLists.txt")) for n in made_by(f)}
MADE |= {f[:-3] for f in FILES if f.endswith(".in")}
# As an #include names them: from lib/ or include/.
MADE |= {re.sub("^(lib|include)/", "", f) for f in MADE} | {f"exblas/{f}" for f in MADE if "/" not in f}
PROGRAMS = {f[:-2] for f in FILES if f.startswith(("perf/", "test/", "tools/")) and f.endswith(".c")}
PROGRAMS |= {"perf/" + os.path.basename(f) for f in PROGRAMS if f.startswith("perf/")}  # all in one folder
KNOWN |= MADE | PROGRAMS

# --- tables of routines


def rows(page):
    """The rows of a page's tables: number of the line, heading, cells."""
    lines, heading = text_of(page).splitlines(), []
    for i, line in enumerate(lines):
        if line.startswith("|") and not re.fullmatch(r"[|:\- ]+", line):
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            if i + 1 < len(lines) and re.fullmatch(r"\|[|:\- ]+\|", lines[i + 1]):
                heading = cells
            else:
                yield i + 1, heading, cells


def read_list():
    """Routine without its letter: the letters of its types."""
    types = {}
    for line in text_of("lib/symbols.list").splitlines():
        fields = line.split("#")[0].split()
        if fields:
            types.setdefault(re.sub("[?@]", "", fields[0]), set()).update(fields[1])
    return types


def check_routines(page):
    """A row is of routines if its second cell has letters of types only."""
    wanted, seen, problems = read_list(), {}, []
    for line, _, cells in rows(page):
        if len(cells) > 1 and re.fullmatch(r"[sdczbh]( [sdczbh])*", cells[1]):
            for routine in re.findall(r"\w+", cells[0]):
                if routine not in wanted:
                    problems.append(f"{page}:{line}: {routine} is not in lib/symbols.list")
                elif seen.setdefault(routine, set()) & set(cells[1].split()):
                    problems.append(f"{page}:{line}: {routine} has two rows for a type")
                seen.setdefault(routine, set()).update(cells[1].split())
    problems += [f"{page}: no row of {r} for {' '.join(sorted(t - seen.get(r, set())))}"
                 for r, t in wanted.items() if t - seen.get(r, set())]
    problems += [f"{page}: {r} does not exist for {' '.join(sorted(t - wanted[r]))}"
                 for r, t in seen.items() if r in wanted and t - wanted[r]]
    return problems


# --- tests that are named


def check_tests(page):
    """Words in the column `tests` of a table: names of tests, or of a test of each type."""
    builds = "".join(text_of(f) for f in FILES if f.startswith("test/") and f.endswith("meson.build"))
    names = set(re.findall(r"'([\w-]+)'", builds))
    return [f"{page}:{line}: {t}" for line, heading, cells in rows(page)
            for column, cell in zip(heading, cells) if column == "tests"
            for t in re.findall(r"`(\w+)`", cell) if t not in names and t.rstrip("sdcz") not in names]


# --- files that are named


def expand(name):
    """superacc.{h,c} as two names."""
    parts = [p.split(",") for p in re.split(r"[{}]", name)] if "{" in name else [[name]]
    return ["".join(c) for c in itertools.product(*parts)]


def matches(name, known):
    if name in known:
        return True
    pattern = re.sub(r"(?<![A-Za-z])(NAME|FILE|FOLDER|PROGRAM|KERNEL|OUT)(?![A-Za-z])|(?<=level)N\b", "*", name)
    return "*" in pattern and any(fnmatch.fnmatchcase(k, pattern) for k in known)


def exists(name, folder):
    name = name.rstrip("/")
    if "/" not in name:
        return matches(name, NAMES | KNOWN | FOREIGN)
    return any(matches(os.path.normpath(p + name), KNOWN) for p in ("", "lib/", "include/", f"{folder}/"))


def is_name(name, paths_only):
    """Whether a word names a file of this tree."""
    if name.startswith(("/", "-", ".", "build", "*")) and not name.startswith("../"):
        return False
    if "/" in name.rstrip("/") and name.split("/")[0] in TOP:
        return True
    return not paths_only and re.fullmatch(rf"[\w./*-]*[\w*-]{{2,}}\.({SOURCES})", name) is not None


def named(text, folder, paths_only=False):
    """Names of files in a text that do not exist."""
    text = re.sub(r"<[\w./]+>|\w+://\S+|\$\S+|~/\S*", " ", text)
    wrong = []
    for word in re.findall(r"(?<![\w/=$@}-])[\w./*-]+(?:\{[\w,]+\}[\w.*-]*)*/?", text):
        for name in expand(word.rstrip(".")):
            if is_name(name, paths_only) and not exists(name, folder):
                wrong.append(name)
    return wrong


def prose_and_code(page):
    """(line number, text, whether it stands in a fenced or indented block)."""
    fenced = False
    for i, line in enumerate(text_of(page).splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        yield i, line, fenced or line.startswith("    ")


def check_page_names(page):
    folder = os.path.dirname(page)
    problems = []
    for i, line, is_code in prose_and_code(page):
        for target in [] if is_code else re.findall(r"\]\(([^)#]+)\)", line):
            if "://" not in target and os.path.normpath(os.path.join(folder, target)) not in KNOWN:
                problems.append(f"{page}:{i}: {target}")
        problems += [f"{page}:{i}: {n}" for n in named(re.sub(r"\]\([^)]*\)", " ", line), folder, is_code)]
    return problems


C_LIKE = (".c", ".h", ".cl", ".cc", ".cpp", ".cu", ".h.in", ".ld")


def comments(path):
    """(line number, text) of the comments of a source, and of the texts between three quotes of Python."""
    text = text_of(path)
    if path.endswith(C_LIKE):
        pattern = r"/\*.*?\*/|(?<![:\"])//[^\n]*"
    elif path.endswith(".py"):
        pattern = r'""".*?"""|(?m:(?:^|(?<=\s))#[^\n]*)'
    elif path.endswith(".f90"):
        pattern = r"![^\n]*"
    elif path.endswith(".txt"):
        pattern = r"(?m:^#[^\n]*)"
    else:
        pattern = r"(?m:(?:^|(?<=\s))#[^\n]*)"
    for m in re.finditer(pattern, text, re.S):
        for i, line in enumerate(m.group().splitlines()):
            yield text.count("\n", 0, m.start()) + 1 + i, line


def is_source(path):
    if path.split("/")[0] == "doc" or "corpus" in path or path.endswith((".md", ".npy", ".csv", ".1", ".svg")):
        return False
    if path.endswith(C_LIKE + (".py", ".f90", ".sh", ".g", ".build", ".list", ".map", ".in", ".ini", ".cmake", ".txt")):
        return True
    with open(ROOT / path, "rb") as f:
        return f.read(2) == b"#!"


def check_comment_names():
    return [f"{path}:{i}: {n}" for path in FILES if is_source(path) for i, line in comments(path)
            for n in named(line, os.path.dirname(path))]


# --- the vector vocabulary

SIMD = "lib/core/simd/simd.h"


def without_comments(path):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text_of(path), flags=re.S)


def defined(path):
    head = r"^(?:(?:EXB_INLINE|static)\b[^;{(]*?\b|#define )(v_\w+)\s*\("
    return set(re.findall(head, without_comments(path), re.M))


def with_parts(path):
    """The header of an instruction set and those that it includes."""
    parts = re.findall(r'include "(core/simd/simd_\w+\.h)"', text_of(path))
    return {path}.union(*(with_parts(f"lib/{part}") for part in parts))


def check_vocabulary():
    header = text_of(SIMD)
    listed = set(re.findall(r"\bv_\w+", header[header.index("/*"):header.index("*/")]))
    included = re.findall(r'include "core/simd/(simd_\w+\.h)"', header)
    sets = {path: with_parts(path) for path in (f"lib/core/simd/{n}" for n in included)}
    shared = defined(SIMD)
    problems = [f"{path}: {v} is not defined" for path in sorted(sets)
                for v in sorted(listed.difference(shared, *map(defined, sets[path])))]
    parts = set.union(*sets.values())
    vocabulary = set.union(*map(defined, parts))
    for path in FILES:
        if path.startswith(("lib/", "test/")) and path.endswith((".c", ".h")) and path not in parts:
            used = set(re.findall(r"\b(v_\w+)\s*\(", without_comments(path)))
            problems += [f"{SIMD} does not list {v}, which {path} uses"
                         for v in sorted((used & vocabulary) - listed - shared)]
    return problems


def check_tested():
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools/lib"))
    import tested
    return [f"{page}: {tested.wrong(page, ROOT)}" for page in (tested.PAGE, tested.PLATFORMS) if tested.wrong(page, ROOT)]


# --- the form of pages


def check_form(page):
    problems = []
    for i, line, is_code in prose_and_code(page):
        shown = line if is_code else re.sub(r"\]\([^)]*\)", "]", line)
        if len(shown) > MOST_CHARACTERS:
            problems.append(f"{page}:{i}: {len(shown)} characters")
    problems += [f"{page}:{i}: {len(cell.split())} words in a cell" for i, _, cells in rows(page) for cell in cells
                 if len(cell.split()) > MOST_WORDS]
    return problems


def paragraphs(page):
    """(line number, text) of paragraphs and items of lists; no code, tables, headings, pictures."""
    begin, text = 0, ""
    for i, line, is_code in prose_and_code(page):
        is_prose = not is_code and line.strip() and not re.match(r"```|[|#<]|!\[", line)
        if not is_prose or re.match(r" *(?:[-*]|\d+\.) ", line):
            if text:
                yield begin, text
            begin, text = i, ""
        if is_prose:
            text += re.sub(r"\]\([^)]*\)", "]", line).strip() + " "
    if text:
        yield begin, text


def check_sentences(page):
    problems = []
    for i, text in paragraphs(page):
        for sentence in re.split(r"(?<=[.!?:;])\s+", text):
            n = sum(bool(re.search(r"\w", word)) for word in sentence.split())
            if n > MOST_WORDS_OF_SENTENCE:
                problems.append(f"{page}:{i}: a sentence of {n} words: {sentence[:40]}...")
        problems += [f"{page}:{i}: {m[0]}" for m in IDIOM.finditer(text)]
        if page not in MAY_MEASURE:
            problems += [f"{page}:{i}: measured: {m[0]}" for m in MEASURED.finditer(text)]
    return problems


def main():
    pages = [f for f in FILES if f.endswith(".md")]
    guides = [p for p in pages if p != "CHANGELOG.md" and (p.startswith("doc/") or "/" not in p)]
    manual = [f for f in FILES if f.startswith("doc/man/")]
    print("1..8")
    tap.report("doc/guarantee.md has a row of every routine", check_routines("doc/guarantee.md"))
    tap.report("files that pages name exist", sum(map(check_page_names, pages + [PICTURE]), []))
    tap.report("tests that pages name exist", sum(map(check_tests, pages), []))
    tap.report("files that comments name exist", check_comment_names())
    tap.report("the vector vocabulary is listed and complete", check_vocabulary())
    tap.report("the tables of instruction sets and systems are as tiers write them", check_tested())
    tap.report("lines and cells of pages are short", sum(map(check_form, pages + manual), []))
    tap.report("sentences of pages are short and plain, figures measured in one place",
               sum(map(check_sentences, guides), []))
    sys.exit(tap.n_failed > 0)


main()
