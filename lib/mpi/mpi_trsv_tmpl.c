/* trsv of a triangle in blocks of rows, by the driver of the PBLAS. Types: s d c z. */
#include "mpi/blocks.h"
#include "mpi/mpi_dot.h"
#include "pblas_drivers.h"

static int solve_triangle(int uplo, int trans, int diag, int64_t m, int64_t n, const void *a,
                          int64_t lda, exb_real *x, int64_t incx, MPI_Comm comm)
{
    exb_blocks blocks;
    int wrong = exb_blocks_open(&blocks, "exblas_mpi_trsv", comm, 1, &m);
    exb_axis rows = blocks.axis[0];
    if (!wrong)
        wrong = exb_mpi_compare(comm, rows.n == n, 0, NULL);
    if (!wrong) {
        exb_pblas_call *q = &blocks.call;
        exb_operand *v = &q->operand[EXB_X];
        q->solves = true;
        q->uplo = uplo == EXBLAS_LOWER ? 'L' : 'U';
        q->trans = exb_mpi_letter(trans);
        q->diag = diag == EXBLAS_UNIT ? 'U' : 'N';
        exb_blocks_set(&blocks, EXB_A, a, rows, n, lda);
        exb_blocks_set(&blocks, EXB_X, exb_mpi_element(x, n, incx, 0), exb_axis_whole(1), n, incx);
        v->n_rows = v->inc = 1; /* a row of a matrix of one row, whose columns are incx apart */
        exb_pblas_run(q, EXB_PASTE3(exb_pblas_, EXB_TYPE, triangle));
    }
    return exb_blocks_close(&blocks, wrong);
}

int mpi_name(trsv_64)(int uplo, int trans, int diag, exblas_int64 m, exblas_int64 n, exb_values a,
                      exblas_int64 lda, exb_results x, exblas_int64 incx, MPI_Comm comm)
{
    bool is_legal = exb_is_uplo(uplo) && exb_is_trans(trans) && exb_is_diag(diag) && m >= 0 &&
                    n >= 0 && lda >= exb_most(m, 1) && incx != 0;
    const int64_t same[] = {uplo, trans, diag, n};
    EXB_TRY(exb_mpi_compare(comm, is_legal, 4, same));
    return solve_triangle(uplo, trans, diag, m, n, a, lda, x, incx, comm);
}
