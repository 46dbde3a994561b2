"""Accumulators over processes: the serial bits on every rank. With 25 processes and more, words of 2^53 - 1 from each
and 1000 deposits before or behind them pass 2^63."""
import ctypes
import functools
import math
import sys
from ctypes import byref, c_char, c_double, c_int

from over_mpi import (IN_PLACE, NO_PROCESS, RANK, ROOT_HERE, SIZE, SUCCESS, WORLD, Handle, answer, check, lib, mpi,
                      random_of, run)

ACC_BYTES, COUNT, DEPOSITS, N = 656, 150, 1000, 53


def accumulators(n=1):
    a = (c_char * ACC_BYTES * n)()
    for acc in a:
        lib.exblas_acc_init(acc)
    return a


def exported(acc):
    data = (c_char * 552)()
    lib.exblas_acc_export(acc, data)
    return bytes(data)


def part(i, rank):
    """Of process `rank`, with a bit of everything."""
    a, r = accumulators()[0], random_of(f"part {i} {rank}")
    for _ in range(5):
        factors = [c_double(math.ldexp(r.uniform(-2, 2), r.randint(-1074, 1022))) for _ in range(2)]
        lib.exblas_acc_add_product(a, *factors)
    for remainder, period, of, special in ((7, 50, 0, math.inf), (7, 100, SIZE - 1, -math.inf),
                                           (9, 50, SIZE // 2, math.nan)):
        if i % period == remainder and rank == of:
            lib.exblas_acc_add(a, c_double(special))
    return a


def total(i, ranks):
    a = accumulators()[0]
    for rank in ranks:
        lib.exblas_acc_merge(a, part(i, rank))
    return exported(a)


@functools.cache
def totals():
    return [total(i, range(SIZE)) for i in range(COUNT)]


def prepare():
    a = accumulators(COUNT)
    for i in range(COUNT):
        ctypes.memmove(a[i], part(i, RANK), ACC_BYTES)
    return a, (c_char * ACC_BYTES * COUNT).from_buffer_copy(b"\x3e" * ACC_BYTES * COUNT)


def check_totals(a):
    check([exported(acc) for acc in a] == totals())


ALLREDUCE = (lib.exblas_mpi_allreduce, lib.exblas_mpi_allreduce_words)
REDUCE = (lib.exblas_mpi_reduce, lib.exblas_mpi_reduce_words)


def accumulators_everywhere():
    for allreduce in ALLREDUCE:
        a, out = prepare()
        check(allreduce(a, out, COUNT, WORLD) == SUCCESS)
        check_totals(out)
        other = accumulators()[0]  # to which many numbers can be added, too
        lib.exblas_acc_merge(other, out[0])
        for _ in range(10000):
            for acc in (out[0], other):
                lib.exblas_acc_add(acc, c_double(sys.float_info.max))
        check(exported(out[0]) == exported(other))
        check(allreduce(IN_PLACE, a, COUNT, WORLD) == SUCCESS)
        check_totals(a)
        check(allreduce(a, out, 0, WORLD) == SUCCESS)


def accumulators_at_a_root():
    for reduce in REDUCE:
        for root in range(0, SIZE, 2):
            a, out = prepare()
            check(reduce(a, out if RANK == root else None, COUNT, root, WORLD) == SUCCESS)
            if RANK == root:
                check_totals(out)
            check(reduce(IN_PLACE if RANK == root else a, a if RANK == root else None, COUNT, root, WORLD) == SUCCESS)
            if RANK == root:
                check_totals(a)


def handles_in_other_calls():
    """On another communicator, several in one message."""
    kind, op, request, size = Handle(), Handle(), Handle(), c_int()
    backwards = answer("Comm_split", WORLD, 0, -RANK, kind=Handle)
    check(lib.exblas_mpi_datatype(byref(kind)) == SUCCESS and lib.exblas_mpi_sum_op(byref(op)) == SUCCESS)
    mpi("Type_size", kind, byref(size))
    check(size.value == ACC_BYTES)
    a, out = prepare()
    check(mpi("Allreduce", a, out, COUNT, kind, op, backwards) == SUCCESS)
    check_totals(out)
    a, out = prepare()
    check(mpi("Iallreduce", a, out, COUNT, kind, op, backwards, byref(request)) == SUCCESS)
    mpi("Wait", byref(request), (c_char * 64)())
    check_totals(out)
    mpi("Comm_free", byref(backwards))


def between_groups():
    """Each group gets the other's sums; then the odd ranks' go to rank 0."""
    if SIZE < 2:
        return
    side = RANK % 2
    group = answer("Comm_split", WORLD, side, 0, kind=Handle)
    both = answer("Intercomm_create", group, 0, WORLD, 1 - side, 5, kind=Handle)
    a, out = prepare()
    wanted = [total(i, range(1 - side, SIZE, 2)) for i in range(3)]
    check(lib.exblas_mpi_allreduce_words(a, out, 3, both) == SUCCESS)
    check([exported(acc) for acc in out[:3]] == wanted)
    ctypes.memset(out, 0, ACC_BYTES * 3)
    root = 0 if side else NO_PROCESS if RANK else ROOT_HERE
    check(lib.exblas_mpi_reduce_words(a, out if RANK == 0 else None, 3, root, both) == SUCCESS)
    check(RANK > 0 or [exported(acc) for acc in out[:3]] == wanted)
    mpi("Comm_free", byref(both))
    mpi("Comm_free", byref(group))


def full(i):
    """All bits of a double: for one i in [0, 53) they fill a word."""
    return c_double(math.ldexp(2.0**53 - 1, i))


def deposits():
    """Some on each process, and 1000 more on the sum of all."""
    for before in (1, DEPOSITS):
        a, out = accumulators(N), accumulators(N)
        for i in range(N * before):
            lib.exblas_acc_add(a[i % N], full(i % N))
        for allreduce in ALLREDUCE:
            check(allreduce(a, out, N, WORLD) == SUCCESS)
            for i in range(N):
                for _ in range(DEPOSITS):
                    lib.exblas_acc_add(out[i], full(i))
                wanted = accumulators()[0]
                lib.exblas_acc_add_product(wanted, c_double(DEPOSITS + before * SIZE), full(i))
                check(exported(out[i]) == exported(wanted))


def flags_of_all():
    """Flags are counted, and no count runs over into its neighbour's."""
    for special in (math.inf, -math.inf, math.nan):
        a, out = accumulators()[0], accumulators()[0]
        lib.exblas_acc_add(a, c_double(special))
        check(lib.exblas_mpi_allreduce_words(a, out, 1, WORLD) == SUCCESS)
        check(exported(a) == exported(out))


if SIZE > 20:
    run(deposits, flags_of_all)
run(accumulators_everywhere, accumulators_at_a_root, handles_in_other_calls, between_groups)
