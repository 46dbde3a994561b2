#!/usr/bin/env python3
"""Makes the thin layers around the library's entries from lib/symbols.list.

    generate.py LIST entry|watched_entry|watched|cblas|fortran|fortran-module|names OUT
    generate.py LIST checks|checks_header|doors OUT
    generate.py LIST shim|shim-names|blas|blas-names|blas64|blas64-names OUT
    generate.py LIST openblas|openblas-names OUT
    generate.py LIST subroutines|subroutine-names|trace OUT
    generate.py LIST header|narrow OUT TEMPLATE
    generate.py LIST indexed|indexed_header OUT TEMPLATE...

A header template is copied with every `@prototypes cblas NAME ...@` (or `fortran`) replaced by the
prototypes of those routines in all types and both integer sizes, and `@prototypes sdcz PROTOTYPE@` by
that of each type: ? its letter, @ that of its parts, element, scalar (by value, or of complex numbers a
pointer) and real (of the parts) its types, integer those of names without and with _64. What is made
`narrow` are such functions without _64, which call those with it, where all integers are passed by value;
`indexed` are those with arrays of integers (lib/indexed.py).
"""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "bindings/fortran"))
import checks
import dropin
import fortran_module
import indexed
import operands

# The C type of an element or, if it is complex, of its parts.
PARTS = {"s": "float", "d": "double", "c": "float", "z": "double", "b": "exblas_bf16", "h": "exblas_f16"}
PART_LETTERS = {"c": "s", "z": "d"}
OPTIONS = ("layout", "order", "side", "uplo", "trans", "op", "diag")
SCALARS = ("alpha", "beta", "s", "sb")
BANNER = "/* Made by lib/generate.py from lib/symbols.list. */\n"


class Argument(operands.Operand):
    def __init__(self, word):
        super().__init__(word)
        if self.name.startswith(OPTIONS):
            self.kind = "option"
        elif self.shape:
            self.kind = "array of reals" if self.real else "array"
        elif self.name in SCALARS or self.real:
            self.kind = "real scalar" if self.real else "scalar"
        else:
            self.kind = "integer"

    def read(self, arguments):
        """When BLAS looks at the old elements."""
        if self.unless or self.mark:
            return f"UNLESS_{self.unless.upper()}_0" if self.unless else "NEVER"
        is_multiplied = self.shape and not self.written and any(a.name == "alpha" for a in arguments)
        return "UNLESS_ALPHA_0" if is_multiplied else "ALWAYS"


class Routine:
    """One routine in one type. Complex elements are passed as pointers to their
    parts: void in public names, the type of the parts in the entries."""

    def __init__(self, pattern, letter, result, drop_in, arguments, of):
        part_letter = PART_LETTERS.get(letter, letter)
        self.base = re.sub("[?@]", "", of)
        # What it computes: conversions are copies.
        self.kind = "copy" if "bf16" in self.base else re.sub("^s?[bh](?=dot|gem)", "", self.base)
        self.name, self.of = (p.replace("?", letter).replace("@", part_letter) for p in (pattern, of))
        self.letter = letter
        self.part = PARTS[letter]
        self.is_complex = letter in "cz"
        self.type = {"float": "sc", "double": "dz"}.get(self.part, 2 * letter)[self.is_complex]
        self.returns_complex = result == "T" and self.is_complex
        self.returns_index = result == "I"
        self.result = ("void" if result == "-" or self.returns_complex
                       else "int64_t" if self.returns_index
                       else self.part if result in "TR" else PARTS[result])
        self.drop_in = drop_in
        self.arguments = [Argument(a) for a in arguments]
        self.can_fail = any(a.kind == "option" for a in self.arguments)

    def declare(self, argument, integer, style):
        """The declaration of one parameter; style: cblas, fortran or entry."""
        element = "void" if self.is_complex and style != "entry" else self.part_of(argument)
        if argument.kind.startswith("array"):
            kind = self.part if argument.kind == "array of reals" else element
            return f"{'' if argument.written else 'const '}{kind} *{argument.name}"
        if argument.kind == "scalar" and self.is_complex:
            return f"const {element} *{argument.name}"
        kind = {"option": "char" if style == "fortran" else "int", "integer": integer}.get(
            argument.kind, self.part)
        return f"const {kind} *{argument.name}" if style == "fortran" else f"{kind} {argument.name}"

    def part_of(self, argument):
        return PARTS[argument.half or self.letter]

    def has_halves(self):
        return self.letter in "bh" or any(a.half for a in self.arguments)

    def visible(self, style):
        return [a for a in self.arguments if not (style == "fortran" and a.name == "layout")]

    def parameters(self, integer, style):
        declared = [self.declare(a, integer, style) for a in self.visible(style)]
        if self.returns_complex and style != "fortran":
            declared.append(f"{self.part if style == 'entry' else 'void'} *ret")
        return ", ".join(declared)

    def cblas_name(self):
        return self.name + ("_sub" if self.returns_complex else "")

    def cblas(self, name, integer):
        result = "size_t" if self.returns_index else self.result
        return f"{result} {name}({self.parameters(integer, 'cblas')})"

    def fortran(self, name, integer):
        result = (f"exblas_complex_{self.part}" if self.returns_complex
                  else integer if self.returns_index else self.result)
        return f"{result} {name}({self.parameters(integer, 'fortran')})"

    def entry(self, kind="entry"):
        site = "const exb_site *site, " if self.can_fail else ""
        return f"{self.result} exb_{kind}_{self.name}({site}{self.parameters('int64_t', 'entry')})"

    def value(self, argument, fortran):
        """What a wrapper passes on for one of its parameters."""
        by_value = not argument.kind.startswith("array") and not (
            argument.kind == "scalar" and self.is_complex)
        if not fortran or not by_value:
            return argument.name
        if argument.name == "layout":
            return "EXB_COL_MAJOR"
        if argument.kind == "option":
            return f"exb_{re.sub('[ab]$', '', argument.name)}_of({argument.name})"
        return "*" + argument.name

    def call(self, fortran, integer):
        """The body of a wrapper. An entry returns an index as Fortran does, from 1
        and 0 for none; CBLAS has 0 for both the first and none."""
        values = ["&site"] if self.can_fail else []
        values += [self.value(a, fortran) for a in self.arguments]
        if self.returns_complex:
            values.append(f"({self.part} *)&result" if fortran else "ret")
        call = f"exb_call_{self.of}({', '.join(values)})"
        if self.returns_complex and fortran:
            return f"    exblas_complex_{self.part} result;\n    {call};\n    return result;\n"
        if self.returns_index and fortran:
            return f"    return ({integer}){call};\n"
        if self.returns_index:
            return f"    int64_t i = {call};\n    return i > 0 ? (size_t)(i - 1) : 0;\n"
        return f"    {'' if self.result == 'void' else 'return '}{call};\n"

    def site(self, text, convention, report):
        if not self.can_fail:
            return ""
        return f"    static const exb_site site = {{\"{text}\", {convention}, {report}}};\n"

    def wrapper(self, head, fortran, site, integer):
        return f"{head}\n{{\n{site}{self.call(fortran, integer)}}}\n\n"


KINDS = {"option": "OPTION", "integer": "INTEGER"}


def result_letter(routine):
    if routine.returns_index:
        return "'i'"
    if routine.returns_complex:
        return "'c'" if routine.part == "float" else "'z'"
    return {"void": "0", "float": "'s'", "double": "'d'"}[routine.result]


def table(routine):
    """The routine as data."""
    number = {"layout" if a.name == "order" else a.name: i for i, a in enumerate(routine.arguments)}
    described = [a.describe(number, KINDS.get(a.kind, "ARRAY" if a.shape else "SCALAR"), a.read(routine.arguments),
                            operands.is_hermitian(routine.name)) for a in routine.arguments]
    return operands.describe_routine(routine.name, routine.letter, result_letter(routine), described, number)


def passed_on(routine):
    """What an entry's double gives to it."""
    names = (["site"] if routine.can_fail else []) + [a.name for a in routine.arguments]
    return ", ".join(names + (["ret"] if routine.returns_complex else []))


def watched_double(routine):
    """A function as the entry, that tells observe/watch.h of the call."""
    values = ", ".join(dropin.pointer(routine, a, "cblas") for a in routine.arguments)
    is_void = routine.result == "void"
    result = "ret" if routine.returns_complex else "NULL" if is_void else "&result"
    return (f"{routine.entry('watched')}\n{{\n    const exb_value v[] = {{{values}}};\n    exb_watch watch;\n"
            f"    exb_watch_begin(&watch, &routine_{routine.name}, v);\n"
            f"    {'' if is_void else routine.result + ' result = '}exb_entry_{routine.name}({passed_on(routine)});\n"
            f"    exb_watch_end(&watch, {result});\n{'' if is_void else '    return result;' + chr(10)}}}\n\n")


def choose(routine):
    """What wrappers call: the entry itself unless calls are watched."""
    back = "" if routine.result == "void" else "return "
    call = f"{routine.name}({passed_on(routine)})"
    return (f"static inline {routine.entry('call')}\n{{\n    if (exb_is_watching()) {{\n"
            f"        {back}exb_watched_{call};\n    }} else {{\n        {back}exb_entry_{call};\n    }}\n}}\n\n")


def make_watched(routines):
    names = [f'    "{name}",\n' for name in dropin.bare_names(routines)]
    routines = proper(routines)
    return (BANNER + '#include "entry.h"\n#include "observe/watch.h"\n\n#include <stddef.h>\n\n'
            + "".join(table(r) + watched_double(r) for r in routines) + "const exb_routine *const exb_routines[] = {\n"
            + "".join(f"    &routine_{r.name},\n" for r in routines) + "    NULL};\n\n"
            + "const char *const exb_dropin_names[] = {\n" + "".join(names) + "    NULL};\n")


def read(path):
    """Routines in all types, under all their names."""
    routines, described = [], {}
    for line in open(path):
        fields = line.split("#")[0].split()
        if fields:
            pattern, letters, result, drop_in, *arguments = fields
            of = result[1:] if result[0] == "=" else pattern
            described[pattern] = result, arguments = described[of] if of != pattern else (result, arguments)
            routines += [Routine(pattern, c, result, drop_in, arguments, of) for c in letters]
    return routines


def proper(routines):
    """Without other names."""
    return [r for r in routines if r.name == r.of]


# The two integer sizes: suffix of CBLAS names, of Fortran names, C type.
SIZES = (("", "_", "exblas_int"), ("_64", "_64_", "exblas_int64"))


def prototypes(routines, style, wanted):
    missing = set(wanted) - {r.base for r in routines}
    if missing:
        sys.exit(f"generate.py: no routine {', '.join(sorted(missing))} in the list")
    return "".join(f"EXBLAS_API {dropin.declaring(r, n, style)(dropin.names_of(r, n, style)[0])};\n"
                   for n in dropin.OWN for r in routines if r.base in wanted)


def shape_of(letter, shape, size):
    """The head of a function of a shape."""
    suffix, _, integer = size
    part, is_complex = PARTS.get(letter, ""), letter in "cz"
    words = {"integer": integer, "real": part, "element": "void" if is_complex else part,
             "scalar": "const void *" if is_complex else part, "?": letter, "@": PART_LETTERS.get(letter, letter)}
    head = re.sub(r"\b(?:integer|real|element|scalar)\b|[?@]", lambda m: words[m[0]], shape)
    return head.replace("(", suffix + "(", 1)


def shaped(letters, shape):
    """The prototypes of a shape for types and, if it has integers, for both sizes of them."""
    sizes = SIZES if re.search(r"\binteger\b", shape) else SIZES[:1]
    return "".join(f"EXBLAS_API {shape_of(c, shape, size)};\n" for size in sizes for c in letters)


PROTOTYPES = re.compile(r"^@prototypes (.*?)@\n", re.M | re.S)


def make_header(routines, template):
    def made(m):
        what, rest = re.sub(r"\s+", " ", m[1]).split(" ", 1)
        return shaped(what, rest) if "(" in rest else prototypes(routines, what, rest.split())
    return PROTOTYPES.sub(made, open(template).read())


def shapes_of(*templates):
    return [re.sub(r"\s+", " ", m[1]).split(" ", 1) for t in templates for m in PROTOTYPES.finditer(open(t).read())]


def make_narrow(template):
    """The functions of a header's shapes with 32-bit integers, which call those with 64."""
    out = f'{BANNER}#include "exblas/{pathlib.Path(template).stem}"\n\n'
    for letters, shape in shapes_of(template):
        if not re.search(r"\binteger \w", shape) or re.search(r"\binteger \*", shape):
            continue
        for head in (shape_of(c, shape, SIZES[0]) for c in letters):
            result, name, parameters = re.fullmatch(r"(\w+) (\w+)\((.*)\)", head).groups()
            values = ", ".join(re.findall(r"\w+(?=,|$)", parameters))
            out += f"{head}\n{{\n    return {name}_64({values});\n}}\n\n"
    return out


def make_entry(routines):
    return (BANNER + "/* The entries: what every public name of a routine calls. CBLAS order; a\n"
            " * routine that checks its arguments is told who called. Exported for the drop-in\n"
            " * objects, not for users. */\n"
            "#ifndef EXB_ENTRY_H\n#define EXB_ENTRY_H\n\n"
            '#include "checks.h"\n#include "exblas/types.h"\n\n#pragma GCC visibility push(default)\n\n'
            + "".join(r.entry() + ";\n" + r.entry("watched") + ";\n" for r in proper(routines))
            + "\n#pragma GCC visibility pop\n\n#endif\n")


def make_watched_entry(routines):
    return (BANNER + "/* What wrappers call: an entry, or while calls are watched its double. */\n"
            '#ifndef EXB_WATCHED_ENTRY_H\n#define EXB_WATCHED_ENTRY_H\n\n'
            '#include "observe/watch.h"\n#include "entry.h"\n\n'
            + "".join(choose(r) for r in proper(routines)) + "\n#endif\n")


def make_own(routines, style):
    return (f'{BANNER}#include "watched_entry.h"\n#include "exblas/{style}.h"\n\n'
            + "".join(dropin.function(r, n, style) for n in dropin.OWN for r in routines))


def has_subroutine(r):
    return r.drop_in == "blas" and (r.result != "void" or r.returns_complex)


def make_subroutines(routines):
    """netlib's functions in the form of Fortran subroutines, ddotsub_ and so on, which a
    program linked with its CBLAS may call."""
    out = BANNER + '#include "watched_entry.h"\n#include "shim_xerbla.h"\n\n'
    for r in filter(has_subroutine, routines):
        result = "void" if r.returns_complex else "shim_info" if r.returns_index else r.result
        head = (f"EXB_SHIM void {r.name}sub_({r.parameters('shim_info', 'fortran')}, "
                f"{result} *ret)")
        values = ", ".join(r.value(a, True) for a in r.arguments)
        if r.returns_complex:
            body = f"exb_call_{r.name}({values}, ({r.part} *)ret);"
        else:
            body = f"*ret = ({result})exb_call_{r.name}({values});"
        out += f"{head};\n{head}\n{{\n    {body}\n}}\n\n"
    return out


def make_subroutine_names(routines):
    return "\n".join(sorted(r.name + "sub_" for r in filter(has_subroutine, routines))) + "\n"


def make_names(routines):
    return "".join(f"{name}\n" for name in sorted(
        name for r in routines for n in dropin.OWN for style in ("cblas", "fortran")
        for name in dropin.names_of(r, n, style)))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    routines = read(sys.argv[1])
    what, out = sys.argv[2:4]
    makers = {"entry": make_entry, "watched_entry": make_watched_entry, "watched": make_watched, "names": make_names}
    for style in ("cblas", "fortran"):
        makers[style] = lambda r, s=style: make_own(r, s)
    for name in dropin.OBJECTS:
        makers[name] = lambda r, o=name: dropin.make_object(r, o, BANNER)
        makers[name + "-names"] = lambda r, o=name: dropin.make_object_names(r, o)
    for name in ("checks", "checks_header", "doors"):
        makers[name] = lambda r, m=getattr(checks, "make_" + name): m(r, BANNER)
    makers["subroutines"] = make_subroutines
    makers["subroutine-names"] = make_subroutine_names
    makers["fortran-module"] = fortran_module.make_module
    makers["trace"] = lambda r: dropin.make_trace(r, table, BANNER)
    makers["header"] = lambda r: make_header(r, sys.argv[4])
    makers["narrow"] = lambda r: make_narrow(sys.argv[4])
    makers["indexed"] = lambda r: indexed.make_doors(shapes_of(*sys.argv[4:]), BANNER)
    makers["indexed_header"] = lambda r: indexed.make_header(shapes_of(*sys.argv[4:]), BANNER)
    text = makers[what](routines)
    with open(out, "w") as f:
        f.write(text)


if __name__ == "__main__":
    main()
