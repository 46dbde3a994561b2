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
#include "level3/rows_entry.h"

#include "core/fpenv.h"
#include "level2/update.h"
#include "level3/call.h"

/* Matrices side by side, `second` NULL if there is none. */
static void set_operand(exb_t(source) *s, const exb_t(matrix) *first, const exb_t(matrix) *second,
                        bool conjugate)
{
    exb_t(source_set)(s, *first);
    if (second)
        s->matrix[s->n_matrices++] = *second;
    for (int i = 0; i < s->n_matrices; i++)
        s->matrix[i].pattern.piece[0].conjugate = conjugate;
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
    if (call->output.real_beta)
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
    bool is_her2k = call->output.real_beta && !call->output.real_alpha;
    if (is_her2k && alpha.im != 0)
        call->output.n_sums = EXB_MOST_SUMS;
    exb_t(call_compute)(call, stats);
}

void exb_t(update_triangle)(const exb_site *site, exb_symmetry kind, bool has_b, int layout,
                            int uplo, int trans, int64_t n, int64_t k, const exb_real *alpha,
                            const exb_real *a, int64_t lda, const exb_real *b, int64_t ldb,
                            const exb_real *beta, exb_real *c, int64_t ldc)
{
    bool hermitian = kind == EXB_HERMITIAN, is_skew = kind == EXB_SKEW;
    bool by_rows = layout == EXB_ROW_MAJOR, is_lower = uplo == EXB_LOWER;
    bool transposed = trans != EXB_NO_TRANS;
    if (n <= is_skew)
        return;
    exb_view view_a = exb_view_transposed_if(transposed, exb_view_full(by_rows, lda));
    exb_view view_b = exb_view_transposed_if(transposed, exb_view_full(by_rows, ldb));
    exb_t(matrix) op_a = exb_t(full_matrix)(a, view_a, n, k, false);
    exb_t(matrix) op_b = exb_t(full_matrix)(b, view_b, n, k, false);
    exb_t(call) call;
    exb_t(call_init)(&call, alpha, beta);
    call.m = call.n = n - is_skew;
    call.k = k;
    set_operand(&call.a, &op_a, has_b ? &op_b : NULL, hermitian && transposed);
    set_operand(&call.b, has_b ? &op_b : &op_a, has_b ? &op_a : NULL, hermitian && !transposed);
    if (is_skew)
        leave_diagonal(&call, is_lower);
    exb_t(call_set_c)(&call, by_rows, !is_skew ? c : is_lower == by_rows ? c + ldc : c + 1, ldc);
    call.output.c.region = is_lower ? EXB_REGION_LOWER : EXB_REGION_UPPER;
    call.output.hermitian = hermitian;
    call.output.real_alpha = hermitian && !has_b;
    call.output.real_beta = hermitian;
    exb_t(call_guarded)(site, compute_update, &call);
}

/* --- rectangles ---------------------------------------------------------------- */

static void update_by_vectors(const exb_t(update) *u)
{
    bool real_alpha = u->is_hermitian && !u->has_v;
    exb_complex alpha = exb_t(scalar_at)(u->alpha, real_alpha);
    exb_t(rank_update) p = {.m = u->m, .n = u->n, .is_hermitian = u->is_diagonal};
    p.a = (exb_t(target)){u->c, exb_view_full(false, u->ldc), EXB_REGION_ALL};
    for (; p.n_terms <= u->has_v; p.n_terms++) {
        exb_t(vector) x = {u->u + EXB_PARTS * p.n_terms * u->ldu, 1};
        exb_t(vector) y = {u->w + EXB_PARTS * p.n_terms * u->ldw, 1};
        p.term[p.n_terms] = (exb_t(rank1)){alpha, real_alpha, x, y, .conjugate_w = u->is_hermitian};
        alpha.im = u->is_hermitian ? -alpha.im : alpha.im;
    }
    exb_t(apply_update)(&p);
}

static void set_sides(exb_t(source) *s, const exb_t(update) *u, int64_t n, const exb_real *p,
                      int64_t ld, bool conjugate)
{
    exb_view view = exb_view_full(false, ld);
    exb_t(matrix) first = exb_t(full_matrix)(p, view, n, u->k, false);
    exb_t(matrix) second = exb_t(full_matrix)(p + EXB_PARTS * u->k * ld, view, n, u->k, false);
    set_operand(s, &first, u->has_v ? &second : NULL, conjugate);
}

void exb_entry(update_rectangle)(const exb_t(update) *u)
{
    exb_t(call) call;
    if (!u->beta) {
        EXB_GUARDED(update_by_vectors(u));
        return;
    }
    exb_t(call_init)(&call, u->alpha, u->beta);
    call.m = u->m;
    call.n = u->n;
    call.k = u->k;
    set_sides(&call.a, u, u->m, u->u, u->ldu, false);
    set_sides(&call.b, u, u->n, u->w, u->ldw, u->is_hermitian);
    exb_t(call_set_c)(&call, false, u->c, u->ldc);
    call.output.hermitian = u->is_diagonal;
    call.output.real_alpha = u->is_hermitian && !u->has_v;
    call.output.real_beta = u->is_hermitian;
    EXB_GUARDED(compute_update(&call, NULL));
}
