/* gemv, gbmv: y = RN(alpha op(A) x + beta y) for general and band matrices.
 * Types: s d c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "level2/vector_product.h"

/* The scalars are looked at in here, inside the guard: under DAZ already the conversion of a
 * subnormal float to double gives 0. */
static EXB_NOINLINE void compute_product(const exb_t(matrix) *a, exb_scalar alpha,
                                         const exb_real *x, int64_t incx, exb_scalar beta,
                                         exb_real *y, int64_t incy)
{
    exb_t(vector_product)(a, exb_scalar_value(alpha), exb_t(vector_of)(x, a->pattern.n_cols, incx),
                          exb_scalar_value(beta), y + exb_t(first_offset)(a->pattern.n_rows, incy),
                          incy);
}

static void guard_product(const exb_t(matrix) *a, exb_scalar alpha, const exb_real *x, int64_t incx,
                          exb_scalar beta, exb_real *y, int64_t incy)
{
    EXB_GUARDED(compute_product(a, alpha, x, incx, beta, y, incy));
}

static exb_t(matrix) matrix_of(int trans, exb_view v, int64_t m, int64_t n, int64_t kl, int64_t ku,
                               const exb_real *a)
{
    bool conjugate = EXB_IS_COMPLEX && trans == EXB_CONJ_TRANS;
    if (trans != EXB_NO_TRANS)
        return (exb_t(matrix)){a,
                               exb_pattern_band(exb_view_transposed(v), n, m, ku, kl, conjugate)};
    return (exb_t(matrix)){a, exb_pattern_band(v, m, n, kl, ku, false)};
}

void exb_entry(gemv)(const exb_site *site, int layout, int trans, int64_t m, int64_t n,
                     exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *x,
                     int64_t incx, exb_scalar beta, exb_real *y, int64_t incy)
{
    if (exb_rejected(site, exb_check_gemv(site, layout, trans, m, n, lda, incx, incy)))
        return;
    if (m == 0 || n == 0)
        return;
    exb_view v = exb_view_full(layout == EXB_ROW_MAJOR, lda);
    exb_t(matrix) op = matrix_of(trans, v, m, n, m, n, a);
    guard_product(&op, alpha, x, incx, beta, y, incy);
}

void exb_entry(gbmv)(const exb_site *site, int layout, int trans, int64_t m, int64_t n, int64_t kl,
                     int64_t ku, exb_scalar alpha, const exb_real *a, int64_t lda,
                     const exb_real *x, int64_t incx, exb_scalar beta, exb_real *y, int64_t incy)
{
    if (exb_rejected(site, exb_check_gbmv(site, layout, trans, m, n, kl, ku, lda, incx, incy)))
        return;
    if (m == 0 || n == 0)
        return;
    exb_view v = exb_view_band(layout == EXB_ROW_MAJOR, lda, kl, ku);
    exb_t(matrix) op = matrix_of(trans, v, m, n, kl, ku, a);
    guard_product(&op, alpha, x, incx, beta, y, incy);
}
