/* gemm: C = RN(alpha op(A) op(B) + beta C); gemmt: one triangle of it; gemm_batch_strided: many;
 * symm, hemm, skewsymm: C = RN(alpha A B + beta C) or RN(alpha B A + beta C), A symmetric,
 * Hermitian or skew-symmetric; trmm: B = RN(alpha op(A) B) or RN(alpha B op(A)), A triangular: a
 * product with a copy of B. Types: s d c z. */
#include "entry.h"

#include "core/memory.h"
#include "core/thread.h"
#include "level3/call.h"

/* The arguments of a call: of one product, or of the first of many. */
typedef struct {
    int layout, transa, transb;
    int64_t m, n, k, lda, ldb, ldc;
    const exb_real *a, *b, *alpha, *beta;
    exb_real *c;
    int64_t stridea, strideb, stridec, batch;
    exb_call_stats *stats;
} gemm;

/* Row i of op(A), row j of the transpose of op(B), and C. */
static void set_call(exb_t(call) *call, const gemm *q)
{
    bool by_rows = q->layout == EXB_ROW_MAJOR;
    exb_view a = exb_view_transposed_if(q->transa != EXB_NO_TRANS, exb_view_full(by_rows, q->lda));
    exb_view b = exb_view_transposed_if(q->transb == EXB_NO_TRANS, exb_view_full(by_rows, q->ldb));
    exb_t(call_init)(call, q->alpha, q->beta);
    call->m = q->m;
    call->n = q->n;
    call->k = q->k;
    exb_t(source_set)(&call->a,
                      exb_t(full_matrix)(q->a, a, q->m, q->k, q->transa == EXB_CONJ_TRANS));
    exb_t(source_set)(&call->b,
                      exb_t(full_matrix)(q->b, b, q->n, q->k, q->transb == EXB_CONJ_TRANS));
    exb_t(call_set_c)(call, by_rows, q->c, q->ldc);
}

/* C, or a triangle of it. */
static void multiply_matrices(const exb_site *site, const gemm *q, exb_region region)
{
    exb_t(call) call;
    set_call(&call, q);
    call.output.c.region = region;
    exb_t(call_run)(&call, site);
}

void exb_entry(gemm)(const exb_site *site, int layout, int transa, int transb, int64_t m, int64_t n,
                     int64_t k, exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *b,
                     int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    const exb_real *al = exb_t(parts_of)(&alpha), *be = exb_t(parts_of)(&beta);
    gemm q = {layout, transa, transb, m, n, k, lda, ldb, ldc, a, b, al, be, c, .batch = 1};
    if (!exb_rejected(site, exb_check_gemm(site, layout, transa, transb, m, n, k, lda, ldb, ldc)))
        multiply_matrices(site, &q, EXB_REGION_ALL);
}

void exb_entry(gemmt)(const exb_site *site, int layout, int uplo, int transa, int transb, int64_t n,
                      int64_t k, exb_scalar alpha, const exb_real *a, int64_t lda,
                      const exb_real *b, int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    const exb_real *al = exb_t(parts_of)(&alpha), *be = exb_t(parts_of)(&beta);
    gemm q = {layout, transa, transb, n, n, k, lda, ldb, ldc, a, b, al, be, c, .batch = 1};
    if (!exb_rejected(site,
                      exb_check_gemmt(site, layout, uplo, transa, transb, n, k, lda, ldb, ldc)))
        multiply_matrices(site, &q, uplo == EXB_LOWER ? EXB_REGION_LOWER : EXB_REGION_UPPER);
}

/* --- batches -------------------------------------------------------------- */

static void one_of_batch(void *ctx, int64_t i)
{
    const gemm *q = ctx;
    gemm one = *q;
    if (one.a && one.b) { /* else they are not read */
        one.a += EXB_PARTS * i * q->stridea;
        one.b += EXB_PARTS * i * q->strideb;
    }
    one.c += EXB_PARTS * i * q->stridec;
    exb_t(call) call;
    set_call(&call, &one);
    exb_t(call_compute)(&call, q->stats);
}

/* Many products go side by side, few after each other with threads inside. */
static void compute_batch(void *ctx, exb_call_stats *stats)
{
    gemm *q = ctx;
    int n_threads = exb_thread_count();
    double work = (double)q->m * (double)q->n * (double)(q->k + 1) * (double)q->batch;
    q->stats = stats;
    exb_parallel_for(q->batch >= 2 * n_threads ? exb_partition_count(work, q->batch) : 1, q->batch,
                     one_of_batch, q);
}

void exb_entry(gemm_batch_strided)(const exb_site *site, int layout, int transa, int transb,
                                   int64_t m, int64_t n, int64_t k, exb_scalar alpha,
                                   const exb_real *a, int64_t lda, int64_t stridea,
                                   const exb_real *b, int64_t ldb, int64_t strideb, exb_scalar beta,
                                   exb_real *c, int64_t ldc, int64_t stridec, int64_t n_products)
{
    if (exb_rejected(site, exb_check_gemm_batch_strided(site, layout, transa, transb, m, n, k, lda,
                                                        ldb, ldc, stridec, n_products)))
        return;
    const exb_real *al = exb_t(parts_of)(&alpha), *be = exb_t(parts_of)(&beta);
    gemm q = {layout, transa, transb, m, n,       k,       lda,     ldb,        ldc, a,
              b,      al,     be,     c, stridea, strideb, stridec, n_products, NULL};
    if (m > 0 && n > 0 && n_products > 0)
        exb_t(call_guarded)(site, compute_batch, &q);
}

/* --- symmetric and other such matrices ------------------------------------ */

/* A or, right of B, its transpose, of order call->k. */
void exb_t(multiply_by_symmetric)(const exb_site *site, exb_symmetry kind, int layout, int side,
                                  int uplo, int64_t m, int64_t n, const exb_real *alpha,
                                  const exb_real *a, int64_t lda, const exb_real *b, int64_t ldb,
                                  const exb_real *beta, exb_real *c, int64_t ldc)
{
    bool by_rows = layout == EXB_ROW_MAJOR, left = side == EXB_LEFT, is_lower = uplo == EXB_LOWER;
    exb_view lower = exb_view_transposed_if(!is_lower, exb_view_full(by_rows, lda));
    exb_view other = exb_view_transposed_if(left, exb_view_full(by_rows, ldb));
    exb_t(call) call;
    exb_t(call_init)(&call, alpha, beta);
    call.m = m;
    call.n = n;
    call.k = left ? m : n;
    exb_t(matrix) symmetric = {a,
                               exb_pattern_mirrored(kind, lower, call.k, call.k, is_lower != left)};
    exb_t(source_set)(left ? &call.a : &call.b, symmetric);
    exb_t(source_set)(left ? &call.b : &call.a,
                      exb_t(full_matrix)(b, other, left ? n : m, call.k, false));
    exb_t(call_set_c)(&call, by_rows, c, ldc);
    exb_t(call_run)(&call, site);
}

/* --- triangles -------------------------------------------------------------- */

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
