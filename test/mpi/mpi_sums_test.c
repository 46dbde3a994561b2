/* Accumulators over processes: the serial bits on every rank. */
#include "mpi_testing.h"

#include <exblas/accumulator.h>
#include <exblas/mpi.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Accumulators with a bit of everything; number i of rank r. */
static exblas_acc part(int i, int rank)
{
    exblas_acc a;
    exblas_acc_init(&a);
    test_random r = test_random_start((uint64_t)(1000 * i + rank), "part");
    for (int k = 0; k < 5; k++)
        exblas_acc_add_product(&a,
                               random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023)),
                               random_number(&r, FORMAT_D, (int)random_between(&r, -1074, 1023)));
    if (i % 50 == 7 && rank == 0)
        exblas_acc_add(&a, HUGE_VAL);
    if (i % 100 == 7 && rank == world_size() - 1)
        exblas_acc_add(&a, -HUGE_VAL);
    if (i % 50 == 9 && rank == world_size() / 2)
        exblas_acc_add(&a, NAN);
    return a;
}

static bool is_total(const exblas_acc *a, int i)
{
    exblas_acc total;
    exblas_acc_init(&total);
    for (int rank = world_size() - 1; rank >= 0; rank--) {
        exblas_acc p = part(i, rank);
        exblas_acc_merge(&total, &p);
    }
    return equal(a, &total);
}

enum { COUNT = 150 };
static exblas_acc in[COUNT], out[COUNT];

static void prepare(void)
{
    for (int i = 0; i < COUNT; i++)
        in[i] = part(i, world_rank());
    memset(out, 0x3e, sizeof out);
}

static void check_totals(const exblas_acc *a)
{
    for (int i = 0; i < COUNT; i++)
        check(is_total(&a[i], i));
}

static void accumulators_everywhere(void)
{
    static int (*const allreduce[])(const exblas_acc *, exblas_acc *, int,
                                    MPI_Comm) = {exblas_mpi_allreduce, exblas_mpi_allreduce_words};
    for (int way = 0; way < 2; way++) {
        prepare();
        check(allreduce[way](in, out, COUNT, MPI_COMM_WORLD) == MPI_SUCCESS);
        check_totals(out);
        exblas_acc other; /* to which many numbers can be added, too */
        exblas_acc_init(&other);
        exblas_acc_merge(&other, &out[0]);
        for (int k = 0; k < 10000; k++) {
            exblas_acc_add(&out[0], DBL_MAX);
            exblas_acc_add(&other, DBL_MAX);
        }
        check(equal(&out[0], &other));
        check(allreduce[way](MPI_IN_PLACE, in, COUNT, MPI_COMM_WORLD) == MPI_SUCCESS);
        check_totals(in);
        check(allreduce[way](in, out, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
    }
}

static void accumulators_at_a_root(void)
{
    static int (*const reduce[])(const exblas_acc *, exblas_acc *, int, int,
                                 MPI_Comm) = {exblas_mpi_reduce, exblas_mpi_reduce_words};
    for (int way = 0; way < 2; way++)
        for (int root = 0; root < world_size(); root += 2) {
            bool is_root = world_rank() == root;
            prepare();
            check(reduce[way](in, is_root ? out : NULL, COUNT, root, MPI_COMM_WORLD) ==
                  MPI_SUCCESS);
            if (is_root)
                check_totals(out);
            check(reduce[way](is_root ? MPI_IN_PLACE : in, is_root ? in : NULL, COUNT, root,
                              MPI_COMM_WORLD) == MPI_SUCCESS);
            if (is_root)
                check_totals(in);
        }
}

/* The handles in MPI's own calls, on another communicator, several in one message. */
static void handles_in_other_calls(void)
{
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &reversed);
    check(exblas_mpi_datatype(&type) == MPI_SUCCESS);
    check(exblas_mpi_sum_op(&op) == MPI_SUCCESS);
    int size;
    MPI_Type_size(type, &size);
    check(size == (int)sizeof(exblas_acc));
    prepare();
    check(MPI_Allreduce(in, out, COUNT, type, op, reversed) == MPI_SUCCESS);
    check_totals(out);
    MPI_Request request;
    prepare();
    check(MPI_Iallreduce(in, out, COUNT, type, op, reversed, &request) == MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_totals(out);
    MPI_Comm_free(&reversed);
}

static int n_asked; /* for the size of a remote group: without it two groups may go two ways */

int MPI_Comm_remote_size(MPI_Comm comm, int *n)
{
    n_asked++;
    return PMPI_Comm_remote_size(comm, n);
}

/* The last group of a split world against the first over an intercommunicator. */
static void between_groups(void)
{
    if (world_size() < 2)
        return;
    MPI_Comm group, both;
    int side = world_rank() % 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - side, 5, &both);
    prepare();
    n_asked = 0;
    check(exblas_mpi_allreduce_words(in, out, 3, both) == MPI_SUCCESS && n_asked > 0);
    for (int i = 0; i < 3; i++) {
        exblas_acc total;
        exblas_acc_init(&total);
        for (int rank = 1 - side; rank < world_size(); rank += 2) {
            exblas_acc p = part(i, rank);
            exblas_acc_merge(&total, &p);
        }
        check(equal(&out[i], &total));
    }
    memset(out, 0, sizeof out);
    int root = side == 1 ? 0 : world_rank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
    check(exblas_mpi_reduce_words(in, world_rank() == 0 ? out : NULL, 3, root, both) ==
          MPI_SUCCESS);
    exblas_acc wanted = in[0];
    if (side == 1)
        exblas_mpi_reduce(in, &wanted, 1, 0, group);
    if (world_rank() == 1)
        MPI_Send(&wanted, sizeof wanted, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    if (world_rank() == 0) {
        MPI_Recv(&wanted, sizeof wanted, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(equal(&wanted, &out[0]));
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&group);
}

MPI_TESTS(accumulators_everywhere, accumulators_at_a_root, handles_in_other_calls, between_groups)
