/* syr, spr, syr2, spr2 and her, hpr, her2, hpr2: the named triangle of
 * A = RN(A + alpha x x^T) and RN(A + alpha x y^T + alpha y x^T), in the complex types of
 * RN(A + alpha x x^H), alpha real, and RN(A + alpha x y^H + conj(alpha) y x^H).
 * Types: s d c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "level2/update_routines.h"

static exb_t(rank_update) update_of(exb_storage storage, int layout, int uplo, int64_t n,
                                    exb_real *a, int64_t lda)
{
    bool is_lower = uplo == EXB_LOWER;
    exb_t(rank_update) p = {.m = n, .n = n, .is_hermitian = EXB_IS_COMPLEX};
    p.a.p = a;
    p.a.view = exb_view_triangle(storage, layout == EXB_ROW_MAJOR, is_lower, n, 0, lda);
    p.a.region = is_lower ? EXB_REGION_LOWER : EXB_REGION_UPPER;
    return p;
}

static void add_term(exb_t(rank_update) *p, exb_complex alpha, bool alpha_is_real, exb_t(vector) x,
                     exb_t(vector) y)
{
    p->term[p->n_terms++] =
        (exb_t(rank1)){alpha, alpha_is_real, x, y, .conjugate_w = EXB_IS_COMPLEX};
}

/* alpha is looked at in these two, inside the guard: under DAZ already the conversion of a
 * subnormal float to double gives 0. */
static EXB_NOINLINE void apply_rank1(exb_t(rank_update) *p, int layout, exb_real alpha,
                                     const exb_real *x, int64_t incx)
{
    exb_t(vector) v = exb_t(vector_of)(x, p->n, incx);
    add_term(p, (exb_complex){alpha, 0}, true, v, v);
    exb_t(run_update)(p, layout == EXB_ROW_MAJOR);
}

static EXB_NOINLINE void apply_rank2(exb_t(rank_update) *p, int layout, exb_scalar alpha,
                                     const exb_real *x, int64_t incx, const exb_real *y,
                                     int64_t incy)
{
    exb_t(vector) u = exb_t(vector_of)(x, p->n, incx), w = exb_t(vector_of)(y, p->n, incy);
    exb_complex a = exb_scalar_value(alpha), conjugate = {a.re, -a.im};
    add_term(p, a, false, u, w);
    add_term(p, EXB_IS_COMPLEX ? conjugate : a, false, w, u);
    exb_t(run_update)(p, layout == EXB_ROW_MAJOR);
}

static void guard_rank1(exb_t(rank_update) p, int layout, exb_real alpha, const exb_real *x,
                        int64_t incx)
{
    if (p.n == 0)
        return;
    EXB_GUARDED(apply_rank1(&p, layout, alpha, x, incx));
}

static void guard_rank2(exb_t(rank_update) p, int layout, exb_scalar alpha, const exb_real *x,
                        int64_t incx, const exb_real *y, int64_t incy)
{
    if (p.n == 0)
        return;
    EXB_GUARDED(apply_rank2(&p, layout, alpha, x, incx, y, incy));
}

void exb_entry_sy(r)(const exb_site *site, int layout, int uplo, int64_t n, exb_real alpha,
                     const exb_real *x, int64_t incx, exb_real *a, int64_t lda)
{
    if (!exb_rejected(site,
                      exb_check_syr(site, EXB_FULL, false, false, layout, uplo, n, incx, 1, lda)))
        guard_rank1(update_of(EXB_FULL, layout, uplo, n, a, lda), layout, alpha, x, incx);
}

void exb_entry_sp(r)(const exb_site *site, int layout, int uplo, int64_t n, exb_real alpha,
                     const exb_real *x, int64_t incx, exb_real *ap)
{
    if (!exb_rejected(site,
                      exb_check_syr(site, EXB_PACKED, false, false, layout, uplo, n, incx, 1, 0)))
        guard_rank1(update_of(EXB_PACKED, layout, uplo, n, ap, 0), layout, alpha, x, incx);
}

void exb_entry_sy(r2)(const exb_site *site, int layout, int uplo, int64_t n, exb_scalar alpha,
                      const exb_real *x, int64_t incx, const exb_real *y, int64_t incy, exb_real *a,
                      int64_t lda)
{
    if (!exb_rejected(site, exb_check_syr(site, EXB_FULL, true, EXB_IS_COMPLEX, layout, uplo, n,
                                          incx, incy, lda)))
        guard_rank2(update_of(EXB_FULL, layout, uplo, n, a, lda), layout, alpha, x, incx, y, incy);
}

void exb_entry_sp(r2)(const exb_site *site, int layout, int uplo, int64_t n, exb_scalar alpha,
                      const exb_real *x, int64_t incx, const exb_real *y, int64_t incy,
                      exb_real *ap)
{
    if (!exb_rejected(site, exb_check_syr(site, EXB_PACKED, true, EXB_IS_COMPLEX, layout, uplo, n,
                                          incx, incy, 0)))
        guard_rank2(update_of(EXB_PACKED, layout, uplo, n, ap, 0), layout, alpha, x, incx, y, incy);
}
