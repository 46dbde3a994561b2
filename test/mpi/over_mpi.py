"""MPI and the library by their C names, serial routines, numbers, and tests in TAP, for programs of several processes.

Environment: TEST_LIBRARIES, loaded in this order, so that a name is that of the first one; TEST_SEED; TEST_ROUNDS."""
import array
import ctypes
import math
import os
import pathlib
import random
import sys
import tempfile
import traceback
from ctypes import byref, c_double, c_float, c_int, c_int64, c_void_p

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "lib"), str(ROOT / "lib/mpi/pblas")]
import generate  # noqa: E402

for path in os.environ["TEST_LIBRARIES"].split(":"):
    ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
lib = ctypes.CDLL(None)
KIND = {"s": c_float, "d": c_double, "c": c_float, "z": c_double}
PARTS = {"s": 1, "d": 1, "c": 2, "z": 2}
IS_SANITIZED = hasattr(lib, "__asan_init")

# --- MPI ------------------------------------------------------------------------

# Open MPI's handles are addresses, MPICH's are numbers.
IS_OPEN = hasattr(lib, "ompi_mpi_comm_world")
HANDLES = {"comm_world": 0x44000000, "comm_self": 0x44000001, "errors_return": 0x54000001, "int": 0x4c000405,
           "float": 0x4c00040a, "double": 0x4c00080b, "long_double": 0x4c00100c, "dblprec": 0x4c00081f,
           "datatype_null": 0x0c000000, "op_max": 0x58000001, "op_sum": 0x58000003, "request_null": 0x2c000000}


class Handle(c_void_p if IS_OPEN else c_int):
    """Passed by value."""


IN_PLACE = c_void_p(1 if IS_OPEN else -1)
SUCCESS, ERR_COUNT, ERR_TYPE, ERR_ARG = 0, 2, 3, 13 if IS_OPEN else 12
ROOT_HERE, NO_PROCESS, UNDEFINED = (-4, -2, -32766) if IS_OPEN else (-3, -1, -32766)


def handle(name):
    if IS_OPEN:
        return Handle(ctypes.addressof(ctypes.c_char.in_dll(lib, "ompi_" + "mpi_" * (name != "request_null") + name)))
    return Handle(HANDLES[name])


def mpi(name, *arguments):
    return getattr(lib, "MPI_" + name)(*arguments)


def answer(name, *arguments, kind=c_int):
    """What a function writes to its last argument."""
    result = kind()
    mpi(name, *arguments, byref(result))
    return result if kind is Handle else result.value


mpi("Init", None, None)
WORLD, SELF, SUM, MAX = (handle(name) for name in ("comm_world", "comm_self", "op_sum", "op_max"))
REAL = {c_float: handle("float"), c_double: handle("double")}
RANK, SIZE = answer("Comm_rank", WORLD), answer("Comm_size", WORLD)


def returning(comm):
    """A copy whose errors are returned."""
    copy = answer("Comm_dup", comm, kind=Handle)
    mpi("Comm_set_errhandler", copy, handle("errors_return"))
    return copy


def class_of(code):
    return answer("Error_class", code)


def shares(layout, n):
    """Where the share of each process begins, and n: even ones, all on the first or the last, every other one empty,
    random ones."""
    r = random.Random(f"{os.environ.get('TEST_SEED', 1)} layout {layout}")
    even = [n * i // SIZE for i in range(SIZE + 1)]
    inner = [[even[i], n, 0, even[i - 1 + i % 2], r.randint(0, n)][layout] for i in range(1, SIZE)]
    return [0, *sorted(inner), n]


LAYOUTS = 5

# --- numbers --------------------------------------------------------------------


def random_of(name):
    """The same on all processes."""
    return random.Random(f"{os.environ.get('TEST_SEED', 1)} {name}")


def rounds(n):
    return int(os.environ.get("TEST_ROUNDS", n))


def elements(kind, values):
    return (kind * len(values))(*values)


PLAIN = (0.0, -0.0, 1.0, -1.0, 2.0**-30, 3.0)
SPECIAL = (math.inf, -math.inf, math.nan)


def hostile(r, kind, n, spread, rate=0):
    """Ties, numbers that cancel, exponents of up to +-spread, zeros of both signs; some Inf and NaN."""
    values = []
    for _ in range(n):
        x = r.choice(PLAIN) if r.random() < 0.3 else math.ldexp(r.uniform(-2, 2), r.randint(-spread, spread // 2))
        if values and r.random() < 0.2:
            x = -r.choice(values)
        elif r.random() < 0.5:
            x = c_float(x).value
        values.append(r.choice(SPECIAL) if r.random() < rate else x)
    return array.array("f" if kind is c_float else "d", (kind(x).value for x in values)).tobytes()


class Pool:
    """Hostile numbers, drawn once, of which pieces are taken."""

    def __init__(self, r, kind, n, spread, rate=0):
        self.size, self.bytes = ctypes.sizeof(kind), hostile(r, kind, n, spread, rate)

    def take(self, r, n):
        begin = r.randint(0, len(self.bytes) // self.size - n) * self.size
        return self.bytes[begin:begin + n * self.size]


def memory(data, extra=0):
    return (ctypes.c_char * (len(data) + extra)).from_buffer_copy(bytes(data) + bytes(extra))


def address(buffer, n_bytes=0):
    return c_void_p(ctypes.addressof(buffer) + n_bytes)


# --- serial routines ------------------------------------------------------------

ROUTINES = {r.name: r for r in generate.read(ROOT / "lib/symbols.list")}
OPTIONS = {"trans": (111, "NTC"), "uplo": (121, "UL"), "diag": (131, "NU"), "side": (141, "LR")}


def code_of(name, letter):
    """CBLAS's number of an option."""
    first, letters = OPTIONS[name.rstrip("ab")]
    return first + letters.index(letter)


def passed(routine, argument, values):
    name = argument.name
    if name == "layout":
        return 102
    value = values[name] if name in values else values[name.rstrip("a")]
    if argument.kind == "option":
        return code_of(name, value)
    if argument.kind == "integer":
        return c_int64(value)
    by_value = argument.kind == "real scalar" or (argument.kind == "scalar" and not routine.is_complex)
    return KIND[routine.letter](value[0]) if by_value else value


def serial(name, **values):
    """The library's routine on columns; what it returns, as bytes, or an index."""
    routine = ROUTINES[name]
    function, kind = getattr(lib, f"excblas_{routine.cblas_name()}_64"), KIND[routine.letter]
    arguments = [passed(routine, a, values) for a in routine.arguments]
    if routine.returns_index:
        return function(*arguments)
    if routine.returns_complex:
        result = (kind * 2)()
        function(*arguments, result)
        return bytes(result)
    function.restype = None if routine.result == "void" else kind
    result = function(*arguments)
    return None if result is None else bytes(kind(result))


# --- tests ----------------------------------------------------------------------

n_failures = 0


def check(is_right, *what):
    """Counts and describes a failure on this process."""
    global n_failures
    if is_right:
        return
    n_failures += 1
    if n_failures <= 5:
        caller = traceback.extract_stack(limit=2)[0]
        print(f"rank {RANK} of {SIZE}: line {caller.lineno}: not so: {caller.line}", *what, file=sys.stderr, flush=True)


def output(act):
    """What is printed meanwhile, by whatever language."""
    sys.stdout.flush()
    with tempfile.TemporaryFile() as file:
        kept = [os.dup(stream) for stream in (1, 2)]
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        act()
        for stream, own in zip((1, 2), kept):
            os.dup2(own, stream)
            os.close(own)
        file.seek(0)
        return file.read().decode()


def total_failures():
    global n_failures
    here, total = c_int(n_failures), c_int()
    mpi("Allreduce", byref(here), byref(total), 1, handle("int"), MAX, WORLD)
    n_failures = 0
    return max(here.value, total.value)


def say(text):
    if RANK == 0:
        print(text, flush=True)


def run(*tests):
    """Tests on all processes, then the program's end."""
    n_failed = 0
    say(f"1..{len(tests)}")
    try:
        for number, test in enumerate(tests, 1):
            test()
            failed = total_failures()
            n_failed += failed
            say(f"{'not ok' if failed else 'ok'} {number} - {test.__name__}")
    except BaseException:
        traceback.print_exc()
        mpi("Abort", WORLD, 3)
    mpi("Finalize")
    sys.exit(n_failed > 0)
