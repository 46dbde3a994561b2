#include "lapack/plain_update.h"

#include "core/partition.h"
#include "core/thread.h"

typedef struct {
    int64_t m, n, k, lda, ldb, ldc;
    const double *a, *b;
    double *c;
    int n_ranges;
} update;

enum { STRIP = 256 }; /* columns of B that stay in the first-level cache with those of C */

/* Four rows of A at once, so that a row of C is read and written once for four products. */
static void update_strip(const update *u, const double *a, double *c, int64_t begin, int64_t end)
{
    int64_t k = 0;
    for (; k + 4 <= u->k; k += 4) {
        const double *b0 = u->b + k * u->ldb, *b1 = b0 + u->ldb, *b2 = b1 + u->ldb,
                     *b3 = b2 + u->ldb;
        for (int64_t j = begin; j < end; j++)
            c[j] -= a[k] * b0[j] + a[k + 1] * b1[j] + (a[k + 2] * b2[j] + a[k + 3] * b3[j]);
    }
    for (; k < u->k; k++)
        for (int64_t j = begin; j < end; j++)
            c[j] -= a[k] * u->b[k * u->ldb + j];
}

static void update_range(void *ctx, int64_t range)
{
    const update *u = ctx;
    exb_range r = exb_partition_range(u->m, u->n_ranges, (int)range);
    for (int64_t begin = 0; begin < u->n; begin += STRIP)
        for (int64_t i = r.begin; i < r.end; i++)
            update_strip(u, u->a + i * u->lda, u->c + i * u->ldc, begin,
                         exb_least(begin + STRIP, u->n));
}

void exb_plain_update(int64_t m, int64_t n, int64_t k, const double *a, int64_t lda,
                      const double *b, int64_t ldb, double *c, int64_t ldc)
{
    update u = {m, n, k, lda, ldb, ldc, a, b, c, 1};
    if (m <= 0 || n <= 0)
        return;
    u.n_ranges = exb_partition_count((double)m * (double)n * (double)k, m);
    exb_parallel_for(u.n_ranges, u.n_ranges, update_range, &u);
}
