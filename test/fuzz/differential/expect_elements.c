/* axpy ... swap and iamax: the reference loop of level1_model, a block of elements at a time. */
#include "expect.h"

#include "level1_call.h"

#include <stdlib.h>

static level1_case *blank(const fuzz_case *c)
{
    level1_case *e = fuzz_malloc(sizeof *e);
    e->op = (level1_op)c->family;
    e->type = c->routine->type;
    e->alpha[0] = c->alpha.re;
    e->alpha[1] = c->alpha.im;
    e->beta[0] = c->beta.re;
    e->beta[1] = c->beta.im;
    for (int64_t i = 0; c->family == LEVEL1_ROTM && i < 5; i++)
        e->param[i] = c->operand[OPERAND_C].v[i].re;
    return e;
}

/* Reals [from, from + n) of an image and of the block's array. */
static void take(const fuzz_image *m, int64_t from, int64_t n, double *to)
{
    if (m->n > 0)
        memcpy(to, m->first + from, (size_t)n * sizeof *to);
}

static level2_number number_at(const double *p, int parts)
{
    return (level2_number){p[0], parts == 2 ? p[1] : 0};
}

/* With a stride of 0 the elements depend on each other: all of them in one block, as they lie. */
static void whole(const fuzz_case *c, fuzz_memory *m)
{
    fuzz_image *x = &m->image[OPERAND_X], *y = &m->image[OPERAND_Y];
    int parts = fuzz_parts(c);
    level1_case *e = blank(c);
    e->n = c->n;
    e->incx = c->incx;
    e->incy = c->incy;
    take(x, 0, x->n, e->x);
    take(y, 0, y->n, e->y);
    level1_model(e);
    if (x->n > 0)
        memcpy(x->first, e->x, (size_t)x->n * sizeof(double));
    for (int64_t i = 0; i < c->operand[OPERAND_Y].rows; i++)
        fuzz_put(c, m, OPERAND_Y, i, 0,
                 number_at(e->y + parts * fuzz_place(c, OPERAND_Y, i, 0), parts));
    m->result.re = (double)e->index;
    free(e);
}

/* Elements [from, from + n), with unit strides. */
static void block(const fuzz_case *c, int64_t from, int64_t n, level1_case *e)
{
    int parts = fuzz_parts(c);
    const fuzz_operand *o[2] = {&c->operand[OPERAND_X], &c->operand[OPERAND_Y]};
    e->n = n;
    e->incx = e->incy = 1;
    for (int w = 0; w < 2; w++)
        for (int64_t i = 0; i < n && o[w]->rows > 0; i++) {
            double *at = (w == 0 ? e->x : e->y) + parts * i;
            at[0] = o[w]->v[from + i].re;
            if (parts == 2)
                at[1] = o[w]->v[from + i].im;
        }
    level1_model(e);
}

static void elements(const fuzz_case *c, fuzz_memory *m)
{
    int parts = fuzz_parts(c);
    int64_t step = LEVEL1_MAX_REALS / 2;
    level1_case *e = blank(c);
    for (int64_t from = 0; from < c->n; from += step) {
        int64_t n = c->n - from < step ? c->n - from : step;
        block(c, from, n, e);
        for (int64_t i = 0; i < n; i++) {
            fuzz_put(c, m, OPERAND_X, from + i, 0, number_at(e->x + parts * i, parts));
            if (m->image[OPERAND_Y].n > 0)
                fuzz_put(c, m, OPERAND_Y, from + i, 0, number_at(e->y + parts * i, parts));
        }
    }
    free(e);
}

/* The best of each block, and then of these. */
static void largest(const fuzz_case *c, fuzz_memory *m)
{
    enum { STEP = LEVEL1_MAX_REALS / 2, MOST_BLOCKS = 64 };
    int64_t best[MOST_BLOCKS], n_blocks = 0;
    level1_case *e = blank(c);
    fuzz_case winners = fuzz_case_copy(c);
    for (int64_t from = 0; from < c->n && n_blocks < MOST_BLOCKS; from += STEP) {
        block(c, from, c->n - from < STEP ? c->n - from : STEP, e);
        best[n_blocks] = from + e->index;
        winners.operand[OPERAND_X].v[n_blocks] = c->operand[OPERAND_X].v[from + e->index - 1];
        n_blocks++;
    }
    block(&winners, 0, n_blocks, e);
    m->result.re = (double)best[e->index - 1];
    fuzz_case_free(&winners);
    free(e);
}

void fuzz_expect_elements(const fuzz_case *c, fuzz_memory *m)
{
    level1_op op = (level1_op)c->family;
    bool has_y = m->image[OPERAND_Y].n > 0;
    bool needs_positive = op == LEVEL1_IAMAX || op == LEVEL1_SCAL || op == LEVEL1_REAL_SCAL;
    if (c->n <= 0 || (needs_positive && c->incx <= 0))
        return;
    if (op == LEVEL1_IAMAX)
        largest(c, m);
    else if (c->incx == 0 || (has_y && c->incy == 0))
        whole(c, m);
    else
        elements(c, m);
}
