/* ger, and geru and gerc of the complex types: A = RN(A + alpha x y^T), gerc with y^H.
 * Types: s d c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "level2/update_routines.h"

/* alpha is looked at in here, inside the guard: under DAZ already the conversion of a
 * subnormal float to double gives 0. */
static EXB_NOINLINE void apply_rank1(int layout, bool conjugate, int64_t m, int64_t n,
                                     exb_scalar alpha, const exb_real *x, int64_t incx,
                                     const exb_real *y, int64_t incy, exb_real *a, int64_t lda)
{
    bool by_rows = layout == EXB_ROW_MAJOR;
    exb_t(rank_update) p = {.m = m, .n = n, .a = {a, exb_view_full(by_rows, lda), EXB_REGION_ALL}};
    p.n_terms = 1;
    p.term[0] = (exb_t(rank1)){.alpha = exb_scalar_value(alpha),
                               .u = exb_t(vector_of)(x, m, incx),
                               .w = exb_t(vector_of)(y, n, incy),
                               .conjugate_w = conjugate};
    exb_t(run_update)(&p, by_rows);
}

static void guard_rank1(int layout, bool conjugate, int64_t m, int64_t n, exb_scalar alpha,
                        const exb_real *x, int64_t incx, const exb_real *y, int64_t incy,
                        exb_real *a, int64_t lda)
{
    if (m == 0 || n == 0)
        return;
    EXB_GUARDED(apply_rank1(layout, conjugate, m, n, alpha, x, incx, y, incy, a, lda));
}

static bool accept_arguments(const exb_site *site, int layout, int64_t m, int64_t n, int64_t incx,
                             int64_t incy, int64_t lda)
{
    return !exb_rejected(site, exb_check_ger(site, layout, m, n, incx, incy, lda));
}

#if EXB_IS_COMPLEX
void exb_entry(geru)(const exb_site *site, int layout, int64_t m, int64_t n, exb_scalar alpha,
                     const exb_real *x, int64_t incx, const exb_real *y, int64_t incy, exb_real *a,
                     int64_t lda)
{
    if (accept_arguments(site, layout, m, n, incx, incy, lda))
        guard_rank1(layout, false, m, n, alpha, x, incx, y, incy, a, lda);
}

void exb_entry(gerc)(const exb_site *site, int layout, int64_t m, int64_t n, exb_scalar alpha,
                     const exb_real *x, int64_t incx, const exb_real *y, int64_t incy, exb_real *a,
                     int64_t lda)
{
    if (accept_arguments(site, layout, m, n, incx, incy, lda))
        guard_rank1(layout, true, m, n, alpha, x, incx, y, incy, a, lda);
}
#else
void exb_entry(ger)(const exb_site *site, int layout, int64_t m, int64_t n, exb_scalar alpha,
                    const exb_real *x, int64_t incx, const exb_real *y, int64_t incy, exb_real *a,
                    int64_t lda)
{
    if (accept_arguments(site, layout, m, n, incx, incy, lda))
        guard_rank1(layout, false, m, n, alpha, x, incx, y, incy, a, lda);
}
#endif
