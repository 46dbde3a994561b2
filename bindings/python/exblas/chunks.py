"""Exact sums of chunks: what the bindings of Arrow, dask, xarray, Polars, DataFusion and Spark share."""
import array
import itertools
import math
import os
import struct
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor

from exblas import _arrow, _core
from exblas._accumulator import Accumulator
from exblas._numbers import DOUBLE, format_of

SUM, MEAN, VARIANCE, DEVIATION, COUNT = range(5)
HEAD = struct.Struct("<4sBBHIQQ")  # ExCs, version, sums of a group, dimensions, CRC-32, long sums of each of them
ROWS = 1 << 19  # that are worth a thread


def of_bytes(data):
    """Sums.from_bytes as pickles name it: cloudpickle takes a class's own method for one that no module has."""
    return Sums.from_bytes(data)


class Sums:
    """Exact sums of the rows of some groups, shape () for one: a value that pickles, hashes and merges. Sums of the same
    rows are equal and have equal bytes, in whatever chunks and order the rows came. squares: of x and of x^2."""

    __slots__ = ("_cells", "shape", "squares")

    def __init__(self, shape=(), squares=False, cells=None):
        self.shape, self.squares = tuple(shape), squares
        self._cells = cells or _core.Cells(math.prod(self.shape), 1 + squares, False)

    @classmethod
    def combine(cls, parts):
        """The sums of all rows of the parts, which have one shape."""
        first, *others = parts
        total = cls(first.shape, first.squares)
        for part in (first, *others):
            total.merge(part)
        return total

    def merge(self, part):
        """Adds the sums of other rows of the same groups."""
        if (part.shape, part.squares) != (self.shape, self.squares):
            raise ValueError("sums of other groups, or without squares, cannot be combined")
        self._cells.merge(part._cells, None)

    def _write(self, operation, ddof, dtype):
        code = "q" if operation == COUNT else {"i": "q", "u": "Q"}.get(dtype and dtype.kind, "d")
        out = array.array(code, bytes(8 * math.prod(self.shape)))
        if operation in (VARIANCE, DEVIATION) and not self.squares:
            raise ValueError("a variance needs squares")
        self._cells.write(operation, ddof, DOUBLE if dtype is None else format_of(dtype), out)
        if self.shape == ():
            return out[0] if dtype is None else dtype.type(out[0])
        try:
            import numpy
        except ImportError:
            return out
        return numpy.asarray(out).reshape(self.shape).astype(dtype or out.typecode, copy=False)

    def sum(self, dtype=None):
        """RN(sum x) of each group, a float for shape (); dtype: a type of NumPy for the result; an OverflowError if an
        integer does not fit."""
        return self._write(SUM, 0, dtype)

    def mean(self, dtype=None):
        """RN((sum x) / n); NaN for no rows."""
        return self._write(MEAN, 0, dtype)

    def var(self, ddof=0, dtype=None):
        """RN((n sum x^2 - (sum x)^2) / (n (n - ddof)))."""
        return self._write(VARIANCE, ddof, dtype)

    def std(self, ddof=0, dtype=None):
        """RN(sqrt((n sum x^2 - (sum x)^2) / (n (n - ddof))))."""
        return self._write(DEVIATION, ddof, dtype)

    def count(self):
        """How many rows were added."""
        return self._write(COUNT, 0, None)

    def accumulator(self, group=0, squares=False):
        """The sum of a group, or that of its squares, as an exblas.Accumulator."""
        return Accumulator.from_bytes(self._cells.accumulator(group * (1 + self.squares) + (squares and self.squares)))

    def states(self):
        """The bytes of each group: exblas_cell_export's of the sum, and behind them those of the sum of squares."""
        return [self._cells.state(i) for i in range(math.prod(self.shape))]

    def add_states(self, states, groups=None):
        """Adds what states() gave, None for no rows, to the groups, without them all to one."""
        for i, state in zip(itertools.repeat(0) if groups is None else groups, states):
            if state is not None:
                self._cells.add_state(i, state)
        return self

    def columns(self):
        """For each sum and sum of squares three arrays of doubles, whose sum it is, one of counts, and a list of the
        bytes of those that three doubles do not have: their counts are -2^63."""
        n = math.prod(self.shape)
        found = []
        for k in range(1 + self.squares):
            table = tuple(array.array(code, bytes(8 * n)) for code in "dddq")
            found.append((*table, self._cells.write_columns(k, table)))
        return found

    def add_columns(self, columns):
        """Adds what columns() gave."""
        numbers = array.array("q", range(math.prod(self.shape)))
        for k, (*table, long_sums) in enumerate(columns):
            self._cells.add_columns(k, tuple(table), long_sums, numbers)
        return self

    def to_bytes(self):
        """All sums in one piece, with a version and a CRC-32 (doc/accumulators.md)."""
        columns = self.columns()
        body = [struct.pack(f"<{len(self.shape)}Q", *self.shape), *(x.tobytes() for *table, _ in columns for x in table)]
        body += [struct.pack("<H", len(x)) + x for *_, long_sums in columns for x in long_sums]
        n_long = [len(long_sums) for *_, long_sums in columns]
        head = HEAD.pack(b"ExCs", 1, 1 + self.squares, len(self.shape), 0, *n_long, *[0] * (2 - len(n_long)))
        rest = b"".join([head[12:], *body])
        return head[:8] + struct.pack("<I", zlib.crc32(rest, zlib.crc32(head[4:8]))) + rest

    @classmethod
    def from_bytes(cls, data):
        """The sums whose to_bytes() these are; ValueError for others."""
        data = bytes(memoryview(data))
        try:
            magic, version, n_kept, n_dims, crc, *n_long = HEAD.unpack_from(data)
            if (magic, version) != (b"ExCs", 1) or crc != zlib.crc32(data[12:], zlib.crc32(data[4:8])):
                raise ValueError
            shape, at = struct.unpack_from(f"<{n_dims}Q", data, HEAD.size), HEAD.size + 8 * n_dims
            size = 8 * math.prod(shape)
            if n_kept not in (1, 2) or any(n_long[n_kept:]) or len(data) - at < 4 * size * n_kept:
                raise ValueError
            result, columns = cls(shape, n_kept == 2), []
            for _ in range(n_kept):
                columns.append([*(array.array(c, data[at + size * i:at + size * (i + 1)]) for i, c in enumerate("dddq")), []])
                at += 4 * size
            for (*_, long_sums), n in zip(columns, n_long):
                for _ in range(n):
                    end = at + 2 + struct.unpack_from("<H", data, at)[0]
                    long_sums.append(data[at + 2:end])
                    at = end
            if at != len(data):
                raise ValueError
            return result.add_columns(columns)
        except (struct.error, ValueError, TypeError, OverflowError, IndexError):
            raise ValueError("not the bytes of exact sums: damaged, foreign or of another version") from None

    def __reduce__(self):
        return of_bytes, (self.to_bytes(),)

    def __eq__(self, other):
        return self.to_bytes() == other.to_bytes() if isinstance(other, Sums) else NotImplemented

    def __hash__(self):
        return hash(self.to_bytes())

    def __repr__(self):
        return f"Sums(shape={self.shape}, squares={self.squares})"


def of_array(x, axes, squares=False, skip_nan=False):
    """Of an array of NumPy over the axes: a result for each place along the others."""
    if x.dtype.kind not in "biuf" or x.dtype.char == "g":
        raise TypeError(f"{x.dtype} has no exact sums here: of complex numbers, sum .real and .imag")
    kept = [i for i in range(x.ndim) if i not in axes]
    shape = tuple(x.shape[i] for i in kept)
    result = Sums(shape, squares)
    x = x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))
    lines = x.transpose([*kept, *axes]).reshape([math.prod(shape), -1] if x.size else [math.prod(shape), 0])
    by_columns = abs(lines.strides[0]) < abs(lines.strides[1]) or len(lines) > 64 * lines.shape[1]
    if len(lines) > lines.shape[1] and by_columns:
        numbers = array.array("q", range(len(lines)))
        for column in lines.T:
            result._cells.add(column, None, numbers, skip_nan)
    else:
        for i, line in enumerate(lines):
            result._cells.add(line, None, None, skip_nan, i)
    return result


def has_squares(state):
    """Whether there is a sum of squares behind the first one of a state."""
    return len(state) > 24 + 24 * (state[5:6] == b"\1") + int.from_bytes(state[6:8], "little")


def keyed(squares=False):
    """Cells into whose groups rows are added by their keys."""
    return _core.Cells(0, 1 + squares, True)


def of_keys(cells, unsigned=False, squares=False):
    """The keys of such cells as an array, and the Sums of each."""
    keys = array.array("Q" if unsigned else "q", cells.keys())
    return keys, Sums((len(keys),), squares, cells)


def shared(items, add, new_state, merge):
    """The state into which threads have put the items: by add(state, item), each its own, and merge(state, other)."""
    lock, items = threading.Lock(), iter(items)

    def take():
        with lock:
            return next(items, None)

    def run(item):
        nonlocal items
        try:
            state = new_state()
            while item is not None:
                add(state, item)
                item = take()
            return state
        except BaseException:
            items = iter(())  # the others stop
            raise
    firsts = [take() for _ in os.sched_getaffinity(0)]
    with ThreadPoolExecutor(len(firsts)) as pool:
        others = [pool.submit(run, item) for item in firsts[1:] if item is not None]
        total = run(firsts[0])
        for other in others:
            merge(total, other.result())
        return total


def by_number(x, numbers, n, squares=False, skip_nan=False):
    """Of vectors of NumPy: rows x into the groups that the numbers name, from 0 up; below 0 into none."""
    step = ROWS if len(x) > 8 * max(n, ROWS) else max(len(x), 1)

    def add(part, i):
        part._cells.add(x[i:i + step], None, numbers[i:i + step], skip_nan)
    return shared(range(0, len(x), step), add, lambda: Sums((n,), squares), Sums.merge)


class Columns:
    """Columns of anything with Arrow's PyCapsule interface, a part of each for a thread at a time."""

    def __init__(self, source, *names):
        self.schema, self.batches = _arrow.opened(source)
        fields = _arrow.fields(self.schema)
        self.fields, formats = zip(*[_field(fields, name) for name in names])
        self.n_keys = 0  # columns that are keys, the first ones
        self.is_float = formats[-1] in "efg"
        self.unsigned = formats[0] == "L"
        self.scales = [int(kind.split(",")[1]) if kind[:1] == "d" else None for kind in formats]  # digits of decimals

    def __iter__(self):
        first = None
        for batch in self.batches:
            n, dictionary = batch.struct.length, _arrow.dictionary(self.schema, batch, self.fields[0])
            first = first or (dictionary, batch)  # whose memory is kept, and is so no other's
            if dictionary != first[0] or dictionary is False and batch is not first[1]:
                raise ValueError("batches have dictionaries of their own: unify them first")
            for begin in range(0, n, ROWS):
                end = min(begin + ROWS, n)
                yield [_arrow.column(self.schema, batch, field, begin, end, i < self.n_keys) for i, field in enumerate(self.fields)]

    def whole(self):
        """The column, if one batch has all of it."""
        first = list(itertools.islice(self.batches, 2))
        self.batches = itertools.chain(first, self.batches)
        return _arrow.column(self.schema, first[0], self.fields[0]) if len(first) == 1 else None

    def sums(self, squares=False, skip_nan=False):
        def add(part, item):
            part._cells.add(*(*item, None)[:2], None, skip_nan)
        return shared(self, add, lambda: Sums((), squares), Sums.merge)

    def groups(self, squares, skip_nan):
        def add(cells, item):
            cells.add(item[1], None, item[0], skip_nan)
        self.n_keys = 1

        def merge(cells, more):
            cells.merge(more, of_keys(more)[0])
        return of_keys(shared(self, add, lambda: keyed(squares), merge), self.unsigned, squares)


def _field(fields, name):
    """The number and the format of a column, -1 where there is only one."""
    if isinstance(fields, str):
        if name is not None:
            raise TypeError(f"there are no columns, and none is {name!r}")
        return -1, fields
    names = [field for field, _ in fields]
    if name is None and len(names) == 1:
        return 0, fields[0][1]
    if names.count(name) != 1:
        raise KeyError(f"name one of the columns {', '.join(names)}, not {name!r}")
    return names.index(name), fields[names.index(name)][1]
