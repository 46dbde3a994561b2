/* One triangle of
 *
 *   syrk    C = RN(alpha A A^T + beta C)                     or with A^T A
 *   herk    C = RN(alpha A A^H + beta C)                     or with A^H A
 *   syr2k   C = RN(alpha A B^T + alpha B A^T + beta C)       or with A^T B and B^T A
 *   her2k   C = RN(alpha A B^H + conj(alpha) B A^H + beta C) or with A^H B and B^H A
 *   skewsyr2k   C = RN(alpha B A^T - alpha A B^T + beta C)   or with B^T A and A^T B; no diagonal
 *
 * The rank-2k updates are one product of matrices side by side, [A B] [B A]^T. With a complex
 * alpha, alpha P + conj(alpha) P^H = re(alpha) (P + P^H) + i im(alpha) (P - P^H), and the second
 * difference is [A B] [B -A]^H. With an infinite alpha the two are apart, since their signs count.
 * Types: s d c z. */
#include "entry.h"

#include "level3/call.h"

typedef struct {
    exb_symmetry kind;
    bool has_b;
    int layout, uplo, trans;
    int64_t n, k, lda, ldb, ldc;
    const exb_real *alpha, *beta, *a, *b;
    exb_real *c;
} arguments;

/* Row i of op(X), conjugated or not. */
static exb_t(matrix) rows_of(const arguments *p, const exb_real *x, int64_t ldx, bool conjugate)
{
    exb_view v = exb_view_transposed_if(p->trans != EXB_NO_TRANS,
                                        exb_view_full(p->layout == EXB_ROW_MAJOR, ldx));
    return exb_t(full_matrix)(x, v, p->n, p->k, conjugate);
}

static void set_factors(exb_t(call) *call, const arguments *p)
{
    bool hermitian = p->kind == EXB_HERMITIAN, transposed = p->trans != EXB_NO_TRANS;
    bool conjugate_a = hermitian && transposed, conjugate_b = hermitian && !transposed;
    exb_t(source_set)(&call->a, rows_of(p, p->a, p->lda, conjugate_a));
    exb_t(source_set)(&call->b, rows_of(p, p->a, p->lda, conjugate_b));
    if (!p->has_b)
        return;
    call->a.n_matrices = call->b.n_matrices = 2;
    call->a.matrix[1] = rows_of(p, p->b, p->ldb, conjugate_a);
    call->b.matrix[1] = call->b.matrix[0];
    call->b.matrix[0] = rows_of(p, p->b, p->ldb, conjugate_b);
}

/* Of a skew-symmetric matrix the rows from 1 on without the diagonal, or the columns; A B^T is
 * negated. */
static void leave_diagonal(exb_t(call) *call, bool is_lower)
{
    for (int k = 0; k < 2; k++) {
        exb_pattern *a = &call->a.matrix[k].pattern, *b = &call->b.matrix[k].pattern;
        a->piece[0].view = exb_view_from(a->piece[0].view, is_lower, 0);
        b->piece[0].view = exb_view_from(b->piece[0].view, !is_lower, 0);
        b->piece[0].conjugate = k == 0;
        a->n_rows = b->n_rows = call->n;
    }
}

/* Both products by themselves, which an alpha with an infinite part scales to Inf or NaN: what the
 * first leaves in C is added without a rounding. */
static void compute_apart(exb_t(call) *call, exb_call_stats *stats)
{
    static const exb_real one = 1;
    exb_t(call) second = *call;
    exb_real alpha[EXB_PARTS];
    memcpy(alpha, call->alpha, sizeof alpha);
    if (call->output.hermitian)
        alpha[EXB_PARTS - 1] = -alpha[EXB_PARTS - 1];
    call->a.n_matrices = call->b.n_matrices = 1;
    exb_t(call_compute)(call, stats);
    second.a.n_matrices = second.b.n_matrices = 1;
    second.a.matrix[0] = second.a.matrix[1];
    second.b.matrix[0] = second.b.matrix[1];
    second.alpha = alpha;
    second.beta = &one;
    second.output.real_beta = true;
    exb_t(call_compute)(&second, stats);
}

static void compute_update(void *ctx, exb_call_stats *stats)
{
    exb_t(call) *call = ctx;
    exb_complex alpha = exb_t(scalar_at)(call->alpha, call->output.real_alpha);
    if (call->a.n_matrices == 2 && (isinf(alpha.re) || isinf(alpha.im))) {
        compute_apart(call, stats);
        return;
    }
    bool is_her2k = call->output.hermitian && !call->output.real_alpha;
    if (is_her2k && alpha.im != 0)
        call->output.n_sums = EXB_MOST_SUMS;
    exb_t(call_compute)(call, stats);
}

static void guard_update(const exb_site *site, const arguments *p)
{
    bool hermitian = p->kind == EXB_HERMITIAN, is_skew = p->kind == EXB_SKEW;
    exb_update_kind rules = hermitian        ? EXB_UPDATE_HERMITIAN
                            : EXB_IS_COMPLEX ? EXB_UPDATE_SYMMETRIC
                                             : EXB_UPDATE_REAL;
    exb_fault fault = p->has_b ? exb_check_syr2k(site, rules, p->layout, p->uplo, p->trans, p->n,
                                                 p->k, p->lda, p->ldb, p->ldc)
                               : exb_check_syrk(site, rules, p->layout, p->uplo, p->trans, p->n,
                                                p->k, p->lda, p->ldc);
    if (exb_rejected(site, fault) || p->n <= is_skew)
        return;
    bool by_rows = p->layout == EXB_ROW_MAJOR, is_lower = p->uplo == EXB_LOWER;
    exb_t(call) call;
    exb_t(call_init)(&call, p->alpha, p->beta);
    call.m = call.n = p->n - is_skew;
    call.k = p->k;
    set_factors(&call, p);
    if (is_skew)
        leave_diagonal(&call, is_lower);
    exb_real *c = !is_skew ? p->c : is_lower == by_rows ? p->c + p->ldc : p->c + 1;
    exb_t(call_set_c)(&call, by_rows, c, p->ldc);
    call.output.c.region = is_lower ? EXB_REGION_LOWER : EXB_REGION_UPPER;
    call.output.hermitian = hermitian;
    call.output.real_alpha = hermitian && !p->has_b;
    call.output.real_beta = hermitian;
    exb_t(call_guarded)(site, compute_update, &call);
}

void exb_entry(syrk)(const exb_site *site, int layout, int uplo, int trans, int64_t n, int64_t k,
                     exb_scalar alpha, const exb_real *a, int64_t lda, exb_scalar beta, exb_real *c,
                     int64_t ldc)
{
    const exb_real *al = exb_t(parts_of)(&alpha), *be = exb_t(parts_of)(&beta);
    arguments p = {EXB_SYMMETRIC, false, layout, uplo, trans, n, k, lda, lda, ldc, al, be, a, a, c};
    guard_update(site, &p);
}

void exb_entry(syr2k)(const exb_site *site, int layout, int uplo, int trans, int64_t n, int64_t k,
                      exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *b,
                      int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    const exb_real *al = exb_t(parts_of)(&alpha), *be = exb_t(parts_of)(&beta);
    arguments p = {EXB_SYMMETRIC, true, layout, uplo, trans, n, k, lda, ldb, ldc, al, be, a, b, c};
    guard_update(site, &p);
}

#if EXB_IS_COMPLEX
void exb_entry(herk)(const exb_site *site, int layout, int uplo, int trans, int64_t n, int64_t k,
                     exb_real alpha, const exb_real *a, int64_t lda, exb_real beta, exb_real *c,
                     int64_t ldc)
{
    const exb_symmetry kind = EXB_HERMITIAN;
    arguments p = {kind, false, layout, uplo, trans, n, k, lda, lda, ldc, &alpha, &beta, a, a, c};
    guard_update(site, &p);
}

void exb_entry(her2k)(const exb_site *site, int layout, int uplo, int trans, int64_t n, int64_t k,
                      exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *b,
                      int64_t ldb, exb_real beta, exb_real *c, int64_t ldc)
{
    const exb_symmetry kind = EXB_HERMITIAN;
    arguments p = {kind, true, layout, uplo, trans, n, k, lda, ldb, ldc, alpha, &beta, a, b, c};
    guard_update(site, &p);
}
#else
void exb_entry(skewsyr2k)(const exb_site *site, int layout, int uplo, int trans, int64_t n,
                          int64_t k, exb_scalar alpha, const exb_real *a, int64_t lda,
                          const exb_real *b, int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    arguments p = {EXB_SKEW, true, layout, uplo,  trans, n, k, lda,
                   ldb,      ldc,  &alpha, &beta, a,     b, c};
    guard_update(site, &p);
}
#endif
