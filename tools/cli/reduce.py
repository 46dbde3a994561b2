"""sum, asum, nrm2, mean, var, dot: a block of numbers at a time into accumulators, so that files of any size need no
memory; with --columns, --by and --axis many results from one file, which is read once."""
import math
import os
import re
from array import array
from ctypes import byref, pointer

from native import DOUBLE, SINGLE, Accumulator, Moment, address, library
from show import OK, fail, json_number, json_string, number
from source import open_source


class Sums:
    """Of the real and the imaginary parts, and of squares; what the command does not need stays 0."""

    def __init__(self, q, is_complex=False):
        self.q, self.is_complex, self.n = q, is_complex, 0
        self.part, self.squares = (Accumulator(), Accumulator()), Accumulator()

    def add(self, x, at=0, step=1, n=None):
        """x[at], x[at + step], ...: n elements, each of one number or two; all by default."""
        parts = 1 + self.is_complex
        n = len(x) // parts if n is None else n
        at, step, command = parts * at, parts * step, self.q.command
        if self.q.skip_na:
            elements = list(zip(*(x[at + p:at + step * n:step] for p in range(parts))))
            x = array(x.typecode, (v for element in elements if not any(map(math.isnan, element)) for v in element))
            at, step, n = 0, parts, len(x) // parts
        self.n += n
        kind = "_f" if x.typecode == "f" else ""
        for p in range(parts if n else 0):
            arguments = n, address(x, at + p), step
            if command == "asum":
                getattr(library, "exblas_acc_add_magnitudes" + kind)(byref(self.part[0]), *arguments)
            elif command != "nrm2":
                getattr(library, "exblas_acc_add_vector" + kind)(byref(self.part[p]), *arguments)
            if command in ("nrm2", "var"):
                getattr(library, "exblas_acc_add_dot" + kind)(byref(self.squares), *arguments, *arguments[1:])

    def merge(self, other):
        for to, of in zip((*self.part, self.squares), (*other.part, other.squares)):
            library.exblas_acc_merge(byref(to), byref(of))
        self.is_complex |= other.is_complex
        self.n += other.n

    def rounded(self, part, single):
        form, command, a = SINGLE if single else DOUBLE, self.q.command, byref(self.part[part])
        if command == "nrm2":
            return library.exblas_acc_root_to_format(byref(self.squares), form)
        if command == "var":
            sums = [pointer(x) for x in self.part]
            moment = Moment(self.n, 1 + self.is_complex, pointer(self.squares), tuple(sums), tuple(sums))
            return library.exblas_moment_to_format(byref(moment), self.n - self.q.ddof, form)
        if command == "mean":
            return library.exblas_acc_quotient_to_format(a, self.n, form)
        return library.exblas_acc_to_format(a, form)


class Outcome:
    def __init__(self, sums, single, file=None, kind=None, key=None, column=None):
        q = sums.q
        self.command, self.n = q.command, sums.n
        self.single = q.type == "f32" if q.type else single
        self.file, self.kind, self.key, self.column = file, kind, key, column
        n_parts = 1 + (sums.is_complex and q.command in ("sum", "mean"))
        self.values = [sums.rounded(p, self.single) for p in range(n_parts)]

    def json(self):
        named = [(name, json_string(text)) for name, text in
                 (("file", self.file), ("format", self.kind), ("by", self.key), ("column", self.column)) if text is not None]
        values = [json_number(x, self.single) for x in self.values]
        value = f'{{"re": {values[0]}, "im": {values[1]}}}' if len(values) == 2 else values[0]
        named += [("n", self.n), ("type", '"f32"' if self.single else '"f64"'), (self.command, value)]
        return "{" + ", ".join(f'"{name}": {text}' for name, text in named) + "}"

    def text(self, name=None):
        """The number, or the two parts with a blank between."""
        numbers = " ".join(number(x, self.single) for x in self.values)
        return "  ".join([numbers, *(text for text in (name, self.key, self.column) if text is not None)])


def reduce(q):
    if q.columns or q.by or q.axis:
        return reduce_each(q)
    if not q.files:
        fail(f"{q.command} needs a file, or - for standard input")
    everything, outcomes = Sums(q), []
    for path in q.files:
        source = open_source(q, path)
        sums = Sums(q, source.is_complex)
        for x in source.blocks():
            sums.add(x)
        source.file.close()
        outcomes.append(Outcome(sums, source.single, source.file.name, source.kind))
        everything.merge(sums)
    total = Outcome(everything, all(o.single for o in outcomes))
    if q.json:
        files = ",\n".join(f"  {o.json()}" for o in outcomes)
        print(f'{{"command": "{q.command}", "files": [\n{files}\n], "total": {total.json()}}}')
    elif len(outcomes) == 1:
        print(outcomes[0].text())
    else:
        print(*(o.text(o.file) for o in outcomes), total.text("total"), sep="\n")
    return OK


def read_table(q, source):
    """Keys, or None, with sums of each column, in the order in which keys come."""
    groups = {} if source.by is not None else {None: [Sums(q) for _ in source.wanted]}
    for key, columns in source.rows():
        if key not in groups:
            groups[key] = [Sums(q) for _ in columns]
        for sums, x in zip(groups[key], columns):
            sums.add(x)
    return groups


def read_lines(q, source):
    """Elements lie as n_outer x n x n_inner, those of one result n_inner apart."""
    shape, n_dims = source.shape, len(source.shape)
    axis = int(q.axis) if re.fullmatch("-?[0-9]{1,9}", q.axis) else n_dims
    if not -n_dims <= axis < n_dims:
        fail(f"{source.file.name}: no axis {q.axis} in {n_dims} dimensions")
    if source.fortran_order and n_dims > 2:
        fail(f"{source.file.name}: --axis takes arrays of more than two dimensions in C order")
    if source.fortran_order:  # the transpose in C order
        shape, axis = shape[::-1], n_dims - 1 - axis % n_dims
    axis %= n_dims
    n_line, n_inner = shape[axis], math.prod(shape[axis + 1:])
    sums = [Sums(q, source.is_complex) for _ in range(math.prod(shape[:axis]) * n_inner)]
    source.block, at = 1 << 24, 0  # at: of the block's first element
    for x in source.blocks():
        n, k = len(x) // (1 + source.is_complex), 0
        while k < n:
            outer, place = divmod(at + k, n_line * n_inner)
            end = min(n, k + n_line * n_inner - place)
            for c in range(k, min(end, k + n_inner)):
                sums[outer * n_inner + (at + c) % n_inner].add(x, c, n_inner, len(range(c, end, n_inner)))
            k = end
        at += n
    return {None: sums}


def reduce_each(q):
    if len(q.files) != 1:
        fail("--columns, --by and --axis take one file")
    source = open_source(q, q.files[0])
    if q.axis and source.kind not in ("npy", "npz"):
        fail(f"{source.file.name}: --axis is for npy and npz, this is {source.kind}")
    groups = (read_lines if q.axis else read_table)(q, source)
    source.file.close()
    names = [None] * len(source.wanted) if not q.axis else []
    if q.columns:
        names = [os.fsdecode(source.names[c]) if source.has_names else str(c + 1) for c in source.wanted]
    outcomes = [Outcome(s, source.single, key=None if key is None else os.fsdecode(key), column=name)
                for key, sums in groups.items() for s, name in zip(sums, names or [None] * len(sums))]
    if q.json:
        results = ",".join("\n  " + o.json() for o in outcomes)
        print(f'{{"command": "{q.command}", "results": [{results}\n]}}')
    else:
        for outcome in outcomes:
            print(outcome.text())
    return OK


def to_c_order(x, shape):
    """From Fortran order."""
    if len(shape) < 2:
        return x
    result = array(x.typecode)
    for k in range(shape[0]):
        result.extend(to_c_order(x[k::shape[0]], shape[1:]))
    return result


def read_all(source, code=None):
    x = array(code or ("f" if source.single else "d"))
    for block in source.blocks():
        x.extend(block if block.typecode == x.typecode else array(x.typecode, block))
    source.file.close()
    return x


def pairs(x, y):
    """Blocks of equal length of two sources."""
    sources, blocks, rest, n_read = (x, y), (x.blocks(), y.blocks()), [array("d"), array("d")], 0
    while True:
        for k in range(2):
            rest[k] = rest[k] or next(blocks[k], array("d"))
        n = min(map(len, rest))
        if not n:
            break
        u, v = (r if r.typecode == rest[1 - k].typecode else array("d", r) for k, r in enumerate(rest))
        yield n, u, v
        rest, n_read = [r[n:] for r in rest], n_read + n
    for k in range(2):
        if rest[k]:
            fail(f"{sources[1 - k].file.name} has {n_read} numbers, {sources[k].file.name} has more")


def dot(q):
    if len(q.files) != 2:
        fail("dot needs two files")
    sources = x, y = [open_source(q, path) for path in q.files]
    sums = Sums(q)
    for source in sources:
        if not source.has_positions:
            fail(f"{source.file.name}: dot is of dense general arrays only")
    if x.shape and y.shape and x.shape != y.shape:
        a, b = (f"({', '.join(map(str, s.shape))})" for s in sources)
        fail(f"{x.file.name} has shape {a}, {y.file.name} has {b}")
    if len(x.shape) > 1 and y.shape and x.fortran_order != y.fortran_order:  # paired in memory
        values = [read_all(s, "d") for s in sources]
        values = [to_c_order(v, s.shape) if s.fortran_order else v for v, s in zip(values, sources)]
        blocks = [(len(values[0]), *values)]
    else:
        blocks = pairs(x, y)
    for n, u, v in blocks:
        kind = "_f" if u.typecode == "f" else ""
        getattr(library, "exblas_acc_add_dot" + kind)(byref(sums.part[0]), n, address(u), 1, address(v), 1)
        sums.n += n
    for source in sources:
        source.file.close()
    total = Outcome(sums, x.single and y.single)
    if q.json:
        files = ", ".join(json_string(s.file.name) for s in sources)
        print(f'{{"command": "dot", "files": [{files}], "total": {total.json()}}}')
    else:
        print(total.text())
    return OK
