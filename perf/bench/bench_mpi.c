/* A fixed number of doubles added up over MPI processes: the local sums and the reduction apart,
 * plain and exact. `exblas bench mpi` runs it with 1, 2, 4 ... processes; by hand:
 *
 *   mpirun -n 4 build/perf/exblas-bench-mpi [N]
 *   mpirun -n 4 build/perf/exblas-bench-mpi gemm [N]     pdgemm of ScaLAPACK and expdgemm; also
 * syrk, trsm
 *
 * Times are minima over rounds of the slowest process. */
#include "bench_pblas.h"

#include <exblas/exblas.h>
#include <exblas/mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 30 };

typedef struct {
    double local, reduction, sum;
} timing;

static double plain_sum(int n, const double *x)
{
    double lane[8] = {0}, sum = 0;
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++)
            lane[j] += x[i + j];
    for (; i < n; i++)
        sum += x[i];
    for (int j = 0; j < 8; j++)
        sum += lane[j];
    return sum;
}

static timing plain(int n, const double *x)
{
    timing t;
    double start = MPI_Wtime(), local = plain_sum(n, x), middle = MPI_Wtime();
    MPI_Allreduce(&local, &t.sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    t.local = middle - start;
    t.reduction = MPI_Wtime() - middle;
    return t;
}

static timing exact(int n, const double *x)
{
    timing t;
    exblas_acc local, total;
    double start = MPI_Wtime();
    exblas_acc_init(&local);
    exblas_acc_add_vector(&local, n, x, 1);
    double middle = MPI_Wtime();
    exblas_mpi_allreduce(&local, &total, 1, MPI_COMM_WORLD);
    t.sum = exblas_acc_to_double(&total);
    t.local = middle - start;
    t.reduction = MPI_Wtime() - middle;
    return t;
}

/* The best round, of the slowest process in each. */
static timing measure(timing (*run)(int, const double *), int n, const double *x)
{
    timing best = {1e9, 1e9, 0};
    for (int round = 0; round < ROUNDS; round++) {
        double slowest[2];
        MPI_Barrier(MPI_COMM_WORLD);
        timing t = run(n, x);
        double mine[2] = {t.local, t.reduction};
        MPI_Allreduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best.local = slowest[0] < best.local ? slowest[0] : best.local;
        best.reduction = slowest[1] < best.reduction ? slowest[1] : best.reduction;
        best.sum = t.sum;
    }
    return best;
}

static void print_row(const char *name, int n_processes, long n, timing t)
{
    printf("%9d %10ld %-6s %12.3f %14.3f  %.17g\n", n_processes, n, name, 1e6 * t.local,
           1e6 * t.reduction, t.sum);
}

/* PBLAS instead of sums. */
static int compare(int rank, const char *routine, int n)
{
    exblas_set_num_threads(1);
    bool done = n > 0 && bench_pblas(routine, n);
    if (!done && rank == 0)
        fprintf(stderr, "exblas-bench-mpi: no ScaLAPACK for this MPI, no such routine, or N < 1\n");
    MPI_Finalize();
    return done ? 0 : 2;
}

int main(int argc, char **argv)
{
    int rank, n_processes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    if (argc > 1 && (argv[1][0] < '0' || argv[1][0] > '9'))
        return compare(rank, argv[1], argc > 2 ? atoi(argv[2]) : 2048);
    long n = argc > 1 ? atol(argv[1]) : 1L << 22;
    if (n < 1 || n > 1L << 30) {
        if (rank == 0)
            fprintf(stderr, "usage: exblas-bench-mpi [N] | gemm|syrk|trsm [N], 1 <= N <= 2^30\n");
        MPI_Finalize();
        return 2;
    }
    long begin = n * rank / n_processes, end = n * (rank + 1) / n_processes;
    double *x = malloc((size_t)(end - begin + 1) * sizeof *x);
    if (!x)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (long i = begin; i < end; i++) /* the same numbers for any number of processes */
        x[i - begin] = (double)((i * 2654435761u) % 1000003) / 1000003 - 0.5;
    exblas_set_num_threads(1);
    timing a = measure(plain, (int)(end - begin), x), b = measure(exact, (int)(end - begin), x);
    if (rank == 0) {
        printf("processes          n sum    local sum us   reduction us  result\n");
        print_row("plain", n_processes, n, a);
        print_row("exact", n_processes, n, b);
    }
    free(x);
    MPI_Finalize();
    return 0;
}
