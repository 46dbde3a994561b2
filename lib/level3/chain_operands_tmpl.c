/* Operands of the engine of FMA chains: the rows and columns of a block are scanned for their
 * norms, which scale them, and packed panel by panel.
 * Types: s d. */
#include "level3/flow.h"

#include "core/thread.h"
#include "level3/strips.h"

/* --- scan ---------------------------------------------------------------- */

enum { SCAN_VECTORS = EXB_CHAIN_SCAN };

void exb_t(chain_scales)(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t k,
                         exb_chain_side s)
{
    double sumsq[SCAN_VECTORS], largest[SCAN_VECTORS];
    int shift[SCAN_VECTORS];
    exb_t(norms)(o, v0, n, k, (exb_norms){sumsq, largest, shift});
    for (int64_t i = 0; i < n; i++) {
        bool is_finite = sumsq[i] <= DBL_MAX;
        int e = sumsq[i] > 0 && is_finite ? exb_chain_exponent(sumsq[i]) + shift[i] : 0;
        bool fits = is_finite && e > -1000 && e < 1000;
        s.factor[i] = fits ? exb_pow2(-e) : 1;
        s.scale[i] = fits ? exb_pow2(e) : 0;
        s.lost[i] = sumsq[i] == 0 ? EXB_CHAIN_ZEROS : 0;
    }
}

/* Vectors begin ... begin + n - 1 of an operand in the block. */
static void scan_vectors(const exb_t(flow) *f, bool is_row, int64_t begin, int64_t n)
{
    const exb_chain_work *w = &f->chain;
    exb_chain_side s = is_row ? w->rows : w->columns;
    exb_chain_side at = {s.factor + begin, s.scale + begin, s.lost + begin, NULL};
    exb_t(chain_scales)(is_row ? &f->p->a : &f->p->b, (is_row ? f->block.i0 : f->block.j0) + begin,
                        n, f->p->k, at);
}

static void scan_task(void *ctx, int64_t t)
{
    const exb_t(flow) *f = ctx;
    int64_t n_row_tasks = exb_tasks_of(f->block.m, SCAN_VECTORS);
    bool is_row = t < n_row_tasks;
    int64_t begin = (is_row ? t : t - n_row_tasks) * SCAN_VECTORS;
    int64_t since = exb_stats_now(f->p->stats);
    scan_vectors(f, is_row, begin,
                 exb_least((is_row ? f->block.m : f->block.n) - begin, SCAN_VECTORS));
    exb_stats_phase(f->p->stats, EXB_PHASE_CONVERT, &since);
}

/* Vectors that are packed at once are scanned then, and are in the cache. */
static bool is_one_panel(const exb_t(flow) *f)
{
    return f->chain.panel >= f->p->k;
}

/* The columns of the block are its rows: a product with its own transpose. */
static bool is_square(const exb_t(flow) *f)
{
    const exb_t(operand) *a = &f->p->a, *b = &f->p->b;
    return !a->gather && !b->gather && a->in_place.p == b->in_place.p &&
           a->in_place.vs == b->in_place.vs && a->in_place.ls == b->in_place.ls &&
           f->block.i0 == f->block.j0 && f->block.m == f->block.n;
}

/* What is known of n vectors as rows is so of them as columns. */
static void copy_scales(const exb_chain_work *w, int64_t begin, int64_t n)
{
    size_t bytes = (size_t)n * sizeof(double);
    memcpy(w->columns.factor + begin, w->rows.factor + begin, bytes);
    memcpy(w->columns.scale + begin, w->rows.scale + begin, bytes);
    memcpy(w->columns.lost + begin, w->rows.lost + begin, bytes);
}

void exb_t(chain_scan)(exb_t(flow) *f)
{
    int64_t n_row_tasks = exb_tasks_of(f->block.m, SCAN_VECTORS);
    int64_t n_column_tasks = is_square(f) ? 0 : exb_tasks_of(f->block.n, SCAN_VECTORS);
    if (is_one_panel(f))
        return;
    exb_parallel_for(f->n_threads, n_row_tasks + n_column_tasks, scan_task, f);
    if (is_square(f))
        copy_scales(&f->chain, 0, f->block.m);
}

/* --- pack ---------------------------------------------------------------- */

static bool is_zero_term(const double *x, int width)
{
    bool any = x[0] != 0;
    for (int v = 1; v < width && !any; v++)
        any |= x[v] != 0;
    return !any;
}

/* Of dense strips this reads the first and the last element. Zeros of short ones cost less than the
 * look. */
static void note_filled(const double *strip, int width, int64_t k, double *filled)
{
    enum { SHORT = 24 };
    int64_t begin = 0, end = k;
    while (k >= SHORT && begin < end && is_zero_term(strip + begin * width, width))
        begin++;
    while (k >= SHORT && end > begin && is_zero_term(strip + (end - 1) * width, width))
        end--;
    filled[0] = (double)begin;
    filled[1] = (double)end;
}

/* Vectors begin ... begin + n - 1 of the rows or the columns of the block. */
static void pack_vectors(const exb_t(flow) *f, bool is_row, int64_t begin, int64_t n)
{
    const exb_chain_work *w = &f->chain;
    const exb_t(operand) *o = is_row ? &f->p->a : &f->p->b;
    const exb_chain_side *s = is_row ? &w->rows : &w->columns;
    int width = is_row ? w->chain.rows : w->chain.cols;
    exb_strips out = {width, w->panel * width, NULL, s->factor + begin, s->lost + begin};
    out.p = (is_row ? w->a : w->b) + begin / width * out.stride;
    exb_t(pack_strips)(o, (is_row ? f->block.i0 : f->block.j0) + begin, n, w->l0, w->k, out);
    double *filled = s->filled + 2 * (begin / width);
    for (int64_t v = 0; v < n; v += width, out.p += out.stride, filled += 2)
        note_filled(out.p, width, w->k, filled);
}

/* Rows that are columns, too, are packed twice while they are in the cache. */
static void pack_task(void *ctx, int64_t t)
{
    const exb_t(flow) *f = ctx;
    int64_t n_row_tasks = exb_tasks_of(f->block.m, EXB_CHAIN_PACK_VECTORS);
    bool is_row = t < n_row_tasks;
    int64_t begin = (is_row ? t : t - n_row_tasks) * EXB_CHAIN_PACK_VECTORS;
    int64_t n = exb_least((is_row ? f->block.m : f->block.n) - begin, EXB_CHAIN_PACK_VECTORS);
    int64_t since = exb_stats_now(f->p->stats);
    _Static_assert((int)EXB_CHAIN_PACK_VECTORS <= (int)SCAN_VECTORS, "scanned at once");
    if (is_one_panel(f)) {
        scan_vectors(f, is_row, begin, n);
        if (is_square(f))
            copy_scales(&f->chain, begin, n);
    }
    pack_vectors(f, is_row, begin, n);
    if (is_square(f))
        pack_vectors(f, false, begin, n);
    exb_stats_phase(f->p->stats, EXB_PHASE_CONVERT, &since);
}

void exb_t(chain_pack)(exb_t(flow) *f)
{
    int64_t n_row_tasks = exb_tasks_of(f->block.m, EXB_CHAIN_PACK_VECTORS);
    int64_t n_column_tasks = is_square(f) ? 0 : exb_tasks_of(f->block.n, EXB_CHAIN_PACK_VECTORS);
    exb_parallel_for(f->n_threads, n_row_tasks + n_column_tasks, pack_task, f);
}
