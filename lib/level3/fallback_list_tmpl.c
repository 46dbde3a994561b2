/* Elements in a list: where they are many, from a copy of their rows.
 * Types: s d c z. */
#include "core/memory.h"
#include "core/thread.h"
#include "level3/fallback.h"
#include "level3/output_element.h"

typedef struct {
    const exb_t(output) *o;
    const exb_fallback_list *list;
    exb_p(product) product; /* its rows may be a copy */
    int64_t i0, m;
    exb_real *copy; /* [m][k] */
} work;

enum { COPY_ROWS = 16, COPY_TERMS = 64 };

/* A few rows, in pieces that stay in the first-level cache. */
static void copy_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    const exb_p(elements) from = w->o->product.a.in_place;
    int64_t k = w->product.k, begin = t * COPY_ROWS, n = exb_least(w->m - begin, COPY_ROWS);
    for (int64_t l = 0; l < k; l += COPY_TERMS) {
        int64_t nl = exb_least(k - l, COPY_TERMS);
        const exb_real *x = exb_p(elements_from)(from, w->i0 + begin, l).p;
        for (int64_t v = 0; v < n; v++)
            for (int64_t i = 0; i < nl; i++)
                w->copy[(begin + v) * k + l + i] = x[v * from.vs + i * from.ls];
    }
}

static void compute_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t since = exb_stats_now(w->product.stats);
    exb_t(compute_element)(w->o, &w->product, w->list->element[t].i, w->list->element[t].j);
    exb_stats_phase(w->product.stats, EXB_PHASE_FALLBACK, &since);
}

/* From this many elements on the copy pays: it costs about as much as that many strided rows. */
static bool copy_pays(const exb_p(product) *p, int64_t count, int64_t m)
{
    double bytes = (double)m * (double)p->k * sizeof(exb_real);
    return !p->a.gather && p->a.in_place.ls != 1 && count > m / 4 && p->k >= 64 &&
           bytes <= (double)exb_memory_limit() / 4;
}

void exb_t(compute_listed)(const exb_t(output) *o, exb_p(flow) *f)
{
    work w = {.o = o, .list = f->list, .product = o->product, .i0 = f->block.i0, .m = f->block.m};
    int64_t k = w.product.k, count = exb_least(f->list->count, EXB_FALLBACK_LIST_MOST);
    if (count == 0)
        return;
    if (copy_pays(&o->product, count, w.m))
        w.copy = exb_memory_get((size_t)w.m * (size_t)k * sizeof(exb_real));
    if (w.copy) {
        exb_parallel_for(f->n_threads, exb_tasks_of(w.m, COPY_ROWS), copy_task, &w);
        /* Row i0 is the copy's first; as integers, since the address of row 0 may be nowhere. */
        uintptr_t row_0 = (uintptr_t)w.copy - (uintptr_t)(w.i0 * k) * sizeof(exb_real);
        w.product.a = (exb_p(operand)){.in_place = {(const exb_real *)row_0, k, 1}};
    }
    exb_parallel_for(f->n_threads, count, compute_task, &w);
    exb_memory_put(w.copy);
    f->list->count = 0;
}
