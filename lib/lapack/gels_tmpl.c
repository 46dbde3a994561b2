/* gels: correctly rounded least squares and least norm solutions.
 * Types: s d. */
#include "lapack/solution_call.h"

static void set_matrix(const exb_t(solution_call) *c, double *rows)
{
    int64_t m = c->b_rows, row_step = m > c->n ? 1 : c->n, column_step = m > c->n ? m : 1;
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t i = 0; i < m; i++)
            rows[i * row_step + j * column_step] = c->a[i + j * c->lda];
}

exblas_status exblas_t(gels_64)(exblas_int64 m, exblas_int64 n, exblas_int64 nrhs,
                                const exb_real *a, exblas_int64 lda, const exb_real *b,
                                exblas_int64 ldb, exb_real *x, exblas_int64 ldx,
                                exblas_solution *info)
{
    exb_t(solution_call) c = {.routine = EXB_STRING(exblas_t(gels)),
                              .n_before = 1,
                              .n = n,
                              .nrhs = nrhs,
                              .a = a,
                              .lda = lda,
                              .b = b,
                              .ldb = ldb,
                              .b_rows = m,
                              .x = x,
                              .ldx = ldx,
                              .info = info,
                              .set_matrix = set_matrix};
    return exb_t(solution_run)(&c, m >= 0);
}
