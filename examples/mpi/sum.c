/* A sum over processes: the same bits for any number of them.
 *
 *   mpicc sum.c $(pkg-config --cflags --libs exblas-mpi) -o sum && mpirun -n 4 ./sum
 */
#include <exblas/exblas.h>
#include <exblas/mpi.h>
#include <stdio.h>

enum { N = 100000 };

static double term(int i)
{
    return (i % 2 ? -1.0 : 1.0) * 1e15 / (i + 1);
}

int main(int argc, char **argv)
{
    static double x[N];
    int rank, size, n = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = rank; i < N; i += size) /* this process's share, dealt out like cards */
        x[n++] = term(i);
    double sum = exblas_mpi_dsum(n, x, 1, MPI_COMM_WORLD);
    double norm = exblas_mpi_dnrm2(n, x, 1, MPI_COMM_WORLD);

    /* The same with an accumulator of one's own, in MPI's own call. */
    exblas_acc mine, all;
    MPI_Datatype type;
    MPI_Op add;
    exblas_mpi_datatype(&type);
    exblas_mpi_sum_op(&add);
    exblas_acc_init(&mine);
    exblas_acc_add_vector(&mine, n, x, 1);
    MPI_Allreduce(&mine, &all, 1, type, add, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%a %a %a\n", sum, norm, exblas_acc_to_double(&all));
    MPI_Finalize();
    return 0;
}
