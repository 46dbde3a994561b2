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

typedef struct {
    int64_t rows, columns, panel;        /* of a block */
    int64_t padded_rows, padded_columns; /* whole strips and vectors */
    int64_t ld, tile, n_sums;            /* of a tile, and all that are there */
    size_t doubles;
} layout;

static layout layout_of(const exb_t(flow) *f, int64_t rows, int64_t columns, int64_t panel)
{
    const exb_chain_kernel *kernel = &f->chain.chain;
    layout s = {.rows = rows, .columns = columns, .panel = panel};
    bool is_one_panel = panel >= f->p->k;
    s.padded_rows = exb_round_up(exb_round_up(rows, kernel->rows), 8);
    s.padded_columns = exb_round_up(exb_round_up(columns, kernel->cols), 8);
    s.ld = exb_least(s.padded_rows, EXB_CHAIN_TILE_ROWS);
    s.tile = s.ld * exb_least(s.padded_columns, EXB_CHAIN_TILE_COLUMNS);
    s.n_sums = s.tile * (is_one_panel ? f->n_threads : exb_chain_tiles(rows, columns));
    s.doubles = (size_t)((s.padded_rows + s.padded_columns) * (EXB_CHAIN_SIDE_ARRAYS + panel) +
                         2 * s.n_sums);
    return s;
}

/* Blocks of all of C if that is small; else large enough that packing is a few percent of the
 * work, in at most the workspace's limit. */
static layout choose_layout(const exb_t(flow) *f)
{
    const exb_t(product) *p = f->p;
    enum { PANEL = EXB_IS_S ? 512 : 2048, BLOCK = 4320, STEP = 480 };
    size_t limit = exb_t(flow_limit)(f) / sizeof(double);
    int64_t block = BLOCK, panel = PANEL;
    layout s;
    do {
        s = layout_of(f, exb_least(p->m, block), exb_least(p->n, block), exb_least(p->k, panel));
        if (block > STEP)
            block -= STEP;
        else if (panel > EXB_CHAIN_SHORT_RUN)
            panel /= 2;
        else
            block -= EXB_CHAIN_TILE_ROWS;
    } while (s.doubles > limit && block > 0);
    return s;
}

static double *carve(double **memory, int64_t n)
{
    double *p = *memory;
    *memory += n;
    return p;
}

static exb_chain_side carve_side(double **memory, int64_t n)
{
    exb_chain_side s;
    s.factor = carve(memory, n);
    s.scale = carve(memory, n);
    s.lost = carve(memory, n);
    s.filled = carve(memory, n); /* strips have at least two vectors */
    return s;
}

static void lay_out(exb_t(flow) *f, const layout *s, double *memory)
{
    exb_chain_work *w = &f->chain;
    int64_t rows = s->padded_rows, columns = s->padded_columns;
    w->panel = s->panel;
    w->ld = s->ld;
    w->tile = s->tile;
    w->are_kept = s->panel < f->p->k;
    w->a = carve(&memory, rows * s->panel);
    w->b = carve(&memory, columns * s->panel);
    w->sums = carve(&memory, s->n_sums);
    w->lows = carve(&memory, s->n_sums);
    w->rows = carve_side(&memory, rows);
    w->columns = carve_side(&memory, columns);
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
        exb_t(chain_pack)(f);
        if (w->l0 + w->k == k)
            break;
        exb_t(chain_advance)(f);
    }
    exb_t(offer_tiles)(f, exb_chain_tiles(f->block.m, f->block.n));
}

bool exb_t(chain_begin)(exb_t(flow) *f)
{
    static const exb_t(engine) chain = {prepare_block, exb_t(chain_find)};
    const exb_t(product) *p = f->p;
    const exb_kernels *kernels = exb_kernels_current();
    f->chain.chain = EXB_IS_S ? *kernels->plain : *kernels->anchored;
    if (!f->chain.chain.run || p->k > EXB_CHAIN_MOST || p->k == 0)
        return false;
    double work_units = (double)p->m * (double)p->n * (double)p->k / 4;
    f->n_threads = exb_partition_count(work_units, EXB_MOST_RANGES);
    layout s = choose_layout(f);
    /* Small products need no allocation. */
    bool is_small = f->n_threads == 1 && s.doubles <= EXB_CHAIN_STACK;
    double *memory = is_small ? f->chain.stack : exb_t(flow_memory)(f, s.doubles * sizeof(double));
    if (!memory)
        return false;
    f->engine = &chain;
    f->rows = s.rows;
    f->columns = s.columns;
    lay_out(f, &s, memory);
    set_bound(&f->chain, p->k);
    return true;
}
