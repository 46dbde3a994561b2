/* The engine of FMA chains (chain.h): scan, pack, multiply, enclose.
 *
 * The product is computed in blocks of at most n_rows x n_columns; for each, k goes by in panels.
 * The rows and columns of a block are scanned for their norms, then, panel by panel, packed, and
 * the chains of all its elements advance. If k fits into one panel a chain lives in a tile on
 * the stack; else all chains of the block are kept from panel to panel.
 *
 *   m = 1000, n_rows = 512:   blocks [0, 512) [512, 1000), tiles of 96 rows x 24 columns
 * Types: s d. */
#include "level3/engine.h"

typedef struct {
    int64_t rows, columns, panel; /* of a block */
    size_t doubles;
} layout;

static layout layout_of(const exb_t(product) *p, int64_t rows, int64_t columns, int64_t panel)
{
    layout s = {rows, columns, panel, 0};
    int64_t padded =
        exb_round_up(rows, EXB_CHAIN_PACK_VECTORS) + exb_round_up(columns, EXB_CHAIN_PACK_VECTORS);
    s.doubles = (size_t)(padded * (EXB_CHAIN_SIDE_ARRAYS + panel) +
                         (panel < p->k ? 2 * exb_chain_tiles(rows, columns) * EXB_CHAIN_TILE : 0));
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
        s = layout_of(p, exb_least(p->m, block), exb_least(p->n, block), exb_least(p->k, panel));
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
    int64_t rows = exb_round_up(s->rows, EXB_CHAIN_PACK_VECTORS),
            columns = exb_round_up(s->columns, EXB_CHAIN_PACK_VECTORS);
    w->panel = s->panel;
    w->a = carve(&memory, rows * s->panel);
    w->b = carve(&memory, columns * s->panel);
    w->rows = carve_side(&memory, rows);
    w->columns = carve_side(&memory, columns);
    w->sums = w->lows = NULL;
    if (s->panel < f->p->k) {
        int64_t n = exb_chain_tiles(s->rows, s->columns) * EXB_CHAIN_TILE;
        w->sums = carve(&memory, n);
        w->lows = carve(&memory, n);
    }
}

static void set_kernel(exb_t(flow) *f, int64_t panel)
{
    const exb_kernels *kernels = exb_kernels_current();
    exb_chain_work *w = &f->chain;
    bool anchored = !EXB_IS_S;
    int64_t k = f->p->k, run = exb_least(panel, EXB_CHAIN_RUN);
    w->chain = anchored ? *kernels->anchored : *kernels->plain;
    w->anchor = anchored ? EXB_CHAIN_ANCHOR : 0;
    w->bound = anchored ? exb_chain_bound_anchored(k, run) : exb_chain_bound_plain(k);
}

static void prepare_block(exb_t(flow) *f)
{
    exb_chain_work *w = &f->chain;
    int64_t k = f->p->k;
    exb_t(chain_scan)(f);
    for (w->l0 = 0;; w->l0 += w->panel) {
        w->k = exb_least(k - w->l0, w->panel);
        exb_t(chain_pack)(f);
        if (w->l0 + w->k == k)
            break;
        exb_t(chain_advance)(f);
    }
    exb_t(chain_look)(f);
    f->n_tasks = exb_chain_tiles(f->block.m, f->block.n);
}

bool exb_t(chain_begin)(exb_t(flow) *f)
{
    static const exb_t(engine) chain = {prepare_block, exb_t(chain_find)};
    const exb_t(product) *p = f->p;
    if ((!EXB_IS_S && !exb_kernels_current()->anchored->run) || p->k > EXB_CHAIN_MOST || p->k == 0)
        return false;
    double work_units = (double)p->m * (double)p->n * (double)p->k / 4;
    f->n_threads = exb_partition_count(work_units, EXB_MOST_RANGES);
    layout s = choose_layout(f);
    /* Small products need no allocation. */
    bool is_small = f->n_threads == 1 && s.doubles <= EXB_STACK_DOUBLES;
    double *memory = is_small ? f->stack : exb_t(flow_memory)(f, s.doubles * sizeof(double));
    if (!memory)
        return false;
    if (p->stats)
        p->stats->engine = "anchor";
    f->engine = &chain;
    f->rows = s.rows;
    f->columns = s.columns;
    set_kernel(f, s.panel);
    lay_out(f, &s, memory);
    return true;
}
