/* ger, and geru and gerc of the complex types: A = RN(A + alpha x y^T), gerc with y^H; syr, spr,
 * syr2, spr2 and her, hpr, her2, hpr2: the named triangle of A = RN(A + alpha x x^T) and RN(A +
 * alpha x y^T + alpha y x^T), in the complex types of RN(A + alpha x x^H), alpha real, and RN(A +
 * alpha x y^H + conj(alpha) y x^H).
 * Types: s d c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "level2/update.h"

/* Row-major: the transpose is updated, with the vectors exchanged. */
static void transpose_term(exb_t(rank1) *t)
{
    exb_t(rank1) s = *t;
    t->u = s.w;
    t->w = s.u;
    t->conjugate_u = s.conjugate_w;
    t->conjugate_w = s.conjugate_u;
}

/* p describes the update as written. */
static void run_update(exb_t(rank_update) *p, int layout)
{
    if (layout == EXB_ROW_MAJOR) {
        int64_t m = p->m;
        p->m = p->n;
        p->n = m;
        p->a = exb_t(target_transposed)(&p->a);
        for (int t = 0; t < p->n_terms; t++)
            transpose_term(&p->term[t]);
    }
    exb_t(apply_update)(p);
}

static void add_term(exb_t(rank_update) *p, exb_complex alpha, bool alpha_is_real, exb_t(vector) x,
                     exb_t(vector) y, bool conjugate)
{
    p->term[p->n_terms++] = (exb_t(rank1)){alpha, alpha_is_real, x, y, .conjugate_w = conjugate};
}

/* alpha is looked at in these three, inside the guard: under DAZ already the conversion of a
 * subnormal float to double gives 0. */
static EXB_NOINLINE void apply_general(exb_t(rank_update) *p, int layout, bool conjugate,
                                       exb_scalar alpha, const exb_real *x, int64_t incx,
                                       const exb_real *y, int64_t incy)
{
    add_term(p, exb_scalar_value(alpha), false, exb_t(vector_of)(x, p->m, incx),
             exb_t(vector_of)(y, p->n, incy), conjugate);
    run_update(p, layout);
}

static EXB_NOINLINE void apply_rank1(exb_t(rank_update) *p, int layout, exb_real alpha,
                                     const exb_real *x, int64_t incx)
{
    exb_t(vector) v = exb_t(vector_of)(x, p->n, incx);
    add_term(p, (exb_complex){alpha, 0}, true, v, v, EXB_IS_COMPLEX);
    run_update(p, layout);
}

static EXB_NOINLINE void apply_rank2(exb_t(rank_update) *p, int layout, exb_scalar alpha,
                                     const exb_real *x, int64_t incx, const exb_real *y,
                                     int64_t incy)
{
    exb_t(vector) u = exb_t(vector_of)(x, p->n, incx), w = exb_t(vector_of)(y, p->n, incy);
    exb_complex a = exb_scalar_value(alpha), conjugate = {a.re, -a.im};
    add_term(p, a, false, u, w, EXB_IS_COMPLEX);
    add_term(p, EXB_IS_COMPLEX ? conjugate : a, false, w, u, EXB_IS_COMPLEX);
    run_update(p, layout);
}

static void update_general(const exb_site *site, int layout, bool conjugate, int64_t m, int64_t n,
                           exb_scalar alpha, const exb_real *x, int64_t incx, const exb_real *y,
                           int64_t incy, exb_real *a, int64_t lda)
{
    if (exb_rejected(site, exb_check_ger(site, layout, m, n, incx, incy, lda)) || m == 0 || n == 0)
        return;
    exb_t(rank_update) p = {.m = m, .n = n};
    p.a = (exb_t(target)){a, exb_view_full(layout == EXB_ROW_MAJOR, lda), EXB_REGION_ALL};
    EXB_GUARDED(apply_general(&p, layout, conjugate, alpha, x, incx, y, incy));
}

static exb_t(rank_update) symmetric_update(exb_storage storage, int layout, int uplo, int64_t n,
                                           exb_real *a, int64_t lda)
{
    bool is_lower = uplo == EXB_LOWER;
    exb_t(rank_update) p = {.m = n, .n = n, .is_hermitian = EXB_IS_COMPLEX};
    p.a.p = a;
    p.a.view = exb_view_triangle(storage, layout == EXB_ROW_MAJOR, is_lower, n, 0, lda);
    p.a.region = is_lower ? EXB_REGION_LOWER : EXB_REGION_UPPER;
    return p;
}

static void update_rank1(const exb_site *site, exb_storage storage, int layout, int uplo, int64_t n,
                         exb_real alpha, const exb_real *x, int64_t incx, exb_real *a, int64_t lda)
{
    if (exb_rejected(site,
                     exb_check_syr(site, storage, false, false, layout, uplo, n, incx, 1, lda)) ||
        n == 0)
        return;
    exb_t(rank_update) p = symmetric_update(storage, layout, uplo, n, a, lda);
    EXB_GUARDED(apply_rank1(&p, layout, alpha, x, incx));
}

static void update_rank2(const exb_site *site, exb_storage storage, int layout, int uplo, int64_t n,
                         exb_scalar alpha, const exb_real *x, int64_t incx, const exb_real *y,
                         int64_t incy, exb_real *a, int64_t lda)
{
    if (exb_rejected(site, exb_check_syr(site, storage, true, EXB_IS_COMPLEX, layout, uplo, n, incx,
                                         incy, lda)) ||
        n == 0)
        return;
    exb_t(rank_update) p = symmetric_update(storage, layout, uplo, n, a, lda);
    EXB_GUARDED(apply_rank2(&p, layout, alpha, x, incx, y, incy));
}

#if EXB_IS_COMPLEX
void exb_entry(geru)(const exb_site *site, int layout, int64_t m, int64_t n, exb_scalar alpha,
                     const exb_real *x, int64_t incx, const exb_real *y, int64_t incy, exb_real *a,
                     int64_t lda)
{
    update_general(site, layout, false, m, n, alpha, x, incx, y, incy, a, lda);
}

void exb_entry(gerc)(const exb_site *site, int layout, int64_t m, int64_t n, exb_scalar alpha,
                     const exb_real *x, int64_t incx, const exb_real *y, int64_t incy, exb_real *a,
                     int64_t lda)
{
    update_general(site, layout, true, m, n, alpha, x, incx, y, incy, a, lda);
}
#else
void exb_entry(ger)(const exb_site *site, int layout, int64_t m, int64_t n, exb_scalar alpha,
                    const exb_real *x, int64_t incx, const exb_real *y, int64_t incy, exb_real *a,
                    int64_t lda)
{
    update_general(site, layout, false, m, n, alpha, x, incx, y, incy, a, lda);
}
#endif

void exb_entry_sy(r)(const exb_site *site, int layout, int uplo, int64_t n, exb_real alpha,
                     const exb_real *x, int64_t incx, exb_real *a, int64_t lda)
{
    update_rank1(site, EXB_FULL, layout, uplo, n, alpha, x, incx, a, lda);
}

void exb_entry_sp(r)(const exb_site *site, int layout, int uplo, int64_t n, exb_real alpha,
                     const exb_real *x, int64_t incx, exb_real *ap)
{
    update_rank1(site, EXB_PACKED, layout, uplo, n, alpha, x, incx, ap, 0);
}

void exb_entry_sy(r2)(const exb_site *site, int layout, int uplo, int64_t n, exb_scalar alpha,
                      const exb_real *x, int64_t incx, const exb_real *y, int64_t incy, exb_real *a,
                      int64_t lda)
{
    update_rank2(site, EXB_FULL, layout, uplo, n, alpha, x, incx, y, incy, a, lda);
}

void exb_entry_sp(r2)(const exb_site *site, int layout, int uplo, int64_t n, exb_scalar alpha,
                      const exb_real *x, int64_t incx, const exb_real *y, int64_t incy,
                      exb_real *ap)
{
    update_rank2(site, EXB_PACKED, layout, uplo, n, alpha, x, incx, y, incy, ap, 0);
}
