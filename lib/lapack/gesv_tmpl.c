/* gesv: correctly rounded solutions of general systems.
 * Types: s d. */
#include "lapack/solution_call.h"

#include "core/kernels.h"

static void set_matrix(const exb_t(solution_call) *c, double *rows)
{
    exb_kernels_current()->EXB_TYPE.transpose(c->n, c->a, c->lda, rows);
}

exblas_status exblas_t(gesv_64)(exblas_int64 n, exblas_int64 nrhs, const exb_real *a,
                                exblas_int64 lda, const exb_real *b, exblas_int64 ldb, exb_real *x,
                                exblas_int64 ldx, exblas_solution *info)
{
    exb_t(solution_call) c = {.routine = EXB_STRING(exblas_t(gesv)),
                              .n = n,
                              .nrhs = nrhs,
                              .a = a,
                              .lda = lda,
                              .b = b,
                              .ldb = ldb,
                              .b_rows = n,
                              .x = x,
                              .ldx = ldx,
                              .info = info,
                              .set_matrix = set_matrix};
    return exb_t(solution_run)(&c, true);
}
