"""Judges one routine in one type, in a process of its own: what crashes or hangs ends no more than that."""
import array
import copy
import ctypes
import itertools
import os
import random
import re
import signal
import tempfile
import threading

import cases
import judge
import library
import memory
import numbers_of_types as numbers
import program
import shapes
import shrink

REPORT = -1  # the step in which findings are made smaller
CALLERS = "callers at the same time get wrong results"


class Worker:
    def __init__(self, lib, oracle, routines, native, routine, options):
        self.library, self.native, self.routine, self.options = lib, native, routine, options
        self.judge = judge.Judge(lib, oracle, routines)
        self.maker = cases.Maker(native, options["seed"])
        self.forms = sorted(lib.forms(routine))
        self.tally = judge.Tally()
        self.findings = {}
        self.journal = None
        self.laid_out = None, []  # the last case whose bits were asked for
        self.roomy = False  # once a routine was seen to touch what is outside

    # --- steps ----------------------------------------------------------------

    def steps(self):
        """(name, what is done with the case, the case) of all that is judged, in an order of its own: a step depends
        on its number alone."""
        r, long = self.routine, self.options["long"]
        yield "illegal arguments", self.illegal, None
        for i, sizes in enumerate(cases.sizes_of(r, long)):
            styles = (cases.NORMAL, cases.INTEGERS)
            for style in styles + (None,) if max(sizes) < 30 or long else styles:
                yield "sizes", self.basic, lambda s=sizes, y=style, i=i: self.make(f"size {i} {y}", s, y)
        for i in range(400 if long else 60):
            n = self.sizes(i, 5)
            yield "numbers", self.basic, lambda i=i, n=n: self.make(f"fuzz {i}", n, None)
        for i in range(48):
            yield "zero sizes", self.basic, lambda i=i: self.empty(i)
        for i in range(40 if long else 12):
            for kind in ("nan", "inf", "zero times Inf", "beta", "alpha"):
                yield kind, self.basic, lambda i=i, k=kind: self.special(i, k)
        if r.level == 1 and any(a.name.startswith("inc") for a in r.integers):
            for i in range(6):
                yield "increments", self.increments, lambda i=i: self.odd_increment(i)
        for i, n in enumerate(self.same_sizes()):
            for check in (self.runs, self.alignment, self.environments, self.column, self.concurrent, self.threads):
                yield "same bits", check, lambda i=i, n=n: self.make(f"same {i}", n, cases.NORMAL)
        if long and r.types < set("sd") and (r.base == "gemv" or r.level == 1 and r.result != "-" and r.has("incx")):
            for trans in "tn" if r.level == 2 else " ":
                fixed = {"incx": 1, **({"incy": 1} if r.has("incy") else {}), **(
                    {"trans": trans, "layout": "c"} if r.level == 2 else {})}
                far = {**fixed, "incy" if trans == "n" else "incx": 2**20}
                yield "offsets beyond 2^31", self.large, lambda f=far: self.spread("far", **f)
                yield "many terms", self.large, lambda f=fixed: self.spread("many", **f)

    def sizes(self, i, n):
        rng = random.Random(f"{self.options['seed']} sizes {self.routine.name} {i}")
        return [rng.choice((*cases.SMALL, *cases.MIDDLE[:4])) for _ in range(n)]

    def same_sizes(self):
        level = self.routine.level
        return {1: [(17,), (1000,), (10007,)], 2: [(7, 9), (65, 63), (257, 129)],
                3: [(7, 9, 5), (33, 31, 65), (129, 65, 67)]}[level]

    def make(self, key, sizes, style, kind="numbers", form=None, **fixed):
        form = form or random.Random(f"form {key}").choice(self.forms)
        if form.startswith("fortran") and self.routine.has("layout"):
            fixed["layout"] = "c"
        case = self.maker.make(self.routine, key, sizes, style, kind, **fixed)
        case.form = form
        if self.roomy:
            case.place = memory.ROOMY
        return case

    def empty(self, i):
        names = [a.name for a in self.routine.integers if a.name in shapes.INTEGERS]
        if not names:
            return self.make(f"empty {i}", (1,), cases.NORMAL)
        return self.make(f"empty {i}", (3, 5, 4), cases.NORMAL, **{names[i % len(names)]: 0})

    def special(self, i, kind):
        case = self.make(f"{kind} {i}", self.sizes(i, 3), cases.NORMAL, kind)
        rng = random.Random(f"special {kind} {i} {self.routine.name}")
        for name, v in case.scalars.items():
            case.scalars[name] = tuple(x or 1.5 for x in v[:1]) + v[1:]
        if kind in ("alpha", "beta"):
            return self.zero_scalar(case, kind)
        operand = rng.choice(self.routine.operands)
        if self.routine.base in ("rotg", "rotmg", "rotm") or not case.values[operand.name]:
            case.kind = "numbers"
            return case
        values = case.values[operand.name]
        at = rng.randrange(len(values))
        values[at] = rng.choice((float("inf"), -float("inf"))) if kind == "inf" else float("nan")
        if kind == "zero times Inf":
            values[at] = rng.choice((float("inf"), float("nan")))
            for other in self.routine.operands:
                if other is not operand:
                    case.values[other.name] = [0.0 if rng.random() < 0.7 else x for x in case.values[other.name]]
        if self.routine.solves and not (kind == "nan" and operand.written):
            case.kind = "zero times Inf"  # what a solution has then depends on the order
        return case

    def zero_scalar(self, case, kind):
        """A zero alpha or beta, and NaN in all that is not read then. scal multiplies by its zero."""
        if kind in case.scalars:
            case.scalars[kind] = tuple(0.0 for _ in case.scalars[kind])
        case.kind = "numbers"
        if self.routine.base == "scal" and case.values["x"]:
            case.values["x"][0], case.kind = float("nan"), "nan"
        return case

    def odd_increment(self, i):
        names = [a.name for a in self.routine.integers if a.name.startswith("inc")]
        values = (0, -1, 0, -3, 1, 0)[i], (1, -1, 0, 2, 0, -2)[i]
        return self.make(f"odd {i}", (5 + i,), cases.NORMAL, **dict(zip(names, values)))

    # --- what is done with a case -----------------------------------------------

    def record(self, found):
        for f in found:
            self.findings.setdefault(f.what, []).append(f)

    def basic(self, case):
        self.record(self.judge.check(case, self.tally))

    def increments(self, case):
        """Of what BLAS leaves open no more than a note; nothing outside may be touched."""
        found = self.judge.check(case)
        self.tally.note("increments", not found)
        self.record([f for f in found if "written" in f.what])

    def bits(self, case, **changes):
        if self.journal:
            self.journal.beat()
        c = copy.copy(case)
        c.__dict__.update(changes)
        if self.laid_out[0] is not case:
            self.laid_out = case, [memory.Operand(case, a) for a in case.routine.operands]
        operands, buffers, returned, left = self.judge.run(c, self.native, self.laid_out[1])
        out = [array.array("d", returned).tobytes()] + [buffers.numbers(o).tobytes() for o in operands if o.argument.written]
        buffers.release()
        return out, left

    def same(self, name, case, first, bits, what="the result is wrong"):
        """A note whether these are the first bits. Others may still be right."""
        self.tally.note(name, bits == first)
        if bits != first:
            written = (o for o in self.laid_out[1] if o.argument.written)
            after = {o.argument.name: array.array(o.code, b) for o, b in zip(written, bits[1:])}
            found = self.judge.results(case, judge.Tally(), self.laid_out[1], after, list(array.array("d", bits[0])))
            for f in found:
                f.what = what
            self.record(found)

    def runs(self, case):
        first = self.bits(case)[0]
        for _ in range(5):
            self.same("runs", case, first, self.bits(case)[0])

    def alignment(self, case):
        first = self.bits(case, place=0)[0]
        step = min(numbers.SIZE[a.type] for a in self.routine.operands)
        for p in range(0, 64, step):
            bits, case.place = self.bits(case, place=p)[0], p
            self.same("alignment", case.copy(), first, bits)

    def environments(self, case):
        first = self.bits(case)[0]
        for k in range(self.native.grade_environments()):
            bits, left = self.bits(case, environment=k)
            self.tally.note("environment", bits == first)
            self.tally.note("flags", not left & 4)
            what = {1: "the floating-point environment is left changed", 2: "floating-point flags are cleared"}
            for bit in (1, 2):
                if left & bit:
                    c = case.copy()
                    c.environment = k
                    self.record([judge.Finding(what[bit], c)])

    def threads(self, case):
        counts = self.options["threads"]
        if len(counts) < 2 or not self.library.set_threads(counts[0]):
            return
        first = self.bits(case)[0]
        for n in counts[1:]:
            self.library.set_threads(n)
            self.tally.note("threads", self.bits(case)[0] == first)
            case.threads = n
            self.record(self.judge.check(case))
        self.library.set_threads(1)

    def column(self, case):
        """One column alone, and among others. Columns are results' that share the other operands."""
        r = self.routine
        if r.level != 3 or r.has("uplo") and not r.has("side") or r.has("batch"):
            return
        case.args.update({k: v for k, v in (("transb", "n"), ("side", "l"), ("layout", "c")) if k in case.args})
        case = self.remade(case)
        operands, buffers, _, _ = self.judge.run(case)
        together = {o.argument.name: buffers.numbers(o) for o in operands}
        buffers.release()
        for j in sorted({0, case.args["n"] // 2, case.args["n"] - 1}):
            alone = case.copy()
            alone.args["n"] = 1
            for a in r.operands:
                if a.shape == "MATRIX" and a.columns == "n":
                    rows = shapes.dimensions(a, case.args)[0] * a.parts()
                    alone.values[a.name] = case.values[a.name][j * rows:(j + 1) * rows]
            ops, buffers, _, _ = self.judge.run(alone)
            for o, whole in zip(ops, operands):
                if o.argument.written:
                    now = buffers.numbers(o)
                    width = len(o.places)
                    self.tally.note("column", [now[p] for p in o.places] == [
                        together[o.argument.name][p] for p in whole.places[j * width:(j + 1) * width]])
            buffers.release()

    def remade(self, case):
        """The case with operands for the options that it has now."""
        rng = random.Random("remade")
        for a in self.routine.operands:
            rows, columns = shapes.dimensions(a, case.args)
            case.values[a.name] = self.maker.shaped(self.routine, a, self.maker.numbers(
                rng, rows * columns * a.parts(), cases.NORMAL, a.type), rows)
        case.tighten()
        return case

    def concurrent(self, case):
        """Callers at the same time, each with its own operands."""
        expected = self.bits(case, place=0)[0]
        results = []

        def call():
            for _ in range(3):
                results.append(self.bits(case, place=0)[0])
        callers = [threading.Thread(target=call) for _ in range(4)]
        for t in callers:
            t.start()
        for t in callers:
            t.join()
        case.callers = len(callers)
        for bits in results:
            self.same("callers", case, expected, bits, CALLERS)

    def spread(self, key, **fixed):
        """A call with ones in vectors whose offsets need more than 31 bits, in memory of which few pages are used; or with
        more of them than a float counts, or than half of that in rows of a matrix."""
        r = self.routine
        case = self.make(key, (4, 2) if key == "many" else (2**11 + 2, 2), cases.NORMAL, **fixed)
        if key == "many":
            case.args.update({"n": 2**24 + 17} if r.level == 1 else {"m": 2**23 + 17, "lda": 2**23 + 17})
        case.spread = {a.name: (shapes.dimensions(a, case.args)[0], case.args[a.step]) for a in r.operands}
        if r.level == 2:
            case.spread["a"] = case.args["lda"] * case.args["n"], 1
            case.scalars = {"alpha": (1.0,), "beta": (1.0,)}
        case.values = dict.fromkeys(case.values, [])
        return case

    def large(self, case):
        """What is spread, against the oracle. Of gemv all is exact."""
        r, n = self.routine, case.args["n"]
        got, want = (self.spread_call(case, call) for call in (self.judge.call_of(case), self.judge.oracle.call(r)))
        bound = 4 * judge.UNIT[r.type] * n * n if r.level == 1 and r.result != "I" else 0
        at = next((i for i, (g, w) in enumerate(zip(got, want)) if abs(g - w) > bound), None)
        if at is not None:
            step = max(v[1] for v in case.spread.values())
            self.record([judge.Finding("many terms are wrong" if step == 1 else "an offset beyond 2^31 is wrong", case, *(
                ("y", at * case.args["incy"]) if r.result == "-" else ("result", 0)), want[at], got[at])])

    def spread_call(self, case, call):
        real, arrays = call.real, {}
        for name, (n, step) in case.spread.items():
            size = ctypes.sizeof(real) * (step * (n - 1) + 1)
            at = memory.libc.mmap(None, size, memory.READ_WRITE, memory.PRIVATE, -1, 0)
            memory.libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(size), memory.SMALL_PAGES)
            arrays[name] = memoryview((ctypes.c_char * size).from_address(at)).cast("B").cast("d" if self.routine.type == "d" else "f")
            ones = array.array(arrays[name].format, [1.0])
            if step == 1:
                arrays[name][:] = ones * n
            else:
                for i in range(n):
                    arrays[name][i * step] = 1.0
        words, place = call.prepare(case.args, case.scalars, {
            k: ctypes.addressof(ctypes.c_char.from_buffer(v)) for k, v in arrays.items()})
        out = call.result(call.function(*words), place, case.args) or arrays["y"][::case.spread["y"][1]].tolist()
        for v in arrays.values():
            memory.libc.munmap(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(v))), ctypes.c_size_t(v.nbytes))
        return out

    # --- illegal arguments --------------------------------------------------------

    def illegal(self, _):
        r = self.routine
        if not r.options:
            return
        form = next((f for f in self.forms if f.startswith("fortran")), self.forms[0])
        numbered = [a.name for a in r.arguments if a.name != "layout" or not form.startswith("fortran")]
        for number, name in enumerate(numbered, 1):
            a = r.by_name[name]
            bad = "x" if a.kind == "option" else -1 if name in shapes.INTEGERS else 0
            if a.kind not in ("option", "integer") or name == "batch" or name.startswith("stride"):
                continue
            case = self.make(f"illegal {name}", (3, 4, 5), cases.NORMAL, form=form, **(
                {"layout": "c"} if r.has("layout") else {}))
            operands = [memory.Operand(case, o) for o in r.operands]
            case.args[name] = bad
            got = self.reported(case, operands)
            if got != number:
                f = judge.Finding("an illegal argument is not reported" if got is None else
                                  "an illegal argument is reported by another number", case, name, 0, number,
                                  -1 if got is None else got)
                self.record([f])

    def reported(self, case, operands):
        """The number that the library reports, by its handler or in words, in a process of its own: it may end."""
        with tempfile.TemporaryFile() as out:
            pid = os.fork()
            if pid == 0:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
                signal.alarm(5)  # which ends it
                self.judge.run(case, None, operands)
                os._exit(0)
            os.waitpid(pid, 0)
            out.seek(0)
            text = out.read().decode(errors="replace")
        found = re.findall(r"(?:number|[Pp]arameter|argument)\D{0,12}?(\d+)", text)
        return int(found[0]) if found else None

    # --- the run ------------------------------------------------------------------

    def run(self, journal, lost):
        """All steps but those that ended earlier processes, up to the third of these. The journal has the number of the
        step that is under way."""
        self.journal = self.judge.oracle.journal = journal
        for i, (name, check, make) in enumerate(self.steps()):
            if i in lost[2:]:
                break
            if i in lost:
                continue
            journal.at(i)
            case = make() if make else None
            check(case)
        journal.at(REPORT)
        return self.report()

    def report(self):
        out = []
        for what, found in self.findings.items():
            self.journal.beat()
            f = min(found, key=lambda f: sum(map(len, f.case.values.values())))
            self.library.set_threads(f.case.threads)
            f = shrink.shrink(self.judge, f, self.options["shrink"])
            out.append({"what": what, "calls": len(found), "text": program.describe(f),
                        "program": program.write(self, f)})
        t = self.tally
        return {"routine": self.routine.name, "type": self.routine.type, "base": self.routine.group,
                "forms": self.forms, "results": t.results, "rounded": t.rounded, "ulps": t.ulps, "ratio": t.ratio,
                "grade": t.grade, "notes": t.notes, "findings": out}

    def step(self, number):
        """The case of a step."""
        return next(itertools.islice(self.steps(), number, None))[2]()
