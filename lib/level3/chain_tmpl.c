/* The engine of FMA chains (chain.h): scan, pack, multiply, enclose.
 *
 * The product is computed in blocks of at most n_rows x n_columns; for each, k goes by in panels.
 * The rows and columns of a block are scanned for their norms, then, panel by panel, packed, and
 * the chains of all its elements advance. If k fits into one panel a chain lives in a small part on
 * the stack; else all chains of the block are kept from panel to panel.
 *
 *   m = 1000, n_rows = 512:   blocks [0, 512) [512, 1000), parts of 96 rows x 24 columns
 */
#include "level3/product.h"

#include "core/fpenv.h"
#include "core/memory.h"
#include "core/partition.h"
#include "core/thread.h"
#include "level3/chain.h"
#include "level3/deferred.h"
#include "level3/engine.h"
#include "level3/strips.h"

enum { PART_ROWS = 96, PART_COLUMNS = 24, PART = PART_ROWS * PART_COLUMNS };

/* What is known of the packed vectors of one operand, arrays of n_padded. */
typedef struct {
    double *factor, *scale, *lost;
} side;

enum { SIDE_ARRAYS = 3 };

typedef struct {
    const exb_t(product) * p;
    exb_chain_kernel chain;
    double anchor, bound;
    int64_t i0, j0, m, n; /* the block */
    int64_t l0, k;        /* the panel */
    int64_t panel;        /* most terms of a panel */
    int64_t ld;           /* of the kept chains */
    side rows, columns;
    double *a, *b;          /* packed panels, strips of panel * width */
    double *sums, *lows;    /* the kept chains, NULL if there is one panel */
    exb_deferred *deferred; /* NULL in small products */
    int n_threads;
} work;

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* --- scan ---------------------------------------------------------------- */

enum { SCAN_VECTORS = 64 };

/* A vector that is not finite or out of range is left to other ways. */
static void scale_vectors(const work *w, const exb_t(operand) * o, int64_t v0, int64_t n, side s)
{
    double sumsq[SCAN_VECTORS], largest[SCAN_VECTORS];
    int shift[SCAN_VECTORS];
    exb_t(norms)(o, v0, n, w->p->k, (exb_norms){sumsq, largest, shift});
    for (int64_t i = 0; i < n; i++) {
        bool is_finite = sumsq[i] <= DBL_MAX;
        int e = sumsq[i] > 0 && is_finite ? exb_chain_exponent(sumsq[i]) + shift[i] : 0;
        bool fits = is_finite && e > -1000 && e < 1000;
        s.factor[i] = fits ? exb_pow2(-e) : 1;
        s.scale[i] = fits ? exb_pow2(e) : 0;
        s.lost[i] = 0;
    }
}

static void scan_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t n_row_tasks = (w->m + SCAN_VECTORS - 1) / SCAN_VECTORS;
    bool is_row = t < n_row_tasks;
    int64_t begin = (is_row ? t : t - n_row_tasks) * SCAN_VECTORS;
    int64_t left = (is_row ? w->m : w->n) - begin;
    side s = is_row ? w->rows : w->columns;
    side at = {s.factor + begin, s.scale + begin, s.lost + begin};
    int64_t since = exb_stats_now(w->p->stats);
    scale_vectors(w, is_row ? &w->p->a : &w->p->b, (is_row ? w->i0 : w->j0) + begin,
                  left < SCAN_VECTORS ? left : SCAN_VECTORS, at);
    exb_stats_phase(w->p->stats, EXB_PHASE_CONVERT, &since);
}

/* --- pack ---------------------------------------------------------------- */

enum { PACK_VECTORS = 96 /* a multiple of every strip width */ };

static void pack_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    int64_t n_row_tasks = (w->m + PACK_VECTORS - 1) / PACK_VECTORS;
    bool is_row = t < n_row_tasks;
    int64_t begin = (is_row ? t : t - n_row_tasks) * PACK_VECTORS;
    int64_t left = (is_row ? w->m : w->n) - begin, n = left < PACK_VECTORS ? left : PACK_VECTORS;
    const exb_t(operand) *o = is_row ? &w->p->a : &w->p->b;
    const side *s = is_row ? &w->rows : &w->columns;
    int width = is_row ? w->chain.rows : w->chain.cols;
    exb_strips out = {width, w->panel * width, NULL, s->factor + begin, s->lost + begin};
    out.p = (is_row ? w->a : w->b) + begin / width * out.stride;
    int64_t since = exb_stats_now(w->p->stats);
    exb_t(pack_strips)(o, (is_row ? w->i0 : w->j0) + begin, n, w->l0, w->k, out);
    exb_stats_phase(w->p->stats, EXB_PHASE_CONVERT, &since);
}

/* --- multiply ------------------------------------------------------------ */

typedef struct {
    int64_t i, j; /* in the block */
    int m, n;
} part;

static part part_at(const work *w, int64_t t)
{
    /* Rows outside: their panel stays in the second-level cache. */
    int64_t n_column_parts = (w->n + PART_COLUMNS - 1) / PART_COLUMNS;
    part q = {t / n_column_parts * PART_ROWS, t % n_column_parts * PART_COLUMNS, PART_ROWS,
              PART_COLUMNS};
    q.m = (int)(w->m - q.i < q.m ? w->m - q.i : q.m);
    q.n = (int)(w->n - q.j < q.n ? w->n - q.j : q.n);
    return q;
}

/* The chains of a part through the panel. */
static EXB_NOINLINE void advance(const work *w, part q, double *sums, double *lows, int64_t ld)
{
    int rows = w->chain.rows, cols = w->chain.cols;
    for (int j = 0; j < q.n; j += cols)
        for (int i = 0; i < q.m; i += rows)
            w->chain.run(w->k, w->a + (q.i + i) / rows * (w->panel * rows),
                         w->b + (q.j + j) / cols * (w->panel * cols), w->l0 > 0, sums + j * ld + i,
                         lows + j * ld + i, ld);
}

/* Rows and columns on the grid: the chains are exact. */
static void set_bounds(const work *w, part q, double *row_bound, double *col_bound)
{
    for (int i = 0; i < q.m; i++)
        row_bound[i] = w->rows.lost[q.i + i] == 0 ? 0 : w->bound;
    for (int j = 0; j < q.n; j++)
        col_bound[j] = w->columns.lost[q.j + j] == 0 ? 0 : w->bound;
}

static void hand_over(const work *w, part q, const double *sums, const double *lows)
{
    double row_bound[PART_ROWS] = {0}, col_bound[PART_COLUMNS];
    set_bounds(w, q, row_bound, col_bound);
    exb_block b = {.i0 = w->i0 + q.i, .j0 = w->j0 + q.j, .m = q.m, .n = q.n, .ld = PART_ROWS};
    b.anchor = w->anchor;
    b.deferred = w->deferred;
    b.h = sums;
    b.l = lows;
    b.row_scale = w->rows.scale + q.i;
    b.col_scale = w->columns.scale + q.j;
    b.row_bound = row_bound;
    b.col_bound = col_bound;
    w->p->take(w->p->output, &b);
}

/* What plain chains have for corrections. */
static const double no_lows[PART];

static void multiply_task(void *ctx, int64_t t)
{
    const work *w = ctx;
    part q = part_at(w, t);
    if (w->p->wanted && !w->p->wanted(w->p->output, w->i0 + q.i, q.m, w->j0 + q.j, q.n))
        return;
    _Alignas(64) double stack_sums[PART], stack_lows[PART];
    double *sums = w->sums ? w->sums + t * PART : stack_sums;
    double *lows = w->sums ? w->lows + t * PART : stack_lows;
    int64_t since = exb_stats_now(w->p->stats);
    exb_fpenv env;
    exb_fpenv_enter_flushing(&env);
    advance(w, q, sums, lows, PART_ROWS);
    exb_fpenv_leave(&env);
    exb_stats_phase(w->p->stats, EXB_PHASE_PRODUCT, &since);
    if (w->l0 + w->k == w->p->k)
        hand_over(w, q, sums, w->anchor != 0 ? lows : no_lows);
}

/* --- blocks -------------------------------------------------------------- */

static int64_t tasks_of(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

static void run_block(work *w)
{
    int64_t most = tasks_of(w->m, SCAN_VECTORS) + tasks_of(w->n, SCAN_VECTORS);
    exb_parallel_for(w->n_threads, most, scan_task, w);
    int64_t n_packs = tasks_of(w->m, PACK_VECTORS) + tasks_of(w->n, PACK_VECTORS);
    int64_t n_parts = tasks_of(w->m, PART_ROWS) * tasks_of(w->n, PART_COLUMNS);
    for (w->l0 = 0; w->l0 < w->p->k; w->l0 += w->panel) {
        w->k = w->p->k - w->l0 < w->panel ? w->p->k - w->l0 : w->panel;
        exb_parallel_for(w->n_threads, n_packs, pack_task, w);
        exb_parallel_for(w->n_threads, n_parts, multiply_task, w);
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
    int64_t padded = round_up(rows, PACK_VECTORS) + round_up(columns, PACK_VECTORS);
    int64_t parts = tasks_of(rows, PART_ROWS) * tasks_of(columns, PART_COLUMNS);
    s.doubles = (size_t)(padded * (SIDE_ARRAYS + panel) + (panel < p->k ? 2 * parts * PART : 0));
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
            block -= PART_ROWS;
    } while (s.doubles > limit && block > 0);
    return s;
}

static double *carve(double **free_part, int64_t n)
{
    double *p = *free_part;
    *free_part += n;
    return p;
}

static side carve_side(double **memory, int64_t n)
{
    side s;
    s.factor = carve(memory, n);
    s.scale = carve(memory, n);
    s.lost = carve(memory, n);
    return s;
}

static void set_up(work *w, const layout *s, double *memory)
{
    int64_t rows = round_up(s->rows, PACK_VECTORS), columns = round_up(s->columns, PACK_VECTORS);
    w->panel = s->panel;
    w->a = carve(&memory, rows * s->panel);
    w->b = carve(&memory, columns * s->panel);
    w->rows = carve_side(&memory, rows);
    w->columns = carve_side(&memory, columns);
    w->sums = w->lows = NULL;
    if (s->panel < w->p->k) {
        int64_t n = tasks_of(s->rows, PART_ROWS) * tasks_of(s->columns, PART_COLUMNS) * PART;
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
    work w = {.p = p, .n_threads = n_threads, .deferred = deferred};
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
        p->stats->engine = "chain";
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
