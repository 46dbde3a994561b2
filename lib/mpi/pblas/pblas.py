#!/usr/bin/env python3
"""Makes from pblas.list the wrappers of the PBLAS, with and without the prefix ex, the prototypes of
the header.

    pblas.py LIST own|shim|drivers OUT
    pblas.py LIST header OUT TEMPLATE
"""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
from operands import Operand  # noqa: E402

PARTS = {"s": "float", "d": "double", "c": "float", "z": "double"}
FIELDS = {"transa": "trans"}  # of a call, where they have another name
BANNER = "/* Made by lib/mpi/pblas/pblas.py from pblas.list. */\n"


class Word(Operand):
    """option=LETTERS, a number, or a matrix or vector."""

    def __init__(self, word):
        super().__init__(word)
        self.letters = self.alias and self.name
        self.name = self.alias or self.name
        self.is_vector = bool(self.shape) and self.name in "xy"

    def dimensions(self):
        """The sizes, the option they depend on and what it says where they are not exchanged."""
        names, _, option = self.shape.partition("^")
        first, *others = re.split("[,|]", names)
        return first, (others or [None])[0], option


class Routine:
    def __init__(self, pattern, letter, driver, words):
        part = "s" if letter == "c" else "d"
        self.letter = letter
        self.name = pattern.replace("?", letter).replace("@", part)
        driver, _, known = driver.partition(":")
        self.driver = f"exb_pblas_{letter}{driver}"
        field, _, value = known.partition("=")
        self.known = f", .{field} = " + (f"'{value}'" if value else "true") if known else ""
        self.serial = f"excblas_{self.name[1:]}_64" if driver in ("product", "update", "triangle") else None
        self.part = PARTS[letter]
        self.element = "void" if letter in "cz" else self.part
        self.words = [Word(w) for w in words]
        self.positions, self.parameters, self.lines = {}, [], []
        for word in self.words:
            self.positions[word.name] = len(self.parameters) + 1
            self.parameters += self.declare(word)
        for word in self.words:
            self.fill(word)
        if any(w.is_vector for w in self.words):
            self.serial = None
        self.alone = f"exb_pblas_{self.name[1:]}_alone"
        if self.serial:
            self.known += f", .alone = {self.alone}"

    def type_of(self, word):
        return self.part if word.real else self.element

    def size_of(self, word):
        return f"{1 if self.type_of(word) == self.part else 2} * sizeof({self.part})"

    def declare(self, word):
        """The parameters of the Fortran routine."""
        const, name = "" if word.written else "const ", word.name
        if word.shape:
            places = [f"const int *{what}{name}" for what in ("i", "j", "desc", *(["inc"] if word.is_vector else []))]
            return [f"{const}{self.type_of(word)} *{name}", *places]
        kind = "char" if word.letters else "int" if name in ("m", "n", "k", "index") else self.type_of(word)
        return [f"{const}{kind} *{name}"]

    def extent(self, name):
        return f"(exb_extent){{*{name}, {self.positions[name]}}}"

    def choice(self, condition, yes, no):
        return self.extent(yes) if yes == no else f"{condition} ? {self.extent(yes)} : {self.extent(no)}"

    def fill(self, word):
        """The statement that puts an argument into the call."""
        name = word.name
        if word.shape:
            self.lines.append(self.fill_operand(word))
        elif word.letters:
            has_conjugates = self.element == "void" or name[:5] != "trans"
            self.lines.append(f'q.{FIELDS.get(name, name)} = '
                              f'exb_pblas_option(&q, {self.positions[name]}, {name}, "{word.letters}")'
                              + (";" if has_conjugates else " == 'N' ? 'N' : 'T';"))
        else:
            self.lines.append(f"q.{name} = {'*' if name in ('m', 'n', 'k') else ''}{name};")
        if name == "result":
            self.lines.append(f"q.result_size = {self.size_of(word)};")
        if name in ("alpha", "beta") and any(w.shape and not w.is_vector for w in self.words):
            self.lines.append(f"q.said[{self.positions[name]}] = {self.is_zero(word)};")

    def is_zero(self, word):
        if self.type_of(word) == self.part:
            return f"*{word.name} == 0"
        parts = f"((const {self.part} *){word.name})"
        return f"{parts}[0] == 0 && {parts}[1] == 0"

    def fill_operand(self, word):
        name = word.name
        first, second, option = word.dimensions()
        plain = "q.side != 'R'" if option == "side" else f"q.{FIELDS.get(option, option)} == 'N'"
        extents = [self.choice(plain, first, second if option else first)]
        step = f", .is_vector = true, .inc = *inc{name}" if word.is_vector else ""
        if word.is_vector:
            extents.append("(exb_extent){1, 0}")
        elif "|" in word.shape:
            extents *= 2
        else:
            extents.append(self.choice(plain, second, first) if option else self.extent(second))
        return (f"q.operand[EXB_{name.upper()}] = (exb_operand){{.data = (void *){name}, .i = *i{name} - 1, "
                f".j = *j{name} - 1, .desc = desc{name}, .position = {self.positions[name] + 3}, "
                f".rows = {extents[0]}, .cols = {extents[1]}{step}}};")

    def pass_on(self, word):
        """An argument for the library's routine."""
        name, field = word.name, f"q->{FIELDS.get(word.name, word.name)}"
        if word.shape:
            return f"{name}.data, exb_most({name}.col_stride, 1)"
        if word.letters:
            return f"exb_{name.rstrip('ab')}_of(&{field})"
        by_value = name in ("alpha", "beta") and self.type_of(word) == self.part
        return f"*(const {self.part} *){field}" if by_value else field

    def call_alone(self):
        """Level 3 where one process has all operands: the library's routine, where they lie."""
        stored = "".join(f"    exb_spread {w.name} = exb_pblas_stored(q, EXB_{w.name.upper()}, {self.size_of(w)});\n"
                         for w in self.words if w.shape)
        return (f"void {self.alone}(const exb_pblas_call *q)\n{{\n{stored}    {self.serial}(EXBLAS_COL_MAJOR, "
                + ", ".join(self.pass_on(w) for w in self.words) + ");\n}\n\n")

    def prototype(self, prefix):
        return f"void {prefix}{self.name}_({', '.join(self.parameters)})"

    def wrapper(self, prefix, report):
        body = "".join(f"    {line}\n" for line in self.lines)
        return (f"{self.prototype(prefix)}\n{{\n"
                f"    exb_pblas_call q = {{.routine = \"{self.name.upper()}\", .report = {report}{self.known}}};\n"
                f"{body}    exb_pblas_run(&q, {self.driver});\n}}\n\n")


def read(path):
    routines = []
    for line in open(path, encoding="utf-8"):
        fields = line.split("#")[0].split()
        if fields:
            routines += [Routine(fields[0], letter, fields[2], fields[3:]) for letter in fields[1]]
    return routines


def drivers(routines):
    return (BANNER + '#ifndef EXB_PBLAS_DRIVERS_H\n#define EXB_PBLAS_DRIVERS_H\n\n'
            '#include "mpi/pblas/pblas_call.h"\n\n#pragma GCC visibility push(default)\n\n'
            + "".join(f"void {d}(exb_pblas_call *q);\n" for d in sorted({r.driver for r in routines}))
            + "".join(f"void {r.alone}(const exb_pblas_call *q);\n" for r in routines if r.serial)
            + "\n#pragma GCC visibility pop\n\n#endif\n")


def wrappers(routines, prefix, report):
    prototypes = '#include "exblas/pblas.h"\n\n' if prefix else "\n" + "".join(
        f'__attribute__((visibility("default"))) {r.prototype(prefix)};\n' for r in routines) + "\n"
    most = max(len(r.parameters) for r in routines)
    return (BANNER + '#include "pblas_drivers.h"\n' + prototypes
            + f'_Static_assert({most} == EXB_PBLAS_ARGUMENTS, "arguments of a call");\n\n'
            + "".join(r.wrapper(prefix, report) for r in routines))


def own(routines):
    return (wrappers(routines, "ex", "exb_blacs_warn")
            + '#include "core/check/check.h"\n#include "exblas/cblas.h"\n#include "mpi/pblas/pblas_operands.h"\n\n'
            + "".join(r.call_alone() for r in routines if r.serial))


# What a routine computes; geru is described with ger, dotc with dot, and so on.
MEANINGS = [
    ("swap", "Exchanges x and y."),
    ("scal", "x = RN(alpha x)."),
    ("copy", "y = x."),
    ("axpy", "y = RN(alpha x + y)."),
    ("dot", "RN(sum of x y), of conj(x) y in dotc, in the scopes of x and y."),
    ("nrm2", "RN(root of the sum of |x|^2), in the scope of x."),
    ("asum", "RN(sum of |re x| + |im x|), in the scope of x."),
    ("amax", "The first NaN, else the first largest element, and its index in the matrix."),
    ("agemv", "y = RN(|alpha| |op(A)| |x| + |beta y|); the magnitude of a complex number is\n"
              " * |re| + |im|, and its products are multiplied out."),
    ("asymv", "The same with a symmetric A."),
    ("ahemv", "The same with a Hermitian A."),
    ("atrmv", "The same with a triangular A."),
    ("gemv", "y = RN(alpha op(A) x + beta y)."),
    ("symv", "y = RN(alpha A x + beta y), A symmetric."),
    ("hemv", "y = RN(alpha A x + beta y), A Hermitian."),
    ("trmv", "x = RN(op(A) x), A triangular."),
    ("trsv", "Solves op(A) x = b, b in x: each unknown is the quotient rounded once."),
    ("ger", "A = RN(alpha x y^T + A), y^H in gerc."),
    ("syr2k", "C = RN(alpha A B^T + alpha B A^T + beta C), or A^T B and B^T A; one triangle."),
    ("syr2", "A = RN(alpha x y^T + alpha y x^T + A), one triangle."),
    ("syrk", "C = RN(alpha A A^T + beta C), or A^T A; one triangle."),
    ("syr", "A = RN(alpha x x^T + A), one triangle."),
    ("her2k", "C = RN(alpha A B^H + conj(alpha) B A^H + beta C), or A^H B and B^H A; one triangle."),
    ("her2", "A = RN(alpha x y^H + conj(alpha) y x^H + A), one triangle."),
    ("herk", "C = RN(alpha A A^H + beta C), or A^H A; one triangle."),
    ("her", "A = RN(alpha x x^H + A), one triangle."),
    ("gemm", "C = RN(alpha op(A) op(B) + beta C)."),
    ("symm", "C = RN(alpha A B + beta C) or RN(alpha B A + beta C), A symmetric."),
    ("hemm", "C = RN(alpha A B + beta C) or RN(alpha B A + beta C), A Hermitian."),
    ("trmm", "B = RN(alpha op(A) B) or RN(alpha B op(A)), A triangular."),
    ("trsm", "Solves op(A) X = alpha B or X op(A) = alpha B, X in B: each unknown is rounded once."),
    ("geadd", "C = RN(alpha op(A) + beta C)."),
    ("tradd", "C = RN(alpha op(A) + beta C), one triangle."),
    ("tran", "C = RN(alpha A^T + beta C), A^H in tranc."),
]


def header(routines, template):
    paragraphs = {}
    for r in routines:
        meaning = next(text for base, text in MEANINGS if base in r.name)
        paragraphs.setdefault(meaning, []).append(f"EXBLAS_API {r.prototype('ex')};\n")
    text = "\n".join(f"/* {meaning} */\n" + "".join(lines) for meaning, lines in paragraphs.items())
    return open(template, encoding="utf-8").read().replace("@prototypes@\n", text)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    routines, what = read(sys.argv[1]), sys.argv[2]
    text = {"own": lambda: own(routines),
            "shim": lambda: wrappers(routines, "", "exb_blacs_abort"),
            "drivers": lambda: drivers(routines),
            "header": lambda: header(routines, sys.argv[4])}[what]()
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.write(text)


if __name__ == "__main__":
    main()
