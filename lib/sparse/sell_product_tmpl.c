/* Products of matrices in slices: blocks of rows, as in csr_product_tmpl.c.
 * Types: s d. */
#include "sparse/sell.h"

#include "core/method.h"
#include "core/thread.h"
#include "element/anchored.h"
#include "element/decide.h"

/* p: the product, with the rows in their order, of a matrix that is not there. */
typedef struct {
    const exb_t(sell) *a;
    exb_t(csr_product) p;
    bool filter; /* is in force */
    int n_tasks;
} job;

/* A block's sums, row i as h + l +- bound. least: the least magnitude of an x that is not 0. */
typedef struct {
    const job *job;
    int64_t block;
    double h[EXB_SELL_BLOCK], l[EXB_SELL_BLOCK];
    double bound, unit, least;
} sums;

/* --- one row ------------------------------------------------------------------------ */

/* The entries of row i of the block that were given. Returns how many. */
static int entries_of(const job *q, int64_t block, int i, int32_t *column, exb_real *value)
{
    const exb_sell_block *b = &q->a->block[block];
    int64_t at = q->a->value_at[block] + i % EXB_SELL_ROWS;
    for (int j = 0; j < i / EXB_SELL_ROWS; j++)
        at += EXB_SELL_ROWS * b->width[j];
    for (int k = 0; k < b->length[i]; k++, at += EXB_SELL_ROWS) {
        column[k] = q->a->column[at];
        value[k] = q->a->value[at];
    }
    return b->length[i];
}

static EXB_NOINLINE void multiply_row(const job *q, int64_t block, int i)
{
    int32_t column[EXB_SELL_WIDTH], start[2] = {0};
    exb_real value[EXB_SELL_WIDTH];
    start[1] = entries_of(q, block, i, column, value);
    exb_t(csr_product) p = q->p;
    p.a = (exb_t(csr)){.m = 1, .n = q->a->n, .value = value};
    p.a.row_start.narrow = start;
    p.a.column.narrow = column;
    p.row_order.narrow += block * EXB_SELL_BLOCK + i;
    exb_t(csr_multiply_row)(&p, 0);
}

/* --- blocks ------------------------------------------------------------------------- */

static double anchored_sweep(void *of, int g)
{
    sums *s = of;
    const exb_t(sell) *a = s->job->a;
    const exb_sell_block *b = &a->block[s->block];
    int64_t at = a->value_at[s->block];
    s->unit = exb_anchor_unit(g);
    s->bound = exb_anchor_bound(s->unit, b->widest, b->widest);
    return exb_t_kernels()->sell_sums((int)exb_tasks_of(b->n_rows, EXB_SELL_ROWS), b->width,
                                      a->value + at, a->column + at, s->job->p.x.p,
                                      exb_anchor_sigma(g), s->h, s->l, &s->least);
}

/* Whether all h + l are exact (csr_block.h). */
static bool is_exact(const sums *s)
{
    const exb_sell_block *b = &s->job->a->block[s->block];
    return b->widest * s->unit <= 2 * (b->unit * s->least);
}

static uint64_t decide_block(const job *q, int64_t block, int *g, exb_real *r)
{
    sums s; /* which a sweep fills */
    s.job = q;
    s.block = block;
    if (!exb_anchor_fit(g, EXB_ANCHOR_COARSE, anchored_sweep, &s))
        return ~(uint64_t)0;
    return exb_t(csr_round)(&q->p, block * EXB_SELL_BLOCK, q->a->block[block].n_rows, 0, s.h, s.l,
                            is_exact(&s) ? 0 : s.bound, r);
}

/* *g: the anchor's exponent, for this block and the next. */
static void multiply_block(const job *q, int64_t block, int *g)
{
    exb_real r[EXB_SELL_BLOCK], *y = q->p.y;
    const exb_sell_block *b = &q->a->block[block];
    const int32_t *row = q->a->row + block * EXB_SELL_BLOCK;
    uint64_t uncertified = q->filter ? decide_block(q, block, g, r) : ~(uint64_t)0;
    if (!uncertified && b->in_order) {
        memcpy(y + row[0], r, (size_t)b->n_rows * sizeof *r);
        return;
    }
    for (int i = 0; i < b->n_rows && !uncertified; i++)
        y[row[i]] = r[i];
    for (int i = 0; i < b->n_rows && uncertified; i++)
        if (uncertified >> i & 1)
            multiply_row(q, block, i);
        else
            y[row[i]] = r[i];
}

static void multiply_task(void *ctx, int64_t task)
{
    const job *q = ctx;
    exb_slices blocks = {q->a->n_blocks, {.wide = q->a->value_at}};
    exb_range range = exb_pieces_of_task(blocks, q->n_tasks, (int)task);
    int g = EXB_ANCHOR_MIN_G;
    for (int64_t b = range.begin; b < range.end; b++)
        multiply_block(q, b, &g);
}

static void multiply_rest(const job *q)
{
    exb_t(csr_product) p = q->p;
    p.a = q->a->rest;
    p.row_order = q->a->rest_row;
    if (p.a.m > 0)
        exb_t(csr_multiply)(&p);
}

EXB_NOINLINE void exb_t(sell_multiply)(const exb_t(sell) *a, exb_complex alpha, const exb_real *x,
                                       exb_complex beta, exb_real *y)
{
    job q = {.a = a, .p = {.n_vectors = 1, .alpha = alpha, .beta = beta, .x = {x, 1}, .y = y}};
    q.p.incy = 1;
    q.p.row_order.narrow = a->row;
    q.filter = exb_method_current()->filter;
    int64_t work = a->value_at[a->n_blocks] + EXB_PIECE_COST * a->n_blocks;
    int n_threads = exb_partition_count((double)work, EXB_MOST_RANGES);
    q.n_tasks = n_threads == 1 ? 1 : n_threads * EXB_CSR_TASKS;
    exb_parallel_for(n_threads, q.n_tasks, multiply_task, &q);
    multiply_rest(&q);
}
