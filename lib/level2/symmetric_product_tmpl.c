/* symv, sbmv, spmv and hemv, hbmv, hpmv: y = RN(alpha A x + beta y), A symmetric or, in the
 * complex types, Hermitian.
 * Types: s d c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "level2/vector_product.h"

/* A symmetric matrix in an upper triangle is the one whose lower triangle is the transpose,
 * conjugated if it is Hermitian. */
static exb_t(matrix) matrix_of(exb_storage storage, int layout, int uplo, int64_t n, int64_t k,
                               const exb_real *a, int64_t lda)
{
    bool is_lower = uplo == EXB_LOWER;
    exb_view v = exb_view_triangle(storage, layout == EXB_ROW_MAJOR, is_lower, n, k, lda);
    v = exb_view_transposed_if(!is_lower, v);
    return (exb_t(matrix)){a, EXB_IS_COMPLEX ? exb_pattern_hermitian(v, n, k, !is_lower)
                                             : exb_pattern_symmetric(v, n, k)};
}

/* The scalars are looked at in here, inside the guard: under DAZ already the conversion of a
 * subnormal float to double gives 0. */
static EXB_NOINLINE void compute_product(const exb_t(matrix) *a, exb_scalar alpha,
                                         const exb_real *x, int64_t incx, exb_scalar beta,
                                         exb_real *y, int64_t incy)
{
    int64_t n = a->pattern.n_rows;
    exb_t(vector_product)(a, exb_scalar_value(alpha), exb_t(vector_of)(x, n, incx),
                          exb_scalar_value(beta), y + exb_t(first_offset)(n, incy), incy);
}

static void guard_product(const exb_t(matrix) *a, exb_scalar alpha, const exb_real *x, int64_t incx,
                          exb_scalar beta, exb_real *y, int64_t incy)
{
    if (a->pattern.n_rows == 0)
        return;
    EXB_GUARDED(compute_product(a, alpha, x, incx, beta, y, incy));
}

void exb_entry_sy(mv)(const exb_site *site, int layout, int uplo, int64_t n, exb_scalar alpha,
                      const exb_real *a, int64_t lda, const exb_real *x, int64_t incx,
                      exb_scalar beta, exb_real *y, int64_t incy)
{
    if (exb_rejected(site, exb_check_symv(site, EXB_FULL, layout, uplo, n, 0, lda, incx, incy)))
        return;
    exb_t(matrix) op = matrix_of(EXB_FULL, layout, uplo, n, n, a, lda);
    guard_product(&op, alpha, x, incx, beta, y, incy);
}

void exb_entry_sb(mv)(const exb_site *site, int layout, int uplo, int64_t n, int64_t k,
                      exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *x,
                      int64_t incx, exb_scalar beta, exb_real *y, int64_t incy)
{
    if (exb_rejected(site, exb_check_symv(site, EXB_BAND, layout, uplo, n, k, lda, incx, incy)))
        return;
    exb_t(matrix) op = matrix_of(EXB_BAND, layout, uplo, n, k, a, lda);
    guard_product(&op, alpha, x, incx, beta, y, incy);
}

void exb_entry_sp(mv)(const exb_site *site, int layout, int uplo, int64_t n, exb_scalar alpha,
                      const exb_real *ap, const exb_real *x, int64_t incx, exb_scalar beta,
                      exb_real *y, int64_t incy)
{
    if (exb_rejected(site, exb_check_symv(site, EXB_PACKED, layout, uplo, n, 0, 0, incx, incy)))
        return;
    exb_t(matrix) op = matrix_of(EXB_PACKED, layout, uplo, n, n, ap, 0);
    guard_product(&op, alpha, x, incx, beta, y, incy);
}
