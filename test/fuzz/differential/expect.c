#include "expect.h"

#include "complex_sum.h"
#include "level1_model.h"
#include "level2_model.h"

#include <stdlib.h>

void fuzz_put(const fuzz_case *c, fuzz_memory *m, fuzz_which which, int64_t i, int64_t j,
              level2_number x)
{
    double *at = m->image[which].first + m->image[which].parts * fuzz_place(c, which, i, j);
    at[0] = round_to(fuzz_operand_format(c, which), x.re);
    if (m->image[which].parts == 2)
        at[1] = x.im;
}

/* --- reductions ----------------------------------------------------------- */

typedef enum { TERMS_SUM, TERMS_MAGNITUDES, TERMS_SQUARES, TERMS_DOT, TERMS_DOT_CONJUGATE } terms;

static terms terms_of(const fuzz_case *c)
{
    const char *base = c->routine->base;
    if (strcmp(base, "sum") == 0)
        return TERMS_SUM;
    if (strcmp(base, "asum") == 0)
        return TERMS_MAGNITUDES;
    if (strcmp(base, "nrm2") == 0)
        return TERMS_SQUARES;
    return strcmp(base, "dotc") == 0 ? TERMS_DOT_CONJUGATE : TERMS_DOT;
}

static double magnitude(double x)
{
    return from_bits(bits_of(x) & INT64_MAX);
}

static void add_term(terms t, level2_number x, level2_number y, complex_sum *s)
{
    complex_factor a = {conjugate_if(t == TERMS_SQUARES || t == TERMS_DOT_CONJUGATE, x), false};
    complex_factor b = t == TERMS_SUM ? (complex_factor){{1, 0}, true} : (complex_factor){y, false};
    if (t != TERMS_MAGNITUDES) {
        complex_sum_add_product(s, a, b);
        return;
    }
    oracle_add(&s->re, magnitude(x.re));
    oracle_add(&s->re, magnitude(x.im));
}

static level2_number reduce(const fuzz_case *c, terms t)
{
    number_format f = fuzz_result_format(c);
    const fuzz_operand *x = &c->operand[OPERAND_X], *y = &c->operand[OPERAND_Y];
    complex_sum s;
    complex_sum_init(&s, c->routine->type);
    if (fuzz_has(c->routine, "sb"))
        oracle_add(&s.re, c->alpha.re);
    for (int64_t i = 0; i < x->rows; i++) {
        level2_number xi = x->v[c->incx == 0 ? 0 : i];
        add_term(t, xi, y->rows ? y->v[c->incy == 0 ? 0 : i] : xi, &s);
    }
    level2_number r = {t == TERMS_SQUARES ? oracle_root(&s.re, f) : oracle_round(&s.re, f),
                       c->routine->result == 'T' ? oracle_round(&s.im, f) : 0};
    complex_sum_clear(&s);
    return r;
}

static void expect_reduction(const fuzz_case *c, fuzz_memory *m)
{
    terms t = terms_of(c);
    bool nothing = c->n <= 0 || (t == TERMS_MAGNITUDES && c->incx <= 0);
    m->result = (level2_number){0, 0};
    if (fuzz_has(c->routine, "sb") && c->n <= 0)
        m->result.re = c->alpha.re;
    else if (!nothing)
        m->result = reduce(c, t);
}

/* --- elements ------------------------------------------------------------- */

static void expect_elements(const fuzz_case *c, fuzz_memory *m)
{
    level1_case e = {.op = (level1_op)c->family,
                     .type = c->routine->type,
                     .n = c->n,
                     .incx = c->incx,
                     .incy = c->incy,
                     .alpha = {c->alpha.re, c->alpha.im},
                     .beta = {c->beta.re, c->beta.im},
                     .x = m->image[OPERAND_X].first,
                     .y = m->image[OPERAND_Y].first};
    for (int64_t i = 0; i < c->operand[OPERAND_C].rows; i++)
        e.param[i] = c->operand[OPERAND_C].v[i].re;
    level1_model(&e);
    for (int64_t i = 0; i < c->operand[OPERAND_Y].rows; i++) { /* a copy may convert */
        const double *y = e.y + fuzz_parts(c) * fuzz_place(c, OPERAND_Y, i, 0);
        fuzz_put(c, m, OPERAND_Y, i, 0, (level2_number){y[0], y[fuzz_parts(c) - 1]});
    }
    m->result.re = (double)e.index;
}

/* --- matrices ------------------------------------------------------------- */

level2_number *fuzz_model(const fuzz_case *c)
{
    const fuzz_operand *o = &c->operand[fuzz_written(c)];
    if (fuzz_returns_quickly(c))
        return NULL;
    level2_number *r = fuzz_malloc((size_t)(o->rows * o->cols) * sizeof *r);
    level2_problem two = fuzz_level2(c);
    if (c->group == GROUP_LEVEL2)
        level2_model(&two, r);
    for (int64_t copy = 0; c->group == GROUP_LEVEL3 && copy < c->batch; copy++) {
        level3_problem three = fuzz_level3(c, copy);
        level3_model(&three, r + copy * (o->rows * o->cols / c->batch));
    }
    return r;
}

void fuzz_put_result(const fuzz_case *c, fuzz_memory *m, const level2_number *r)
{
    fuzz_which out = fuzz_written(c);
    const fuzz_operand *o = &c->operand[out];
    for (int64_t at = 0; r && at < o->rows * o->cols; at++)
        if (fuzz_is_stored(c, out, at % o->rows, at / o->rows))
            fuzz_put(c, m, out, at % o->rows, at / o->rows, r[at]);
}

static void expect_matrix(const fuzz_case *c, fuzz_memory *m)
{
    level2_number *r = fuzz_model(c);
    fuzz_put_result(c, m, r);
    free(r);
}

/* --- bins and segments ---------------------------------------------------- */

/* RN(y[b] + the x that go there); a bin that gets nothing keeps its bits. */
static void expect_scatter(const fuzz_case *c, fuzz_memory *m)
{
    oracle s;
    oracle_init(&s);
    for (int64_t b = 0; b < c->n_bins; b++) {
        int64_t n_terms = 0;
        oracle_reset(&s);
        oracle_add(&s, c->operand[OPERAND_Y].v[b].re);
        for (int64_t i = 0; i < c->n; i++)
            if (c->index[i] == b) {
                oracle_add(&s, c->operand[OPERAND_X].v[i].re);
                n_terms++;
            }
        if (n_terms > 0)
            fuzz_put(c, m, OPERAND_Y, b, 0, (level2_number){oracle_round(&s, fuzz_format(c)), 0});
    }
    oracle_clear(&s);
}

static void expect_segments(const fuzz_case *c, fuzz_memory *m)
{
    oracle s;
    oracle_init(&s);
    for (int64_t b = 0; b < c->n; b++) {
        oracle_reset(&s);
        for (int64_t i = c->index[b]; i < c->index[b + 1]; i++)
            oracle_add(&s, c->operand[OPERAND_X].v[i].re);
        fuzz_put(c, m, OPERAND_Y, b, 0, (level2_number){oracle_round(&s, fuzz_format(c)), 0});
    }
    oracle_clear(&s);
}

void fuzz_expect(const fuzz_case *c, fuzz_memory *m)
{
    static void (*const expect[])(const fuzz_case *, fuzz_memory *) = {
        [GROUP_REDUCTION] = expect_reduction, [GROUP_ELEMENTS] = expect_elements,
        [GROUP_ROTG] = fuzz_expect_rotg,      [GROUP_ROTMG] = fuzz_expect_rotmg,
        [GROUP_LEVEL2] = expect_matrix,       [GROUP_LEVEL3] = expect_matrix,
        [GROUP_SCATTER] = expect_scatter,     [GROUP_SEGMENT] = expect_segments};
    expect[c->group](c, m);
}
