"""The interposer: MPI's own reductions of float and double give the correctly rounded sums, wherever the contributions
come from and by whatever function completion is seen. The oracle is excblas_?sum over all contributions, which repeat
after a prime number of elements."""
import ctypes
from ctypes import byref, c_double, c_float, c_int, c_int64

from over_mpi import (IN_PLACE, IS_OPEN, LAYOUTS, MAX, NO_PROCESS, RANK, REAL, ROOT_HERE, SELF, SIZE, SUCCESS, SUM,
                      UNDEFINED, WORLD, Handle, address, answer, check, handle, hostile, lib, memory, mpi, random_of,
                      returning, run, serial, shares)

# LONG is more than a piece of the interposer's, which takes several rounds.
SHORT, LONG, PERIOD, SHIFT = 37, 150000, 1009, 101
CONTRIBUTED = {kind: hostile(random_of("contributions"), kind, PERIOD, 60, 1 / 100) for kind in REAL}
NULL = bytes(handle("request_null"))


def contribution(kind, rank, n):
    """Process `rank` begins at another element than the others."""
    size = ctypes.sizeof(kind)
    begin = rank * SHIFT % PERIOD * size
    return (CONTRIBUTED[kind][begin:] + CONTRIBUTED[kind] * (n // PERIOD + 1))[:n * size]


def exact(kind, first, n, ranks, cache={}):
    """The sums of elements first ... of these processes."""
    key = kind, tuple(ranks)
    if key not in cache:
        all_of_them = memory(b"".join(contribution(kind, rank, PERIOD) for rank in ranks))
        size = ctypes.sizeof(kind)
        cache[key] = b"".join(serial("ssum" if kind is c_float else "dsum", n=len(ranks),
                                     x=address(all_of_them, i * size), incx=PERIOD) for i in range(PERIOD))
    size, begin = ctypes.sizeof(kind), first % PERIOD
    return (cache[key] * (n // PERIOD + 2))[begin * size:(begin + n) * size]


class Reduction:
    """One of MPI's functions, its buffers, and what this process should have in the end."""

    def __init__(self, name, kind, n, layout=0, in_place=False, comm=WORLD, ranks=range(SIZE), root=0, between=None,
                 type_=None):
        self.name, self.n, ending = name, n, name.lower().removeprefix("i").removesuffix("_c")
        at, n_here = between or (RANK, SIZE)
        blocks = [n * i // n_here for i in range(n_here + 1)] if ending.endswith("block") else None
        if ending == "reduce_scatter":
            blocks = shares(layout, n)
        first, n_mine = (blocks[at], blocks[at + 1] - blocks[at]) if blocks else (0, n)
        receives = ending != "reduce" or root == (ROOT_HERE if between else RANK)
        given = memory(contribution(kind, RANK, n), 1)
        self.out = given if in_place else memory(b"\x5a" * n_mine * ctypes.sizeof(kind), 1)
        self.wanted = exact(kind, first, n_mine, ranks) if receives else b""
        count = c_int64 if name.endswith("_c") else c_int
        sizes = {"reduce_scatter": (count * n_here)(*(b - a for a, b in zip(blocks or [0], (blocks or [0])[1:]))),
                 "reduce_scatter_block": count(n_mine)}.get(ending, count(n))
        passed_in = IN_PLACE if in_place and (ending != "reduce" or receives) else given
        self.arguments = [passed_in, self.out if receives else None, sizes, type_ or REAL[kind], SUM,
                          *([root] if ending == "reduce" else []), comm]

    def start(self, request=None):
        check(mpi(self.name, *self.arguments, *([request] if request else [])) == SUCCESS, self.name)

    def is_right(self):
        check(bytes(self.out)[:len(self.wanted)] == self.wanted, self.name, self.n)

    def do(self):
        request = Handle()
        self.start(byref(request) if self.name.startswith("I") else None)
        if self.name.startswith("I"):
            mpi("Wait", byref(request), statuses(1))
        self.is_right()


def statuses(n):
    return (ctypes.c_char * 64 * n)()


def blocking():
    for kind in REAL:
        for n in (SHORT, LONG):
            for in_place in (False, True):
                Reduction("Allreduce", kind, n, in_place=in_place).do()
                Reduction("Reduce", kind, n, in_place=in_place, root=SIZE - 1).do()
                Reduction("Reduce_scatter_block", kind, n // SIZE * SIZE, in_place=in_place).do()
        for layout in range(LAYOUTS):
            for in_place in (False, True):
                Reduction("Reduce_scatter", kind, LONG if layout in (2, 4) else SHORT, layout, in_place).do()


def complete(way, n, requests):
    """Completes n requests by one of MPI's functions."""
    index, flag, done, left, indices = c_int(), c_int(), c_int(), n, (c_int * n)()
    place = [byref(requests, ctypes.sizeof(Handle) * i) for i in range(n)]
    if way == "Waitall":
        mpi(way, n, requests, statuses(n))
    while way == "Testall" and not flag.value:
        mpi(way, n, requests, byref(flag), statuses(n))
    while left > 0 and not way.endswith("all"):
        if way == "Wait":
            mpi(way, place[left - 1], statuses(1))
            left -= 1
        elif way == "Test":
            mpi(way, place[left - 1], byref(flag), statuses(1))
            left -= flag.value
        elif way == "Waitany":
            mpi(way, n, requests, byref(index), statuses(1))
            left -= 1
        elif way == "Testany":
            mpi(way, n, requests, byref(index), byref(flag), statuses(1))
            left -= flag.value and index.value != UNDEFINED
        else:
            mpi(way, n, requests, byref(done), indices, statuses(n))
            left -= max(done.value, 0)
    check(bytes(requests) == NULL * n, way)


def non_blocking():
    """Several reductions at once, among other requests, completed in every way."""
    n, token, mine = 300, c_int(-1), c_int(RANK)
    for number, way in enumerate(("Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome")):
        requests = (Handle * 8)()
        at = [byref(requests, ctypes.sizeof(Handle) * i) for i in range(8)]
        all_of_them = [Reduction("Iallreduce", c_double, n), Reduction("Iallreduce", c_float, n),
                       Reduction("Ireduce", c_double, n), Reduction("Ireduce_scatter", c_double, n, number % LAYOUTS),
                       Reduction("Ireduce_scatter_block", c_double, n * SIZE),
                       Reduction("Iallreduce", c_float, n, in_place=True)]
        mpi("Irecv", byref(token), 1, handle("int"), (RANK - 1) % SIZE, 1, WORLD, at[0])
        for reduction, request in zip(all_of_them, at[1:]):
            reduction.start(request)
        mpi("Isend", byref(mine), 1, handle("int"), (RANK + 1) % SIZE, 1, WORLD, at[7])
        complete(way, 8, requests)
        check(token.value == (RANK - 1) % SIZE)
        for reduction in all_of_them:
            reduction.is_right()


def progress_elsewhere():
    """A process waits for its neighbour's message, which that sends after its reduction is complete: MPI has to
    progress the reduction meanwhile."""
    token, request, reduction = c_int(), Handle(), Reduction("Iallreduce", c_double, 1)
    reduction.start(byref(request))
    if RANK > 0:
        mpi("Recv", byref(token), 1, handle("int"), RANK - 1, 2, WORLD, statuses(1))
    mpi("Wait", byref(request), statuses(1))
    if RANK + 1 < SIZE:
        mpi("Send", byref(token), 1, handle("int"), RANK + 1, 2, WORLD)
    reduction.is_right()


def status_first():
    """Seen complete by a call that leaves the request alone."""
    request, flag, reduction = Handle(), c_int(), Reduction("Iallreduce", c_double, 2)
    reduction.start(byref(request))
    while not flag.value:
        mpi("Request_get_status", request, byref(flag), statuses(1))
    reduction.is_right()
    reduction.out[0:16] = reduction.wanted = b"its caller's now"
    mpi("Wait", byref(request), statuses(1))
    reduction.is_right()


def other_communicators():
    """The same contributions on other ranks, and some of them."""
    backwards = answer("Comm_split", WORLD, 0, -RANK, kind=Handle)
    half = answer("Comm_split", WORLD, RANK % 2, 0, kind=Handle)
    Reduction("Allreduce", c_double, SHORT, comm=backwards).do()
    Reduction("Allreduce", c_double, SHORT, comm=half, ranks=range(RANK % 2, SIZE, 2), type_=handle("dblprec")).do()
    Reduction("Allreduce", c_double, SHORT, comm=SELF, ranks=[RANK]).do()
    for comm in (backwards, half):
        mpi("Comm_free", byref(comm))


def intercommunicator():
    """Each group gets the other's sums."""
    if SIZE < 2:
        return
    side = RANK % 2
    half = answer("Comm_split", WORLD, side, 0, kind=Handle)
    both = answer("Intercomm_create", half, 0, WORLD, 1 - side, 5, kind=Handle)
    here, there = answer("Comm_size", both), answer("Comm_remote_size", both)
    of_other = {"comm": both, "ranks": range(1 - side, SIZE, 2), "between": (answer("Comm_rank", both), here),
                "root": 0 if side else NO_PROCESS if RANK else ROOT_HERE}
    for name in ("Allreduce", "Reduce_scatter_block", "Reduce", "Iallreduce", "Ireduce_scatter_block", "Ireduce"):
        Reduction(name, c_double, 2 * here * there, **of_other).do()
    for comm in (both, half):
        mpi("Comm_free", byref(comm))


def large_counts():
    """MPI 4's forms, where the MPI has them."""
    if hasattr(lib, "MPI_Allreduce_c"):
        for name in ("Allreduce", "Reduce", "Reduce_scatter", "Reduce_scatter_block"):
            for form in (name, "I" + name.lower()):
                Reduction(form + "_c", c_double, SHORT * SIZE).do()


def other_operations():
    """What is none of the interposer's business."""
    def reduced(kind, name, value, op, n=1):
        given, result = kind(value), kind(5)
        check(mpi("Allreduce", byref(given), byref(result), n, handle(name), op, WORLD) == SUCCESS)
        return result.value

    check(reduced(c_double, "double", RANK + 1, MAX) == SIZE)
    check(reduced(c_int, "int", RANK, SUM) == SIZE * (SIZE - 1) // 2)
    check(reduced(ctypes.c_longdouble, "long_double", 1, SUM) == SIZE)
    check(reduced(c_double, "double", 1, SUM, 0) == 5)


def errors():
    """They come from MPI through the communicator's handler. Not every MPICH checks arguments: Debian's reads through a
    null datatype."""
    if not IS_OPEN:
        return
    comm, double, counts, request = returning(WORLD), REAL[c_double], (c_int * SIZE)(-1), Handle()
    x, result = c_double(1), c_double(0)
    buffers = byref(x), byref(result)
    check(mpi("Allreduce", *buffers, -1, double, SUM, comm) != SUCCESS)
    check(mpi("Reduce", *buffers, 1, double, SUM, SIZE, comm) != SUCCESS)
    check(mpi("Reduce_scatter", *buffers, counts, double, SUM, comm) != SUCCESS)
    check(mpi("Allreduce", *buffers, 1, handle("datatype_null"), SUM, comm) != SUCCESS)
    # Displacements that are no int on the first process only: all of them see it.
    counts[0] = (2**31 - 1) // SIZE + 1 if SIZE > 1 else -1
    check(mpi("Ireduce_scatter", *buffers, counts, double, SUM, comm, byref(request)) != SUCCESS)
    check(result.value == 0)
    mpi("Comm_free", byref(comm))


run(blocking, non_blocking, progress_elsewhere, status_first, other_communicators, intercommunicator, large_counts,
    other_operations, errors)
