/* trmv, tbmv, tpmv: x = RN(op(A) x), and trsv, tbsv, tpsv: x = op(A)^-1 x by substitution.
 * Types: s d c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "level2/solve.h"
#include "level2/vector_product.h"

typedef struct {
    exb_storage storage;
    int layout, uplo, trans, diag;
    int64_t n, k;
    const exb_real *a;
    int64_t lda;
    exb_real *x;
    int64_t incx;
} call;

typedef enum { MULTIPLY, SOLVE } action;

/* op(A) as a triangle, for a solve without its diagonal. */
static exb_t(matrix) matrix_of(const call *c, action what)
{
    bool is_lower = c->uplo == EXB_LOWER, is_transposed = c->trans != EXB_NO_TRANS;
    bool unit = c->diag == EXB_UNIT, conjugate = EXB_IS_COMPLEX && c->trans == EXB_CONJ_TRANS;
    exb_view v =
        exb_view_triangle(c->storage, c->layout == EXB_ROW_MAJOR, is_lower, c->n, c->k, c->lda);
    v = exb_view_transposed_if(is_transposed, v);
    exb_t(matrix) a;
    a.p = c->a;
    a.pattern = exb_pattern_triangle(v, c->n, c->k, is_lower != is_transposed,
                                     unit || what == SOLVE, conjugate);
    if (what == MULTIPLY && unit)
        a.pattern.diagonal = EXB_DIAGONAL_ONES;
    return a;
}

static EXB_NOINLINE void apply_triangle(const call *c, action what)
{
    exb_t(matrix) a = matrix_of(c, what);
    exb_real *x = c->x + exb_t(first_offset)(c->n, c->incx);
    int64_t incx = c->incx;
    if (what == MULTIPLY && exb_t(small_product_in_place)(&a, x, incx))
        return;
    if (!exb_pattern_is_lower(&a.pattern)) { /* from its end */
        exb_pattern_reverse(&a.pattern);
        x += EXB_PARTS * (c->n - 1) * incx;
        incx = -incx;
    }
    if (what == SOLVE)
        exb_t(solve)(&a, c->diag == EXB_UNIT, (exb_range){0, c->n}, x, incx);
    else
        exb_t(vector_product_in_place)(&a, x, incx);
}

static void guard_triangle(const exb_site *site, const call *c, action what)
{
    if (exb_rejected(site, exb_check_trsv(site, c->storage, c->layout, c->uplo, c->trans, c->diag,
                                          c->n, c->k, c->lda, c->incx)))
        return;
    if (c->n == 0)
        return;
    EXB_GUARDED(apply_triangle(c, what));
}

void exb_entry(trmv)(const exb_site *site, int layout, int uplo, int trans, int diag, int64_t n,
                     const exb_real *a, int64_t lda, exb_real *x, int64_t incx)
{
    call c = {EXB_FULL, layout, uplo, trans, diag, n, n, a, lda, x, incx};
    guard_triangle(site, &c, MULTIPLY);
}

void exb_entry(tbmv)(const exb_site *site, int layout, int uplo, int trans, int diag, int64_t n,
                     int64_t k, const exb_real *a, int64_t lda, exb_real *x, int64_t incx)
{
    call c = {EXB_BAND, layout, uplo, trans, diag, n, k, a, lda, x, incx};
    guard_triangle(site, &c, MULTIPLY);
}

void exb_entry(tpmv)(const exb_site *site, int layout, int uplo, int trans, int diag, int64_t n,
                     const exb_real *ap, exb_real *x, int64_t incx)
{
    call c = {EXB_PACKED, layout, uplo, trans, diag, n, n, ap, 0, x, incx};
    guard_triangle(site, &c, MULTIPLY);
}

void exb_entry(trsv)(const exb_site *site, int layout, int uplo, int trans, int diag, int64_t n,
                     const exb_real *a, int64_t lda, exb_real *x, int64_t incx)
{
    call c = {EXB_FULL, layout, uplo, trans, diag, n, n, a, lda, x, incx};
    guard_triangle(site, &c, SOLVE);
}

void exb_entry(tbsv)(const exb_site *site, int layout, int uplo, int trans, int diag, int64_t n,
                     int64_t k, const exb_real *a, int64_t lda, exb_real *x, int64_t incx)
{
    call c = {EXB_BAND, layout, uplo, trans, diag, n, k, a, lda, x, incx};
    guard_triangle(site, &c, SOLVE);
}

void exb_entry(tpsv)(const exb_site *site, int layout, int uplo, int trans, int diag, int64_t n,
                     const exb_real *ap, exb_real *x, int64_t incx)
{
    call c = {EXB_PACKED, layout, uplo, trans, diag, n, n, ap, 0, x, incx};
    guard_triangle(site, &c, SOLVE);
}
