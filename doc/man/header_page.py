#!/usr/bin/env python3
"""header_page.py HEADER OUTPUT [LIBRARY]: the manual page, of section 3, of a public header.

The header is the one home of what its functions do: its first comment becomes the description, and every paragraph
that begins with a comment and declares something becomes an entry. Bodies of inline functions are left out."""
import os
import re
import sys

COMMENT = re.compile(r"/\*(.*?)\*/[ \t]*\n?", re.S)
MARK = re.compile(r"^(EXBLAS_API|EXBLAS_HP_FN|static inline) ([^;]*;)", re.M)
FUNCTION = re.compile(r"^(?!typedef|struct|enum|static)[a-z][\w *]*[ *](\w+)\(", re.M)


def escape(text):
    """A line of running text or code, as roff prints it unchanged."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def without_stars(comment):
    first, *others = comment.strip().splitlines()
    return [first.rstrip(), *(re.sub(r"^ *\* ?", "", line).rstrip() for line in others)]


def prose(comment):
    """Paragraphs are filled; lines that are indented, and tables, stay as they are."""
    out, is_open = [], False
    for line in without_stars(comment):
        is_code = line.startswith("  ")
        if is_code != is_open:
            out.append(".nf" if is_code else ".fi")
            is_open = is_code
        out.append(escape(line) if line else ".sp")
    return out + [".fi"] * is_open


def unmarked(declaration):
    """Without its mark, and with the lines that follow as far to the left."""
    mark, code = declaration.groups()
    return re.sub(rf"\n {{{len(mark) + 1}}}", "\n", code)


def prototypes(code):
    """Declarations, without what marks them for the compiler and without bodies."""
    code = re.sub(r"^((?:EXBLAS_HP_FN|static inline) [^;{]*?\))\n\{.*?^\}", r"\1;", code, flags=re.S | re.M)
    code = re.sub(r"^#else.*?^#endif", "", code, flags=re.S | re.M)
    kept = [line for line in code.splitlines() if not line.startswith(("#", "EXBLAS_BEGIN_C", "EXBLAS_END_C"))]
    return MARK.sub(unmarked, "\n".join(kept)).strip("\n")


def paragraphs(text):
    """Comment and code of each paragraph; the body of a function belongs to its paragraph."""
    text = re.sub(r"^\{\n.*?^\}", lambda m: re.sub(r"\n[ \t]*\n", "\n", m.group()), text, flags=re.S | re.M)
    for paragraph in re.split(r"\n[ \t]*\n", text):
        found = COMMENT.match(paragraph.lstrip("\n"))
        if found:
            yield found.group(1), paragraph.lstrip("\n")[found.end():]


def entries(text):
    for comment, code in paragraphs(text):
        shown = prototypes(code)
        if shown:
            yield [".PP", ".nf", *map(bold, shown.splitlines()), ".fi", ".RS 4", *prose(comment), ".RE"]


def bold(line):
    return f"\\fB{escape(line)}\\fR" if line.strip() else ".sp"


def first_sentence(comment):
    return re.split(r"[.?](?= |$)", " ".join(without_stars(comment)), maxsplit=1)[0]


def functions(text):
    """What a header declares, in its order."""
    return list(dict.fromkeys(name for _, code in paragraphs(text) for name in FUNCTION.findall(prototypes(code))))


def page(header, library):
    with open(header, encoding="utf-8") as f:
        text = f.read()
    name = os.path.basename(header)
    head = COMMENT.search(text)
    rest = text[head.end():]
    # lexgrog, which lists pages by their names, reads 8 KiB of them: those for 64-bit integers are left out
    names = ", ".join([f"exblas_{name}", *(f for f in functions(rest) if not f.endswith("_64"))])
    lines = [f'.TH "EXBLAS_{name.upper()}" 3 "" "ExBLAS" "Library Functions"', ".SH NAME",
             f"{escape(names)} \\- {escape(first_sentence(head.group(1)))}", ".SH SYNOPSIS", ".nf",
             f"\\fB#include <exblas/{name}>\\fR", f"Link with \\fI\\-l{library}\\fR.", ".fi",
             ".SH DESCRIPTION", *prose(head.group(1)), ".SH DECLARATIONS"]
    for entry in entries(rest):
        lines += entry
    return "\n".join(lines) + "\n"


def main():
    header, output, *library = sys.argv[1:]
    with open(output, "w", encoding="utf-8") as f:
        f.write(page(header, *(library or ["exblas"])))


if __name__ == "__main__":
    main()
