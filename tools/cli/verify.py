"""verify: is a saved product, or solution, the correctly rounded one? solve --least-squares: that one."""
import collections
import math
import os
import struct
import sys
from array import array

from decimals import parse
from native import ENOMEM, ESINGULAR, NO_TRANS, ROW_MAJOR, address, library
from reduce import read_all, to_c_order
from show import FINDING, OK, RESOURCES, fail, json_number, number
from source import open_source

N_LISTED = 20


class Matrix:
    """In C order."""

    def __init__(self, name, rows, columns, x):
        self.name, self.rows, self.columns, self.x, self.single = name, rows, columns, x, x.typecode == "f"

    def by_columns(self):
        return to_c_order(self.x, (self.columns, self.rows))

    def expect_shape(self, rows, columns, what):
        if (self.rows, self.columns) != (rows, columns):
            fail(f"{self.name} has shape ({self.rows}, {self.columns}), the {what} has ({rows}, {columns})")

    def expect_type_of(self, other):
        if self.single != other.single:
            fail(f"{other.name} is of type {'f4' if other.single else 'f8'}, {self.name} of {'f4' if self.single else 'f8'}")


def load(q, path, vector=False):
    """An npy file of floats with two dimensions or, if `vector`, also one: a column."""
    source = open_source(q, path)
    if source.kind != "npy":
        fail(f"{source.file.name}: not an npy file")
    if len(source.shape) != 2 and not (vector and len(source.shape) == 1):
        fail(f"{source.file.name}: {len(source.shape)} dimensions, a matrix has 2")
    if source.element not in ("f4", "f8"):
        kind = "halves" if source.element == "f2" else "integers"
        fail(f"{source.file.name}: elements are {kind}, floats (f4, f8) are needed")
    if source.is_complex:
        fail(f"{source.file.name}: {q.command} is of real numbers only")
    x = read_all(source)
    rows, columns = (*source.shape, 1)[:2]
    return Matrix(source.file.name, rows, columns, to_c_order(x, (rows, columns)) if source.fortran_order else x)


def ordered(x, single):
    """Bits in the order of the numbers: their difference counts the steps between neighbours, which are ulps except
    across a power of two."""
    bits, = struct.unpack("<i" if single else "<q", struct.pack("<f" if single else "<d", x))
    return bits if bits >= 0 else (-2 ** 31 if single else -2 ** 63) - bits


def judge(given, right, single):
    """What is wrong, or None, and ulps where they can be counted."""
    if math.isnan(given) and math.isnan(right):
        return None, 0
    if given == right:
        return (None if math.copysign(1, given) == math.copysign(1, right) else "sign of zero"), 0
    if not (math.isfinite(given) and math.isfinite(right)):
        return "not finite", 0
    ulps = abs(ordered(given, single) - ordered(right, single))
    return f"{ulps} ulp{'s' * (ulps != 1)}", ulps


class Findings:
    """Which elements are not the right ones."""

    def __init__(self, given, right):
        self.single, self.columns, self.n = given.single, given.columns, len(given.x)
        self.wrong = []
        if given.x.tobytes() != right.x.tobytes():
            for k, (x, y) in enumerate(zip(given.x, right.x)):
                what, ulps = judge(x, y, self.single)
                if what:
                    self.wrong.append((k, x, y, what, ulps))
        self.zero_signs = sum(w[3] == "sign of zero" for w in self.wrong)
        self.special = sum(w[3] == "not finite" for w in self.wrong)
        self.worst = max((w for w in self.wrong if w[4]), key=lambda w: w[4], default=None)
        # Bin k: 2^(k-1) < ulps <= 2^k.
        self.histogram = sorted(collections.Counter((w[4] - 1).bit_length() for w in self.wrong if w[4]).items())

    def element_text(self, element):
        k, x, y, what, _ = element
        i, j = divmod(k, self.columns)
        return f"  ({i}, {j})  {number(x, self.single)} instead of {number(y, self.single)}  {what}"

    def element_json(self, element):
        k, x, y, _, ulps = element
        i, j = divmod(k, self.columns)
        return (f'{{"element": [{i}, {j}], "given": {json_number(x, self.single)}, "right": {json_number(y, self.single)}, '
                f'"ulps": {ulps or "null"}}}')

    def show_text(self, listed):
        n_wrong = len(self.wrong)
        print(f"{self.n - n_wrong} of {self.n} elements are correctly rounded")
        for k, count in self.histogram:
            print(f"  {count:10}  off by " + (f"{2 ** (k - 1) + 1} to {2 ** k} ulps" if k > 1 else ("1 ulp", "2 ulps")[k]))
        for count, what in ((self.zero_signs, "zeros of the wrong sign"), (self.special, "infinite or NaN on one side")):
            if count:
                print(f"  {count:10}  {what}")
        if self.worst:
            print("the worst:", self.element_text(self.worst), sep="\n")
        if n_wrong:
            print("wrong:", *map(self.element_text, listed), sep="\n")
        if len(listed) < n_wrong:
            print(f"  ... and {n_wrong - len(listed)} more (--all lists them)")

    def show_json(self, listed):
        bins = ", ".join(f'{{"up_to_ulps": {2 ** k}, "count": {count}}}' for k, count in self.histogram)
        print(f'{{"command": "verify", "type": "{"f32" if self.single else "f64"}", "elements": {self.n}, '
              f'"wrong": {len(self.wrong)}, "zero_signs": {self.zero_signs}, "not_finite": {self.special},\n '
              f'"histogram": [{bins}],\n "worst": {self.element_json(self.worst) if self.worst else "null"},\n '
              '"list": [' + ",\n  ".join(map(self.element_json, listed)) + "]}")


def show_findings(q, given, right):
    f = Findings(given, right)
    (f.show_json if q.json else f.show_text)(f.wrong if q.all else f.wrong[:N_LISTED])
    return FINDING if f.wrong else OK


def scalar(q, option, otherwise, single):
    text = getattr(q, option)
    try:
        x = otherwise if text is None else parse(os.fsencode(text), single)
    except OverflowError:
        x = None
    if x is None:
        fail(f"--{option} {text}: not a number{' that fits a float' * single}")
    return x


def verify_product(q):
    a, b, c = (load(q, path) for path in q.files)
    if a.columns != b.rows:
        fail(f"{a.name} has {a.columns} columns, {b.name} has {b.rows} rows")
    b.expect_type_of(a)
    c.expect_type_of(a)
    c.expect_shape(a.rows, b.columns, "product")
    alpha, beta = scalar(q, "alpha", 1, a.single), scalar(q, "beta", 0, a.single)
    if q.c0 is None and beta != 0:
        fail("--beta needs --c0")
    right = load(q, q.c0) if q.c0 else Matrix("", c.rows, c.columns, array(c.x.typecode, bytes(len(c.x) * c.x.itemsize)))
    right.expect_type_of(a)
    right.expect_shape(a.rows, b.columns, "product")
    multiply = library.excblas_sgemm_64 if a.single else library.excblas_dgemm_64
    multiply(ROW_MAJOR, NO_TRANS, NO_TRANS, a.rows, b.columns, a.columns, alpha, address(a.x), max(a.columns, 1),
             address(b.x), max(b.columns, 1), beta, address(right.x), max(b.columns, 1))
    return show_findings(q, c, right)


def solve_files(q, given=None):
    """The solution of the system in the first two files, its transpose in C order; given: what should be it."""
    a, b = load(q, q.files[0]), load(q, q.files[1], True)
    b.expect_type_of(a)
    if given:
        given.expect_type_of(a)
    b.expect_shape(a.rows, b.columns, "right-hand side")
    if given:
        given.expect_shape(a.columns, b.columns, "solution")
    for matrix in (a, b):
        if not math.isfinite(sum(matrix.x)) and not all(map(math.isfinite, matrix.x)):
            fail(f"{matrix.name}: Inf and NaN have no exact solution")
    m, n, nrhs = a.rows, a.columns, b.columns
    x = array(a.x.typecode, bytes(n * nrhs * a.x.itemsize))
    ax, bx = a.by_columns(), b.by_columns()
    arguments = nrhs, address(ax), max(m, 1), address(bx), max(m, 1), address(x), max(n, 1), None
    kind = "s" if a.single else "d"
    status = (getattr(library, f"exblas_{kind}gesv_64")(n, *arguments) if m == n else
              getattr(library, f"exblas_{kind}gels_64")(m, n, *arguments))
    if status == ENOMEM:
        fail("out of memory", RESOURCES)
    if status == ESINGULAR:
        fail(f"{a.name}: the system has no unique solution")
    return Matrix("", nrhs, n, x)


def verify(q):
    if len(q.files) != 3:
        fail(f"verify needs three files: {'A B X' if q.solve else 'A B C'}")
    if not q.solve:
        return verify_product(q)
    given = load(q, q.files[2], True)
    return show_findings(q, given, Matrix("", given.rows, given.columns, solve_files(q, given).by_columns()))


class Output:
    """A file to write, standard output for None."""

    def __init__(self, path):
        self.path = path
        try:
            self.file = open(path, "w", encoding="utf-8") if path else sys.stdout
        except OSError as error:
            fail(f"{path}: {error.strerror}", RESOURCES)

    def write(self, lines):
        """All of it; the end of the file."""
        try:
            self.file.writelines(lines)
            if self.path:
                self.file.close()
        except OSError:
            if not self.path:
                raise
            fail(f"{self.path}: cannot be written", RESOURCES)

    def write_transpose(self, a):
        """A Matrix Market file."""
        self.write([f"%%MatrixMarket matrix array real general\n{a.columns} {a.rows}\n",
                    *(f"{number(x, a.single)}\n" for x in a.x)])


def least_squares(q):
    x = solve_files(q)
    Output(q.output).write_transpose(x)
    return OK
