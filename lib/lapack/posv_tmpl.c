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

static exblas_status posv(int uplo, int64_t n, int64_t nrhs, const exb_real *a, int64_t lda,
                          const exb_real *b, int64_t ldb, exb_real *x, int64_t ldx,
                          exblas_solution *info)
{
    exb_t(solution_call) c = {.routine = EXB_STRING(exblas_t(posv)),
                              .a_position = 4,
                              .b_position = 6,
                              .n = n,
                              .nrhs = nrhs,
                              .n_system = n,
                              .a = a,
                              .b = b,
                              .lda = lda,
                              .ldb = ldb,
                              .b_rows = n,
                              .x = x,
                              .ldx = ldx,
                              .info = info,
                              .option = uplo,
                              .set_matrix = set_matrix,
                              .check = exb_check_definite};
    int64_t least = exb_at_least_one(n);
    int position = !exb_is_uplo(uplo) ? 1
                   : n < 0            ? 2
                   : nrhs < 0         ? 3
                   : lda < least      ? 5
                   : ldb < least      ? 7
                   : ldx < least      ? 9
                                      : 0;
    return exb_t(solution_run)(&c, position);
}

exblas_status exblas_t(posv)(int uplo, exblas_int n, exblas_int nrhs, const exb_real *a,
                             exblas_int lda, const exb_real *b, exblas_int ldb, exb_real *x,
                             exblas_int ldx, exblas_solution *info)
{
    return posv(uplo, n, nrhs, a, lda, b, ldb, x, ldx, info);
}

exblas_status exblas_t(posv_64)(int uplo, exblas_int64 n, exblas_int64 nrhs, const exb_real *a,
                                exblas_int64 lda, const exb_real *b, exblas_int64 ldb, exb_real *x,
                                exblas_int64 ldx, exblas_solution *info)
{
    return posv(uplo, n, nrhs, a, lda, b, ldb, x, ldx, info);
}
