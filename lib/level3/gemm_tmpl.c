/* gemm: C = RN(alpha op(A) op(B) + beta C); gemmt: one triangle of it; gemm_batch_strided: many;
 * symm, hemm, skewsymm: C = RN(alpha A B + beta C) or RN(alpha B A + beta C), A symmetric,
 * Hermitian or skew-symmetric. Types: s d c z. */
#include "entry.h"

#include "core/thread.h"
#include "level3/call.h"

typedef struct {
    int layout, transa, transb;
    int64_t m, n, k, lda, ldb;
    const exb_real *a, *b;
} factors;

/* Row i of op(A), and row j of the transpose of op(B). */
static void set_factors(exb_t(call) *call, const factors *f)
{
    bool by_rows = f->layout == EXB_ROW_MAJOR;
    exb_view a = exb_view_transposed_if(f->transa != EXB_NO_TRANS, exb_view_full(by_rows, f->lda));
    exb_view b = exb_view_transposed_if(f->transb == EXB_NO_TRANS, exb_view_full(by_rows, f->ldb));
    call->m = f->m;
    call->n = f->n;
    call->k = f->k;
    exb_t(source_set)(&call->a,
                      exb_t(full_matrix)(f->a, a, f->m, f->k, f->transa == EXB_CONJ_TRANS));
    exb_t(source_set)(&call->b,
                      exb_t(full_matrix)(f->b, b, f->n, f->k, f->transb == EXB_CONJ_TRANS));
}

/* C, or a triangle of it. */
static void multiply(const exb_site *site, const factors *f, const exb_real *alpha,
                     const exb_real *beta, exb_real *c, int64_t ldc, exb_region region)
{
    exb_t(call) call;
    exb_t(call_init)(&call, alpha, beta);
    set_factors(&call, f);
    exb_t(call_set_c)(&call, f->layout == EXB_ROW_MAJOR, c, ldc);
    call.output.c.region = region;
    exb_t(call_run)(&call, site);
}

void exb_entry(gemm)(const exb_site *site, int layout, int transa, int transb, int64_t m, int64_t n,
                     int64_t k, exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *b,
                     int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    factors f = {layout, transa, transb, m, n, k, lda, ldb, a, b};
    if (!exb_rejected(site, exb_check_gemm(site, layout, transa, transb, m, n, k, lda, ldb, ldc)))
        multiply(site, &f, exb_t(parts_of)(&alpha), exb_t(parts_of)(&beta), c, ldc, EXB_REGION_ALL);
}

void exb_entry(gemmt)(const exb_site *site, int layout, int uplo, int transa, int transb, int64_t n,
                      int64_t k, exb_scalar alpha, const exb_real *a, int64_t lda,
                      const exb_real *b, int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    factors f = {layout, transa, transb, n, n, k, lda, ldb, a, b};
    if (!exb_rejected(site,
                      exb_check_gemmt(site, layout, uplo, transa, transb, n, k, lda, ldb, ldc)))
        multiply(site, &f, exb_t(parts_of)(&alpha), exb_t(parts_of)(&beta), c, ldc,
                 uplo == EXB_LOWER ? EXB_REGION_LOWER : EXB_REGION_UPPER);
}

/* --- batches -------------------------------------------------------------- */

typedef struct {
    factors first;
    const exb_real *alpha, *beta;
    exb_real *c;
    int64_t ldc, stridea, strideb, stridec, batch;
    exb_call_stats *stats;
} batch;

static void one_of_batch(void *ctx, int64_t i)
{
    const batch *q = ctx;
    factors f = q->first;
    if (f.a && f.b) { /* else they are not read */
        f.a += EXB_PARTS * i * q->stridea;
        f.b += EXB_PARTS * i * q->strideb;
    }
    exb_t(call) call;
    exb_t(call_init)(&call, q->alpha, q->beta);
    set_factors(&call, &f);
    exb_t(call_set_c)(&call, f.layout == EXB_ROW_MAJOR, q->c + EXB_PARTS * i * q->stridec, q->ldc);
    exb_t(call_compute)(&call, q->stats);
}

/* Many products go side by side, few after each other with threads inside. */
static void compute_batch(void *ctx, exb_call_stats *stats)
{
    batch *q = ctx;
    const factors *f = &q->first;
    int n_threads = exb_thread_count();
    double work = (double)f->m * (double)f->n * (double)(f->k + 1) * (double)q->batch;
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
    batch q = {.first = {layout, transa, transb, m, n, k, lda, ldb, a, b}, .c = c, .ldc = ldc};
    q.alpha = exb_t(parts_of)(&alpha);
    q.beta = exb_t(parts_of)(&beta);
    q.stridea = stridea;
    q.strideb = strideb;
    q.stridec = stridec;
    q.batch = n_products;
    if (m > 0 && n > 0 && n_products > 0)
        exb_t(call_guarded)(site, compute_batch, &q);
}

/* --- symmetric and other such matrices ------------------------------------ */

/* A or, transposed, its transpose, of order n. */
static exb_t(matrix) symmetric_matrix(const factors *f, bool is_lower, exb_symmetry kind, int64_t n,
                                      bool transposed)
{
    exb_view v = exb_view_full(f->layout == EXB_ROW_MAJOR, f->lda);
    exb_view lower = exb_view_transposed_if(!is_lower, v);
    return (exb_t(matrix)){f->a, exb_pattern_mirrored(kind, lower, n, n, is_lower == transposed)};
}

/* f has no transposes and no k. */
static void multiply_symmetric(const exb_site *site, exb_symmetry kind, int side, int uplo,
                               factors f, const exb_real *alpha, const exb_real *beta, exb_real *c,
                               int64_t ldc)
{
    bool by_rows = f.layout == EXB_ROW_MAJOR, left = side == EXB_LEFT;
    if (exb_rejected(site, exb_check_symm(site, f.layout, side, uplo, f.m, f.n, f.lda, f.ldb, ldc)))
        return;
    exb_view b = exb_view_transposed_if(left, exb_view_full(by_rows, f.ldb));
    exb_t(call) call;
    exb_t(call_init)(&call, alpha, beta);
    call.m = f.m;
    call.n = f.n;
    call.k = left ? f.m : f.n;
    exb_t(source_set)(left ? &call.a : &call.b,
                      symmetric_matrix(&f, uplo == EXB_LOWER, kind, call.k, !left));
    exb_t(source_set)(left ? &call.b : &call.a,
                      exb_t(full_matrix)(f.b, b, left ? f.n : f.m, call.k, false));
    exb_t(call_set_c)(&call, by_rows, c, ldc);
    exb_t(call_run)(&call, site);
}

void exb_entry(symm)(const exb_site *site, int layout, int side, int uplo, int64_t m, int64_t n,
                     exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *b,
                     int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    factors f = {layout, EXB_NO_TRANS, EXB_NO_TRANS, m, n, 0, lda, ldb, a, b};
    multiply_symmetric(site, EXB_SYMMETRIC, side, uplo, f, exb_t(parts_of)(&alpha),
                       exb_t(parts_of)(&beta), c, ldc);
}

#if EXB_IS_COMPLEX
void exb_entry(hemm)(const exb_site *site, int layout, int side, int uplo, int64_t m, int64_t n,
                     exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *b,
                     int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    factors f = {layout, EXB_NO_TRANS, EXB_NO_TRANS, m, n, 0, lda, ldb, a, b};
    multiply_symmetric(site, EXB_HERMITIAN, side, uplo, f, exb_t(parts_of)(&alpha),
                       exb_t(parts_of)(&beta), c, ldc);
}
#else
void exb_entry(skewsymm)(const exb_site *site, int layout, int side, int uplo, int64_t m, int64_t n,
                         exb_scalar alpha, const exb_real *a, int64_t lda, const exb_real *b,
                         int64_t ldb, exb_scalar beta, exb_real *c, int64_t ldc)
{
    factors f = {layout, EXB_NO_TRANS, EXB_NO_TRANS, m, n, 0, lda, ldb, a, b};
    multiply_symmetric(site, EXB_SKEW, side, uplo, f, exb_t(parts_of)(&alpha),
                       exb_t(parts_of)(&beta), c, ldc);
}
#endif
