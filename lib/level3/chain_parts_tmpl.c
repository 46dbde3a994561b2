/* Parts of a block of the engine of FMA chains: their chains advance through a panel, and are
 * enclosures after the last one.
 * Types: s d. */
#include "level3/chain_work.h"

#include "core/fpenv.h"
#include "core/thread.h"

typedef struct {
    int64_t i, j; /* in the block */
    int m, n;
} part;

static part part_at(const exb_chain_work *w, int64_t t)
{
    /* Rows outside: their panel stays in the second-level cache. */
    int64_t n_column_parts = (w->n + EXB_CHAIN_PART_COLUMNS - 1) / EXB_CHAIN_PART_COLUMNS;
    part q = {t / n_column_parts * EXB_CHAIN_PART_ROWS, t % n_column_parts * EXB_CHAIN_PART_COLUMNS,
              EXB_CHAIN_PART_ROWS, EXB_CHAIN_PART_COLUMNS};
    q.m = (int)(w->m - q.i < q.m ? w->m - q.i : q.m);
    q.n = (int)(w->n - q.j < q.n ? w->n - q.j : q.n);
    return q;
}

/* The chains of a part through the panel. */
static EXB_NOINLINE void advance(const exb_chain_work *w, part q, double *sums, double *lows,
                                 int64_t ld)
{
    int rows = w->chain.rows, cols = w->chain.cols;
    for (int j = 0; j < q.n; j += cols)
        for (int i = 0; i < q.m; i += rows)
            w->chain.run(w->k, w->a + (q.i + i) / rows * (w->panel * rows),
                         w->b + (q.j + j) / cols * (w->panel * cols), w->l0 > 0, sums + j * ld + i,
                         lows + j * ld + i, ld);
}

/* Rows and columns on the grid: the chains are exact. */
static void set_bounds(const exb_chain_work *w, part q, double *row_bound, double *col_bound)
{
    for (int i = 0; i < q.m; i++)
        row_bound[i] = w->rows.lost[q.i + i] == 0 ? 0 : w->bound;
    for (int j = 0; j < q.n; j++)
        col_bound[j] = w->columns.lost[q.j + j] == 0 ? 0 : w->bound;
}

static void hand_over(const exb_chain_work *w, part q, const double *sums, const double *lows)
{
    _Static_assert(EXB_FITS_BLOCK(EXB_CHAIN_PART_ROWS, EXB_CHAIN_PART_COLUMNS), "one block");
    double row_bound[EXB_CHAIN_PART_ROWS] = {0}, col_bound[EXB_CHAIN_PART_COLUMNS];
    set_bounds(w, q, row_bound, col_bound);
    exb_block b = {
        .i0 = w->i0 + q.i, .j0 = w->j0 + q.j, .m = q.m, .n = q.n, .ld = EXB_CHAIN_PART_ROWS};
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
static const double no_lows[EXB_CHAIN_PART];

static void multiply_task(void *ctx, int64_t t)
{
    const exb_chain_work *w = ctx;
    part q = part_at(w, t);
    if (w->p->wanted && !w->p->wanted(w->p->output, w->i0 + q.i, q.m, w->j0 + q.j, q.n))
        return;
    _Alignas(64) double stack_sums[EXB_CHAIN_PART], stack_lows[EXB_CHAIN_PART];
    double *sums = w->sums ? w->sums + t * EXB_CHAIN_PART : stack_sums;
    double *lows = w->sums ? w->lows + t * EXB_CHAIN_PART : stack_lows;
    int64_t since = exb_stats_now(w->p->stats);
    exb_fpenv env;
    exb_fpenv_enter_flushing(&env);
    advance(w, q, sums, lows, EXB_CHAIN_PART_ROWS);
    exb_fpenv_leave(&env);
    exb_stats_phase(w->p->stats, EXB_PHASE_PRODUCT, &since);
    if (w->l0 + w->k == w->p->k)
        hand_over(w, q, sums, w->anchor != 0 ? lows : no_lows);
}

void exb_t(chain_multiply)(exb_chain_work *w)
{
    int64_t n_parts =
        exb_tasks_of(w->m, EXB_CHAIN_PART_ROWS) * exb_tasks_of(w->n, EXB_CHAIN_PART_COLUMNS);
    exb_parallel_for(w->n_threads, n_parts, multiply_task, w);
}
