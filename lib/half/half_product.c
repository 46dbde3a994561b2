/* 16-bit numbers are floats, so that a product of theirs is one of floats: operands are widened to
 * memory if they fit, else piece by piece where engines read them. Results of 16 bits come from
 * blocks of C as floats (half_end.c).
 * Types: s. */
#include "half/half_product.h"

#include "core/memory.h"
#include "element/line.h"
#include "level2/stored_matrix.h"
#include "level3/output.h"

double exb_half_scalar(const exb_half_product *q, const void *p)
{
    if (!q->is_half)
        return *(const float *)p;
    return exb_widen_half(q->a.kind, *(const uint16_t *)p);
}

enum { FEW = 1024 }; /* elements of a matrix that is on the stack */

/* An operand, widened if there is memory. */
typedef struct {
    exb_half_vectors half;
    exb_selements wide;
    float *memory;
} operand;

static void open_operand(const exb_half_vectors *x, operand *o, float few[FEW])
{
    double n = (double)x->n * (double)x->k, bytes = n * sizeof(float);
    o->half = *x;
    if (n > FEW && bytes <= (double)exb_memory_limit() / 4)
        o->memory = few = exb_memory_get((size_t)bytes);
    if (n <= FEW || o->memory)
        o->wide = exb_half_widen_vectors(x, few);
}

/* Of n vectors from v0 on; part is what it refers to. */
static exb_soperand operand_from(const operand *o, int64_t v0, int64_t n, exb_half_vectors *part)
{
    *part = exb_half_from(&o->half, v0, n);
    exb_selements wide = exb_selements_from(o->wide, v0, 0);
    return exb_half_operand(part, wide.p ? &wide : NULL);
}

typedef struct {
    const exb_half_product *q;
    double alpha, beta;
    operand a, b;
    float (*few)[FEW]; /* of operands that are not open yet */
    int64_t k;
    exb_call_stats *stats;
} work;

static void open_operands(work *w)
{
    if (!w->few)
        return;
    open_operand(&w->q->a, &w->a, w->few[0]);
    open_operand(&w->q->b, &w->b, w->few[1]);
    w->few = NULL;
}

/* A block of C, as floats at f, columns ldf apart. */
static void multiply_block(work *w, exb_block b, float *f, int64_t ldf, int *unit)
{
    const exb_half_product *q = w->q;
    exb_half_vectors rows, columns;
    exb_soutput o = {.alpha = {w->alpha, 0}, .beta = {w->beta, 0}, .n_sums = 1};
    o.real_alpha = o.real_beta = true;
    o.c = (exb_starget){f, exb_view_full(false, ldf), EXB_REGION_ALL};
    o.product.stats = w->stats;
    if (w->k > 0) {
        open_operands(w);
        o.product.a = operand_from(&w->a, b.i0, b.m, &rows);
        o.product.b = operand_from(&w->b, b.j0, b.n, &columns);
    }
    uint16_t *c = q->is_half ? (uint16_t *)q->c + b.i0 + b.j0 * q->cs : NULL;
    for (int64_t j = 0; c && w->beta != 0 && j < b.n; j++)
        exb_half_widen(q->a.kind, b.m, c + j * q->cs, 1, f + j * ldf, 1);
    exb_soutput_run(&o, b.m, b.n, w->k);
    const exb_half_end end = {q->a.kind, w->alpha, w->beta, &o.product, c, 1, q->cs};
    if (c)
        exb_half_finish(&end, f, unit);
}

/* Through memory for a block of C, m x n floats and a unit for each row and column. */
static void multiply_blocks(work *w, int64_t m, int64_t n, float *f, int *unit)
{
    const int64_t all_m = w->q->a.n, all_n = w->q->b.n;
    for (int64_t j = 0; j < all_n; j += n)
        for (int64_t i = 0; i < all_m; i += m) {
            exb_block b = {i, j, exb_least(all_m - i, m), exb_least(all_n - j, n)};
            if (w->k == 0 || !exb_half_chains(w->q, w->alpha, w->beta, b, w->stats))
                multiply_block(w, b, f, b.m, unit);
        }
}

static void multiply_through_memory(work *w)
{
    int64_t most = (int64_t)(exb_memory_limit() / 4 / sizeof(float)), all_m = w->q->a.n;
    int64_t m = exb_most(exb_least(all_m, most / 4), 1);
    int64_t n = exb_least(w->q->b.n, most / (m + 1) - 1); /* (m + 1) (n + 1) <= most */
    float few[FEW], *f = NULL;
    int few_units[FEW + 1];
    if (n > 0 && m * n > FEW)
        f = exb_memory_get((size_t)(m * n + m + n) * sizeof *f);
    if (f)
        multiply_blocks(w, m, n, f, (int *)(void *)(f + m * n));
    else if (n > 0 && m * n <= FEW)
        multiply_blocks(w, m, n, few, few_units);
    else
        multiply_blocks(w, exb_least(all_m, FEW), 1, few, few_units);
    exb_memory_put(f);
}

void exb_half_multiply(void *product, exb_call_stats *stats)
{
    float few[2][FEW];
    const exb_half_product *q = product;
    work w = {.q = q, .k = q->a.k, .few = few, .stats = stats};
    w.alpha = exb_half_scalar(q, q->alpha);
    w.beta = exb_half_scalar(q, q->beta);
    bool is_empty = w.alpha == 0 || w.k == 0;
    if (is_empty && w.beta == 1)
        return;
    if (is_empty) { /* neither A nor B nor alpha counts */
        w.k = 0;
        w.alpha = 1;
    }
    if (q->is_half)
        multiply_through_memory(&w);
    else
        multiply_block(&w, (exb_block){0, 0, q->a.n, q->b.n}, q->c, q->cs, NULL);
    exb_memory_put(w.a.memory);
    exb_memory_put(w.b.memory);
}
