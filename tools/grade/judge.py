"""What is right of one call: bits, error bounds, NaN and Inf, bytes that must stay."""
import math

import library
import memory
import shapes

BITS = {"s": 24, "c": 24, "d": 53, "z": 53, "b": 8, "h": 11}
UNIT = {letter: 2.0**-n for letter, n in BITS.items()}
LEAST = {"s": 2.0**-149, "c": 2.0**-149, "d": 2.0**-1074, "z": 2.0**-1074, "b": 2.0**-133, "h": 2.0**-24}
SAFE = {"s": 2.0**126, "c": 2.0**126, "d": 2.0**1022, "z": 2.0**1022, "b": 2.0**126, "h": 2.0**14}
PRODUCT = {"trsv": "trmv", "tbsv": "tbmv", "tpsv": "tpmv", "trsm": "trmm"}


class Finding:
    def __init__(self, what, case, operand="", at=0, expected=0.0, got=0.0):
        self.what, self.case, self.operand, self.at = what, case, operand, at
        self.expected, self.got, self.name = expected, got, ""


class Tally:
    """What is known of a routine in one type."""

    def __init__(self):
        self.results = self.rounded = 0
        self.ulps = self.ratio = 0.0
        self.grade = "A"
        self.notes = {}

    def note(self, name, ok):
        """A property: it stays a tick while all calls have it."""
        self.notes[name] = self.notes.get(name, True) and bool(ok)


def ulp(x, letter):
    return max(math.ldexp(1, max(math.frexp(x)[1] - BITS[letter], -1074)) if x else 0, LEAST[letter])


def n_terms(case):
    """Of the longest sum of a result."""
    r, args = case.routine, case.args
    if r.base in ("dot", "dotu", "dotc", "dsdot", "asum", "sum", "nrm2"):
        return max(args["n"], 0)
    if r.level == 1 or r.level == 2 and r.base.startswith(("ge", "syr", "her", "spr", "hpr", "om", "im")) and r.base != "gemv":
        return 2
    if "kl" in args:
        return args["kl"] + args["ku"] + 1
    if r.level == 3 and "k" in args:
        return args["k"] * (2 if "2k" in r.base else 1)
    return max(args.get("m", 0), args["n"]) if "side" not in args else args["m" if args["side"] == "l" else "n"]


class Oracle:
    """ExBLAS: every element its exact value, rounded once."""

    def __init__(self, lib):
        self.library = lib
        self.calls = {}
        self.journal = None

    def call(self, routine):
        if routine.name not in self.calls:
            forms = self.library.forms(routine)
            form = "cblas64" if "cblas64" in forms else "fortran64"
            self.calls[routine.name] = library.Call(self.library, routine, form, forms[form])
        return self.calls[routine.name]

    def results(self, case, operands):
        """What is returned, and of each operand that is written the numbers that it has then."""
        call, buffers = self.call(case.routine), memory.Buffers(operands, None)
        args, place = call.prepare(case.args, case.scalars, buffers.addresses)
        if self.journal:
            self.journal.own(True)
        returned = call.result(call.function(*args), place, case.args)
        if self.journal:
            self.journal.own(False)
        return returned, {o.argument.name: buffers.numbers(o) for o in operands if o.argument.written}


def magnitudes(values, parts):
    if parts == 1:
        return [abs(x) for x in values]
    return [x for i in range(0, len(values), 2) for x in (abs(values[i]) + abs(values[i + 1]), 0.0)]


class Judge:
    def __init__(self, lib, oracle, routines):
        self.library, self.oracle = lib, oracle
        self.by_name = {r.name: r for r in routines}
        self.calls = {}

    def call_of(self, case):
        key = case.routine.name, case.form
        if key not in self.calls:
            self.calls[key] = library.Call(self.library, case.routine, case.form,
                                           self.library.forms(case.routine)[case.form])
        return self.calls[key]

    def run(self, case, native=None, operands=None):
        """The operands before and after the call; what it returned; what it did to the environment."""
        operands = operands or [memory.Operand(case, a) for a in case.routine.operands]
        call, buffers = self.call_of(case), memory.Buffers(operands, case.place)
        args, place = call.prepare(case.args, case.scalars, buffers.addresses)
        if native:
            native.grade_enter(case.environment)
        returned = call.function(*args)
        left = native.grade_leave() if native else 0
        return operands, buffers, call.result(returned, place, case.args), left

    # --- error bounds ---------------------------------------------------------

    def magnitude_case(self, case):
        r = case.routine
        c = case.copy()
        c.scalars = {k: tuple(magnitudes(v, len(v))) for k, v in case.scalars.items()}
        c.values = {a.name: magnitudes(case.values[a.name], a.parts()) for a in r.operands}
        if r.base == "rotm":
            flag, h11, h21, h12, h22 = c.values["param"]
            flag = case.values["param"][0]
            h11, h22 = (1.0, 1.0) if flag == 0 else (h11, h22)
            h12, h21 = (1.0, 1.0) if flag == 1 else (h12, h21)
            c.values["param"] = [-2.0 if flag == -2 else -1.0, h11, h21, h12, h22]
        return c

    def bounds(self, case):
        """|A||B| of each result: the routine itself of magnitudes; all that may be lost to underflow."""
        c = self.magnitude_case(case)
        returned, written = self.oracle.results(c, [memory.Operand(c, a) for a in c.routine.operands])
        if c.routine.base == "rot":  # y = c y - s x
            c.scalars["s"] = tuple(-x for x in c.scalars["s"])
            written["y"] = self.oracle.results(c, [memory.Operand(c, a) for a in c.routine.operands])[1]["y"]
        most = max((abs(x) for v in c.values.values() for x in v), default=0)
        scale = max([1.0] + [abs(x) for v in c.scalars.values() for x in v])
        # Nothing overflows that is computed in another order.
        safe = most * scale * max(most, 1) * max(n_terms(case), 1) * 8 < SAFE[c.routine.type]
        return returned, written, LEAST[c.routine.type] * scale * max(most, 1.0), safe

    def residual(self, case, operands, after):
        """Of a solve: T x - alpha b as expected 0, with |T||x| + |alpha b| of each."""
        r = case.routine
        product = self.by_name[r.name[0] + PRODUCT[r.base]]
        out = next(o for o in operands if o.argument.written)
        x = [after[at] for at in out.places]
        c = case.copy()
        c.routine, c.values = product, {**case.values, out.argument.name: x}
        if "alpha" in c.scalars:
            c.scalars["alpha"] = (1.0,) if len(c.scalars["alpha"]) == 1 else (1.0, 0.0)
        ops = [memory.Operand(c, a) for a in product.operands]
        tx = self.oracle.results(c, ops)[1][out.argument.name]
        m = self.magnitude_case(c)
        bound = self.oracle.results(m, [memory.Operand(m, a) for a in product.operands])[1][out.argument.name]
        b = case.values[out.argument.name]
        alpha = case.scalars.get("alpha", (1.0, 0.0))
        p = out.argument.parts()
        errors, sizes = [], []
        for i in range(0, len(x), p):
            re, im = b[i], b[i + 1] if p == 2 else 0.0
            al = (*alpha, 0.0)
            target = (al[0] * re - al[1] * im, al[0] * im + al[1] * re)
            size = bound[out.places[i]] + (abs(al[0]) + abs(al[1])) * (abs(re) + abs(im))
            for q in range(p):
                errors.append(abs(tx[out.places[i + q]] - target[q]))
                sizes.append(size)
        return errors, sizes

    # --- one call -------------------------------------------------------------

    def check(self, case, tally=None, native=None):
        """The findings of a call. With `native` in the environment of the case."""
        tally = tally or Tally()
        tally.note({"inf": "Inf", "zero times Inf": "0·Inf"}.get(case.kind, "overflow"), True)
        if case.kind == "nan" and case.routine.result == "I":
            tally.note("first NaN", True)
        operands, buffers, returned, left = self.run(case, native)
        after = {o.argument.name: buffers.numbers(o) for o in operands}
        found = self.stays(case, operands, buffers, after)
        if left & 1:
            found.append(Finding("the floating-point environment is left changed", case))
        if left & 2:
            found.append(Finding("floating-point flags are cleared", case))
        buffers.release()
        return found + self.results(case, tally, operands, after, returned)

    def results(self, case, tally, operands, after, returned):
        expected = self.oracle.results(case, operands)
        pairs = self.pairs(case, operands, after, returned, expected)
        if not pairs or not any(got != want for _, got, want, _ in pairs):
            for _, got, _, _ in pairs:
                tally.results += len(got)
                tally.rounded += len(got)
            return []
        return self.compare(case, tally, operands, pairs, after)

    def stays(self, case, operands, buffers, after):
        """Nothing but the results may change."""
        found = []
        for o in operands:
            name = o.argument.name
            if buffers.outside(o):
                found.append(Finding("bytes outside an operand are written", case, name))
            if after[name].tobytes() == o.image.tobytes():
                continue
            if not o.argument.written:
                found.append(Finding("an input is written", case, name))
                continue
            results = set(o.places)
            old, new = o.image.tobytes(), after[name].tobytes()
            size = o.image.itemsize
            at = next((i for i in range(o.n) if i not in results and old[i * size:(i + 1) * size] !=
                       new[i * size:(i + 1) * size]), None)
            if at is not None:
                found.append(Finding("elements that are not results are written", case, name, at, o.image[at],
                                     after[name][at]))
        return found

    @staticmethod
    def pairs(case, operands, after, returned, expected):
        """Name, numbers got and expected, and places of each result."""
        out = [("result", returned, expected[0], range(len(returned)))] if returned else []
        for o in operands:
            if o.argument.written:
                at = [p for p in o.places if p is not None]
                name = o.argument.name
                got, want = after[name], expected[1][name]
                if got.tobytes() == want.tobytes():
                    same = [0.0] * len(at)
                    out.append((name, same, same, at))
                else:
                    out.append((name, [got[p] for p in at], [want[p] for p in at], at))
        return out

    def compare(self, case, tally, operands, pairs, after):
        r = case.routine
        if r.result == "I":
            return self.compare_index(case, tally, pairs[0])
        if r.base in ("copy", "swap"):
            return [Finding("a copy is not the same", case, *self.worst(p)) for p in pairs if p[1] != p[2]]
        returned, written, tiny, safe = self.bounds(case)
        found = []
        for name, got, want, at in pairs:
            sizes = returned if name == "result" else [written[name][p] for p in at]
            parts = 2 if r.is_complex and len(got) % 2 == 0 and not (name == "c" and r.base == "rotg") else 1
            if parts == 2:
                sizes = [sizes[i - i % 2] for i in range(len(sizes))]
            if r.base in ("rotg", "rotmg"):
                # Of complex numbers with a = 0 there are two definitions.
                free = r.is_complex and not any(case.values["a"])
                sizes = [math.inf if free else 16 * abs(x) for x in want]
            if r.base == "nrm2":
                tiny = 0.0
            errors = None
            if r.solves:
                # Where an unknown is not finite, no bound is of use for the others.
                errors, sizes = self.residual(case, operands, after[name]) if all(map(math.isfinite, want)) else (
                    None, [math.inf] * len(want))
                tiny = max(tiny, LEAST[r.type] * max(map(abs, got), default=0))
                safe = safe and case.kind != "range"
            found += self.elements(case, tally, (name, got, want, at), sizes, errors, tiny, safe, parts)
        return found

    def compare_index(self, case, tally, pair):
        _, (got,), (want,), _ = pair
        tally.results += 1
        tally.rounded += got == want
        x, p = case.values["x"], case.routine.by_name["x"].parts()
        base, unit = case.routine.base, UNIT[case.routine.type]
        sign, part = (-1 if base.endswith("min") else 1), (abs if "a" in base[:2] else float)
        size = [sign * sum(map(part, x[i:i + p])) for i in range(0, len(x), p)]
        if any(map(math.isnan, size)):
            tally.note("first NaN", got == want)
            return []
        if got == want:
            return []
        ok = 1 <= got <= len(size) and 1 <= want and size[want - 1] - size[got - 1] <= 4 * unit * (p - 1) * abs(size[want - 1])
        if ok and p == 2:
            return []
        return [Finding("the index is wrong", case, "result", 0, want, got)]

    @staticmethod
    def worst(pair):
        name, got, want, at = pair
        i = next(i for i in range(len(got)) if got[i] != want[i])
        return name, at[i], want[i], got[i]

    def elements(self, case, tally, pair, sizes, errors, tiny, safe, parts):
        """Errors against the bounds; at most one finding of a kind."""
        r = case.routine
        name, got, want, at = pair
        k = n_terms(case)
        factor = (k + 6) * (2 if r.is_complex else 1)
        letter = r.result if r.result in "sdcz" else r.type
        unit = UNIT[letter]
        if r.name == "sdsdot":
            factor = 2 + (k + 6) * 2.0**-29
        found, bad, ulps, ratios = {}, [], [0.0], [0.0]
        for i, (g, w) in enumerate(zip(got, want)):
            tally.results += 1
            if g == w or w != w and (g != g or r.base == "rotmg"):  # of param what the flag says counts
                tally.rounded += 1
                continue
            around = got, want, i - i % parts, parts
            what = self.special(case, tally, g, w, safe, 0.0 if r.solves else sizes[i], around)
            if what:
                found.setdefault(what, Finding(what, case, name, at[i], w, g))
                continue
            if not math.isfinite(g) or not math.isfinite(w):
                continue
            error = errors[i] if errors else abs(g - w)
            if errors is None and case.kind == "numbers":
                ulps.append(error / ulp(w, letter))
            bound = 0.0 if case.kind == "integers" else factor * (unit * sizes[i] + tiny * (k + 2))
            if not math.isfinite(bound) or not math.isfinite(error):
                continue
            ratio = error / bound if bound else math.inf
            if ratio > 1:
                bad.append((ratio, i, error))
            else:
                ratios.append(ratio)
        tally.ulps, tally.ratio = max(tally.ulps, *ulps), max(tally.ratio, *ratios)
        if bad:
            what = self.grade(case, tally, bad, sizes, factor, unit, tiny * (k + 2))
            if what:
                _, i, _ = max(bad)
                found[what] = Finding(what, case, name, at[i], want[i], got[i])
        return list(found.values())

    @staticmethod
    def grade(case, tally, bad, sizes, factor, unit, tiny):
        """Demmel's grades: B if errors are small against the largest |A||B| of the result's column or row, C if
        against the largest of all. What must be exact has none."""
        def largest(of):
            return max((s for s in of if math.isfinite(s)), default=0)
        written = next((a for a in case.routine.operands if a.written), None)
        rows = shapes.dimensions(written, case.args)[0] * written.parts() if written else 1
        within = bool(rows and len(sizes) % rows == 0 and case.routine.level == 3 and case.kind != "integers")
        if within:
            columns = [largest(sizes[j:j + rows]) for j in range(0, len(sizes), rows)]
            lines = [largest(sizes[i::rows]) for i in range(rows)]
            within = all(error <= factor * (unit * max(columns[i // rows], lines[i % rows]) + tiny) for _, i, error in bad)
        if within:
            tally.grade = max(tally.grade, "B")
            return None
        most = factor * (unit * largest(sizes) + tiny)
        if case.routine.level == 3 and case.kind != "integers" and all(error <= most for _, _, error in bad):
            tally.grade = max(tally.grade, "C")
            return None
        tally.grade = "F"
        return "the result is wrong"

    def special(self, case, tally, g, w, safe, size, around):
        """Where one of two results is an Inf or NaN: what is wrong, or None."""
        if math.isfinite(g) and math.isfinite(w):
            return None
        got, want, first, parts = around
        # Of a complex number with a NaN in one part the other depends on the formula.
        got, want = got[first:first + parts], want[first:first + parts]
        special_got, special_want = (any(not math.isfinite(x) for x in v) for v in (got, want))
        if case.kind in ("nan", "inf"):
            if special_got and special_want:
                tally.note("Inf", False)
                return None
            if special_got:
                return f"{'a NaN' if case.kind == 'nan' else 'an Inf'} spreads to where none belongs"
            if case.kind == "nan" or math.isinf(w):
                return f"{'a NaN' if case.kind == 'nan' else 'an Inf'} is lost"
            tally.note("Inf", False)
            return None
        if case.kind == "zero times Inf":
            tally.note("0·Inf", False)
            return None
        if math.isfinite(w):
            if not safe or not math.isfinite(size):
                if case.routine.base == "nrm2":
                    return "overflow of a finite norm"
                tally.note("overflow", False)
                return None
            zeros = [s for s in ("alpha", "beta") if s in case.scalars and not any(case.scalars[s])]
            return "NaN or Inf though " + (" and ".join(zeros) + " = 0" if zeros else "all is finite")
        return None
