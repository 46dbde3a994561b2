/* posv: correctly rounded solutions of symmetric positive definite systems.
 * Types: s d. */
#include "lapack/definite.h"
#include "lapack/solution_call.h"

static void set_matrix(const exb_t(solution_call) *c, double *rows)
{
    bool upper = c->option == EXB_UPPER;
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t i = j; i < c->n; i++) {
            double x = upper ? c->a[j + i * c->lda] : c->a[i + j * c->lda];
            rows[i * c->n + j] = rows[j * c->n + i] = x;
        }
}

exblas_status exblas_t(posv_64)(int uplo, exblas_int64 n, exblas_int64 nrhs, const exb_real *a,
                                exblas_int64 lda, const exb_real *b, exblas_int64 ldb, exb_real *x,
                                exblas_int64 ldx, exblas_solution *info)
{
    exb_t(solution_call) c = {.routine = EXB_STRING(exblas_t(posv)),
                              .n_before = 1,
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
                              .option = uplo,
                              .set_matrix = set_matrix,
                              .check = exb_check_definite};
    return exb_t(solution_run)(&c, exb_is_uplo(uplo));
}
