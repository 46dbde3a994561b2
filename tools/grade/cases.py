"""Calls to be judged: sizes across the limits of blocks, every option, numbers of the fuzzer's kinds."""
import copy
import ctypes
import itertools
import random

import shapes

SMALL = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 17)
MIDDLE = (23, 31, 32, 33, 47, 63, 64, 65, 97)
VECTORS = (100, 127, 128, 129, 255, 256, 257, 511, 513, 1000, 1023, 1025, 4099, 10007)
# One of the sizes is long, the others as given.
LONG = {2: (127, 129, 257, 1025), 3: (97, 129, 257, 1025)}
BESIDE = {2: (1, 3, 17, 65), 3: (1, 3, 7, 17)}
ORDER = {2: (129, 257), 3: (65, 129)}  # of triangles
POSITIVE = ("asum", "nrm2", "scal", "sum", "amax", "amin", "max", "min", "iamax", "iamin", "imax", "imin")  # increments of which BLAS says nothing, or to return
FORMATS = {letter: ctypes.c_int("sdbh".index(real)) for letter, real in zip("sdczbh", "sdsdbh")}
NORMAL, INTEGERS = -1, 2  # styles: numbers in [1, 2); small integers (STYLE_INTEGER), whose sums are exact
INEXACT = ("nrm2", "rot", "rotg", "rotmg", "trsv", "tbsv", "tpsv", "trsm")  # also of integers


class Case:
    """One call: values of an operand stand column by column, of complex elements both parts."""

    def __init__(self, routine, args, kind):
        self.routine, self.args, self.kind = routine, args, kind
        self.scalars, self.values = {}, {}
        self.form = self.place = None  # place: "end" before a guard page, or bytes behind one
        self.environment, self.threads, self.callers = 0, 1, 1
        self.spread = {}  # of operands that are too large for lists: ones, their number and distance

    def copy(self):
        other = copy.copy(self)
        other.args, other.scalars = dict(self.args), dict(self.scalars)
        other.values = {k: list(v) for k, v in self.values.items()}
        return other

    def resize(self, old):
        """The operands in the sizes that args have now, of what they were with the old."""
        for a in self.routine.operands:
            rows, columns = shapes.dimensions(a, self.args)
            was = shapes.dimensions(a, old)[0]
            p, v = a.parts(), self.values[a.name]
            if rows > was or columns * was * p > len(v):
                raise IndexError
            self.values[a.name] = [x for j in range(columns) for x in v[j * was * p:(j * was + rows) * p]]
        self.tighten()

    def tighten(self):
        """Leading dimensions and strides of the sizes and the layout that it has now, or a little more."""
        for a in self.routine.stored:
            if a.step and a.shape != "VECTOR":
                least = shapes.least_ld(a, self.args)
                self.args[a.step] = max(least, self.args[a.step] if self.args[a.step] < least + 20 else 0)
            if a.stride:
                rows, columns = shapes.dimensions(a, self.args)
                each = columns // max(1, self.args["batch"])
                self.args[a.stride] = max(1, self.args[a.step] * (rows if self.args["layout"] == "r" else each))


class Maker:
    def __init__(self, native, seed):
        self.native, self.seed = native, seed
        self.native.grade_scalar.restype = ctypes.c_double
        self.styles = self.native.grade_styles()

    def numbers(self, rng, n, style, letter):
        out = (ctypes.c_double * max(n, 1))()
        self.native.grade_fill(out, ctypes.c_int64(n), ctypes.c_uint64(rng.getrandbits(63)),
                               ctypes.c_int(self.styles if style == NORMAL else style), FORMATS[letter])
        return list(out)[:n]

    def scalar(self, rng, a, letter, style):
        if style in (NORMAL, INTEGERS) or rng.random() < 0.3:
            plain = (1.0, 1.0, -1.0, 2.0) if style == INTEGERS else (1.0, 1.0, -1.0, 0.5, 1.375)
            values = [rng.choice(plain), rng.choice((0.0, 0.0, -2.0 if style == INTEGERS else -0.75))]
        else:
            values = [self.native.grade_scalar(ctypes.c_uint64(rng.getrandbits(63)), FORMATS[letter])
                      for _ in range(2)]
        return (values[0],) if a.real else tuple(values)

    def finish(self, rng, case, style):
        """Strides, scalars and operands of a case that has its options and sizes."""
        r, args = case.routine, case.args
        for a in r.integers:
            if a.name.startswith("inc"):
                args.setdefault(a.name, rng.choice((1, 1, 1, 2, 3, -1, -2) if r.base not in POSITIVE else (1, 1, 2, 5)))
        if r.has("batch"):
            args.setdefault("batch", rng.choice((0, 1, 2, 3)))
        for a in r.stored:
            if a.step and a.shape != "VECTOR":
                args[a.step] = shapes.least_ld(a, args) + rng.choice((0, 0, 1, 3))
        case.tighten()
        for a in r.scalars:
            case.scalars[a.name] = self.scalar(rng, a, r.type, style)
        if r.base == "rot":
            case.scalars = {"c": (0.6000000238418579,), "s": (0.800000011920929, 0.0)[:1 if r.by_name["s"].real else 2]}
        for a in r.operands:
            rows, columns = shapes.dimensions(a, args)
            v = self.numbers(rng, rows * columns * a.parts(), style, a.type)
            case.values[a.name] = self.shaped(r, a, v, rows)
        if r.base == "rotm":
            case.values["param"][0] = rng.choice((-2.0, -1.0, 0.0, 1.0))
        return case

    @staticmethod
    def shaped(r, a, v, rows):
        """Of a triangle that is solved with, rows are small off the diagonal, so that solutions do not grow."""
        if not r.solves or a.uplo is None:
            return v
        p, scale = a.parts(), 2.0 ** -max(rows, 1).bit_length()
        out = [x * scale for x in v]
        for at in range(0, min(len(v), rows * (rows + 1) * p), (rows + 1) * p):
            out[at:at + p] = v[at:at + p]
        return out

    def make(self, routine, key, sizes, style, kind="numbers", **fixed):
        """sizes: of the size arguments in their order, over and over again."""
        rng = random.Random(f"{self.seed} {routine.name} {key}")
        args = {a.name: rng.choice(routine.letters(a.name)) for a in routine.options}
        names = [a.name for a in routine.integers if a.name in shapes.INTEGERS]
        args.update(zip(names, itertools.cycle(sizes)))
        if routine.level == 2:
            for name in ("k", "kl", "ku"):
                if name in args:
                    args[name] = rng.choice((0, 1, 2, 5, max(args["n"] - 1, 0)))
        args.update(fixed)
        if style is None:
            style = rng.choice((NORMAL, *range(self.styles)))
        case = self.finish(rng, Case(routine, args, kind), style)
        if routine.solves and style != NORMAL:
            case.kind = "range"
        elif style == INTEGERS and kind == "numbers" and routine.type in "sdcz" and routine.base not in INEXACT:
            case.kind = "integers"
        case.place = rng.choice(("end", "end", "end", 0, 8))
        return case


def sizes_of(routine, long):
    """The sizes that are judged; how many for each tells the level."""
    if routine.level == 1:
        return [(n,) for n in (*SMALL, *MIDDLE, *VECTORS)]
    square = [(n,) for n in (*SMALL, *MIDDLE, *ORDER[routine.level])]
    single = not any(routine.has(x) for x in "mk") or routine.base in ("sbmv", "hbmv", "tbmv", "tbsv")
    if single:
        return square
    names = [a.name for a in routine.integers if a.name in ("m", "n", "k")]
    out = list(square)
    for at, (n, beside) in itertools.product(range(len(names)), zip(LONG[routine.level], BESIDE[routine.level])):
        if names[at] == "n" and not routine.has("m"):
            n = min(n, 257)  # the order of a triangle
        others = [beside, beside + 1, beside + 2]
        out.append(tuple(n if i == at else others[i] for i in range(len(names))))
    return out + ([(257, 255, 259), (1025, 513, 300)] if long and routine.level == 3 else [])
