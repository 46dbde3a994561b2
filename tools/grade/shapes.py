"""The routines of the table, and where the elements of a call's operands stand in memory."""
import json

OPTIONS = {"layout": "cr", "order": "cr", "op": "ntcr", "side": "lr", "uplo": "lu", "trans": "ntc", "transa": "ntc", "transb": "ntc", "diag": "nu"}
CBLAS = {"layout": {"c": 102, "r": 101}, "order": {"c": 102, "r": 101}, "side": {"l": 141, "r": 142}, "uplo": {"l": 122, "u": 121},
         "trans": {"n": 111, "t": 112, "c": 113}, "op": {"n": 111, "t": 112, "c": 113, "r": 114}, "diag": {"n": 131, "u": 132}}
LEVEL3 = ("gemm", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm", "gemmt", "gemmtr", "gemm3m",
          "gemm_batch_strided", "skewsymm", "skewsyr2k")
INTEGERS = ("m", "n", "k", "kl", "ku")


class Argument:
    def __init__(self, fields):
        self.rows = self.columns = self.step = self.lower = self.upper = self.swap = None
        self.uplo = self.diag = self.stride = self.result = None
        self.__dict__.update(fields)

    def parts(self):
        return 1 if self.real else 2


class Routine:
    def __init__(self, fields):
        self.__dict__.update(fields)
        self.arguments = [Argument(a) for a in fields["arguments"]]
        self.by_name = {a.name: a for a in self.arguments}
        self.operands = [a for a in self.arguments if a.kind == "array"]
        if self.base == "imatcopy":  # its result lies in the same memory in another way
            self.operands[0].result = Argument({**fields["arguments"][5], "step": "ldb", "swap": "op"})
        self.stored = [x for a in self.operands for x in ((a, a.result) if a.result else (a,))]
        self.scalars = [a for a in self.arguments if a.kind == "scalar"]
        self.options = [a for a in self.arguments if a.kind == "option"]
        self.integers = [a for a in self.arguments if a.kind == "integer"]
        self.types = {self.type, *(a.type for a in self.operands)}
        self.is_complex = self.type in "cz"
        self.solves = self.base in ("trsv", "tbsv", "tpsv", "trsm")
        self.level = 1 if not self.options else 3 if self.base in LEVEL3 else 2

    def has(self, name):
        return name in self.by_name

    def letters(self, option):
        """The values that an option may have: rank updates take what makes the result symmetric or Hermitian."""
        if option == "trans" and self.level == 3 and self.is_complex:
            return "nc" if self.base in ("herk", "her2k") else "nt"
        return OPTIONS[option]


def read_table(path):
    with open(path, encoding="utf-8") as f:
        return [Routine(r) for r in json.load(f)]


def is_by_rows(args):
    return "r" in (args.get("layout"), args.get("order"))


def dimensions(a, args):
    """Rows and columns of an operand; those of a batch stand behind each other."""
    if a.shape == "FEW":
        return 5 if a.name == "param" else a.few, 1
    rows = args[a.rows]
    swapped = a.swap and args[a.swap] in ("r" if a.swap == "side" else "tc")
    if a.shape == "MATRIX":
        columns = args[a.columns]
        rows, columns = (columns, rows) if swapped else (rows, columns)
        return max(rows, 0), max(columns, 0) * (args["batch"] if a.stride else 1)
    if a.shape == "BAND":
        return max(rows, 0), max(args[a.columns], 0)
    rows = max(args[a.columns] if swapped and a.columns else rows, 0)
    return rows, 1 if a.shape == "VECTOR" else rows


def least_ld(a, args):
    """The least leading dimension."""
    rows, columns = dimensions(a, args)
    if a.shape == "BAND":
        return max(1, args[a.lower] + args[a.upper] + 1)
    if a.shape == "TRIANGLE_BAND":
        return max(1, args[a.lower] + 1)
    if a.stride and args["batch"]:
        columns //= args["batch"]
    return max(1, columns if is_by_rows(args) and a.shape == "MATRIX" else rows)


def runs(a, args):
    """The elements that are stored, as stretches of columns: the number in memory of the first, its number column by
    column, how many there are, and their distance in memory."""
    rows, columns = dimensions(a, args)
    by_rows = is_by_rows(args)
    step = args[a.step] if a.step else 1
    if rows == 0 or columns == 0:
        return []
    if a.shape == "FEW":
        return [(0, 0, rows, 1)]
    if a.shape == "VECTOR":
        return [(0 if step >= 0 else -step * (rows - 1), 0, rows, step)]
    if a.shape == "MATRIX":
        each = columns // args["batch"] if a.stride else columns
        stride = args[a.stride] if a.stride else 0
        return [(j // each * stride + j % each * (1 if by_rows else step), j * rows, rows, step if by_rows else 1)
                for j in range(columns)]
    if a.shape == "BAND":
        lower, upper, first = args[a.lower], args[a.upper], args[a.lower if by_rows else a.upper]
    else:
        is_upper = args[a.uplo] == "u"
        k = args[a.lower] if a.shape == "TRIANGLE_BAND" else rows
        lower, upper, first = (0, k, k if not by_rows else 0) if is_upper else (k, 0, k if by_rows else 0)
    out = []
    for j in range(columns):
        i, n = max(0, j - upper), min(rows, j + lower + 1) - max(0, j - upper)
        if n <= 0:
            continue
        if a.shape == "TRIANGLE":
            out.append((i * step + j if by_rows else i + j * step, j * rows + i, n, step if by_rows else 1))
        elif a.shape == "PACKED":
            # By rows a triangle is the other one by columns.
            for e in range(i, i + n) if by_rows else (i,):
                x, y = (j, e) if by_rows else (e, j)
                at = x + (y * (y + 1) // 2 if is_upper != by_rows else y * (2 * rows - y - 1) // 2)
                out.append((at, j * rows + e, 1 if by_rows else n, 1))
        elif by_rows:
            out.append((first + j - i + i * step, j * rows + i, n, step - 1))
        else:
            out.append((first + i - j + j * step, j * rows + i, n, 1))
    return out


def places(a, args):
    """Of each element, column by column: its number from the first in memory, or None if it is not stored."""
    rows, columns = dimensions(a, args)
    out = [None] * (rows * columns)
    for at, i, n, step in runs(a, args):
        out[i:i + n] = range(at, at + n * step, step) if step else [at] * n
    return out


def is_real_diagonal(routine, a):
    """Whether imaginary parts of the diagonal do not exist."""
    hermitian = routine.hermitian or routine.base in ("hemm", "herk", "her2k", "hemv", "hbmv", "hpmv")
    return hermitian and routine.is_complex and a.uplo is not None and a.diag is None
