"""Templates of Fortran modules: expand.py TEMPLATE OUT

Lines between `!for a in 1 2 3, b in x y` and `!end` are copied for every
combination, the last name changing fastest, with {a} and {b} replaced; a line `!text NAME` by a text, `status` by the
arguments that say what went wrong. What else stands for a kind k (s d c z), a rank r, a function `name`, a kind of
communicator comm: see derived."""
import itertools
import pathlib
import re
import sys

TYPES = {"s": "real(c_float)", "d": "real(c_double)", "c": "complex(c_float_complex)",
         "z": "complex(c_double_complex)"}
STATUS = """        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
"""
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
    names = {**names, "sign": {"max": "-"}.get(names.get("name"), "")}
    if "comm" in names:
        names["communicator"] = COMMS[names["comm"]]
    return names


def combinations(line):
    loops = [part.split(" in ") for part in line.removeprefix("!for ").split(",")]
    names = [name.strip() for name, _ in loops]
    for values in itertools.product(*(words.split() for _, words in loops)):
        yield derived(dict(zip(names, values)))


def expand(template, texts=()):
    def copies(match):
        head, body = match.groups()
        return "".join(re.sub(r"\{(\w+)\}", lambda m, n=names: n[m[1]], body) for names in combinations(head))

    text = re.sub(r"^(!for .*)\n((?:.*\n)*?)!end\n", copies, template, flags=re.M)
    return re.sub(r"^!text (\w+)\n", lambda m: {"status": STATUS, **dict(texts)}[m[1]], text, flags=re.M)


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(expand(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
