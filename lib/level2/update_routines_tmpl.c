/* ger, and geru and gerc of the complex types: A = RN(A + alpha x y^T), gerc with y^H; and the
 * named triangle of
 *
 *   syr, spr     A = RN(A + alpha x x^T)
 *   her, hpr     A = RN(A + alpha x x^H), alpha real
 *   syr2, spr2   A = RN(A + alpha x y^T + alpha y x^T)
 *   her2, hpr2   A = RN(A + alpha x y^H + conj(alpha) y x^H)
 *   skewsyr2     A = RN(A - alpha x y^T + alpha y x^T), without the diagonal
 *
 * Types: s d c z. */
#include "core/fpenv.h"
#include "level2/drivers.h"
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

static EXB_NOINLINE void apply_rank1(exb_t(rank_update) *p, int layout, const exb_real *alpha,
                                     const exb_real *x, int64_t incx)
{
    exb_t(vector) v = exb_t(vector_of)(x, p->n, incx);
    bool is_real = !EXB_IS_COMPLEX || p->is_hermitian;
    exb_complex a = {alpha[0], is_real ? 0 : alpha[EXB_PARTS - 1]};
    add_term(p, a, is_real, v, v, p->is_hermitian);
    run_update(p, layout);
}

/* A strict triangle is one of order n - 1, with the diagonal: one below or above it, with rows from
 * 1 or columns from 1 on. */
static void leave_diagonal(exb_t(rank_update) *p)
{
    int64_t row = p->a.region == EXB_REGION_LOWER;
    p->a.view = exb_view_from(p->a.view, row, 1 - row);
    p->m = p->n = p->n - 1;
    for (int t = 0; t < p->n_terms; t++) {
        p->term[t].u = exb_t(vector_from)(p->term[t].u, row);
        p->term[t].w = exb_t(vector_from)(p->term[t].w, 1 - row);
    }
}

static EXB_NOINLINE void apply_rank2(exb_symmetry kind, exb_t(rank_update) *p, int layout,
                                     exb_scalar alpha, const exb_real *x, int64_t incx,
                                     const exb_real *y, int64_t incy)
{
    exb_t(vector) u = exb_t(vector_of)(x, p->n, incx), w = exb_t(vector_of)(y, p->n, incy);
    exb_complex a = exb_scalar_value(alpha), conjugate = {a.re, -a.im}, negative = {-a.re, -a.im};
    add_term(p, kind == EXB_SKEW ? negative : a, false, u, w, p->is_hermitian);
    add_term(p, p->is_hermitian ? conjugate : a, false, w, u, p->is_hermitian);
    if (kind == EXB_SKEW && !exb_is_zero(a)) /* while alpha = 0, x and y may be NULL */
        leave_diagonal(p);
    run_update(p, layout);
}

void exb_t(update_general)(bool conjugate, int layout, int64_t m, int64_t n, exb_scalar alpha,
                           const exb_real *x, int64_t incx, const exb_real *y, int64_t incy,
                           exb_real *a, int64_t lda)
{
    if (m == 0 || n == 0)
        return;
    exb_t(rank_update) p = {.m = m, .n = n};
    p.a = (exb_t(target)){a, exb_view_full(layout == EXB_ROW_MAJOR, lda), EXB_REGION_ALL};
    EXB_GUARDED(apply_general(&p, layout, conjugate, alpha, x, incx, y, incy));
}

static exb_t(rank_update) symmetric_update(exb_symmetry kind, exb_storage storage, int layout,
                                           int uplo, int64_t n, exb_real *a, int64_t lda)
{
    bool is_lower = uplo == EXB_LOWER;
    exb_t(rank_update) p = {.m = n, .n = n, .is_hermitian = kind == EXB_HERMITIAN};
    p.a.p = a;
    p.a.view = exb_view_triangle(storage, layout == EXB_ROW_MAJOR, is_lower, n, 0, lda);
    p.a.region = is_lower ? EXB_REGION_LOWER : EXB_REGION_UPPER;
    return p;
}

void exb_t(update_rank1)(exb_symmetry kind, exb_storage storage, int layout, int uplo, int64_t n,
                         const exb_real *alpha, const exb_real *x, int64_t incx, exb_real *a,
                         int64_t lda)
{
    if (n == 0)
        return;
    exb_t(rank_update) p = symmetric_update(kind, storage, layout, uplo, n, a, lda);
    EXB_GUARDED(apply_rank1(&p, layout, alpha, x, incx));
}

void exb_t(update_rank2)(exb_symmetry kind, exb_storage storage, int layout, int uplo, int64_t n,
                         exb_scalar alpha, const exb_real *x, int64_t incx, const exb_real *y,
                         int64_t incy, exb_real *a, int64_t lda)
{
    if (n <= (kind == EXB_SKEW))
        return;
    exb_t(rank_update) p = symmetric_update(kind, storage, layout, uplo, n, a, lda);
    EXB_GUARDED(apply_rank2(kind, &p, layout, alpha, x, incx, y, incy));
}
