/* symm, hemm: C = RN(alpha A B + beta C) or RN(alpha B A + beta C), A symmetric or Hermitian.
 * Types: s d c z. */
#include "entry.h"

#include "level3/call.h"

typedef struct {
    int layout, side, uplo;
    bool hermitian;
    int64_t m, n, lda, ldb, ldc;
    exb_scalar alpha, beta;
    const exb_real *a, *b;
    exb_real *c;
} arguments;

/* A or, transposed, its transpose, of order n. */
static exb_t(matrix) symmetric_matrix(const arguments *p, int64_t n, bool transposed)
{
    bool is_lower = p->uplo == EXB_LOWER;
    exb_view v = exb_view_full(p->layout == EXB_ROW_MAJOR, p->lda);
    exb_view lower = exb_view_transposed_if(!is_lower, v);
    return (exb_t(matrix)){p->a, p->hermitian
                                     ? exb_pattern_hermitian(lower, n, n, is_lower == transposed)
                                     : exb_pattern_symmetric(lower, n, n)};
}

static void guard_product(const exb_site *site, const arguments *p)
{
    bool by_rows = p->layout == EXB_ROW_MAJOR, left = p->side == EXB_LEFT;
    if (exb_rejected(site, exb_check_symm(site, p->layout, p->side, p->uplo, p->m, p->n, p->lda,
                                          p->ldb, p->ldc)))
        return;
    exb_view b = exb_view_transposed_if(left, exb_view_full(by_rows, p->ldb));
    exb_t(call) call;
    exb_t(call_init)(&call, exb_t(parts_of)(&p->alpha), exb_t(parts_of)(&p->beta));
    call.m = p->m;
    call.n = p->n;
    call.k = left ? p->m : p->n;
    exb_t(source_set)(left ? &call.a : &call.b, symmetric_matrix(p, call.k, !left));
    exb_t(source_set)(left ? &call.b : &call.a,
                      exb_t(full_matrix)(p->b, b, left ? p->n : p->m, call.k, false));
    exb_t(call_set_c)(&call, by_rows, p->c, p->ldc);
    exb_t(call_run)(&call, site);
}

void exb_entry(symm)(const exb_site *site, int layout, int side, int uplo, int64_t m, int64_t n,
                     exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *b,
                     int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    arguments p = {layout, side, uplo, false, m, n, lda, ldb, ldc, alpha, beta, a, b, c};
    guard_product(site, &p);
}

#if EXB_IS_COMPLEX
void exb_entry(hemm)(const exb_site *site, int layout, int side, int uplo, int64_t m, int64_t n,
                     exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *b,
                     int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    arguments p = {layout, side, uplo, true, m, n, lda, ldb, ldc, alpha, beta, a, b, c};
    guard_product(site, &p);
}
#endif
