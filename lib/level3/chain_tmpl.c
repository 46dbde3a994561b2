/* The engine of FMA chains (chain.h): scan, pack, multiply, enclose.
 *
 * The product is computed in blocks of at most n_rows x n_columns; for each, k goes by in panels.
 * The rows and columns of a block are scanned for their norms, then, panel by panel, packed, and
 * the chains of all its elements advance. If k fits into one panel, each task has chains for one
 * tile; else all chains of the block are kept from panel to panel.
 *
 *   m = 1000, n_rows = 512:   blocks [0, 512) [512, 1000), tiles of 96 rows x 24 columns
 * Types: s d. */
#include "level3/flow.h"

#include "core/thread.h"

/* --- operands ------------------------------------------------------------------ */

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

/* Packs the rows and columns of the block in the panel, before the first one scaled by their norms.
 */
static void pack_block(exb_t(flow) *f)
{
    enum { SIZE = EXB_CHAIN_PACK_VECTORS };
    int64_t n_tasks = exb_tasks_of(f->block.m, SIZE) + exb_tasks_of(f->block.n, SIZE);
    exb_parallel_for(f->n_threads, n_tasks, pack_task, f);
}

/* --- blocks -------------------------------------------------------------------- */

/* Sets the sizes of blocks and panels; returns the numbers that they take. */
static size_t set_sizes(exb_t(flow) *f, int64_t rows, int64_t columns, int64_t panel)
{
    exb_chain_work *w = &f->chain;
    f->rows = rows;
    f->columns = columns;
    w->panel = panel;
    w->are_kept = panel < f->p->k;
    w->padded_rows = exb_round_up(exb_round_up(rows, w->chain.rows), 8);
    w->padded_columns = exb_round_up(exb_round_up(columns, w->chain.cols), 8);
    w->ld = exb_least(w->padded_rows, EXB_CHAIN_TILE_ROWS);
    w->tile = w->ld * exb_least(w->padded_columns, EXB_CHAIN_TILE_COLUMNS);
    w->n_sums = w->tile * (w->are_kept ? exb_count_tiles(rows, columns, EXB_CHAIN_TILE_ROWS,
                                                         EXB_CHAIN_TILE_COLUMNS)
                                       : f->n_threads);
    return (size_t)((w->padded_rows + w->padded_columns) * (EXB_CHAIN_SIDE_ARRAYS + panel) +
                    2 * w->n_sums);
}

/* Blocks of all of C if that is small; else large enough that packing is a few percent of the
 * work, in at most the workspace's limit. */
static size_t choose_sizes(exb_t(flow) *f)
{
    const exb_t(product) *p = f->p;
    enum { PANEL = EXB_IS_S ? 512 : 2048, BLOCK = 4320, STEP = 480 };
    size_t n, limit = exb_t(flow_limit)(f) / sizeof(double);
    int64_t block = BLOCK, panel = PANEL;
    do {
        n = set_sizes(f, exb_least(p->m, block), exb_least(p->n, block), exb_least(p->k, panel));
        if (block > STEP)
            block -= STEP;
        else if (panel > EXB_CHAIN_SHORT_RUN)
            panel /= 2;
        else
            block -= EXB_CHAIN_TILE_ROWS;
    } while (n > limit && block > 0);
    return n;
}

static double *carve(double **memory, int64_t n)
{
    double *p = *memory;
    *memory += n;
    return p;
}

static exb_chain_side carve_side(double **memory, int64_t n)
{
    double *d = carve(memory, EXB_CHAIN_SIDE_ARRAYS * n);
    return (exb_chain_side){d, d + n, d + 2 * n, d + 3 * n}; /* strips have at least two vectors */
}

static void lay_out(exb_chain_work *w, double *memory)
{
    w->a = carve(&memory, w->padded_rows * w->panel);
    w->b = carve(&memory, w->padded_columns * w->panel);
    w->sums = carve(&memory, w->n_sums);
    w->lows = carve(&memory, w->n_sums);
    w->rows = carve_side(&memory, w->padded_rows);
    w->columns = carve_side(&memory, w->padded_columns);
}

static void set_bound(exb_chain_work *w, int64_t k)
{
    int64_t run = exb_least(w->panel, EXB_CHAIN_RUN);
    w->anchor = EXB_IS_S ? 0 : EXB_CHAIN_ANCHOR;
    w->bound = EXB_IS_S ? exb_chain_bound_plain(k) : exb_chain_bound_anchored(k, run);
}

static void prepare_block(exb_t(flow) *f)
{
    exb_chain_work *w = &f->chain;
    int64_t k = f->p->k;
    for (w->l0 = 0;; w->l0 += w->panel) {
        w->k = exb_least(k - w->l0, w->panel);
        pack_block(f);
        if (w->l0 + w->k == k)
            break;
        exb_t(chain_advance)(f);
    }
    exb_t(offer_tiles)(f, EXB_CHAIN_TILE_ROWS, EXB_CHAIN_TILE_COLUMNS);
}

bool exb_t(chain_begin)(exb_t(flow) *f)
{
    const exb_t(product) *p = f->p;
    const exb_kernels *kernels = exb_kernels_current();
    f->chain.chain = EXB_IS_S ? *kernels->plain : *kernels->anchored;
    if (!f->chain.chain.run)
        return false;
    double work_units = (double)p->m * (double)p->n * (double)p->k / 4;
    f->n_threads = exb_partition_count(work_units, EXB_MOST_RANGES);
    size_t n = choose_sizes(f);
    double *memory = exb_t(flow_memory)(f, n * sizeof *memory);
    if (!memory)
        return false;
    f->prepare = prepare_block;
    f->find = exb_t(chain_find);
    lay_out(&f->chain, memory);
    set_bound(&f->chain, p->k);
    return true;
}
