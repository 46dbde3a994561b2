#include "problem.h"

#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 7 /* enough for each of three threads to take two products */ };

static double *element(const fuzz_case *c, const fuzz_memory *m, int64_t at)
{
    fuzz_which out = fuzz_written(c);
    int64_t rows = c->operand[out].rows;
    return m->image[out].first + m->image[out].parts * fuzz_place(c, out, at % rows, at / rows);
}

/* Takes the elements that the call may have written; the old ones are put back. */
static const char *take_elements(const fuzz_case *c, const fuzz_memory *before, fuzz_memory *m,
                                 level2_number *result)
{
    const char *wrong = NULL;
    fuzz_which out = fuzz_written(c);
    const fuzz_operand *o = &c->operand[out];
    int64_t n = o->rows * o->cols, each = n / c->batch, parts = m->image[out].parts;
    for (int64_t at = 0; at < n; at++) {
        if (!fuzz_is_stored(c, out, at % o->rows, at / o->rows))
            continue;
        double *x = element(c, m, at);
        level2_number *to = &result[at % each], got = {x[0], parts == 2 ? x[1] : 0};
        if (at >= each && memcmp(to, &got, sizeof got) != 0)
            wrong = "a later product of a batch is another";
        *to = got;
        memcpy(x, element(c, before, at), (size_t)parts * sizeof *x);
    }
    return wrong;
}

static const char *run(const fuzz_case *c, level2_number *result)
{
    fuzz_memory before = fuzz_memory_of(c), m = fuzz_memory_of(c);
    const char *wrong = fuzz_call(c, &m).wrong;
    if (c->group == GROUP_REDUCTION)
        *result = m.result;
    else if (!fuzz_returns_quickly(c) && !wrong)
        wrong = take_elements(c, &before, &m, result);
    for (int w = 0; w < N_OPERANDS; w++)
        if (memcmp(before.image[w].v, m.image[w].v,
                   (size_t)(m.image[w].n + 2 * FUZZ_GUARD) * sizeof(double)) != 0)
            wrong = "something else was written";
    fuzz_memory_free(&before);
    fuzz_memory_free(&m);
    return wrong;
}

fuzz_case fuzz_reduction(const blas_case *b)
{
    fuzz_case c = fuzz_case_named(b->name);
    c.n = b->n;
    c.alpha.re = b->alpha;
    fuzz_allocate(&c);
    for (int64_t i = 0; i < c.operand[OPERAND_X].rows; i++)
        c.operand[OPERAND_X].v[i].re = b->x[i];
    for (int64_t i = 0; i < c.operand[OPERAND_Y].rows; i++)
        c.operand[OPERAND_Y].v[i].re = b->y[i];
    return c;
}

const char *blas_run(const blas_case *b, const placement *q, double *result)
{
    level2_number got;
    fuzz_case c = fuzz_reduction(b);
    fuzz_place_as(&c, q);
    const char *wrong = run(&c, &got);
    *result = got.re;
    fuzz_case_free(&c);
    return wrong;
}

static fuzz_operand operand(int64_t rows, int64_t cols, const level2_number *v, int64_t n_copies)
{
    size_t bytes = (size_t)(rows * cols) * sizeof *v;
    fuzz_operand o = {rows, n_copies * cols, fuzz_malloc((size_t)n_copies * bytes)};
    for (int64_t i = 0; i < n_copies && bytes > 0; i++)
        memcpy(o.v + i * rows * cols, v, bytes);
    return o;
}

const char *level2_run_problem(const level2_problem *p, const placement *q, level2_number *result)
{
    fuzz_case c = fuzz_case_named(level2_name(p->family, p->type));
    fuzz_place_as(&c, q);
    c.transa = p->trans;
    c.uplo = p->uplo;
    c.diag = p->diag;
    c.m = p->m;
    c.n = p->n;
    c.kl = p->kl;
    c.ku = p->ku;
    c.alpha = p->alpha;
    c.beta = p->beta;
    bool has_y = level2_family_traits[p->family].has_y;
    c.operand[OPERAND_A] = operand(p->m, p->n, p->a, 1);
    c.operand[OPERAND_X] = operand(level2_x_length(p), 1, p->x, 1);
    c.operand[OPERAND_Y] = operand(has_y ? level2_y_length(p) : 0, 1, p->y, 1);
    const char *wrong = run(&c, result);
    fuzz_case_free(&c);
    return wrong;
}

const char *level3_run_problem(const level3_problem *p, const placement *q, level2_number *result)
{
    fuzz_case c = fuzz_case_named(level3_name(p->family, p->type));
    fuzz_place_as(&c, q);
    c.side = p->side;
    c.uplo = p->uplo;
    c.transa = p->transa;
    c.transb = p->transb;
    c.diag = p->diag;
    c.m = p->m;
    c.n = p->n;
    c.k = p->k;
    c.alpha = p->alpha;
    c.beta = p->beta;
    c.batch = p->family == L3_BATCH ? BATCH : 1;
    for (int w = 0; w <= MATRIX_C; w++) {
        level3_matrix m = level3_matrix_of(p, (level3_which)w);
        c.operand[w] = operand(m.rows, m.cols, m.p, c.batch);
    }
    const char *wrong = run(&c, result);
    fuzz_case_free(&c);
    return wrong;
}

const char *level3_difference(const level3_problem *p, const placement *q,
                              const level2_number *want, level2_number *result)
{
    static char text[500];
    const char *wrong = level3_run_problem(p, q, result);
    level3_matrix c = level3_matrix_of(p, MATRIX_C);
    int64_t n = level3_returns_quickly(p) ? 0 : c.rows * c.cols, i = 0;
    while (!wrong && i < n &&
           (!level3_is_stored(p, MATRIX_C, i % c.rows, i / c.rows) ||
            (same_bits(result[i].re, want[i].re) && same_bits(result[i].im, want[i].im))))
        i++;
    if (!wrong && i == n)
        return NULL;
    int used = snprintf(text, sizeof text,
                        "%s m=%d n=%d k=%d side=%c uplo=%c trans=%c%c diag=%c alpha=%a,%a "
                        "beta=%a,%a: %s",
                        level3_name(p->family, p->type), (int)p->m, (int)p->n, (int)p->k, p->side,
                        p->uplo, p->transa, p->transb, p->diag, p->alpha.re, p->alpha.im,
                        p->beta.re, p->beta.im, wrong ? wrong : "");
    if (!wrong)
        snprintf(text + used, sizeof text - (size_t)used, "element %d is %a,%a instead of %a,%a",
                 (int)i, result[i].re, result[i].im, want[i].re, want[i].im);
    return text;
}
