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
    double sumsq[EXB_PACK_VECTORS], largest[EXB_PACK_VECTORS];
    int shift[EXB_PACK_VECTORS];
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

/* Rows or columns of the block in the panel, before the first one scaled by their norms. */
static void pack_vectors(const exb_t(flow) *f, const exb_t(vectors) *g)
{
    const exb_chain_work *w = &f->chain;
    exb_chain_side s = g->is_row ? w->rows : w->columns;
    s = (exb_chain_side){s.factor + g->begin, s.scale + g->begin, s.lost + g->begin, s.filled};
    int width = g->is_row ? w->chain.rows : w->chain.cols;
    exb_strips out = {width, f->panel * width, g->is_row ? w->a : w->b, s.factor, s.lost};
    out.p += g->begin * f->panel;
    if (f->l0 == 0)
        exb_t(chain_scales)(g->operand, g->v0, g->n, f->p->k, s);
    exb_t(pack_strips)(g->operand, g->v0, g->n, f->l0, f->k, out);
    double *filled = s.filled + 2 * (g->begin / width);
    for (int64_t v = 0; v < g->n; v += width, out.p += out.stride, filled += 2)
        note_filled(out.p, width, f->k, filled);
}

/* --- blocks -------------------------------------------------------------------- */

/* Sets the sizes of blocks and panels; returns the numbers that they take. */
static size_t set_sizes(exb_t(flow) *f, int64_t block, int64_t panel)
{
    exb_chain_work *w = &f->chain;
    f->rows = exb_least(f->p->m, block);
    f->columns = exb_least(f->p->n, block);
    f->panel = exb_least(f->p->k, panel);
    w->padded_rows = exb_round_up(exb_round_up(f->rows, w->chain.rows), 8);
    w->padded_columns = exb_round_up(exb_round_up(f->columns, w->chain.cols), 8);
    w->ld = exb_least(w->padded_rows, EXB_CHAIN_TILE_ROWS);
    w->tile = w->ld * exb_least(w->padded_columns, EXB_CHAIN_TILE_COLUMNS) << f->p->is_apart;
    w->n_sums = w->tile * exb_t(count_places)(f);
    return (size_t)((w->padded_rows + w->padded_columns) * (EXB_CHAIN_SIDE_ARRAYS + f->panel) +
                    2 * w->n_sums);
}

/* Blocks of all of C if that is small; else large enough that packing is a few percent of the
 * work, in at most the workspace's limit, which returns too much if that is impossible. */
static size_t choose_sizes(exb_t(flow) *f)
{
    enum { PANEL = EXB_IS_S ? 512 : 2048, BLOCK = 4320 };
    size_t n = 0, limit = exb_t(flow_limit)(f) / sizeof(double);
    for (int64_t panel = PANEL; panel >= EXB_CHAIN_SHORT_RUN; panel /= 2)
        for (int64_t block = BLOCK; block > 0; block -= EXB_CHAIN_TILE_ROWS) {
            n = set_sizes(f, block, panel);
            if (n <= limit)
                return n;
        }
    return n;
}

static exb_chain_side side_at(double *d, int64_t n)
{
    return (exb_chain_side){d, d + n, d + 2 * n, d + 3 * n}; /* strips have at least two vectors */
}

static void lay_out(exb_chain_work *w, int64_t panel, double *memory)
{
    w->a = memory;
    w->b = w->a + w->padded_rows * panel;
    w->sums = w->b + w->padded_columns * panel;
    w->lows = w->sums + w->n_sums;
    w->rows = side_at(w->lows + w->n_sums, w->padded_rows);
    w->columns =
        side_at(w->rows.factor + EXB_CHAIN_SIDE_ARRAYS * w->padded_rows, w->padded_columns);
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
    f->tile_rows = EXB_CHAIN_TILE_ROWS;
    f->tile_columns = EXB_CHAIN_TILE_COLUMNS;
    size_t n = choose_sizes(f);
    double *memory = exb_t(flow_memory)(f, n * sizeof *memory);
    if (!memory)
        return false;
    f->pack = pack_vectors;
    f->multiply = exb_t(chain_multiply);
    f->find = exb_t(chain_find);
    lay_out(&f->chain, f->panel, memory);
    int64_t run = exb_least(f->panel, EXB_CHAIN_RUN);
    f->chain.anchor = EXB_IS_S ? 0 : EXB_CHAIN_ANCHOR;
    f->chain.bound = EXB_IS_S ? exb_chain_bound_plain(p->k) : exb_chain_bound_anchored(p->k, run);
    /* Of both halves together: each may begin inside a panel, one run more. Magnitudes of P and Q
     * have a sum below 1. P + Q and P - Q of floats are one rounding more; of doubles S - 3 + S'
     * and S - S' + 3, multiples of 2^-51 below 4, are exact, and sums of corrections, at most k
     * 2^-52, round by k 2^-105. On the grid all are exact. */
    if (p->is_apart)
        f->chain.bound += EXB_IS_S ? 0x1p-51 : (double)p->k * 0x1p-104;
    return true;
}
