/* sbgemm, shgemm: C = RN(alpha op(A) op(B) + beta C) of floats, A and B of bfloat16 or of half;
 * bgemm, hgemm: C, alpha and beta of 16 bits, too; their batches; gemv and dot of such numbers.
 * Types: b h sb sh. */
#if defined(EXB_TYPE_b) || defined(EXB_TYPE_sb)
#define EXB_HALF b
#define KIND EXB_BF16
#else
#define EXB_HALF h
#define KIND EXB_F16
#endif
#if defined(EXB_TYPE_b) || defined(EXB_TYPE_h)
#define IS_HALF true
#define RESULT uint16_t                                    /* and scalars */
#define entry(name) EXB_PASTE3(exb_entry_, EXB_HALF, name) /* bgemm */
#else
#define IS_HALF false
#define RESULT float
#define entry(name) EXB_PASTE3(exb_entry_s, EXB_HALF, name) /* sbgemm */
#endif
#define EXB_TYPE_s /* what lies between elements and results is that of floats */

#include "entry.h"

#include "core/fpenv.h"
#include "core/thread.h"
#include "half/half_product.h"
#include "level3/call.h"

/* n vectors of k elements of a stored matrix; along: each lies along memory. */
static exb_half_vectors vectors_of(const uint16_t *p, bool along, int64_t ld, int64_t n, int64_t k)
{
    return (exb_half_vectors){KIND, p, along ? ld : 1, along ? 1 : ld, n, k};
}

static const uint16_t *first_of(const uint16_t *x, int64_t n, int64_t incx)
{
    return x && incx < 0 ? x + (1 - n) * incx : x;
}

/* --- matrices ---------------------------------------------------------------- */

/* A call of gemm, or one of a batch. */
typedef struct {
    int layout, transa, transb;
    int64_t m, n, k;
    const RESULT *alpha;
    const uint16_t *a;
    int64_t lda, stridea;
    const uint16_t *b;
    int64_t ldb, strideb;
    const RESULT *beta;
    RESULT *c;
    int64_t ldc, stridec, batch;
    exb_call_stats *stats;
} gemm;

/* Product i of a batch; C by columns, so the transpose of what is stored by rows. */
static void one_of_batch(void *ctx, int64_t i)
{
    const gemm *g = ctx;
    bool by_rows = g->layout == EXB_ROW_MAJOR;
    const uint16_t *pa = g->a ? g->a + i * g->stridea : NULL;
    const uint16_t *pb = g->b ? g->b + i * g->strideb : NULL;
    exb_half_vectors a = vectors_of(pa, by_rows == (g->transa == EXB_NO_TRANS), g->lda, g->m, g->k);
    exb_half_vectors b = vectors_of(pb, by_rows != (g->transb == EXB_NO_TRANS), g->ldb, g->n, g->k);
    exb_half_product q = {by_rows ? b : a, by_rows ? a : b,       g->alpha, g->beta,
                          IS_HALF,         g->c + i * g->stridec, g->ldc};
    (q.a.n == 1 ? exb_half_multiply_vector : exb_half_multiply)(&q, g->stats);
}

/* Many products go side by side, few after each other with threads inside. */
static void compute_batch(void *ctx, exb_call_stats *stats)
{
    gemm *g = ctx;
    int n_threads = exb_thread_count();
    double work = (double)g->m * (double)g->n * (double)(g->k + 1) * (double)g->batch;
    g->stats = stats;
    exb_parallel_for(g->batch >= 2 * n_threads ? exb_partition_count(work, g->batch) : 1, g->batch,
                     one_of_batch, g);
}

static void run_gemm(const exb_site *site, exb_fault fault, gemm *g)
{
    if (!exb_rejected(site, fault) && g->m > 0 && g->n > 0 && g->batch > 0)
        exb_scall_guarded(site, compute_batch, g);
}

void entry(gemm)(const exb_site *site, int layout, int transa, int transb, int64_t m, int64_t n,
                 int64_t k, RESULT alpha, const uint16_t *a, int64_t lda, const uint16_t *b,
                 int64_t ldb, RESULT beta, RESULT *c, int64_t ldc)
{
    gemm g = {layout, transa, transb, m,     n, k,   &alpha, a, lda, 0,
              b,      ldb,    0,      &beta, c, ldc, 0,      1, NULL};
    run_gemm(site, exb_check_gemm(site, layout, transa, transb, m, n, k, lda, ldb, ldc), &g);
}

void entry(gemm_batch_strided)(const exb_site *site, int layout, int transa, int transb, int64_t m,
                               int64_t n, int64_t k, RESULT alpha, const uint16_t *a, int64_t lda,
                               int64_t stridea, const uint16_t *b, int64_t ldb, int64_t strideb,
                               RESULT beta, RESULT *c, int64_t ldc, int64_t stridec, int64_t batch)
{
    gemm g = {layout, transa, transb,  m,     n, k,   &alpha,  a,     lda, stridea,
              b,      ldb,    strideb, &beta, c, ldc, stridec, batch, NULL};
    run_gemm(site,
             exb_check_gemm_batch_strided(site, layout, transa, transb, m, n, k, lda, ldb, ldc,
                                          stridec, batch),
             &g);
}

/* --- vectors ----------------------------------------------------------------- */

/* x times the rows of op(A). */
void entry(gemv)(const exb_site *site, int layout, int trans, int64_t m, int64_t n, RESULT alpha,
                 const uint16_t *a, int64_t lda, const uint16_t *x, int64_t incx, RESULT beta,
                 RESULT *y, int64_t incy)
{
    if (exb_rejected(site, exb_check_gemv(site, layout, trans, m, n, lda, incx, incy)) || m == 0 ||
        n == 0)
        return;
    bool transposed = trans != EXB_NO_TRANS;
    int64_t rows = transposed ? n : m, k = transposed ? m : n;
    exb_half_vectors v = {KIND, first_of(x, k, incx), 0, incx, 1, k};
    exb_half_product q = {.a = v, .alpha = &alpha, .beta = &beta, .is_half = IS_HALF};
    q.b = vectors_of(a, (layout == EXB_ROW_MAJOR) != transposed, lda, rows, k);
    q.c = incy < 0 ? y + (1 - rows) * incy : y;
    q.cs = incy;
    exb_scall_guarded(site, exb_half_multiply_vector, &q);
}

#if defined(EXB_TYPE_sb) || defined(EXB_TYPE_sh)
/* x times a matrix of one row, y. */
float entry(dot)(int64_t n, const uint16_t *x, int64_t incx, const uint16_t *y, int64_t incy)
{
    const float one = 1, zero = 0;
    float r = 0;
    exb_half_product q = {.alpha = &one, .beta = &zero, .c = &r, .cs = 1};
    q.a = (exb_half_vectors){KIND, first_of(x, n, incx), 0, incx, 1, n};
    q.b = (exb_half_vectors){KIND, first_of(y, n, incy), 0, incy, 1, n};
    if (n > 0)
        EXB_GUARDED(exb_half_multiply_vector(&q, NULL));
    return r;
}
#endif
