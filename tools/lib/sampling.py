"""The score of the tests (tools/mutate): faults drawn from the sources, what becomes of each."""
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys

from broken_tree import BUILD, COPY, JOBS, ROOT, Applied, build, configured, first_to_fail, run
from covers import covers, matches, own_tests
from faults import Source
from mutations import read_mutations

TEST_SECONDS = 10 # of a processor, at least, for a broken library
LONGEST_TEST = 20 # the same, of tests that look for a drawn fault
MOST_OBJECTS = 40 # of a header: if more depend on it, only tests with copies of it come first
QUICK_TEST = 3 # the same, of those that look for each fault by itself
TOGETHER = 12 # faults that the nearest tests let pass, and that meet the area's tests at once
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

    def measured(self, name):
        """The seconds of the quicker of two runs: a machine may have other work. None if both fail."""
        seconds = []
        if build(self.tests.targets(name)).returncode == 0:
            while len(seconds) < 2 and min(seconds, default=QUICK_TEST) >= QUICK_TEST:
                passed = self.tests.passes(name, limit=LONGEST_TEST)
                seconds.append(self.tests.last_seconds if passed else math.inf)
        return min((t for t in seconds if t < math.inf), default=None)

    def usable(self, names):
        """Those that pass in the tree as it is, and do not take long; the quickest first."""
        for name in set(names) - set(self.tests.seconds):
            self.tests.seconds[name] = self.measured(name)
            if self.tests.seconds[name] is None:
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


class Together:
    """Drawn faults of different places in the copy at once."""

    def __init__(self, faults):
        self.applied = [Applied(f) for f in sorted(faults, key=lambda f: -f.start)]

    def __enter__(self):
        for a in self.applied:
            a.__enter__()

    def __exit__(self, *_):
        for a in reversed(self.applied):
            a.__exit__()


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

    def alone(self, fault):
        """By the nearest tests that are quick; "" if they all pass. If many objects depend on the
        file, only by tests with copies of its functions."""
        nearest = self.nearness.near(fault.file)
        nearest = [n for n in nearest if n in self.quick(nearest)]
        fault.alone = len(self.objects.get(fault.file, ())) > MOST_OBJECTS
        if fault.alone:
            nearest = [n for n in nearest if len(self.tests.targets(n)) == 1]
        with Applied(fault):
            verdict = self.changes(fault)
            caught = not verdict and first_to_fail(fault, nearest, self.tests, TEST_SECONDS)[0]
        fault.passed = set() if fault.alone else set(nearest)
        fault.alone = False
        return verdict or (caught if not caught.startswith("SURVIVED") else "")

    def quick(self, names):
        return {n for n in names if self.tests.seconds[n] < QUICK_TEST}

    def together(self, faults):
        """Those that the nearest tests did not catch, of one area, by their other tests and the
        quick ones of the area, or by all of it if a file has none that are near: all at once, and
        in halves where a test fails."""
        area = self.nearness.of_area(faults[0].file)
        names = {n for f in faults for n in self.nearness.near(f.file) or area if n not in f.passed}
        names |= self.quick(area) - set.intersection(*(f.passed for f in faults))
        return self.halved(faults, sorted(names, key=self.tests.seconds.get))

    def first_failure(self, names):
        """Of the faults that are applied: the test that fails, and what to say of it; else None."""
        if build(sorted({t for n in names for t in self.tests.targets(n)})).returncode != 0:
            return names[0], "does not compile"
        limits = [max(TEST_SECONDS, 10 * self.tests.seconds[n]) for n in names]
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for name, passed in zip(names, pool.map(self.tests.passes, names, limits)):
                if not passed:
                    pool.shutdown(cancel_futures=True)
                    return name, f"caught by {name}"
        return None

    def halved(self, faults, names):
        with Together(faults):
            failure = self.first_failure(names) if names else None
        if not failure:
            return {f: "SURVIVED" for f in faults}
        if len(faults) == 1:
            return {faults[0]: failure[1]}
        names, middle = names[names.index(failure[0]):], len(faults) // 2
        return {**self.halved(faults[:middle], names), **self.halved(faults[middle:], names)}


def are_apart(fault, others):
    return all(f.file != fault.file or f.end < fault.start or f.start > fault.end for f in others)


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
        self.open = collections.defaultdict(list) # by area: what the nearest tests let pass
        self.survivors, self.n = [], 0

    def count(self, fault, verdict):
        word = verdict.split()[0]
        self.score[area_of(fault.file)][word] += 1
        print(f"[{self.n}] {fault.file}:{fault.line} {fault.kind}: {verdict[:60]}", flush=True)
        if word == "SURVIVED":
            self.survivors.append(fault)
            print(fault, end="", flush=True)

    def close(self, area):
        faults = self.open.pop(area, [])
        for fault, verdict in (self.judge.together(faults) if faults else {}).items():
            self.count(fault, verdict)

    def add(self, fault, text):
        verdict, area = "", area_of(fault.file)
        if any(fault.is_same(m, text) for m in self.judged):
            verdict = "equivalent"
        elif fault.file.endswith((".c", ".h")) and fault.file not in self.judge.objects:
            verdict = "not built here"
        else:
            verdict = self.judge.alone(fault)
        self.n += verdict.split()[:1] in ([], ["caught"], ["equivalent"])
        if verdict:
            self.count(fault, verdict)
            return
        if not are_apart(fault, self.open[area]) or len(self.open[area]) == TOGETHER:
            self.close(area)
        self.open[area].append(fault)


def sample(n_drawn, seed, paths):
    s = Sample(paths)
    for drawn in draw(s.texts, seed):
        if s.n == n_drawn:
            break
        s.add(Drawn(s.texts[drawn[0]], *drawn), s.texts[drawn[0]])
    for area in list(s.open):
        s.close(area)
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
