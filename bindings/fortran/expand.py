"""Templates of Fortran modules: expand.py TEMPLATE OUT

Lines between `!for a in 1 2 3, b in x y` and `!end` are copied for every
combination, the last name changing fastest, with {a} and {b} replaced; a line `!text NAME` by a text, `status` by the
arguments that say what went wrong; a C prototype behind `!c` by the interface of the function. What else stands for a
kind k (s d c z), a rank r, a function `name`, a kind of communicator comm, integers of i bits: see derived."""
import itertools
import pathlib
import re
import sys
import textwrap

TYPES = {"s": "real(c_float)", "d": "real(c_double)", "c": "complex(c_float_complex)",
         "z": "complex(c_double_complex)"}
STATUS = """        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
"""
# In C prototypes; arguments are values, unless they have an intent.
C_TYPES = {"int": "integer(c_int)", "int32": "integer(c_int32_t)", "int64": "integer(c_int64_t)", "size": "integer(c_size_t)",
           "byte": "integer(c_int8_t)", "double": "real(c_double)", "acc": "type(exblas_acc)", "moment": "type(moment)",
           "solution": "type(exblas_solution)"}
COMMS = {"f08": "type(MPI_Comm), intent(in), optional", "int": "integer, intent(in)"}


def colons(rank):
    return f"({','.join(':' * rank)})" if rank > 0 else ""


def lower(rank):
    """The shape of x without the dimension dim."""
    return ", &\n            ".join(f"merge(size(x, {i}), size(x, {i + 1}), {i} < dim)" for i in range(1, rank))


def derived(names):
    """The names of a combination, and what follows from them."""
    kind = names.get("k")
    if kind:
        part = {"c": "s", "z": "d"}.get(kind, kind)
        is_real = kind == part
        names = {**names, "type": TYPES[kind], "real": TYPES[part], "part": part,
                 "dot": kind + ("dot" if is_real else "dotc"), "norm": (kind if is_real else part + kind) + "nrm2",
                 "suffix": {"s": "_f"}.get(kind, ""), "family": TYPES[kind].split("(")[0],
                 "convert": "real" if is_real else "cmplx",
                 "result": TYPES[part if names.get("name") == "norm2" else kind],
                 "of": "real" if names.get("name") == "norm2" and not is_real else ""}
    if "r" in names:
        rank = int(names["r"])
        names = {**names, "dims": colons(rank), "rows": colons(rank - 1), "lower": lower(rank),
                 "n": "size(x, kind=c_int64_t)" if rank else "1_c_int64_t",
                 "x": "x" if rank else "[x]", "y": "y" if rank else "[y]"}
    names = {**names, "sign": {"max": "-"}.get(names.get("name"), ""), "ending": {"64": "_64"}.get(names.get("i"), "")}
    if "comm" in names:
        names["communicator"] = COMMS[names["comm"]]
    return names


def combinations(line):
    loops = [part.split(" in ") for part in line.removeprefix("!for ").split(",")]
    names = [name.strip() for name, _ in loops]
    for values in itertools.product(*(words.split() for _, words in loops)):
        yield derived(dict(zip(names, values)))


def interface(name, declared, result, symbol):
    """Of a function in C, or without a result a subroutine, with declarations of its arguments."""
    what, names = "function" if result else "subroutine", ", ".join(re.search(r":: (\w+)", line)[1] for line in declared)
    bind = f'bind(c, name="{symbol}")' + (" result(value)" if result else "")
    head = " &\n            ".join([*textwrap.wrap(f"{what} {name}({names})", 80), bind])
    body = ["import", *declared, *([f"{result} :: value"] if result else [])]
    return f"        {head}\n" + "".join(f"            {line}\n" for line in body) + f"        end {what} {name}\n"


def of_prototype(match):
    """Of `RESULT NAME(INTENT TYPE ARGUMENT, ...)`, perhaps with ` = SYMBOL` behind."""
    result, name, arguments, symbol = re.fullmatch(r"(\w+) (\w+)\((.*)\)(?: = (\w+))?", match[1]).groups()
    declared = []
    for *intent, kind, argument in (a.split() for a in arguments.split(", ")):
        how = [word if word == "optional" else f"intent({word})" for word in intent] or ["value"]
        declared.append(f"{', '.join([C_TYPES.get(kind, kind), *how])} :: {argument}")
    return interface(name, declared, C_TYPES.get(result), symbol or name)


def expand(template, texts=()):
    def copies(match):
        head, body = match.groups()
        return "".join(re.sub(r"\{(\w+)\}", lambda m, n=names: n[m[1]], body) for names in combinations(head))

    text = re.sub(r"^(!for .*)\n((?:.*\n)*?)!end\n", copies, template, flags=re.M)
    text = re.sub(r"^!c (.*)\n", of_prototype, re.sub(r"\n!c    ", "", text), flags=re.M)
    return re.sub(r"^!text (\w+)\n", lambda m: {"status": STATUS, **dict(texts)}[m[1]], text, flags=re.M)


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(expand(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
