/* Accumulators of more processes than a word has room for beside deposits: words of 2^53 - 1 from
 * each of at least 25 processes, and 1000 deposits before or behind them, pass 2^63. */
#include "mpi_testing.h"

#include <exblas/accumulator.h>
#include <exblas/mpi.h>
#include <math.h>

enum { DEPOSITS = 1000, N = 53 };

/* All bits of a double: for one i in [0, 53) they fill a word. */
static double full(int i)
{
    return ldexp(0x1.fffffffffffffp52, i);
}

static void deposit(exblas_acc *a, int n, double x)
{
    for (int k = 0; k < n; k++)
        exblas_acc_add(a, x);
}

/* `before` deposits on each process, and 1000 more on the sum of all. */
static void deposits(int before)
{
    static int (*const allreduce[])(const exblas_acc *, exblas_acc *, int,
                                    MPI_Comm) = {exblas_mpi_allreduce, exblas_mpi_allreduce_words};
    static exblas_acc in[N], out[N];
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < N; i++) {
            exblas_acc_init(&in[i]);
            deposit(&in[i], before, full(i));
        }
        check(allreduce[way](in, out, N, MPI_COMM_WORLD) == MPI_SUCCESS);
        for (int i = 0; i < N; i++) {
            exblas_acc wanted;
            exblas_acc_init(&wanted);
            deposit(&out[i], DEPOSITS, full(i));
            exblas_acc_add_product(&wanted, DEPOSITS + before * world_size(), full(i));
            check(equal(&out[i], &wanted));
        }
    }
}

static void deposits_afterwards(void)
{
    deposits(1);
}

static void deposits_on_both_sides(void)
{
    deposits(DEPOSITS);
}

/* Flags are counted, and no count runs over into its neighbour's. */
static void flags_of_all(void)
{
    static const double special[] = {HUGE_VAL, -HUGE_VAL, NAN};
    for (int i = 0; i < 3; i++) {
        exblas_acc a, sum;
        exblas_acc_init(&a);
        exblas_acc_add(&a, special[i]);
        check(exblas_mpi_allreduce_words(&a, &sum, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
        check(equal(&a, &sum));
    }
}

MPI_TESTS(deposits_afterwards, deposits_on_both_sides, flags_of_all)
