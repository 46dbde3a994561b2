#!/usr/bin/env python3
"""every_special.py: Inf and NaN in every operand, scalar and place that must not be read, of every
routine of lib/symbols.list and of sparse products, against the table of doc/guarantee.md as
extended.py and families.py read it. Dense, packed, banded, batched and sparse forms of a product
have one definition there, and so the same results. Finite numbers are small integers: results
are exact but for one root and one quotient. Reports in TAP.

With the argument OpenCL or Pblas the routines of that library, by their own calls (others.py).

Environment: TEST_LIBRARY, the library; TEST_SEED; TEST_SYMBOLS, the list of routines;
TEST_BLACS, for Pblas, the library of its contexts."""
import ctypes
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../lib"))
import generate
from families import FAMILIES, Call
import others
from storage import COL, PARTS, ROW, Array, full, real_type, stored, vector

# rotg of complex numbers and rotmg have formulas of their own, and the tests rotg and rotm.
OTHER_TESTS = ("crotg", "zrotg", "srotmg", "drotmg")
CALLS, LARGE = 200, 17 # of each routine; the largest dimension, in one call of ten


def scalar(letter, value, by_value):
    kind = real_type(letter)
    return kind(stored(letter, value[0])) if by_value else (kind * 2)(*value)


def passed(routine, argument, letter, value):
    if isinstance(value, Array):
        return ctypes.byref(value.memory)
    if argument.kind == "real scalar" or argument.kind == "scalar":
        return scalar(letter, value, argument.kind == "real scalar" or not routine.is_complex)
    return ctypes.c_int(value)


class Cpu:
    layouts, steps, n_calls, is_there = (COL, ROW), (1, 2, -1, -3), CALLS, True

    def __init__(self, library):
        self.library = library

    def name(self, routine):
        return "excblas_" + routine.cblas_name()

    def run(self, routine, call):
        """Makes the call; what it returns."""
        letter = call.letter
        function = getattr(self.library, self.name(routine))
        values = [passed(routine, a, letter, call.args[a.name]) for a in routine.arguments]
        function.restype = {"void": None, "int64_t": ctypes.c_size_t, "float": ctypes.c_float,
                            "double": ctypes.c_double}[routine.result]
        if not routine.returns_complex:
            return function(*values)
        result = (real_type(letter) * 2)()
        function(*values, result)
        return tuple(result)


def same(got, expected, kind):
    if expected is None:
        return True
    expected = kind(expected).value
    return got == expected or (math.isnan(got) and math.isnan(expected))


def same_number(got, expected, kind):
    return all(same(g, e, kind) for g, e in zip(got, expected))


def wrong_elements(array, expected, kind):
    """Places whose elements are not the expected ones."""
    return [at for at, value in expected.items() if not same_number(array.get(at), value, kind)]


def faults(routine, call, returned):
    kind, found = ctypes.c_double if call.letter in "dz" else ctypes.c_float, []
    for argument in routine.arguments:
        array = call.args[argument.name]
        if not isinstance(array, Array):
            continue
        expected = call.expected.get(argument.name, {})
        found += [f"{argument.name} {at}: {array.get(at)}, not "
                  f"{expected[at]}" for at in wrong_elements(array, expected, kind)]
        if not array.rest_is_untouched(expected):
            found.append(f"{argument.name} is written elsewhere")
        if routine.kind not in ("copy", "swap", "rotm") and not array.nans_are_canonical(expected):
            found.append(f"a NaN of {argument.name} is not the canonical one")
    if call.returned is not None:
        expected = call.returned if isinstance(call.returned, tuple) else (call.returned, None)
        got = returned if isinstance(returned, tuple) else (returned,)
        kind = {"int64_t": ctypes.c_int64, "double": ctypes.c_double}.get(routine.result, kind)
        if not same_number(got, expected, kind):
            found.append(f"returned {got}, not {expected}")
    return found


# --- sparse products ------------------------------------------------------------------------


def csr(letter, m, a):
    """row_start, column, value."""
    entries = sorted(a)
    start = [sum(i < row for i, _ in entries) for row in range(m + 1)]
    values = Array(letter, {at: k for k, at in enumerate(entries)}, a)
    index = ctypes.c_int32
    return ((index * len(start))(*start), (index * len(entries))(*[j for _, j in entries]),
            values.memory)


def dense_operands(letter, s):
    """x and y as vectors or, of csrmm, as matrices."""
    if s["name"] != "csrmm":
        return [Array(letter, vector(len(s[v]), 1), s[v]) for v in "xy"], [[], []]
    arrays, steps = [], []
    for v in "xy":
        shape = [1 + max(at[d] for at in s[v]) for d in range(2)]
        places, ld = full(*shape, s["options"][0], lambda i, j: True)
        arrays.append(Array(letter, places, s[v]))
        steps.append([ld])
    return arrays, steps


def sparse_faults(library, call):
    s, letter = call.sparse, call.letter
    function = getattr(library, f"exblas_{letter}{s['name']}")
    start, column, value = csr(letter, s["m"], s["a"])
    (x, y), (ldx, ldy) = dense_operands(letter, s)
    alpha, beta = (scalar(letter, s[name], PARTS[letter] == 1) for name in ("alpha", "beta"))
    status = function(*s["options"], alpha, start, column, value, x.memory, *ldx, beta, y.memory,
                      *ldy)
    expected = call.expected.get("y") or call.expected["c"]
    if status != 0:
        return [f"{s['name']} returned {status}"]
    return [f"{s['name']} {at}: {y.get(at)}, not {expected[at]}"
            for at in wrong_elements(y, expected, real_type(letter))]


# --- the walk -------------------------------------------------------------------------------


def describe(call):
    def text(value):
        return list(value.memory) if isinstance(value, Array) else value
    return ", ".join(f"{name} = {text(value)}" for name, value in call.args.items())


def walk(side, routine, family, generator):
    """The first call with a fault, as text; None if there is none."""
    for number in range(side.n_calls):
        size = LARGE if number % 10 == 9 else 3
        rate = 0.02 if size == LARGE else generator.choice((0, 0.1, 0.3))
        call = Call(routine, routine.type, generator, size, rate, side.layouts, side.steps)
        family(call)
        before = describe(call)
        found = faults(routine, call, side.run(routine, call))
        if call.sparse and isinstance(side, Cpu) and not routine.has_halves():
            found += sparse_faults(side.library, call)
        if found:
            return f"{routine.name}, call {number}: {found[0]}\n#   {before}"
    return None


def main():
    library = ctypes.CDLL(os.environ["TEST_LIBRARY"])
    side = (getattr(others, sys.argv[1]) if sys.argv[1:] else Cpu)(library)
    if not side.is_there:
        print("1..0 # skipped: no device")
        return
    seed = os.environ.get("TEST_SEED", "1")
    family_of = {base: family for family, bases in FAMILIES.items() for base in bases.split()}
    routines = [r for r in generate.read(os.environ["TEST_SYMBOLS"])
                if r.name not in OTHER_TESTS and hasattr(library, side.name(r))]
    print(f"1..{len(routines)}")
    for number, routine in enumerate(routines, 1):
        fault = walk(side, routine, family_of[routine.kind],
                     random.Random(f"{seed} {routine.name}"))
        print(f"{'not ok' if fault else 'ok'} {number} - {routine.name}")
        if fault:
            print(f"# seed {seed}: {fault}")
    getattr(side, "end", int)()


if __name__ == "__main__":
    main()
