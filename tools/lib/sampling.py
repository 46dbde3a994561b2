"""The score of the tests (tools/mutate): faults drawn from the sources, what becomes of each."""
import collections
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys

from broken_tree import BUILD, COPY, ROOT, Applied, build, configured, first_to_fail, run
from covers import covers, matches, own_tests
from faults import Source
from mutations import read_mutations

TEST_SECONDS = 10 # of a processor, at least, for a broken library
LONGEST_TEST = 20 # the same, of tests that look for a drawn fault
MOST_OBJECTS = 40 # of a header: if more depend on it, only tests with copies of it come first
QUICK_TEST = 3 # the same, of those that are not near
# Tests of an area beside those of the folder that mirrors it.
WHOLE = {"lib/core": ["whole"], "lib/level1": ["whole"], "lib/level2": ["whole", "core/check"],
         "lib/level3": ["whole", "core/check"], "lib/observe": ["tools/dropin"], "tools/shim": ["tools/dropin"],
         "lib/lapack": ["hostile"], "lib/sparse": ["hostile"]}


def area_of(path):
    return "/".join(path.split("/")[:2])


def draw(texts, seed):
    """Draws faults of texts (by path) for ever, each once: an area by the root of what it has, then
    a kind, then one of the area's faults of that kind. Yields (path, kind, start, end, new)."""
    chance = random.Random(seed)
    left = {}
    for path in sorted(texts):
        for fault in Source(path, texts[path]).faults:
            left.setdefault(area_of(path), {}).setdefault(fault[0], []).append((path, *fault))
    while left:
        areas = sorted(left)
        weights = [sum(map(len, left[a].values())) ** 0.5 for a in areas]
        area = chance.choices(areas, weights)[0]
        kind = chance.choice(sorted(left[area]))
        among = left[area][kind]
        yield among.pop(chance.randrange(len(among)))
        if not among:
            del left[area][kind]
        if not left[area]:
            del left[area]


class Drawn:
    """A fault as drawn: lines of a file from and to which it reaches, and what comes instead."""

    def __init__(self, text, file, kind, start, end, new):
        self.file, self.kind, self.alone = file, kind, False
        self.start, self.end, self.middle = start, end, new
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        self.old = text[first:last]
        self.new = (text[first:start] + new + text[end:last]).rstrip("\n")
        self.line = text.count("\n", 0, start) + 1

    def apply(self, text):
        return text[:self.start] + self.middle + text[self.end:]

    def is_same(self, judged, text):
        """As a mutation that was judged, but for blank lines."""
        return (judged.file == self.file
                and (judged.apply(text) or "").split() == self.apply(text).split())

    def __str__(self):
        def marked(mark, lines):
            return "".join(f"{mark} {line}\n" for line in lines.split("\n"))
        name = re.sub("[^a-z0-9]+", "-", pathlib.Path(self.file).stem.lower())
        return (f"{self.file}\n[{name}-{self.line}: equivalent] {self.kind}\n"
                + marked("-", self.old) + marked("+", self.new))


class Nearness:
    """Tests by the files of test/ that they are made of, and those near to a source."""

    def __init__(self, tests):
        self.tests = tests
        made_of = {t["filename"][0]: [s for g in t["target_sources"] for s in g.get("sources", [])]
                   for t in json.loads(run(["meson", "introspect", BUILD, "--targets"]).stdout)}
        self.names = collections.defaultdict(list) # by path below test/
        for name, test in tests.by_name.items():
            parts = [os.path.normpath(os.path.join(BUILD, part)) for part in test["cmd"]]
            for part in parts:
                for source in [part, *made_of.get(part, [])]:
                    self.names[os.path.relpath(source, os.path.join(COPY, "test"))].append(name)
        self.covers = covers(pathlib.Path(ROOT))
        self.log = os.path.join(BUILD, "test_seconds.json")
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8") as f:
                tests.seconds = json.load(f)

    def usable(self, names):
        """Those that pass in the tree as it is, and do not take long; the quickest first."""
        for name in set(names) - set(self.tests.seconds):
            passed = build(self.tests.targets(name)).returncode == 0 and self.tests.passes(name, limit=LONGEST_TEST)
            self.tests.seconds[name] = self.tests.last_seconds if passed else None
            if not passed:
                print(f"left out: {name} fails or takes long without any fault", file=sys.stderr)
            with open(self.log, "w", encoding="utf-8") as f:
                json.dump(self.tests.seconds, f)
        return sorted((n for n in set(names) if self.tests.seconds[n] is not None),
                      key=self.tests.seconds.get)

    def near(self, path):
        source = path[len("lib/"):] if path.startswith("lib/") else path
        files = own_tests(path) + [t for pattern, covering in self.covers.items() for t in covering
                                   if matches(source, pattern)
                                   or matches(re.sub(r"\.h$", ".c", source), pattern)]
        return self.usable([n for file in files for n in self.names.get(file, [])])

    def of_area(self, path):
        area = area_of(path)
        folders = [area[len("lib/"):] if area.startswith("lib/") else area, *WHOLE.get(area, [])]
        return self.usable([n for file, names in self.names.items() for n in names
                            if any(file.startswith(folder + "/") for folder in folders)])


def objects_by_source():
    """Objects by what they are compiled from: those of tests only where there are no others."""
    found, of_tests, target = collections.defaultdict(set), collections.defaultdict(set), ""
    for line in run(["ninja", "-C", BUILD, "-t", "deps"]).stdout.splitlines():
        if not line.startswith(" "):
            target = line.split(":")[0]
        elif line.startswith("    ../"):
            (of_tests if target.startswith("test/") else found)[line.strip()[3:]].add(target)
    return {**of_tests, **found}


def digest(name):
    with open(os.path.join(BUILD, name), "rb") as f:
        return hashlib.sha256(f.read()).digest()


class Judge:
    """What becomes of drawn faults: caught by TEST, SURVIVED, or why they do not count."""

    def __init__(self, tests):
        self.tests, self.nearness, self.objects = tests, Nearness(tests), objects_by_source()
        self.before = {o: digest(o) for objects in self.objects.values() for o in objects
                       if os.path.exists(os.path.join(BUILD, o))}

    def changes(self, fault):
        """Whether it compiles to other objects; else in words why it does not count."""
        objects = sorted(self.objects.get(fault.file, ()))
        for few in (objects[:3], objects[3:]):
            if build(few).returncode != 0:
                return "does not compile"
            if any(digest(o) != self.before.get(o) for o in few):
                return ""
        return "the same objects" if objects else ""

    def verdict(self, fault):
        """By the nearest tests, the quick ones first, then by the other quick ones of the area, or by all of it if
        none is near. If many objects depend on the file, tests with copies of its functions come before."""
        near, area = self.nearness.near(fault.file), self.nearness.of_area(fault.file)
        quick = {n for n in near + area if self.tests.seconds[n] < QUICK_TEST}
        first = [n for n in near if n in quick]
        names = list(dict.fromkeys([*first, *(near or area), *(n for n in area if n in quick)]))
        fault.alone = len(self.objects.get(fault.file, ())) > MOST_OBJECTS
        copies = [n for n in first if fault.alone and len(self.tests.targets(n)) == 1]
        with Applied(fault):
            why = self.changes(fault)
            verdict, caught = (why, True) if why else first_to_fail(fault, copies, self.tests, TEST_SECONDS)
            fault.alone = False
            return verdict if caught else first_to_fail(fault, names, self.tests, TEST_SECONDS)[0]


def drawn_sources(paths):
    patterns = ["lib/*/*.c", "lib/*/*.h", "bindings/*.c", "bindings/*.h", "bindings/python/*.py",
                "tools/*/*.c", "tools/*/*.h"]
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.split()
    return [p for p in listed if not paths or any(p.startswith(q) for q in paths)]


class Sample:
    def __init__(self, paths):
        tests = configured()
        built = build(["all"])
        if built.returncode != 0:
            sys.exit(built.stdout)
        self.judge = Judge(tests)
        self.judged = read_mutations(os.path.join(ROOT, "tools", "mutate.d"), equivalent=True)
        self.texts = {}
        for path in drawn_sources(paths):
            with open(os.path.join(COPY, path), encoding="utf-8") as f:
                self.texts[path] = f.read()
        self.score = collections.defaultdict(collections.Counter)
        self.survivors, self.n = [], 0

    def count(self, fault, verdict):
        word = verdict.split()[0]
        self.score[area_of(fault.file)][word] += 1
        print(f"[{self.n}] {fault.file}:{fault.line} {fault.kind}: {verdict[:60]}", flush=True)
        if word == "SURVIVED":
            self.survivors.append(fault)
            print(fault, end="", flush=True)

    def add(self, fault, text):
        if any(fault.is_same(m, text) for m in self.judged):
            verdict = "equivalent"
        elif fault.file.endswith((".c", ".h")) and fault.file not in self.judge.objects:
            verdict = "not built here"
        else:
            verdict = self.judge.verdict(fault)
        self.n += verdict.split()[0] in ("caught", "SURVIVED", "equivalent")
        self.count(fault, verdict)


def sample(n_drawn, seed, paths):
    s = Sample(paths)
    for drawn in draw(s.texts, seed):
        if s.n == n_drawn:
            break
        s.add(Drawn(s.texts[drawn[0]], *drawn), s.texts[drawn[0]])
    print_score(s.score, s.survivors)


def print_score(score, survivors):
    for fault in survivors:
        print(f"\n{fault}", end="")
    score["all"] = sum(score.values(), collections.Counter())
    print(f"\n{'area':18} {'caught':>8} {'survived':>8} {'share':>6} {'equivalent':>10} "
          f"{'not counted':>11}")
    for area, c in score.items():
        n = c["caught"] + c["SURVIVED"]
        share = f"{100 * c['caught'] / n:4.0f} %" if n else "     -"
        print(f"{area:18} {c['caught']:8} {c['SURVIVED']:8} {share} "
              f"{c['equivalent']:10} {sum(c.values()) - n - c['equivalent']:11}")
