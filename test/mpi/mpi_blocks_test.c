/* Matrices in blocks of rows over processes. */
#include "mpi_blocks.h"

#include "mpi_testing.h"

#include <exblas/exblas.h>
#include <exblas/mpi.h>

static double a[16], b[16], c[16], x[4];

static MPI_Comm comm_that_returns(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/* One process says something else: an error on all, nothing written, and the next call works. */
static void illegal_products(void)
{
    bool last = world_rank() == world_size() - 1;
    MPI_Comm comm = comm_that_returns();
    struct {
        int transa, transb, m, n, k, lda, ldb, ldc;
        bool differs; /* from the others, legal for one process */
    } calls[] = {{110, 111, 1, 1, 1, 1, 1, 1, false},  {111, 114, 1, 1, 1, 1, 1, 1, false},
                 {111, 111, -1, 1, 1, 1, 1, 1, false}, {111, 111, 1, -1, 1, 1, 1, 1, false},
                 {111, 111, 1, 1, -1, 1, 1, 1, false}, {111, 111, 2, 1, 1, 1, 1, 2, false},
                 {111, 111, 1, 1, 2, 1, 1, 1, false},  {111, 111, 2, 1, 1, 2, 1, 1, false},
                 {112, 111, 1, 1, 2, 1, 2, 1, false},  {111, 112, 1, 2, 1, 1, 1, 1, false},
                 {112, 111, 1, 1, 1, 1, 1, 1, true},   {111, 113, 1, 1, 1, 1, 1, 1, true}};
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++)
        if (!calls[i].differs || world_size() > 1)
            check(exblas_mpi_dgemm(last ? calls[i].transa : 111, last ? calls[i].transb : 111,
                                   last ? calls[i].m : 1, last ? calls[i].n : 1,
                                   last ? calls[i].k : 1, 1, a, last ? calls[i].lda : 1, b,
                                   last ? calls[i].ldb : 1, 0, c, last ? calls[i].ldc : 1,
                                   comm) == MPI_ERR_ARG);
    check(world_size() == 1 || exblas_mpi_dgemm(111, 111, 1, 1, 1, last ? 0 : 1, a, 1, b, 1, 1, c,
                                                1, comm) == MPI_ERR_ARG);
    for (int i = 0; i < 16; i++)
        check(c[i] == 0);
    a[0] = b[0] = 1;
    check(exblas_mpi_dgemm(111, 111, last, last, last, 1, a, 1, b, 1, 0, c, 1, comm) ==
          MPI_SUCCESS);
    check(c[0] == (last ? 1 : 0));
    MPI_Comm_free(&comm);
}

static void illegal_vector_products(void)
{
    bool last = world_rank() == world_size() - 1;
    MPI_Comm comm = comm_that_returns();
    struct {
        int split, trans, m, n, lda, incx, incy;
    } calls[] = {{3, 111, 2, 2, 2, 1, 1},  {1, 114, 2, 2, 2, 1, 1}, {1, 111, -1, 2, 2, 1, 1},
                 {1, 111, 2, -2, 2, 1, 1}, {1, 111, 4, 2, 3, 1, 1}, {2, 112, 2, 2, 2, 0, 1},
                 {2, 111, 2, 2, 2, 1, 0}};
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++)
        check(exblas_mpi_dgemv(last ? calls[i].split : 1, last ? calls[i].trans : 111,
                               last ? calls[i].m : 2, last ? calls[i].n : 2, 1, a,
                               last ? calls[i].lda : 2, x, last ? calls[i].incx : 1, 1, c,
                               last ? calls[i].incy : 1, comm) == MPI_ERR_ARG);
    if (world_size() > 1) /* blocks of different widths, cut differently, not all transposed */
        for (int i = 0; i < 3; i++)
            check(exblas_mpi_dgemv(last && i == 1 ? 2 : 1, last && i == 2 ? 112 : 111, 2,
                                   last && i == 0 ? 3 : 2, 1, a, 2, x, 1, 1, c, 1,
                                   comm) == MPI_ERR_ARG);
    for (int i = 0; i < 16; i++)
        check(c[i] == 0);
    check(exblas_mpi_dgemv(1, 111, 0, 2, 1, a, 1, x, 1, 1, c, 1, comm) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
}

static void illegal_systems(void)
{
    bool last = world_rank() == world_size() - 1;
    MPI_Comm comm = comm_that_returns();
    struct {
        int uplo, trans, diag, m, n, lda, incx;
        bool differs;
    } calls[] = {{120, 111, 131, 1, 0, 1, 1, false}, {121, 110, 131, 1, 0, 1, 1, false},
                 {121, 111, 133, 1, 0, 1, 1, false}, {121, 111, 131, -1, 0, 1, 1, false},
                 {121, 111, 131, 1, 0, 0, 1, false}, {121, 111, 131, 1, 0, 1, 0, false},
                 {121, 111, 131, 1, 1, 1, 1, false}, {121, 111, 131, 2, 0, 2, 1, false},
                 {122, 111, 131, 1, 0, 1, 1, true},  {121, 112, 131, 1, 0, 1, 1, true},
                 {121, 111, 132, 1, 0, 1, 1, true}};
    a[0] = x[0] = 3;
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++)
        if (!calls[i].differs || world_size() > 1)
            check(exblas_mpi_dtrsv(last ? calls[i].uplo : 121, last ? calls[i].trans : 111,
                                   last ? calls[i].diag : 131, last ? calls[i].m : 1,
                                   world_size() + (last ? calls[i].n : 0), a,
                                   last ? calls[i].lda : 1, x, last ? calls[i].incx : 1,
                                   comm) == MPI_ERR_ARG);
    check(x[0] == 3);
    check(exblas_mpi_dtrsv(121, 111, 131, last, 1, a, 1, x, 1, comm) == MPI_SUCCESS);
    check(x[0] == 1);
    MPI_Comm_free(&comm);
}

MPI_TESTS(s_reductions, d_reductions, c_reductions, z_reductions, s_gemv, d_gemv, c_gemv, z_gemv,
          s_gemm, d_gemm, c_gemm, z_gemm, s_trsv, d_trsv, c_trsv, z_trsv, illegal_vector_products,
          illegal_products, illegal_systems)
