#!/usr/bin/env python3
"""lapack_doors.py [--only ROUTINE...] LIST PRELOAD [LAPACK LAPACK64]: LAPACK's drivers with one Inf or NaN.

Calls every routine of LIST (tools/shim/lapack.list) that asks for finite operands with one Inf, -Inf or
NaN at each class of position of each such operand: in the diagonal, first, last, off the diagonal. Each
call must end within a second, say so by INFO as its documentation has it, and leave no finite number in
a result nor touch what is no operand. What a call does not refer to, the other triangle, the rows below
a leading dimension, is NaN in the calls with finite operands: these must succeed. Calls of the other
routines must end, and with a NaN not look like a success.

PRELOAD are objects, comma between them, that stand before the program as exblas-run sets them; the last
are the jumps, tried with the LAPACK of the system and beside LAPACK, a build of our own. This is also
called itself, in both widths. With TEST_LAPACK_FULL: orders 1 to 40, every option and position, for hours. Reports in TAP.
"""
import array
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tools/shim"))
from lapack_jumps import routines  # noqa: E402

SECONDS = 1.0 # of processor time
NAN, INF = float("nan"), float("inf")
MOST_ENDS = 10 # of children, before a walk gives up
MOST = int(os.environ.get("TEST_LAPACK_LINES", "40"))
PADDING = 2 # rows between columns that belong to nobody
LETTERS = {"uplo": "UL", "trans": "N", "side": "L", "diag": "N", "norm": "1", "range": "AIV", "by": "EB", "compz": "NI",
           "compq": "NI", "job": "ES", "balanc": "NB", "sense": "N", "sort": "N", "jobu": "NA", "jobvt": "NA"}
OF_ROUTINE = {"gesdd": {"jobz": "NS"}, "gesvdx": {"jobu": "NV", "jobvt": "NV"}}
# What needs the result of another routine.
NOT_ALONE = re.compile(".(getrs|getri|potrs|potri|orgqr|ungqr|ormqr|unmqr)$")
WORK = 150000 # elements, enough for each routine at order 45


class Case:
    """A routine for one order and one choice of letters."""

    def __init__(self, routine, n, letters, tall=0):
        self.routine, self.n, self.letters = routine, n, letters
        self.code = "f" if routine.letter in "sc" else "d"
        self.is_complex = routine.letter in "cz"
        below = min(2, n - 1) # diagonals of bands
        self.number = {"n": n, "m": n + tall, "k": n, "nrhs": 2, "kd": below, "ka": below, "kb": below, "itype": 1, "ilo": 1,
                       "ihi": n, "ncvt": n, "nru": n, "ncc": 0, "nzc": n}
        for name, how, *of in routine.made:
            values = [self.number[o] for o in of]
            self.number[name] = {"min": min, "max": max, "less": lambda v: max(v - 1, 0)}[how](*values)
        self.step = max(self.number["m"], n) + PADDING
        self.is_positive = "ptsv" in routine.name or routine.name[1:] in ("pteqr", "posv", "potrf")

    def parts(self, a):
        return 2 if self.is_complex and not a.real else 1

    def places(self, a):
        """The elements of an array: (row, column, index), and how many there are room for."""
        options, _, dimensions = a.shape.rpartition(":")
        words = dimensions.split(",")
        size = [self.number.get(w, self.step) for w in words]
        upper = options.startswith("upper") or self.letters.get("uplo") == "U"
        rows = size[0]
        columns = rows if options else size[1] if len(words) == 3 else 1
        below = 0 if options else rows
        above = columns
        if options.startswith("upper"):
            below = int(options[5:] or 0)
        elif options and not upper:
            below, above = rows, 0
        if options and len(words) == 3: # a band
            below, above = min(below, size[1]), min(above, size[1])
        found = []
        for j in range(columns):
            for i in range(max(0, j - above), min(rows, j + below + 1)):
                if options and len(words) == 1:
                    at = i + j * (j + 1) // 2 if upper else i - j + j * (2 * rows - j + 1) // 2
                elif options and len(words) == 3:
                    at = (size[1] + i - j if upper else i - j) + j * self.step
                else:
                    at = i + j * self.step
                found.append((i, j, at))
        return found, len(found) + 1 if len(words) == 1 else self.step * columns

    def array_of(self, a, rng):
        """Finite elements, positive definite where that matters, NaN between them."""
        found, room = self.places(a)
        if a.name == "b" and "nrhs" in a.shape: # the side that is not described, of m rows
            found = [(i, j, i + j * self.step) for j in range(2) for i in range(self.step - PADDING)]
        parts = self.parts(a)
        data = array.array(self.code, [NAN]) * (room * parts)
        is_heavy = a.name in ("b", "bb", "bp") and "uplo" in a.shape or self.is_positive and a.name in "ad"
        is_hermitian = parts == 2 and "uplo:" in a.shape and not self.routine.name[1:].startswith("sy")
        for i, j, at in found:
            for part in range(parts):
                data[parts * at + part] = rng.uniform(-1, 1)
            if is_heavy and i == (i if a.name == "d" else j):
                data[parts * at] += 4 * self.n
            if is_hermitian and i == j:
                data[parts * at + 1] = NAN
        return data

    def operands(self):
        rng = random.Random(f"{self.routine.name} {self.n} {self.letters}")
        every = self.routine.arguments + self.routine.aliases
        return {a.name: self.array_of(a, rng) for a in every if a.shape and a.shape[0] != "="}

    def __str__(self):
        return f"{self.routine.name} n={self.n} m={self.number['m']} " + " ".join(f"{k}={v}" for k, v in self.letters.items())


class Caller:
    """Calls by ctypes, with work space that is large enough for all."""

    def __init__(self, library, width):
        import ctypes
        self.c = ctypes
        self.library = ctypes.CDLL(None if library == "-" else library)
        self.integer = ctypes.c_int64 if width == 64 else ctypes.c_int32
        self.ending = "_64_" if width == 64 and library == "-" else "_"
        self.spare = {}

    def scratch(self, name):
        if name not in self.spare:
            self.spare[name] = self.c.create_string_buffer(16 * WORK)
        return self.spare[name]

    def scalar(self, case, name):
        kind = self.c.c_float if case.code == "f" else self.c.c_double
        return kind({"vl": 0.0, "vu": 10.0, "rcond": 1e-5, "anorm": 1.0}.get(name, 0.0))

    def integer_of(self, case, name):
        number = {"il": 1, "iu": max(1, case.n // 2), "tryrac": 1, "lwork": WORK, "lrwork": WORK, "liwork": WORK,
                  "ldz": 2 * case.step, **case.number}
        return self.integer(number.get(name, case.step))

    def call(self, case, data):
        """INFO, and the function's result."""
        routine = case.routine
        kept, info = [], self.integer(77)
        lengths = [self.c.c_size_t(1) for a in routine.arguments if a.is_letter]
        for a in routine.arguments:
            if a.name in data:
                kept.append(self.c.c_void_p(data[a.name].buffer_info()[0]))
            elif a.is_letter:
                kept.append(self.c.create_string_buffer(case.letters[a.name].encode()))
            elif a.name == "info":
                kept.append(self.c.byref(info))
            elif a.name in ("vl", "vu") and "range" in case.letters or a.name in ("abstol", "rcond") or (a.shape or "").startswith("="):
                kept.append(self.c.byref(self.scalar(case, a.name)))
            elif a.name in ("il", "iu", "tryrac") or not (a.is_array or a.is_count):
                kept.append(self.c.byref(self.integer_of(case, a.name)))
            else:
                kept.append(self.scratch(a.name))
        function = getattr(self.library, routine.name + self.ending)
        function.restype = (self.c.c_float if case.code == "f" else self.c.c_double) if routine.returns else None
        result = function(*kept, *lengths)
        return info.value, result


def choices(routine, full):
    """The letters of a routine's calls, all of them or four."""
    names = [a.name for a in routine.arguments if a.is_letter]
    known = OF_ROUTINE.get(routine.name[1:], {})

    def letters(name):
        if "_2stage" in routine.name and name == "jobz":
            return "N"
        return known.get(name) or LETTERS.get(name, "NV")
    every = list(itertools.product(*map(letters, names)))
    chosen = every if full else every[::max(1, len(every) // 3)] + every[-1:]
    return [dict(zip(names, c)) for c in dict.fromkeys(chosen)]


def cases(routine, full):
    sizes = range(1, 41) if full else (1, 2, 5, 12)
    sizes_of_two = any("min" in m for m in routine.made)
    for n in sizes:
        for letters in choices(routine, full):
            for tall in ((0, 3, -1) if sizes_of_two and n > 1 else (0,)):
                yield Case(routine, n, letters, tall)


def classes(found, full):
    """The classes of position, or all."""
    if full and len(found) <= 64:
        return found
    diagonal = [p for p in found if p[0] == p[1]]
    other = [p for p in found if p[0] != p[1]]
    some = [s[k] for s in (diagonal, other) if s for k in (0, len(s) // 2, -1)]
    return list(dict.fromkeys(some + found[:1] + found[-1:]))


def finite(data, found, parts):
    return [at for _, _, at in found for part in range(parts) if abs(data[parts * at + part]) < INF]


class Child:
    """Makes the calls, and says before each which it is: what does not end is ended by a signal."""

    def __init__(self, library, width, place, full):
        self.caller = Caller(library, int(width))
        self.place, self.full = place, full

    def call(self, case, data, what):
        self.place.seek(0)
        self.place.write(f"{case} {what}".ljust(400))
        self.place.flush()
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        result = self.caller.call(case, data)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return result

    def fault(self, case, what, why):
        print(f"{case} {what}: {why}", flush=True)

    def results(self, case, data):
        """Names and elements of what the call writes."""
        every = case.routine.arguments + case.routine.aliases
        return [(a, data[a.name], case.places(a)[0]) for a in every if (a.written or a.is_alias) and a.name in data]

    def good(self, case):
        """Finite operands with NaN around them."""
        data = case.operands()
        info, result = self.call(case, data, "finite")
        if info != 0 and not case.routine.returns:
            self.fault(case, "finite operands", f"INFO {info}")
        for a, values, found in self.results(case, data):
            if not a.is_alias and not a.finite and len(finite(values, found, case.parts(a))) != len(found) * case.parts(a):
                self.fault(case, "finite operands", f"{a.name} is not finite")

    def judge(self, case, before, data, info, what, value):
        wanted = {"gesdd": {-4} if value != value else {case.number.get("k")}, "gelsy": {0}}.get(case.routine.name[1:])
        if info not in wanted if wanted else not 0 < info <= case.n:
            self.fault(case, what, f"INFO {info}")
        for a, values, found in self.results(case, data):
            if finite(values, found, case.parts(a)):
                self.fault(case, what, f"{a.name} has finite elements")
        inside = {name: set() for name in data}
        for a, _, found in self.results(case, data):
            parts = case.parts(a)
            inside[a.name].update(parts * at + p for _, _, at in found for p in range(parts))
        for name, values in data.items():
            pairs = [(values[k], before[name][k]) for k in range(len(values)) if k not in inside[name]]
            if any(x != y and (x == x or y == y) for x, y in pairs):
                self.fault(case, what, f"{name} was written where nothing of it is")

    def bad_calls(self, case):
        for a in case.routine.arguments:
            if not a.finite:
                continue
            parts = case.parts(a)
            for i, j, at in classes(case.places(a)[0], self.full):
                for value in (INF, -INF, NAN):
                    data = case.operands()
                    # The imaginary part of a Hermitian diagonal counts as its real part does.
                    data[a.name][parts * at + (parts - 1 if (i + j) % 2 else 0)] = value
                    before = {name: array.array(d.typecode, d) for name, d in data.items()}
                    what = f"{a.name}({i + 1},{j + 1})={value}"
                    info, _ = self.call(case, data, what)
                    self.judge(case, before, data, info, what, value)

    def is_told(self, case, data, info, result):
        """Whether a call says that it met a NaN. A condition has no other way than to be a number."""
        if case.routine.returns:
            return result != result
        return info != 0 or "con" in case.routine.name or any(
            len(finite(v, f, case.parts(a))) < len(f) * case.parts(a) for a, v, f in self.results(case, data))

    def plain_calls(self, case):
        """A routine that needs no door: it must end, and not take a NaN for a number."""
        for a in case.routine.arguments:
            if a.name not in ("a", "b") or a.name not in case.operands():
                continue
            for (i, j, at), value in itertools.product(classes(case.places(a)[0], self.full), (INF, -INF, NAN)):
                data = case.operands()
                data[a.name][case.parts(a) * at] = value
                what = f"{a.name}({i + 1},{j + 1})={value}"
                info, result = self.call(case, data, what)
                if value != value and not self.is_told(case, data, info, result):
                    self.fault(case, what, "finite results and INFO 0")

    def run(self, names, known):
        for name in names:
            for case in cases(known[name], self.full):
                self.good(case)
                if known[name].is_checked:
                    self.bad_calls(case)
                else:
                    self.plain_calls(case)
            print(f"done {name}", flush=True)


def child(library, width, place, full, path, *names):
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    with open(place, "w", encoding="utf-8") as file:
        Child(library, width, file, full == "full").run(names, routines(path))


def walk(title, library, width, full, path, names, settings):
    """All routines in children; after one that had to be ended, the next."""
    left, faults, ends = list(names), [], 0
    while left:
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as place:
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--child", library, str(width), place.name,
                                   full, path, *left], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False, env={**os.environ, **settings})
            lines = done.stdout.splitlines()
            faults += [line for line in lines if not line.startswith("done ")]
            ended = {line[5:] for line in lines if line.startswith("done ")}
            left = [name for name in left if name not in ended]
            if not left:
                break
            how = "does not return" if done.returncode == -signal.SIGVTALRM else f"ended by {done.returncode}"
            faults.append(f"{place.read().strip()}: {how}")
            left = left[1:]
            ends += 1
            if ends == MOST_ENDS:
                faults.append(f"{len(left)} routines are left")
                break
    return title, faults


def beside(folder, preload, *libraries):
    """The jumps in a folder with the LAPACK that they are to find."""
    *others, jumps = preload.split(",")
    for path in (jumps, *libraries):
        shutil.copy(path, folder)
    if libraries: # what that with 64-bit integers computes with
        shutil.copy(os.path.join(os.path.dirname(jumps), "libblas64.so.3"), folder)
    return {"LD_PRELOAD": ":".join([*others, os.path.join(folder, os.path.basename(jumps))]), "OMP_NUM_THREADS": "1",
            "EXBLAS_NUM_THREADS": "1", "LD_LIBRARY_PATH": ":".join(dict.fromkeys(map(os.path.dirname, others)))}


def report(number, title, faults):
    print(f"{'not ok' if faults else 'ok'} {number} - {title}")
    for line in faults[:MOST]:
        print("# " + line)
    if len(faults) > MOST:
        print(f"# and {len(faults) - MOST} more")
    sys.stdout.flush()


def main(arguments):
    full = "TEST_LAPACK_FULL" in os.environ
    only = arguments[arguments.index("--only") + 1].split(",") if "--only" in arguments else None
    if only:
        at = arguments.index("--only")
        arguments = arguments[:at] + arguments[at + 2:]
    path, preload, *own = arguments
    names = [n for n in routines(path) if not NOT_ALONE.match(n) and (only is None or n in only)]
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        system = beside(first, preload)
        kinds = [("the system's LAPACK behind the jumps", "-", 32, system)]
        if own:
            ours = beside(second, preload, *own)
            kinds += [("our LAPACK behind the jumps", "-", 32, ours), ("our LAPACK, 64 bits, behind the jumps", "-", 64, ours),
                      ("our LAPACK", own[0], 32, {}), ("our LAPACK, 64 bits", own[1], 64, {})]
        print(f"1..{len(kinds)}")
        for i, (title, library, width, settings) in enumerate(kinds):
            report(i + 1, *walk(title, library, width, "full" if full else "some", path, names, settings))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
    else:
        main(sys.argv[1:])
