"""PBLAS on grids of up to four processes: all routines in all types, block sizes and offsets have the bits of the
serial routines; bad arguments; no memory; gsum2d. The drop-in object is loaded, too."""
import ctypes
import itertools
import math
import resource
from ctypes import byref, c_double, c_float, c_int, c_int64, c_size_t

from grids import ROUTINES, Matrix, call, grids, in_one_piece, owned
from over_mpi import (IS_SANITIZED, KIND, PARTS, RANK, SIZE, Pool, address, check, elements, lib, memory, output,
                      random_of, rounds, run, serial)

ORDER, SERIAL_BYTES, M_MMAP_THRESHOLD = 66, 64 << 10, -3
ALL_BLOCKS = ("nrm2", "gemv", "gemm", "syrk", "trsm", "dot", "dotu", "dotc", "hemv", "hemm", "herk")
POOLS = {(kind, rate): Pool(random_of(f"pool {kind} {rate}"), kind, 30000, 12, rate)
         for kind in (c_float, c_double) for rate in (0, 1 / 300, 1 / 60)}

# Routines, side, uplo, trans, transb, diag of calls whose memory is bounded: types take the same ways.
MEASURED = {"sdcz": ("gemm --NN-",), "c": ("hemm RL---",), "z": ("hemm LU---", "herk -LN--", "her2k -UC--"),
            "d": ("gemm --TT-", "symm LU---", "symm RL---", "syrk -LN--", "syr2k -UT--", "trmm LLN-N", "trmm RUN-U",
                  "trsm LLN-U", "trsm RUT-U")}

# --- what a call should write ---------------------------------------------------


class Problem:
    """A routine with random operands."""

    def __init__(self, r, grid, routine, block):
        self.routine, self.name, self.letter = routine, routine.name[1:], routine.letter
        self.kind, self.parts = KIND[routine.letter], PARTS[routine.letter]
        self.values = {"index": (c_int * 1)()}
        # Zeros outside of a triangle would turn Inf into NaN.
        self.has_specials = r.random() < 1 / 2 and not self.name.endswith("atrmv")
        finite = "a" if r.random() < 1 / 2 else ""
        for word in routine.words:
            self.values.setdefault(word.name, self.value_of(word, r, grid, block, finite))

    def value_of(self, word, r, grid, block, finite):
        if word.shape:
            rate = (1 / 60 if word.is_vector else 1 / 300) if self.has_specials and word.name not in finite else 0
            parts = 1 if word.real else self.parts
            return Matrix(r, grid, parts * ctypes.sizeof(self.kind), ORDER, block, word.is_vector,
                          lambda n: POOLS[self.kind, rate].take(r, parts * n))
        if word.letters:
            return r.choice(word.letters)
        if word.name in ("m", "n", "k"):
            return r.randint(0 if r.random() < 1 / 9 else 1, ORDER)
        if word.name == "result":
            return elements(self.kind, [0, 0])
        plain = (1, 0, -1, 2, -0.75, math.inf)
        return elements(self.kind, [r.uniform(-2, 2) if r.random() < 1 / 4 else r.choice(plain) for _ in range(2)])

    def operands(self):
        return {w.name: self.values[w.name] for w in self.routine.words if w.shape}

    def run_serially(self, name, **others):
        values = dict(self.values)
        for o, v in self.operands().items():
            values |= {o: v.start(), "ld" + o: v.m, "inc" + o: v.m if v.inc == v.m else 1}
        return serial(name, **values, **others)

    def add_serially(self, op):
        """C = alpha op(A) + beta C, column by column."""
        a, c, m, n, triangle = (self.values.get(name) for name in ("a", "c", "m", "n", "uplo"))
        for j in range(n):
            begin, end = j if triangle == "L" else 0, min(j + 1, m) if triangle == "U" else m
            x = memory(b"".join(a.element(i, j) if op == "N" else a.element(j, i) for i in range(begin, end)), 1)
            if op == "C" and self.parts == 2 and begin < end:
                serial(("s" if self.kind is c_float else "d") + "scal", n=end - begin, alpha=[-1],
                       x=address(x, ctypes.sizeof(self.kind)), incx=2)
            serial(self.letter + "axpby", n=max(end - begin, 0), alpha=self.values["alpha"], x=x, incx=1,
                   beta=self.values["beta"], y=address(c.whole, c.place(begin, j)), incy=1)

    def part_of(self, i, j):
        """The parts of element (i, j) of op(A), as a general, triangular or symmetric routine means it."""
        name, values = self.name, self.values
        general, symmetric = name.endswith("agemv"), name[2] in "sh"
        u, v = (j, i) if not symmetric and values["trans"] != "N" else (i, j)
        stored = general or (u >= v if values["uplo"] == "L" else u <= v)
        if not general and not symmetric and values["diag"] == "U" and i == j:
            return [1, 0][:self.parts]
        if not symmetric and not stored:
            return [0] * self.parts
        parts = self.numbers(values["a"].element(*((u, v) if stored else (v, u))))
        return [parts[0], 0][:self.parts] if symmetric and i == j else parts

    def numbers(self, data):
        return [abs(x) for x in (self.kind * (len(data) // ctypes.sizeof(self.kind))).from_buffer_copy(data)]

    def add_magnitudes(self):
        """y = |alpha| |op(A)| |x| + |beta y|, each element by the product of a row with a column."""
        x, y, n, m = (self.values[name] for name in ("x", "y", "n", "m" if "m" in self.values else "n"))
        if self.values.get("trans", "N") == "N":
            m, n = n, m
        factors = [self.numbers(x.element(j)) for j in range(m)]
        for i in range(n if m else 0):
            terms = [(u, v) for j in range(m) for u in self.part_of(i, j) for v in factors[j]]
            at = address(y.whole, y.place(i))
            old = self.kind.from_address(at.value)
            old.value = abs(old.value)
            serial("sgemv" if self.kind is c_float else "dgemv", trans="N", m=1, n=len(terms),
                   alpha=[abs(self.values["alpha"][0])], a=elements(self.kind, [u for u, _ in terms]), lda=1,
                   x=elements(self.kind, [v for _, v in terms]), incx=1, beta=[abs(self.values["beta"][0])], y=at,
                   incy=1)

    def check_result(self, vector, wanted):
        """Nothing is said of one vector's result outside of its scope, but that norms are 0 there."""
        if not vector.is_in_scope():
            wanted = bytes(len(wanted)) if self.name.endswith(("nrm2", "asum")) else b""
        check(bytes(self.values["result"])[:len(wanted)] == wanted, self.name)

    def check_largest(self):
        """The element too, not only where it is: from 1, as of the whole vector."""
        x, at = self.values["x"], self.run_serially("i" + self.name)
        if self.values["n"] > 0 and x.is_in_scope():
            self.check_result(x, x.element(at))
            check(self.values["index"][0] == (x.j if x.inc == x.m else x.i) + at, self.name)

    def compute_serially(self):
        name = self.name
        if name.endswith("amax"):
            self.check_largest()
        elif any(w.real and w.shape for w in self.routine.words):
            self.add_magnitudes()
        elif "tran" in name:
            self.add_serially("C" if name.endswith("c") else "T")
        elif name.endswith("add"):
            self.add_serially(self.values["trans"])
        else:
            wanted = self.run_serially(name)
            for o, v in self.operands().items() if wanted else ():
                self.check_result(v, wanted)

    def check(self):
        call(self.name, self.values)
        self.compute_serially()
        for name, v in self.operands().items():
            check(v.is_right(), self.name, name, v.grid.shape,
                  {n: x for n, x in self.values.items() if n not in self.operands()})


def all_routines():
    for grid in grids():
        for block in (8, 32, 64):
            lib.exb_pblas_set_workspace(c_int64(700 if block == 8 else 0))  # in windows, in one
            r = random_of(f"pblas {grid.shape} {block}")
            for number, routine in enumerate(ROUTINES.values()):
                if routine.name[2:].endswith(ALL_BLOCKS) or block // 32 == (number + grid.shape[0]) % 3:
                    for _ in range(rounds(1)):
                        Problem(r, grid, routine, block).check()


def places_of_factors():
    """So many that factors lie as C does, or nearly so."""
    n, one = 10, elements(c_double, [1])
    for grid in grids():
        r = random_of(f"places {grid.shape}")
        for _ in range(rounds(200)):
            a, b, c = (Matrix(r, grid, 8, n, 4, False, lambda n: POOLS[c_double, 0].take(r, n)) for _ in range(3))
            values = {"transa": "N", "transb": "N", "m": n, "n": n, "k": n, "alpha": one, "beta": one}
            call("dgemm", {**values, "a": a, "b": b, "c": c})
            serial("dgemm", **values, a=a.start(), lda=a.m, b=b.start(), ldb=b.m, c=c.start(), ldc=c.m)
            check(c.is_right())


# --- errors ---------------------------------------------------------------------


def illegal_arguments():
    for grid in grids([(2, 2)]):
        local = (c_double * 400)()
        desc = (2, grid.context, 20, 20, 4, 4, 4, 4, 0, 0, 20)

        def info_of(place=None, at=None, value=None, **others):
            """The number that is reported of a call with another value, or 0."""
            one = elements(c_double, [1])
            q = {"transa": "N", "transb": "N", "m": 9, "n": 8, "k": 7, "alpha": one, "beta": one}
            for name, i, j in (("a", 2, 3), ("b", 1, 4), ("c", 5, 1)):
                q[name] = in_one_piece(grid, local, 20, 4, 20)
                q[name].i, q[name].j, q[name].desc = i, j, (c_int * 11)(*desc)
            if isinstance(at, int):
                q[place].desc[at] = value
            elif at:
                setattr(q[place], at, value)
            text = output(lambda: call("dgemm", {**q, **others}))
            check(bytes(local) == bytes(3200) and ("PDGEMM" in text or not text))
            return int(text.split("number")[1].split()[0]) if text else 0

        check(info_of() == 0)
        for name, position in (("m", 3), ("n", 4), ("k", 5)):
            check(info_of(**{name: -1}) == position)
        for place, at, value, info in (
                ("a", "i", 0, 8), ("a", "j", 0, 9), ("a", "i", 13, 8), ("a", "j", 15, 9), ("a", 0, 3, 1001),
                ("a", 2, 0, 1003), ("a", 4, 0, 1005), ("a", 5, 0, 1006), ("a", 6, 0, 1007), ("a", 7, -1, 1008),
                ("a", 8, 2, 1009), ("a", 9, -2, 1010), ("a", 10, 0, 1011), ("a", 10, 7, 1011), ("b", "i", 0, 12),
                ("b", "j", 0, 13), ("b", 1, -7, 1402), ("b", 8, 5, 1409), ("c", "i", 13, 17), ("c", "j", 14, 18),
                ("c", 10, 3, 1911)):
            check(info_of(place, at, value) == info, place, at, value)
        check(info_of(transa="X") == 1)
        check(info_of(transa="t", transb="\0") == 2)
        check(info_of(transa="t", transb="c") == 0)


def output_within(n_bytes, act):
    """What is printed if this process gets at most so much more memory."""
    lib.exblas_set_workspace(c_size_t(SERIAL_BYTES))  # frees what is kept
    lib.malloc_trim(c_size_t(0))
    with open("/proc/self/statm", encoding="ascii") as pages:
        used = resource.getpagesize() * int(pages.read().split()[0])
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + n_bytes, limits[1]) if n_bytes is not None else limits)
    text = output(act)
    resource.setrlimit(resource.RLIMIT_AS, limits)
    return text


def large_call(grid, letter, letters, n, block, data):
    """Arguments of order n of a routine of Level 3 with these options, and the bytes of one operand here."""
    kind = KIND[letter]
    rows, cols = (sum(end - begin for begin, end in owned(n, block, block, 0, parts, part))
                  for parts, part in zip(grid.shape, (grid.row, grid.col)))
    n_parts = rows * cols * PARTS[letter]
    q = {name: in_one_piece(grid, (kind * n_parts)(*data(n_parts)), n, block, rows) for name in "abc"}
    q.update(zip(("side", "uplo", "trans", "transb", "diag"), letters), m=n, n=n, k=n, transa=letters[2],
             alpha=elements(kind, [1, 0]), beta=elements(kind, [-1, 0]))
    return q, n_parts * ctypes.sizeof(kind)


def no_memory():
    """One process has none: nothing is written by the others either, and they work when there is some."""
    for grid in grids([] if IS_SANITIZED else [(2, 2)]):
        q, _ = large_call(grid, "d", "RUTNU", 512, 256, lambda n: [1] * n)
        for name in ("dgemm", "dsyrk", "dtrmm", "dtrsm"):
            before = [bytes(q[o].local) for o in "bc"]
            text = output_within(0 if RANK == SIZE - 1 else None, lambda: call(name, q))
            check("no memory left; nothing was computed" in text and [bytes(q[o].local) for o in "bc"] == before, name,
                  text)
            check(output(lambda: call(name, q)) == "", name)
            check([bytes(q[o].local) for o in "bc"] != before or name == "dsyrk", name)  # of one triangle


def bounded_memory():
    """A process gets half of its operands' share, five workspaces, which are set to little, for factors and what is
    under way, and three of those of the serial routines. A whole operand would be more."""
    n, workspace = 384, 6 << 10
    for grid in grids([] if IS_SANITIZED else [(2, 2)]):
        lib.mallopt(M_MMAP_THRESHOLD, 1 << 14)
        lib.exb_pblas_set_workspace(c_int64(workspace))
        call("dgemm", large_call(grid, "d", "--NN-", n, 16, lambda n: [1] * n)[0])  # then MPI has what it keeps
        for letters, cases in MEASURED.items():
            for letter, (name, options) in itertools.product(letters, (case.split() for case in cases)):
                q, n_bytes = large_call(grid, letter, options, n, 16, lambda n: [i % 1009 / 1009 for i in range(n)])
                if (letter, name) == ("c", "hemm"):
                    q["b"].local[0] = math.inf
                share = n_bytes * sum(bool(w.shape) for w in ROUTINES[letter + name].words)
                size = ctypes.sizeof(KIND[letter]) * PARTS[letter]
                text = output_within(share // 2 + 5 * workspace * size + 3 * SERIAL_BYTES,
                                     lambda: call(letter + name, q))
                check(text == "", letter, name, options, text)
        lib.exb_pblas_set_workspace(c_int64(0))


def no_terms():
    """Factors without elements may have the leading dimension 1."""
    n = 4
    for grid in grids([(1, 1)]):
        c = in_one_piece(grid, (c_double * n**2)(*range(n**2)), n, 2, n)
        none = in_one_piece(grid, (c_double * 1)(), 0, 2, 1)
        q = {"alpha": elements(c_double, [1]), "beta": elements(c_double, [3]), "c": c, "side": "L", "uplo": "L",
             "trans": "N", "diag": "N", "transa": "N", "transb": "N", "m": n, "n": n, "k": 0}
        call("dgemm", {**q, "a": none, "b": none})
        call("dsyrk", {**q, "a": none})
        call("dtrsm", {**q, "n": 0, "a": c, "b": none})
        check(list(c.local) == [x * (9 if x % n >= x // n else 3) for x in range(n**2)])


# --- gsum2d ---------------------------------------------------------------------


def given(process, k):
    """Element k of what a process gives: sums that cancel, and whose rounding depends on the order."""
    return (2.0**60, 1.0, -2.0**60, 2.0**-50)[(process + k) % 4] * (1 + k)


def check_sums(grid, scope, to):
    """In 5 rows of 7, and 3 columns."""
    n_rows, n_cols = grid.shape
    me, places = (grid.row, grid.col), itertools.product(range(n_rows), range(n_cols))
    a = (c_double * 21)(*(given(grid.row * n_cols + grid.col, k) for k in range(21)))
    wanted = list(a)
    members = [i * n_cols + j for i, j in places
               if (scope != b"Row" or i == me[0]) and (scope != b"Column" or j == me[1])]
    at = (me[0] if scope == b"Row" else to[0], me[1] if scope == b"Column" else to[1])
    for k in range(21):
        if k % 7 < 5 and (to[0] == -1 or at == me):
            wanted[k] = math.fsum(given(i, k) for i in members)
    numbers = [byref(c_int(x)) for x in (5, 3, 7, *to)]
    lib.dgsum2d_(byref(c_int(grid.context)), scope, b" ", *numbers[:2], a, *numbers[2:])
    for k in range(21):
        check(a[k] == wanted[k] or (k % 7 < 5 and to[0] != -1 and at != me), scope, to)


def sums_of_processes():
    for grid in grids():
        n = grid.shape[0] * grid.shape[1]
        for scope in (b"Row", b"Column", b"All"):
            for to in ((-1, -1), (0, 0), (grid.shape[0] - 1, grid.shape[1] - 1)):
                check_sums(grid, scope, to)
        is_odd = (grid.row * grid.shape[1] + grid.col) % 2
        z, one, everywhere = (c_float * 2)(-2.0**30 if is_odd else 2.0**30, 1), c_int(1), c_int(-1)
        lib.cgsum2d_(byref(c_int(grid.context)), b"All", b" ", byref(one), byref(one), z, byref(one), byref(everywhere),
                     byref(everywhere))
        check(list(z) == [2.0**30 if n % 2 else 0, n])


run(all_routines, places_of_factors, illegal_arguments, no_memory, bounded_memory, no_terms,
    sums_of_processes)
