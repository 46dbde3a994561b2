/* gemm: C = RN(alpha op(A) op(B) + beta C); gemmt: one triangle of it; gemm_batch_strided: many;
 * symm, hemm, skewsymm: C = RN(alpha A B + beta C) or RN(alpha B A + beta C), A symmetric,
 * Hermitian or skew-symmetric. Types: s d c z. */
#include "entry.h"

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
