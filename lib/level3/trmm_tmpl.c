/* trmm: B = RN(alpha op(A) B) or RN(alpha B op(A)), A triangular: a product with a copy of B.
 * Types: s d c z. */
#include "entry.h"

#include "core/memory.h"
#include "level3/call.h"

typedef struct {
    exb_t(call) call;
    bool left;  /* the triangle has the rows of the product, not the columns */
    bool lower; /* the triangle's vectors end at the diagonal */
} multiplication;

/* The matrix that is multiplied, of m x n elements at p, as the product's other operand. */
static void set_other(exb_t(call) *call, bool left, const exb_real *p, int64_t ld)
{
    exb_view v = exb_view_transposed_if(left, exb_view_full(false, ld));
    exb_t(source_set)(left ? &call->b : &call->a,
                      exb_t(full_matrix)(p, v, left ? call->n : call->m, call->k, false));
}

/* Columns or, right of the triangle, rows begin ... begin + count - 1 with their copy in memory. */
static void compute_panel(const multiplication *t, int64_t begin, int64_t count, exb_real *copy,
                          exb_call_stats *stats)
{
    exb_t(call) panel = t->call;
    int64_t ld = panel.output.c.view.cs;
    panel.output.c.p += EXB_PARTS * begin * (t->left ? ld : 1);
    panel.m = t->left ? panel.m : count;
    panel.n = t->left ? count : panel.n;
    for (int64_t j = 0; j < panel.n; j++)
        memcpy(copy + EXB_PARTS * j * panel.m, panel.output.c.p + EXB_PARTS * j * ld,
               (size_t)(EXB_PARTS * panel.m) * sizeof *copy);
    set_other(&panel, t->left, copy, panel.m);
    exb_t(call_compute)(&panel, stats);
}

/* Panels of as many columns or rows as the workspace holds. */
static bool compute_copied(const multiplication *t, exb_call_stats *stats)
{
    int64_t all = t->left ? t->call.n : t->call.m;
    size_t line = (size_t)(EXB_PARTS * t->call.k) * sizeof(exb_real);
    size_t most = exb_memory_limit() / line;
    int64_t count = most < (size_t)all ? (int64_t)most + (most == 0) : all;
    exb_real *copy = exb_memory_get((size_t)count * line);
    if (!copy)
        return false;
    for (int64_t begin = 0; begin < all; begin += count)
        compute_panel(t, begin, exb_least(all - begin, count), copy, stats);
    exb_memory_put(copy);
    return true;
}

static void multiply_triangle(void *ctx, exb_call_stats *stats)
{
    multiplication *t = ctx;
    exb_t(call) *call = &t->call;
    bool by_rows = call->output.c.view.rs != 1;
    exb_t(call_prepare)(call, stats);
    t->left = t->left != by_rows;
    if (call->output.alpha.re == 0 && call->output.alpha.im == 0) {
        exb_t(call_compute)(call, stats); /* zeros; neither A nor B is read */
        return;
    }
    if (compute_copied(t, stats))
        return;
    set_other(call, t->left, call->output.c.p, call->output.c.view.cs);
    exb_t(call_prepare)(call, stats);
    exb_t(output_run_in_place)(&call->output, call->m, call->n, call->k, t->left, t->lower);
}

void exb_entry(trmm)(const exb_site *site, int layout, int side, int uplo, int transa, int diag,
                     int64_t m, int64_t n, exb_scalar alpha, const exb_real *a, int64_t lda,
                     exb_real *b, int64_t ldb)
{
    if (exb_rejected(site, exb_check_trsm(site, layout, side, uplo, transa, diag, m, n, lda, ldb)))
        return;
    bool by_rows = layout == EXB_ROW_MAJOR, left = side == EXB_LEFT;
    exb_t(matrix) triangle =
        exb_t(triangle_of)(a, by_rows, left, uplo, transa, diag == EXB_UNIT, lda, left ? m : n);
    triangle.pattern.diagonal = diag == EXB_UNIT ? EXB_DIAGONAL_ONES : EXB_DIAGONAL_NONE;
    multiplication t;
    t.left = left;
    t.lower = exb_pattern_is_lower(&triangle.pattern);
    exb_t(call_init)(&t.call, exb_t(parts_of)(&alpha), NULL);
    t.call.m = m;
    t.call.n = n;
    t.call.k = left ? m : n;
    exb_t(source_set)(&t.call.a, triangle);
    t.call.b = t.call.a;
    exb_t(call_set_c)(&t.call, by_rows, b, ldb);
    if (m > 0 && n > 0)
        exb_t(call_guarded)(site, multiply_triangle, &t);
}
