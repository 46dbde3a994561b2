#!/usr/bin/env python3
"""The jumps that lead a program's LAPACK calls to one LAPACK, under all the names they have; and the
doors before its routines.

usage: lapack_jumps.py jumps|table OUTPUT NM LIBRARY LIST
       lapack_jumps.py renames|doors OUTPUT NM LIBRARY LIST [64]

    jumps    assembler: a jump for each of LIBRARY's functions in both integer widths
    table    C: the functions' names, and what stands before those in LIST (lapack_bind.h)
    renames  for objcopy: the routines of LIST under names that are not exported
    doors    C: the routines of LIST under their own names, which call those

LIBRARY is a liblapack.so.3 of any processor, or an object with all of LAPACK; NM a program that lists
its symbols, LIST is lapack.list, which says how it is written. The functions for 32-bit integers are
numbered from 0, those for 64-bit integers in the same order after them.

A door sets the floating-point state that LAPACK computes in, and restores the caller's. Where an operand
that must be finite is not, it answers in LAPACK's place.
"""
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
from operands import Operand, describe_routine, is_hermitian  # noqa: E402

# What is BLAS's, and clocks, whose names a program may have for something else.
NOT_LAPACK = {"xerbla_", "xerbla_array_", "lsame_", "second_", "dsecnd_"}
# The forms of a name; the first is the function.
FORMS = (("{}_", "scipy_{}_"), ("{}_64_", "{}_64", "scipy_{}_64_"))
BANNER = "/* Made by tools/shim/lapack_jumps.py. Not to be edited. */\n"
INTEGERS = ("int32_t", "int64_t")


def functions(nm, library):
    """The stems of the Fortran functions that a library exports."""
    kind = ["-D"] if ".so" in library else ["-g"]
    out = subprocess.run([nm, *kind, "--defined-only", library], check=True, stdout=subprocess.PIPE,
                         text=True).stdout
    names = {line.split()[2].split("@")[0] for line in out.splitlines() if line.split()[1] in "TW"}
    return sorted(n[:-1] for n in names - NOT_LAPACK if re.fullmatch(r"[a-z][a-z0-9_]*_", n)
                  and not n.startswith("_"))


def make_jumps(stems):
    lines = [BANNER + '#include "lapack_jump.inc"\n    .text\n']
    for width, forms in enumerate(FORMS):
        for i, stem in enumerate(stems):
            first, *others = (f.format(stem) for f in forms)
            lines.append(f"BEGIN({first}) JUMP({width * len(stems) + i})"
                         + "".join(f" ALSO({other}, {first})" for other in others) + "\n")
    lines.append('    .section .note.GNU-stack, "", %progbits\n')
    return "".join(lines)


class Argument(Operand):
    """A word of lapack.list."""

    def __init__(self, word):
        super().__init__(word)
        self.is_alias = self.alias is not None
        self.is_array = self.shape is not None or self.mark == "-"
        self.is_option = self.name in ("uplo", "trans", "side", "diag")
        self.is_letter = self.mark == "'" or self.is_option
        self.is_count = self.mark == "@"

    def parameter(self, integer):
        if self.is_letter:
            return f"const char *{self.name}"
        if self.is_count or self.name == "info":
            return f"{integer} *{self.name}"
        return f"{'void' if self.is_array else f'const {integer}'} *{self.name}"

    def value(self):
        if self.is_letter:
            return f"{{.i = {f'exb_{self.name}_of({self.name})' if self.is_option else f'*{self.name}'}}}"
        return f"{{.p = {self.name}}}" if self.is_array or self.is_count else f"{{.i = *{self.name}}}"

    def kind(self):
        if self.is_letter:
            return "OPTION" if self.is_option else "LETTER"
        return "ARRAY" if self.is_array or self.is_count else "INTEGER"


class Routine:
    """A line of lapack.list for one type; `made` are numbers computed from arguments."""

    def __init__(self, letter, line):
        types, stems, *words = line.split()
        self.letter = letter
        is_complex = letter in "cz"
        self.returns = stems.endswith("=")
        self.name = letter + stems.rstrip("=").split("|")[is_complex and "|" in stems]
        words = [w.strip("<>[]") for w in words if w[0] != ("<" if is_complex else "[")]
        self.made = [(w.split("=")[0], *re.split("[:,]", w.split("=")[1])) for w in words if "=" in w and "(" not in w]
        self.refused = next((m[1:] for m in self.made if m[0] == "refused"), ("order", "order"))
        self.made = [m for m in self.made if m[0] != "refused"]
        arguments = [Argument(w) for w in words if "=" not in w or "(" in w]
        self.arguments = [a for a in arguments if not a.is_alias]
        self.aliases = [a for a in arguments if a.is_alias]
        self.is_checked = any(a.finite for a in self.arguments)

    def table(self):
        every = self.arguments + [Argument(m[0]) for m in self.made] + self.aliases
        number = {a.name: i for i, a in enumerate(every) if not a.is_alias}
        result = ("'s'" if self.part() == "float" else "'d'") if self.returns else "0"
        described = [a.describe(number, a.kind(), "NEVER" if a.is_alias else "ALWAYS", is_hermitian(self.name))
                     for a in every]
        return describe_routine(self.name, self.letter, result, described, {})

    def part(self):
        return "float" if self.letter in "sc" else "double"

    def lengths(self):
        return [f"n_{a.name}" for a in self.arguments if a.is_letter]

    def parameters(self, integer):
        return ", ".join([a.parameter(integer) for a in self.arguments] + [f"size_t {n}" for n in self.lengths()])

    def passed(self):
        return ", ".join([a.name for a in self.arguments] + self.lengths())

    def values(self):
        made = {"min": "*{0} < *{1} ? *{0} : *{1}", "max": "*{0} > *{1} ? *{0} : *{1}", "less": "*{0} > 0 ? *{0} - 1 : 0"}
        values = [a.value() for a in self.arguments] + [f"{{.i = {made[how].format(*of)}}}" for _, how, *of in self.made]
        return ", ".join(values + [a.value() for a in self.aliases])

    def query(self):
        """Whether a call asks for the size of the work space: nothing else of it need be there."""
        return "".join(f" || *{a.name} == -1" for a in self.arguments if a.name in ("lwork", "lrwork", "liwork", "nzc"))

    def signature(self, name, integer):
        return f"{self.part() if self.returns else 'void'} {name}({self.parameters(integer)})"

    def plain(self, then):
        """A call of `real`, and `then` before its result is returned."""
        keep, back = (f"{self.part()} result = ", "    return result;\n") if self.returns else ("", "")
        return f"    {keep}real({self.passed()});\n{then}{back}"

    def pass_by(self, when):
        """Calls nothing but `real` then."""
        end = "" if self.returns else "        return;\n"
        return f"    if ({when}) {{\n        {'return ' if self.returns else ''}real({self.passed()});\n{end}    }}\n"

    def refuse(self, integer):
        """What a call gets with an operand that is not finite: what its documentation calls failure."""
        counts = "".join(f"        *{a.name} = 0;\n" for a in self.arguments if a.is_count)
        infinite, nan = (f"({integer})order" if w == "order" else w for w in self.refused)
        return (f"    const exb_value v[] = {{{self.values()}}};\n    int64_t order;\n"
                f"    exb_region_worst worst = exb_region_check(&routine_{self.name}, v, &order);\n"
                f"    if (worst != EXB_FINITE) {{\n        exb_region_spoil(&routine_{self.name}, v);\n{counts}"
                f"        *info = worst == EXB_NAN ? {nan} : {infinite};\n"
                f"        exb_fpenv_leave(&env);\n        return;\n    }}\n")

    def door(self, integer, name, real, when):
        """The routine as a function `name`; a call passes by `when` it is one of LAPACK's own."""
        query = self.query() if self.is_checked else ""
        by = " || ".join(w for w in (when, query[4:]) if w)
        return (f"{self.signature(name, integer)}\n{{\n"
                f"    {self.signature('(*real)', integer)} = {real};\n"
                + (self.pass_by(by) if by else "")
                + "    exb_fpenv env;\n    exb_fpenv_enter(&env);\n"
                + (self.refuse(integer) if self.is_checked else "") + self.plain("    exb_fpenv_leave(&env);\n") + "}\n\n")

    def watcher(self, width, slot):
        integer = INTEGERS[width]
        inside = f"exb_lapack_is_inside({slot}, __builtin_return_address(0))"
        return (f"static {self.signature(f'watcher{width}_{self.name}', integer)}\n{{\n"
                f"    {self.signature('(*real)', integer)} = (__typeof__(real))exb_lapack_entry({slot});\n"
                + self.pass_by(inside + self.query())
                + f"    const exb_value v[] = {{{self.values()}}};\n    exb_watch watch;\n"
                f"    exb_watch_begin(&watch, &routine_{self.name}, v);\n"
                + self.plain(f"    exb_watch_end(&watch, {'&result' if self.returns else 'NULL'});\n") + "}\n\n")


def routines(path):
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return {r.name: r for line in lines for r in (Routine(t, line) for t in line.split()[0])}


INCLUDES = """#include "core/check/check.h"
#include "core/fpenv.h"
#include "observe/region.h"
"""


def make_table(stems, known):
    """The names, the doors, and what stands in for a function while calls are watched."""
    every = [(r, width, width * len(stems) + stems.index(name)) for name, r in sorted(known.items())
             for width in range(len(FORMS))]
    checked = [(r, width, slot) for r, width, slot in every if r.is_checked]
    doors = ["static " + r.door(INTEGERS[width], f"door{width}_{r.name}",
                                f"(__typeof__(real))exb_lapack_target({slot})",
                                f"exb_lapack_is_inside({slot}, __builtin_return_address(0))")
             for r, width, slot in checked]

    def places(what, of):
        return (f"exb_function *const exb_lapack_{what}s[{len(FORMS) * len(stems)}] = {{\n"
                + "".join(f"    [{slot}] = (exb_function *){what}{width}_{r.name},\n" for r, width, slot in of)
                + "};\n\n")
    return (BANNER + '#include "lapack_bind.h"\n\n' + INCLUDES + '#include "observe/watch.h"\n\n'
            + "".join(r.table() for _, r in sorted(known.items())) + "".join(doors)
            + "".join(r.watcher(width, slot) for r, width, slot in every)
            + f"const unsigned exb_lapack_count = {len(stems)};\n\n"
            + "const char *const exb_lapack_names[] = {\n"
            + "".join(f'    "{stem}",\n' for stem in stems) + "};\n\n"
            + f"_Atomic(exb_function *) exb_lapack_slots[{len(FORMS) * len(stems)}];\n"
            + f"_Atomic(exb_function *) exb_lapack_targets[{len(FORMS) * len(stems)}];\n"
            + f"exb_lapack_place exb_lapack_places[{len(FORMS) * len(stems)}];\n\n"
            + places("door", checked) + places("watcher", every))


def make_renames(stems, known):
    return "".join(f"{name}_ exb_plain_{name}\n" for name in sorted(known))


def make_doors(stems, known, integer):
    text = BANNER + INCLUDES + "#include <stddef.h>\n\nextern const char exb_lapack_has_doors;\n" + (
        "const char exb_lapack_has_doors = 1;\n\n")
    for _, r in sorted(known.items()):
        text += (r.table() if r.is_checked else "") + r.signature(f"exb_plain_{r.name}", integer) + ";\n"
        text += (r.signature(r.name + "_", integer) + ";\n"
                 + r.door(integer, r.name + "_", f"exb_plain_{r.name}", ""))
    return text


def main(what, output, nm, library, path, wide=""):
    stems = functions(nm, library)
    known = {name: r for name, r in routines(path).items() if name in stems}
    text = {"jumps": lambda: make_jumps(stems), "table": lambda: make_table(stems, known),
            "renames": lambda: make_renames(stems, known),
            "doors": lambda: make_doors(stems, known, INTEGERS[wide == "64"])}[what]()
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) not in (6, 7):
        sys.exit(__doc__)
    main(*sys.argv[1:])
