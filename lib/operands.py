"""The arguments of routines in the lists of the build (symbols.list, pblas.list, lapack.list), and as data
(observe/routine.h) for what watches calls. A word of a list is an argument's name and, of an array,
what a call refers to of it, named by other arguments:

    x(n,incx)          a vector of n elements; x(n): without an increment; s(=1): one number
    a(m,n,lda)         a matrix: rows, columns, leading dimension; a(m,n,lda,stride): several
    a(m,n,kl,ku,lda)   a band of that many diagonals below and above the main one
    a(uplo:n,lda)      a triangle, a(uplo,diag:n,lda) one that may have a unit diagonal; ap(uplo:n) packed,
                       ab(uplo:n,k,lda) as a band; a(upper+1:n,lda) the upper one and the diagonal below
    a(m,k^trans,lda)   of k rows and m columns if the option says transposed; x(n|m^trans,incx) of m
                       elements then; a(uplo:m|n^side,lda) of order n if it says right

and then r if it has the type of the parts of complex elements, b or h if it is of bfloat16 or half, * if it is written, with beta or alpha
behind it if old elements are not read while that is 0, and - if they never are. y()r is a number."""
import re

WORD = re.compile(r"(?:(\w+)=)?(\w+)(?:\(([^()]*)\))?([rbh]?)(?:(\*)(\w*))?(!?)([-'@]?)")
FIELDS = ("rows", "columns", "step", "lower", "upper", "swap", "uplo", "diag", "stride")
# By whether there are options, and the number of dimensions.
SHAPES = {
    (False, 1): ("VECTOR", ("rows",)), (False, 2): ("VECTOR", ("rows", "step")),
    (False, 3): ("MATRIX", ("rows", "columns", "step")),
    (False, 4): ("MATRIX", ("rows", "columns", "step", "stride")),
    (False, 5): ("BAND", ("rows", "columns", "lower", "upper", "step")),
    (True, 1): ("PACKED", ("rows",)), (True, 2): ("TRIANGLE", ("rows", "step")),
    (True, 3): ("TRIANGLE_BAND", ("rows", "lower", "step"))}


class Operand:
    def __init__(self, word):
        found = WORD.fullmatch(word)
        if not found:
            raise SystemExit(f"not an argument: {word}")
        self.alias, self.name, self.shape, of, written, self.unless, self.finite, self.mark = found.groups()
        self.real, self.half = of == "r", of.strip("r")
        self.written = written is not None

    def layout(self, number):
        """What exb_argument says of how an array is stored: the shape, a fixed number of elements, and
        numbers of arguments."""
        if not self.shape:
            return "NONE", 0, {}
        if self.shape.startswith("="):
            return "FEW", int(self.shape[1:]), {}
        options, _, dimensions = self.shape.rpartition(":")
        swap = re.findall(r"\^(\w+)", dimensions)
        first, *rest = re.sub(r"\^\w+", "", dimensions).split(",")
        rows, *columns = first.split("|")
        shape, names = SHAPES[bool(options), 1 + len(rest)]
        below = int(options[len("upper"):] or 0) if options.startswith("upper") else None
        named = options.split(",") if options and below is None else []
        pairs = [*zip(names, (rows, *rest)), *zip(("columns",), columns), *zip(("swap",), swap),
                 *zip(("uplo", "diag"), named)]
        return shape, below or 0, {field: number[word] for field, word in pairs}

    def describe(self, number, kind, read, is_hermitian=False):
        """An exb_argument; number: of each argument, by name."""
        shape, few, fields = self.layout(number)
        is_result = self.written or self.alias
        return (f"        {{.name = \"{self.name}\", .kind = EXB_ARG_{kind}, .is_real = {int(bool(self.real))},\n"
                f"         .half = {ord(self.half or chr(0))}, .is_written = {int(self.written)},"
                f" .is_hermitian = {int(is_hermitian and 'uplo' in fields)},"
                f" .must_be_finite = {int(bool(self.finite))},\n"
                f"         .is_spoiled = {int(bool(is_result))}, .read = EXB_READ_{read},"
                f" .shape = EXB_SHAPE_{shape}, .few = {few},\n         "
                + ", ".join(f".{f} = {fields.get(f, -1)}" for f in FIELDS) + "},\n")


def describe_routine(name, letter, result, arguments, number):
    """An exb_routine named routine_NAME; arguments: the text of each."""
    index = " ".join(f".{f} = {number.get(f, -1)}," for f in ("layout", "alpha", "beta", "batch"))
    return (f"static const exb_routine routine_{name} = {{\n    .name = \"{name}\", .type = '{letter}',"
            f" .result = {result}, .n_arguments = {len(arguments)},\n    {index}\n    .argument = {{\n"
            + "".join(arguments) + "    }};\n\n")


def is_hermitian(name):
    return re.match("[cz]h[ebp]", name) is not None
