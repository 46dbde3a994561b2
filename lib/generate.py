#!/usr/bin/env python3
"""Makes the thin layers around the library's entries from lib/symbols.list.

    generate.py LIST entry|cblas|fortran|shim|names|shim-names OUT
    generate.py LIST header OUT TEMPLATE

A header template is copied with every line `@prototypes cblas NAME ...@` (or
`fortran`) replaced by the prototypes of those routines in all types and both
integer sizes.
"""
import re
import sys

REAL = {"s": "float", "d": "double"}
OPTIONS = ("layout", "uplo", "trans", "diag")
SCALARS = ("alpha", "beta", "sb")
BANNER = "/* Made by lib/generate.py from lib/symbols.list. */\n"


class Argument:
    def __init__(self, text):
        self.name = text.rstrip("!")
        self.written = text.endswith("!")
        if self.name.startswith(OPTIONS):
            self.kind = "option"
        elif self.name in SCALARS:
            self.kind = "scalar"
        elif re.fullmatch(r"[mnk]|inc\w|ld\w", self.name):
            self.kind = "integer"
        else:
            self.kind = "array"


class Routine:
    """One routine in one type."""

    def __init__(self, pattern, letter, result, drop_in, arguments):
        self.base = pattern.replace("?", "")
        self.name = pattern.replace("?", letter)
        self.real = REAL[letter]
        self.result = {"T": self.real, "-": "void"}.get(result) or REAL[result]
        self.is_blas = drop_in == "blas"
        self.arguments = [Argument(a) for a in arguments]
        self.can_fail = any(a.kind == "option" for a in self.arguments)

    def declare(self, argument, integer, by_reference):
        """The declaration of one parameter."""
        star = "*" if by_reference else ""
        const = "const " if by_reference else ""
        if argument.kind == "array":
            return f"{'' if argument.written else 'const '}{self.real} *{argument.name}"
        kind = {"option": "char" if by_reference else "int", "scalar": self.real,
                "integer": integer}[argument.kind]
        return f"{const}{kind} {star}{argument.name}"

    def visible(self, fortran):
        return [a for a in self.arguments if not (fortran and a.name == "layout")]

    def parameters(self, integer, fortran=False):
        return ", ".join(self.declare(a, integer, fortran) for a in self.visible(fortran))

    def cblas(self, name, integer):
        return f"{self.result} {name}({self.parameters(integer)})"

    def fortran(self, name, integer):
        return f"{self.result} {name}({self.parameters(integer, fortran=True)})"

    def entry(self):
        site = "const exb_site *site, " if self.can_fail else ""
        return f"{self.result} exb_entry_{self.name}({site}{self.parameters('int64_t')})"

    def call(self, fortran):
        """The call of the entry with the parameters of a wrapper."""
        def value(a):
            if not fortran or a.kind == "array":
                return a.name
            if a.name == "layout":
                return "EXB_COL_MAJOR"
            if a.kind == "option":
                return f"exb_{re.sub('[ab]$', '', a.name)}_of({a.name})"
            return "*" + a.name
        values = (["&site"] if self.can_fail else []) + [value(a) for a in self.arguments]
        back = "" if self.result == "void" else "return "
        return f"    {back}exb_entry_{self.name}({', '.join(values)});\n"

    def site(self, text, convention, report):
        if not self.can_fail:
            return ""
        return f"    static const exb_site site = {{\"{text}\", {convention}, {report}}};\n"

    def wrapper(self, head, fortran, site):
        return f"{head}\n{{\n{site}{self.call(fortran)}}}\n\n"


def read(path):
    routines = []
    for line in open(path):
        fields = line.split("#")[0].split()
        if fields:
            pattern, letters, result, drop_in, *arguments = fields
            routines += [Routine(pattern, c, result, drop_in, arguments) for c in letters]
    return routines


# The two integer sizes: suffix of CBLAS names, of Fortran names, C type.
SIZES = (("", "_", "exblas_int"), ("_64", "_64_", "exblas_int64"))


def prototypes(routines, style, wanted):
    lines = []
    for _, (cblas_suffix, fortran_suffix, integer) in enumerate(SIZES):
        for r in routines:
            if r.base not in wanted:
                continue
            if style == "cblas":
                lines.append(f"EXBLAS_API {r.cblas('excblas_' + r.name + cblas_suffix, integer)};")
            else:
                lines.append(f"EXBLAS_API {r.fortran('ex' + r.name + fortran_suffix, integer)};")
    missing = set(wanted) - {r.base for r in routines}
    if missing:
        sys.exit(f"generate.py: no routine {', '.join(sorted(missing))} in the list")
    return "\n".join(lines) + "\n"


def make_header(routines, template):
    out = ""
    for line in open(template):
        m = re.fullmatch(r"@prototypes (cblas|fortran) (.*)@\s*", line)
        out += prototypes(routines, m[1], m[2].split()) if m else line
    return out


def make_entry(routines):
    return (BANNER + "/* The entries: what every public name of a routine calls. CBLAS order; a\n"
            " * routine that checks its arguments is told who called. Exported for the drop-in\n"
            " * objects, not for users. */\n"
            "#ifndef EXB_ENTRY_H\n#define EXB_ENTRY_H\n\n"
            '#include "core/check.h"\n\n#pragma GCC visibility push(default)\n\n'
            + "".join(r.entry() + ";\n" for r in routines)
            + "\n#pragma GCC visibility pop\n\n#endif\n")


def make_cblas(routines):
    out = BANNER + '#include "entry.h"\n#include "exblas/cblas.h"\n\n'
    for suffix, _, integer in SIZES:
        for r in routines:
            site = r.site("cblas_" + r.name, "EXB_CALL_CBLAS", "exb_report")
            out += r.wrapper(r.cblas("excblas_" + r.name + suffix, integer), False, site)
    return out


def make_fortran(routines):
    out = BANNER + '#include "entry.h"\n#include "exblas/fortran.h"\n\n'
    for _, suffix, integer in SIZES:
        for r in routines:
            site = r.site(r.name.upper(), "EXB_CALL_FORTRAN", "exb_report")
            out += r.wrapper(r.fortran("ex" + r.name + suffix, integer), True, site)
    return out


def make_shim(routines):
    out = BANNER + '#include "entry.h"\n#include "shim_xerbla.h"\n\n'
    for r in routines:
        if r.is_blas:
            site = r.site("cblas_" + r.name, "EXB_CALL_NETLIB_CBLAS", "exb_shim_report")
            head = "EXB_SHIM " + r.cblas("cblas_" + r.name, "int32_t")
            out += head + ";\n" + r.wrapper(head, False, site)
            site = r.site(f"{r.name.upper():6}", "EXB_CALL_FORTRAN", "exb_shim_report")
            head = "EXB_SHIM " + r.fortran(r.name + "_", "int32_t")
            out += head + ";\n" + r.wrapper(head, True, site)
    return out


def make_names(routines):
    names = [n for r in routines for c, f, _ in SIZES
             for n in ("excblas_" + r.name + c, "ex" + r.name + f)]
    return "\n".join(sorted(names)) + "\n"


def make_shim_names(routines):
    names = [n for r in routines if r.is_blas for n in ("cblas_" + r.name, r.name + "_")]
    return "\n".join(sorted(names)) + "\n"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    routines = read(sys.argv[1])
    what, out = sys.argv[2:4]
    makers = {"entry": make_entry, "cblas": make_cblas, "fortran": make_fortran,
              "shim": make_shim, "names": make_names, "shim-names": make_shim_names}
    text = make_header(routines, sys.argv[4]) if what == "header" else makers[what](routines)
    with open(out, "w") as f:
        f.write(text)


if __name__ == "__main__":
    main()
