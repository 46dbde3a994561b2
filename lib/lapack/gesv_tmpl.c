/* gesv: correctly rounded solutions of general systems.
 * Types: s d. */
#include "lapack/solution_call.h"

#include "core/kernels.h"

static void set_matrix(const exb_t(solution_call) *c, double *rows)
{
    exb_kernels_current()->EXB_TYPE.transpose(c->n, c->a, c->lda, rows);
}

static exblas_status gesv(int64_t n, int64_t nrhs, const exb_real *a, int64_t lda,
                          const exb_real *b, int64_t ldb, exb_real *x, int64_t ldx,
                          exblas_solution *info)
{
    exb_t(solution_call) c = {.routine = EXB_STRING(exblas_t(gesv)),
                              .a_position = 3,
                              .b_position = 5,
                              .n = n,
                              .nrhs = nrhs,
                              .n_system = n,
                              .a = a,
                              .lda = lda,
                              .b = b,
                              .ldb = ldb,
                              .b_rows = n,
                              .x = x,
                              .ldx = ldx,
                              .info = info,
                              .set_matrix = set_matrix};
    int position = n < 0                       ? 1
                   : nrhs < 0                  ? 2
                   : lda < exb_at_least_one(n) ? 4
                   : ldb < exb_at_least_one(n) ? 6
                   : ldx < exb_at_least_one(n) ? 8
                                               : 0;
    return exb_t(solution_run)(&c, position);
}

exblas_status exblas_t(gesv)(exblas_int n, exblas_int nrhs, const exb_real *a, exblas_int lda,
                             const exb_real *b, exblas_int ldb, exb_real *x, exblas_int ldx,
                             exblas_solution *info)
{
    return gesv(n, nrhs, a, lda, b, ldb, x, ldx, info);
}

exblas_status exblas_t(gesv_64)(exblas_int64 n, exblas_int64 nrhs, const exb_real *a,
                                exblas_int64 lda, const exb_real *b, exblas_int64 ldb, exb_real *x,
                                exblas_int64 ldx, exblas_solution *info)
{
    return gesv(n, nrhs, a, lda, b, ldb, x, ldx, info);
}
