/* Types: s d. */
#include "level3/deferred.h"

#include "core/memory.h"
#include "core/thread.h"

typedef struct {
    const exb_deferred *list;
    exb_t(product) product; /* its rows may be a copy */
    int64_t i0, m;
    const exb_t(operand) * from;
    exb_real *copy; /* [m][k] */
} work;

enum { COPY_ROWS = 16, COPY_TERMS = 64 };

/* A few rows, in pieces that stay in the first-level cache. */
static void copy_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t k = w->product.k, begin = t * COPY_ROWS;
    int64_t n = w->m - begin < COPY_ROWS ? w->m - begin : COPY_ROWS;
    for (int64_t l = 0; l < k; l += COPY_TERMS) {
        int64_t nl = k - l < COPY_TERMS ? k - l : COPY_TERMS;
        const exb_real *x = w->from->p + (w->i0 + begin) * w->from->vs + l * w->from->ls;
        for (int64_t v = 0; v < n; v++)
            for (int64_t i = 0; i < nl; i++)
                w->copy[(begin + v) * k + l + i] = x[v * w->from->vs + i * w->from->ls];
    }
}

static void close_task(void *ctx, int64_t t)
{
    work *w = ctx;
    int64_t since = exb_stats_now(w->product.stats);
    w->product.close(w->product.output, &w->product, w->list->element[t].i, w->list->element[t].j);
    exb_stats_phase(w->product.stats, EXB_PHASE_FALLBACK, &since);
}

/* From this many elements on the copy pays: it costs about as much as that many strided rows. */
static bool copy_pays(const exb_t(product) * p, int64_t count, int64_t m)
{
    double bytes = (double)m * (double)p->k * sizeof(exb_real);
    return !p->a.gather && p->a.ls != 1 && count > m / 4 && p->k >= 64 &&
           bytes <= (double)exb_memory_limit() / 4;
}

void exb_t(deferred_close)(exb_deferred *d, const exb_t(product) * p, int64_t i0, int64_t m,
                           int n_threads)
{
    work w = {.list = d, .product = *p, .i0 = i0, .m = m, .from = &p->a};
    int64_t count = d->count < EXB_DEFERRED_MOST ? d->count : EXB_DEFERRED_MOST;
    if (count == 0)
        return;
    if (copy_pays(p, count, m))
        w.copy = exb_memory_get((size_t)m * (size_t)p->k * sizeof(exb_real));
    if (w.copy) {
        exb_parallel_for(n_threads, (m + COPY_ROWS - 1) / COPY_ROWS, copy_task, &w);
        /* Row i0 is the copy's first; as integers, since the address of row 0 may be nowhere. */
        uintptr_t row_0 = (uintptr_t)w.copy - (uintptr_t)(i0 * p->k) * sizeof(exb_real);
        w.product.a = (exb_t(operand)){.p = (const exb_real *)row_0, .vs = p->k, .ls = 1};
    }
    exb_parallel_for(n_threads, count, close_task, &w);
    exb_memory_put(w.copy);
    d->count = 0;
}
