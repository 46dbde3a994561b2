"""Grids of BLACS, and matrices on them: each process has the whole, as the serial routine would, and its part. All
processes draw the same numbers."""
from ctypes import byref, c_char, c_int

from over_mpi import RANK, ROOT, SIZE, address, lib, memory
import pblas

ROUTINES = {r.name[1:]: r for r in pblas.read(ROOT / "lib/mpi/pblas/pblas.list")}
GUARD, UNTOUCHED = 3, b"\x5a"


class Grid:
    """Of the first processes, row by row; or of the last ones, backwards, which are others than the world's ranks."""

    def __init__(self, n_rows, n_cols, backwards=False):
        context, place = c_int(), (c_int * 4)()
        n = n_rows * n_cols
        ranks = [SIZE - 1 - i if backwards else i for i in range(n)]
        by_columns = (c_int * n)(*[ranks[i * n_cols + j] for j in range(n_cols) for i in range(n_rows)])
        lib.blacs_get_(byref(c_int(-1)), byref(c_int(0)), byref(context))
        lib.blacs_gridmap_(byref(context), by_columns, byref(c_int(n_rows)), byref(c_int(n_rows)), byref(c_int(n_cols)))
        self.context, self.shape, self.is_here = context.value, (n_rows, n_cols), RANK in ranks
        if self.is_here:
            lib.blacs_gridinfo_(byref(context), *(byref(place, 4 * i) for i in range(4)))
        self.row, self.col = place[2:]

    def close(self):
        if self.is_here:
            lib.blacs_gridexit_(byref(c_int(self.context)))


SHAPES = ((1, 4), (4, 1), (2, 2), (1, 3), (3, 1), (1, 1))


def grids(shapes=SHAPES):
    """Those that there are processes for, on the processes of each."""
    for shape in shapes:
        if shape[0] * shape[1] <= SIZE:
            grid = Grid(*shape, backwards=True)
            if grid.is_here:
                yield grid
            grid.close()


def owned(n, first, block, source, n_parts, part):
    """Runs of the elements of an axis that a part has; the first block is its own size."""
    begin, owner = 0, source
    while begin < n:
        end = min(n, begin + (first if begin == 0 else block))
        if source < 0 or owner % n_parts == part:
            yield begin, end
        begin, owner = end, owner + 1


class Matrix:
    """Of elements of `size` bytes; sub-matrices of up to `order` rows and columns begin at (i, j), from 1."""

    def __init__(self, r, grid, size, order, block, is_vector, data):
        self.grid, self.size = grid, size
        is_long, other = r.random() < 1 / 3, r.random() < 1 / 2
        self.m, self.n = order + r.randint(1, 20), order + r.randint(1, 20)
        self.i, self.j = r.randint(1, self.m - order + 1), r.randint(1, self.n - order + 1)
        blocks = [r.randint(1, block) if other else block for _ in range(2)]
        first = [r.randint(1, 2 * block) if is_long else b for b in blocks]
        self.source = [r.randint(-1 if r.random() < 1 / 8 else 0, n - 1) for n in grid.shape]
        axes = zip((self.m, self.n), first, blocks, self.source, grid.shape, (grid.row, grid.col))
        self.rows, columns = (list(owned(*axis)) for axis in axes)
        self.columns = [j for run in columns for j in range(*run)]
        self.ld = sum(end - begin for begin, end in self.rows) + GUARD
        described = [self.m, self.n, *(first if is_long else []), *blocks, *self.source, self.ld]
        self.desc = (c_int * 11)(2 if is_long else 1, grid.context, *described)
        self.inc = r.choice((1, self.m)) if is_vector else 0
        self.whole = memory(data(self.m * self.n))
        self.local = memory(self.part())

    def part(self):
        """What this process should have, column by column, and around it what nobody writes."""
        whole, size, guard = bytes(self.whole), self.size, UNTOUCHED * GUARD * self.size
        pieces = []
        for j in self.columns:
            at = j * self.m
            pieces += [whole[(at + begin) * size:(at + end) * size] for begin, end in self.rows]
            pieces.append(guard)
        return b"".join(pieces) + UNTOUCHED * self.ld * size

    def is_right(self):
        return bytes(self.local) == self.part()

    def place(self, i, j=0):
        """Where element (i, j) of the sub-matrix, or element i of a vector, lies in the whole."""
        if self.inc == self.m:
            i, j = 0, i
        return (self.i - 1 + i + (self.j - 1 + j) * self.m) * self.size

    def element(self, *place):
        at = self.place(*place)
        return self.whole[at:at + self.size]

    def start(self):
        return address(self.whole, self.place(0))

    def is_in_scope(self):
        """Whether this process is in that of the vector."""
        by_row = self.inc == self.m
        mine = self.rows if by_row else [(j, j + 1) for j in self.columns]
        at = self.i - 1 if by_row else self.j - 1
        return any(begin <= at < end for begin, end in mine)


def in_one_piece(grid, local, n, block, ld):
    """Of order n, in the memory `local`, as far as calls look at it."""
    a = Matrix.__new__(Matrix)
    a.local, a.i, a.j, a.inc, a.desc = local, 1, 1, 1, (c_int * 9)(1, grid.context, n, n, block, block, 0, 0, ld)
    return a


def passed(word, value):
    if word.shape:
        step = [byref(c_int(value.inc))] if word.is_vector else []
        return [value.local, byref(c_int(value.i)), byref(c_int(value.j)), value.desc, *step]
    if word.letters:
        return [byref(c_char(value.encode()))]
    return [byref(c_int(value)) if word.name in ("m", "n", "k") else value]


def call(name, values, prefix="ex"):
    """The routine of that name, without the p."""
    routine = ROUTINES[name]
    arguments = [p for w in routine.words for p in passed(w, values[w.name])]
    getattr(lib, f"{prefix}{routine.name}_")(*arguments)
