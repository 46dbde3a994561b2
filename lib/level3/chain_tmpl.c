/* The engine of FMA chains (chain.h): scan, pack, multiply, enclose.
 *
 * The product is computed in blocks of at most n_rows x n_columns; for each, k goes by in panels.
 * The rows and columns of a block are scanned for their norms, then, panel by panel, packed, and
 * the chains of all its elements advance. If k fits into one panel a chain lives in a small part on
 * the stack; else all chains of the block are kept from panel to panel.
 *
 *   m = 1000, n_rows = 512:   blocks [0, 512) [512, 1000), parts of 96 rows x 24 columns
 * Types: s d. */
#include "level3/engine.h"

#include "core/memory.h"
#include "level3/chain_work.h"

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static void run_block(exb_chain_work *w)
{
    exb_t(chain_scan)(w);
    for (w->l0 = 0; w->l0 < w->p->k; w->l0 += w->panel) {
        w->k = w->p->k - w->l0 < w->panel ? w->p->k - w->l0 : w->panel;
        exb_t(chain_pack)(w);
        exb_t(chain_multiply)(w);
    }
    if (w->deferred)
        exb_t(deferred_close)(w->deferred, w->p, w->i0, w->m, w->n_threads);
}

typedef struct {
    int64_t rows, columns, panel; /* of a block */
    size_t doubles;
} layout;

static layout layout_of(const exb_t(product) * p, int64_t rows, int64_t columns, int64_t panel)
{
    layout s = {rows, columns, panel, 0};
    int64_t padded =
        round_up(rows, EXB_CHAIN_PACK_VECTORS) + round_up(columns, EXB_CHAIN_PACK_VECTORS);
    int64_t parts =
        exb_tasks_of(rows, EXB_CHAIN_PART_ROWS) * exb_tasks_of(columns, EXB_CHAIN_PART_COLUMNS);
    s.doubles = (size_t)(padded * (EXB_CHAIN_SIDE_ARRAYS + panel) +
                         (panel < p->k ? 2 * parts * EXB_CHAIN_PART : 0));
    return s;
}

/* Blocks of all of C if that is small; else large enough that packing is a few percent of the
 * work, in at most the workspace's limit. */
static layout choose_layout(const exb_t(product) * p, int n_threads)
{
    enum { PANEL = EXB_IS_S ? 512 : 2048, BLOCK = 4320, STEP = 480 };
    size_t bytes = exb_memory_limit() * (size_t)n_threads;
    size_t limit =
        bytes > sizeof(exb_deferred) ? (bytes - sizeof(exb_deferred)) / sizeof(double) : 0;
    int64_t block = BLOCK, panel = PANEL;
    layout s;
    do {
        s = layout_of(p, p->m < block ? p->m : block, p->n < block ? p->n : block,
                      p->k < panel ? p->k : panel);
        if (block > STEP)
            block -= STEP;
        else if (panel > EXB_CHAIN_SHORT_RUN)
            panel /= 2;
        else
            block -= EXB_CHAIN_PART_ROWS;
    } while (s.doubles > limit && block > 0);
    return s;
}

static double *carve(double **free_part, int64_t n)
{
    double *p = *free_part;
    *free_part += n;
    return p;
}

static exb_chain_side carve_side(double **memory, int64_t n)
{
    exb_chain_side s;
    s.factor = carve(memory, n);
    s.scale = carve(memory, n);
    s.lost = carve(memory, n);
    return s;
}

static void set_up(exb_chain_work *w, const layout *s, double *memory)
{
    int64_t rows = round_up(s->rows, EXB_CHAIN_PACK_VECTORS),
            columns = round_up(s->columns, EXB_CHAIN_PACK_VECTORS);
    w->panel = s->panel;
    w->a = carve(&memory, rows * s->panel);
    w->b = carve(&memory, columns * s->panel);
    w->rows = carve_side(&memory, rows);
    w->columns = carve_side(&memory, columns);
    w->sums = w->lows = NULL;
    if (s->panel < w->p->k) {
        int64_t n = exb_tasks_of(s->rows, EXB_CHAIN_PART_ROWS) *
                    exb_tasks_of(s->columns, EXB_CHAIN_PART_COLUMNS) * EXB_CHAIN_PART;
        w->sums = carve(&memory, n);
        w->lows = carve(&memory, n);
    }
}

static void run_all(const exb_t(product) * p, const layout *s, int n_threads, double *memory,
                    exb_deferred *deferred)
{
    const exb_kernels *kernels = exb_kernels_current();
    bool anchored = !EXB_IS_S;
    int64_t run = s->panel < EXB_CHAIN_RUN ? s->panel : EXB_CHAIN_RUN;
    exb_chain_work w = {.p = p, .n_threads = n_threads, .deferred = deferred};
    w.chain = anchored ? kernels->anchored : kernels->plain;
    w.anchor = anchored ? EXB_CHAIN_ANCHOR : 0;
    w.bound = anchored ? exb_chain_bound_anchored(p->k, run) : exb_chain_bound_plain(p->k);
    set_up(&w, s, memory);
    for (w.j0 = 0; w.j0 < p->n; w.j0 += s->columns)
        for (w.i0 = 0; w.i0 < p->m; w.i0 += s->rows) {
            w.m = p->m - w.i0 < s->rows ? p->m - w.i0 : s->rows;
            w.n = p->n - w.j0 < s->columns ? p->n - w.j0 : s->columns;
            if (!p->wanted || p->wanted(p->output, w.i0, w.m, w.j0, w.n))
                run_block(&w);
        }
}

/* Small products need no allocation. */
static EXB_NOINLINE void run_on_stack(const exb_t(product) * p, const layout *s)
{
    _Alignas(64) double memory[EXB_STACK_DOUBLES];
    run_all(p, s, 1, memory, NULL);
}

bool exb_t(chain_run)(const exb_t(product) * p)
{
    if ((!EXB_IS_S && !exb_kernels_current()->anchored.run) || p->k > EXB_CHAIN_MOST || p->k == 0)
        return false;
    double work_units = (double)p->m * (double)p->n * (double)p->k / 4;
    int n_threads = exb_partition_count(work_units, EXB_MAX_PARTS);
    layout s = choose_layout(p, n_threads);
    if (p->stats)
        p->stats->engine = "anchor";
    if (n_threads == 1 && s.doubles <= EXB_STACK_DOUBLES) {
        run_on_stack(p, &s);
        return true;
    }
    size_t bytes = sizeof(exb_deferred) + s.doubles * sizeof(double);
    bool fits = bytes <= exb_memory_limit() * (size_t)n_threads;
    exb_deferred *memory = fits ? exb_memory_get(bytes) : NULL;
    if (!memory)
        return false;
    memory->count = 0;
    run_all(p, &s, n_threads, (double *)(memory + 1), memory);
    exb_memory_put(memory);
    return true;
}
