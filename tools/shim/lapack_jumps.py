#!/usr/bin/env python3
"""The jumps that lead a program's LAPACK calls to one LAPACK, under all the names they have.

usage: lapack_jumps.py jumps|table OUTPUT NM LIBRARY LIST

    jumps  assembler: a jump for each of LIBRARY's functions in both integer widths
    table  C: the functions' names, and what tells of calls of those in LIST (lapack_bind.h)

LIBRARY is a liblapack.so.3 of any processor, NM a program that lists its symbols, LIST is
lapack.list, which says how it is written. The functions for 32-bit integers are numbered from 0,
those for 64-bit integers in the same order after them.
"""
import re
import subprocess
import sys

# What is BLAS's, and clocks, whose names a program may have for something else.
NOT_LAPACK = {"xerbla_", "xerbla_array_", "lsame_", "second_", "dsecnd_"}
# The forms of a name; the first is the function.
FORMS = (("{}_", "scipy_{}_"), ("{}_64_", "{}_64", "scipy_{}_64_"))
BANNER = "/* Made by tools/shim/lapack_jumps.py. Not to be edited. */\n"
INTEGERS = ("int32_t", "int64_t")
FIELDS = ("rows", "columns", "step", "lower", "upper", "swap", "uplo", "diag", "stride")


def functions(nm, library):
    """The stems of the Fortran functions that a library exports."""
    out = subprocess.run([nm, "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE,
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
    lines.append("SLOTS\n" + "".join(f"SLOT({i})\n" for i in range(len(FORMS) * len(stems))))
    lines.append('    .section .note.GNU-stack, "", %progbits\n')
    return "".join(lines)


class Argument:
    """A word of lapack.list."""

    def __init__(self, word):
        self.name, self.shape, self.real, self.written, kind = re.fullmatch(
            r"(\w+)(?:\(([\w:,=]+)\))?(r?)(\*?)([-']?)", word).groups()
        self.is_array = self.shape is not None or kind == "-"
        self.is_option = self.name in ("uplo", "trans", "side", "diag")
        self.is_letter = kind == "'" or self.is_option

    def parameter(self, integer):
        if self.is_letter:
            return f"const char *{self.name}"
        return f"{'void' if self.is_array else f'const {integer}'} *{self.name}"

    def value(self):
        if self.is_letter:
            return f"{{.i = {f'exb_{self.name}_of({self.name})' if self.is_option else f'*{self.name}'}}}"
        return f"{{.p = {self.name}}}" if self.is_array else f"{{.i = *{self.name}}}"

    def kind(self):
        if self.is_letter:
            return "OPTION" if self.is_option else "LETTER"
        return "ARRAY" if self.is_array else "INTEGER"

    def fields(self, number):
        """What exb_argument says of how an array is stored: the shape, a fixed number of elements,
        and numbers of arguments."""
        if not self.shape:
            return "NONE", 0, {}
        if self.shape.startswith("="):
            return "FEW", int(self.shape[1:]), {}
        options, _, dimensions = self.shape.rpartition(":")
        words = dimensions.split(",")
        shape = "TRIANGLE" if options else {1: "VECTOR", 3: "MATRIX"}[len(words)]
        names = ("rows", "columns", "step") if shape == "MATRIX" else ("rows", "step")
        pairs = [*zip(names, words), *zip(("uplo", "diag"), options.split(",") if options else ())]
        return shape, 0, {field: number[word] for field, word in pairs}

    def describe(self, number):
        shape, few, fields = self.fields(number)
        return (f"        {{.name = \"{self.name}\", .kind = EXB_ARG_{self.kind()},"
                f" .is_real = {int(bool(self.real))},\n         .is_written = {int(bool(self.written))},"
                f" .shape = EXB_SHAPE_{shape}, .few = {few},\n         "
                + ", ".join(f".{f} = {fields.get(f, -1)}" for f in FIELDS) + "},\n")


class Routine:
    """A line of lapack.list for one type; `made` are numbers computed from arguments."""

    def __init__(self, letter, line):
        _, stem, *words = line.split()
        self.letter = letter
        self.returns = stem.endswith("=")
        self.name = letter + stem.rstrip("=")
        self.arguments = [Argument(w) for w in words if "=" not in w or "(" in w]
        self.made = [re.fullmatch(r"(\w+)=(min|max):(\w+),(\w+)", w).groups() for w in words
                     if "=" in w and "(" not in w]

    def table(self):
        names = [a.name for a in self.arguments] + [m[0] for m in self.made]
        number = {name: i for i, name in enumerate(names)}
        made = [Argument(m[0]) for m in self.made]
        result = {"s": "'s'", "c": "'s'", "d": "'d'", "z": "'d'"}[self.letter] if self.returns else "0"
        return (f"static const exb_routine routine_{self.name} = {{\n    .name = \"{self.name}\","
                f" .type = '{self.letter}', .result = {result}, .n_arguments = {len(names)},\n"
                "    .layout = -1, .alpha = -1, .beta = -1, .batch = -1,\n    .argument = {\n"
                + "".join(a.describe(number) for a in self.arguments + made) + "    }};\n\n")

    def watcher(self, width, slot):
        """The function; a call that asks for the size of the work space passes: nothing else of it
        need be there."""
        integer = INTEGERS[width]
        lengths = [f"size_t n_{a.name}" for a in self.arguments if a.is_letter]
        parameters = ", ".join([a.parameter(integer) for a in self.arguments] + lengths)
        passed = ", ".join([a.name for a in self.arguments] + [w.split()[1] for w in lengths])
        values = [a.value() for a in self.arguments]
        values += [f"{{.i = *{a} {'<' if how == 'min' else '>'} *{b} ? *{a} : *{b}}}"
                   for _, how, a, b in self.made]
        part = "float" if self.letter in "sc" else "double"
        type_name = part if self.returns else "void"
        keep, back = (f"{part} result = ", "    return result;\n") if self.returns else ("", "")
        plain = "return real" if self.returns else "real"
        query = "".join(f" || *{a.name} == -1" for a in self.arguments
                        if a.name in ("lwork", "lrwork", "liwork"))
        leave = "" if self.returns else "        return;\n"
        return (f"static {type_name} watch{width}_{self.name}({parameters})\n{{\n"
                f"    {type_name} (*real)({parameters}) = "
                f"(__typeof__(real))exb_lapack_target({slot});\n"
                f"    if (exb_lapack_is_inside({slot}, __builtin_return_address(0)){query}) {{\n"
                f"        {plain}({passed});\n{leave}    }}\n"
                f"    const exb_value v[] = {{{', '.join(values)}}};\n    exb_watch watch;\n"
                f"    exb_watch_begin(&watch, &routine_{self.name}, v);\n    {keep}real({passed});\n"
                f"    exb_watch_end(&watch, {'&result' if self.returns else 'NULL'});\n{back}}}\n\n")


def routines(path):
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return {r.name: r for line in lines for r in (Routine(t, line) for t in line.split()[0])}


def make_table(stems, known):
    """The names, and what stands in for a function while calls are watched."""
    number = {stem: i for i, stem in enumerate(stems)}
    watchers = [r.watcher(width, width * len(stems) + number[name])
                for name, r in sorted(known.items()) for width in range(len(FORMS))]
    places = [f"    [{width * len(stems) + number[name]}] = (exb_function *)watch{width}_{name},\n"
              for width in range(len(FORMS)) for name in sorted(known)]
    return (BANNER + '#include "lapack_bind.h"\n\n#include "core/check/check.h"\n#include "observe/watch.h"\n\n'
            + "".join(r.table() for _, r in sorted(known.items())) + "".join(watchers)
            + f"const unsigned exb_lapack_count = {len(stems)};\n\n"
            + "const char *const exb_lapack_names[] = {\n"
            + "".join(f'    "{stem}",\n' for stem in stems) + "};\n\n"
            + f"_Atomic(exb_function *) exb_lapack_targets[{len(FORMS) * len(stems)}];\n"
            + f"exb_lapack_place exb_lapack_places[{len(FORMS) * len(stems)}];\n\n"
            + f"exb_function *const exb_lapack_watchers[{len(FORMS) * len(stems)}] = {{\n"
            + "".join(places) + "};\n")


def main(what, output, nm, library, path):
    stems = functions(nm, library)
    known = {name: r for name, r in routines(path).items() if name in stems}
    text = make_jumps(stems) if what == "jumps" else make_table(stems, known)
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
