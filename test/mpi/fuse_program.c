/* A program that knows nothing of ExBLAS: each process has a share of two vectors, and adds up dot
 * products, sums of magnitudes and squares of norms, as solvers do. Prints the bits of the sums. */
#include <mpi.h>
#include <stdio.h>

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
double cblas_dasum(int n, const double *x, int incx);
double cblas_dnrm2(int n, const double *x, int incx);
float cblas_sdot(int n, const float *x, int incx, const float *y, int incy);
void cblas_zdotu_sub(int n, const void *x, int incx, const void *y, int incy, void *dot);

enum { N = 1000 };

static double x[N], y[N];
static float fx[N], fy[N];

/* Elements i = rank, rank + size, ... of vectors whose products cancel. */
static int fill(int rank, int size)
{
    int n = 0;
    for (int i = rank; i < N; i += size, n++) {
        x[n] = (i % 2 ? -1.0 : 1.0) / (i / 2 + 3);
        y[n] = 1e7 / (i / 2 + 1) + (i % 2 ? 1e-6 / (i + 1) : 0);
        fx[n] = (float)x[n];
        fy[n] = (float)y[n];
    }
    return n;
}

static void add_up(int n)
{
    double sums[3], all[3], last, unused[2];
    float narrow = cblas_sdot(n, fx, 1, fy, 1);
    MPI_Request request;
    sums[0] = cblas_ddot(n, x, 1, y, 1);
    sums[1] = cblas_dasum(n, x, 1);
    sums[2] = cblas_dnrm2(n, y, 1);
    sums[2] *= sums[2];
    for (int k = 0; k < 20; k++) /* the dot products that it calls itself are nobody's shares */
        cblas_zdotu_sub(4, x + k, 1, y, 1, unused);
    MPI_Allreduce(sums, all, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(MPI_IN_PLACE, &narrow, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    last = cblas_ddot(n, y, 1, y, 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Reduce(&last, &sums[0], 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    last = cblas_dasum(n, x, 0);
    MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (last != 0)
        printf("sums of nothing: %a\n", last);
    printf("%a %a %a %a %a\n", all[0], all[1], all[2], (double)narrow, sums[0]);
}

/* Process 0 gets a sum of the others, where its own buffer means nothing. */
static void add_up_between(int rank, int size)
{
    MPI_Comm own, between;
    MPI_Request request;
    double one = 1, sums[] = {0, 0};
    int root = rank == 0 ? MPI_ROOT : 0;
    const void *given = rank == 0 ? (const void *)16 : &one;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank == 0, 7, &between);
    MPI_Reduce(given, &sums[0], 1, MPI_DOUBLE, MPI_SUM, root, between);
    MPI_Ireduce(given, &sums[1], 1, MPI_DOUBLE, MPI_SUM, root, between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0 && (sums[0] != size - 1 || sums[1] != size - 1))
        printf("between: %a %a\n", sums[0], sums[1]);
    MPI_Comm_free(&between);
    MPI_Comm_free(&own);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    add_up(fill(rank, size));
    if (size > 1)
        add_up_between(rank, size);
    MPI_Finalize();
    return 0;
}
