/* Operands of the engine of FMA chains: the rows and columns of a block are packed panel by panel,
 * before the first one scanned for their norms, which scale them.
 * Types: s d. */
#include "level3/flow.h"

#include "core/thread.h"

void exb_t(chain_scales)(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t k,
                         exb_chain_side s)
{
    double sumsq[EXB_CHAIN_PACK_VECTORS], largest[EXB_CHAIN_PACK_VECTORS];
    int shift[EXB_CHAIN_PACK_VECTORS];
    exb_t(norms)(o, v0, n, k, sumsq, largest, shift);
    for (int64_t i = 0; i < n; i++) {
        bool is_finite = sumsq[i] <= DBL_MAX;
        int e = sumsq[i] > 0 && is_finite ? exb_chain_exponent(sumsq[i]) + shift[i] : 0;
        bool fits = is_finite && e > -1000 && e < 1000;
        s.factor[i] = fits ? exb_pow2(-e) : 1;
        s.scale[i] = fits ? exb_pow2(e) : 0;
        s.lost[i] = sumsq[i] == 0 ? EXB_CHAIN_ZEROS : 0;
    }
}

static void scan_vectors(const exb_t(flow) *f, exb_t(vectors) g)
{
    exb_chain_side s = g.is_row ? f->chain.rows : f->chain.columns;
    exb_chain_side at = {s.factor + g.begin, s.scale + g.begin, s.lost + g.begin, NULL};
    exb_t(chain_scales)(g.operand, g.v0, g.n, f->p->k, at);
}

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

static void pack_vectors(const exb_t(flow) *f, exb_t(vectors) g)
{
    const exb_chain_work *w = &f->chain;
    const exb_chain_side *s = g.is_row ? &w->rows : &w->columns;
    int width = g.is_row ? w->chain.rows : w->chain.cols;
    exb_strips out = {width, w->panel * width, NULL, s->factor + g.begin, s->lost + g.begin};
    out.p = (g.is_row ? w->a : w->b) + g.begin / width * out.stride;
    exb_t(pack_strips)(g.operand, g.v0, g.n, w->l0, w->k, out);
    double *filled = s->filled + 2 * (g.begin / width);
    for (int64_t v = 0; v < g.n; v += width, out.p += out.stride, filled += 2)
        note_filled(out.p, width, w->k, filled);
}

static void pack_task(void *ctx, int64_t t)
{
    const exb_t(flow) *f = ctx;
    exb_t(vectors) g = exb_t(vectors_at)(f, t, EXB_CHAIN_PACK_VECTORS);
    int64_t since = exb_stats_now(f->p->stats);
    if (f->chain.l0 == 0)
        scan_vectors(f, g);
    pack_vectors(f, g);
    exb_stats_phase(f->p->stats, EXB_PHASE_CONVERT, &since);
}

void exb_t(chain_pack)(exb_t(flow) *f)
{
    enum { SIZE = EXB_CHAIN_PACK_VECTORS };
    int64_t n_tasks = exb_tasks_of(f->block.m, SIZE) + exb_tasks_of(f->block.n, SIZE);
    exb_parallel_for(f->n_threads, n_tasks, pack_task, f);
}
