/* gemv, gbmv: y = RN(alpha op(A) x + beta y) for general and band matrices; symv, sbmv, spmv, hemv,
 * hbmv, hpmv and skewsymv: the same with A symmetric, Hermitian or skew-symmetric.
 * Types: s d c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "level2/drivers.h"
#include "level2/vector_product.h"

/* The scalars are looked at in here, inside the guard: under DAZ already the conversion of a
 * subnormal float to double gives 0. */
static EXB_NOINLINE void compute_product(const exb_t(matrix) *a, exb_scalar alpha,
                                         const exb_real *x, int64_t incx, exb_scalar beta,
                                         exb_real *y, int64_t incy)
{
    exb_t(vector_product)(a, exb_scalar_value(alpha), exb_t(vector_of)(x, a->pattern.n_cols, incx),
                          exb_scalar_value(beta),
                          y + EXB_PARTS * exb_first(a->pattern.n_rows, incy), incy);
}

static void guard_product(const exb_t(matrix) *a, exb_scalar alpha, const exb_real *x, int64_t incx,
                          exb_scalar beta, exb_real *y, int64_t incy)
{
    if (a->pattern.n_rows == 0 || a->pattern.n_cols == 0)
        return;
    EXB_GUARDED(compute_product(a, alpha, x, incx, beta, y, incy));
}

static exb_t(matrix) general_matrix(int trans, exb_view v, int64_t m, int64_t n, int64_t kl,
                                    int64_t ku, const exb_real *a)
{
    bool conjugate = EXB_IS_COMPLEX && trans == EXB_CONJ_TRANS;
    if (trans != EXB_NO_TRANS)
        return (exb_t(matrix)){a,
                               exb_pattern_band(exb_view_transposed(v), n, m, ku, kl, conjugate)};
    return (exb_t(matrix)){a, exb_pattern_band(v, m, n, kl, ku, false)};
}

/* A symmetric matrix in an upper triangle is the one whose lower triangle is the transpose,
 * conjugated or negated if the matrix is Hermitian or skew-symmetric. */
static exb_t(matrix) symmetric_matrix(exb_symmetry kind, exb_storage storage, int layout, int uplo,
                                      int64_t n, int64_t k, const exb_real *a, int64_t lda)
{
    bool is_lower = uplo == EXB_LOWER;
    exb_view v = exb_view_triangle(storage, layout == EXB_ROW_MAJOR, is_lower, n, k, lda);
    v = exb_view_transposed_if(!is_lower, v);
    return (exb_t(matrix)){a, exb_pattern_mirrored(kind, v, n, k, !is_lower)};
}

void exb_entry(gemv)(const exb_site *site, int layout, int trans, int64_t m, int64_t n,
                     exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *x,
                     int64_t incx, exb_scalar beta, exb_real *y, int64_t incy)
{
    if (exb_rejected(site, exb_check_gemv(site, layout, trans, m, n, lda, incx, incy)))
        return;
    exb_view v = exb_view_full(layout == EXB_ROW_MAJOR, lda);
    exb_t(matrix) op = general_matrix(trans, v, m, n, m, n, a);
    guard_product(&op, alpha, x, incx, beta, y, incy);
}

void exb_entry(gbmv)(const exb_site *site, int layout, int trans, int64_t m, int64_t n, int64_t kl,
                     int64_t ku, exb_scalar alpha, const exb_real *a, int64_t lda,
                     const exb_real *x, int64_t incx, exb_scalar beta, exb_real *y, int64_t incy)
{
    if (exb_rejected(site, exb_check_gbmv(site, layout, trans, m, n, kl, ku, lda, incx, incy)))
        return;
    exb_view v = exb_view_band(layout == EXB_ROW_MAJOR, lda, kl, ku);
    exb_t(matrix) op = general_matrix(trans, v, m, n, kl, ku, a);
    guard_product(&op, alpha, x, incx, beta, y, incy);
}

void exb_t(multiply_symmetric)(exb_symmetry kind, exb_storage storage, int layout, int uplo,
                               int64_t n, int64_t k, exb_scalar alpha, const exb_real *a,
                               int64_t lda, const exb_real *x, int64_t incx, exb_scalar beta,
                               exb_real *y, int64_t incy)
{
    exb_t(matrix) op = symmetric_matrix(kind, storage, layout, uplo, n, k, a, lda);
    guard_product(&op, alpha, x, incx, beta, y, incy);
}
