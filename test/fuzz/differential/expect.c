#include "expect.h"

#include "complex_sum.h"

#include <stdlib.h>

void fuzz_put(const fuzz_case *c, fuzz_memory *m, fuzz_which which, int64_t i, int64_t j,
              test_number x)
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

static void add_term(terms t, test_number x, test_number y, complex_sum *s)
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

static test_number reduce(const fuzz_case *c, terms t)
{
    number_format f = fuzz_result_format(c);
    const fuzz_operand *x = &c->operand[OPERAND_X], *y = &c->operand[OPERAND_Y];
    COMPLEX_SUM(s, c->routine->type);
    if (fuzz_has(c->routine, "sb"))
        oracle_add(&s.re, c->alpha.re);
    for (int64_t i = 0; i < x->rows; i++) {
        test_number xi = x->v[c->incx == 0 ? 0 : i];
        add_term(t, xi, y->rows ? y->v[c->incy == 0 ? 0 : i] : xi, &s);
    }
    test_number r = {t == TERMS_SQUARES ? oracle_root(&s.re, f) : oracle_round(&s.re, f),
                     c->routine->result == 'T' ? oracle_round(&s.im, f) : 0};
    return r;
}

static void expect_reduction(const fuzz_case *c, fuzz_memory *m)
{
    terms t = terms_of(c);
    bool nothing = c->n <= 0 || (t == TERMS_MAGNITUDES && c->incx <= 0);
    m->result = (test_number){0, 0};
    if (fuzz_has(c->routine, "sb") && c->n <= 0)
        m->result.re = c->alpha.re;
    else if (!nothing)
        m->result = reduce(c, t);
}

/* --- elements ------------------------------------------------------------- */

/* |x| or |re| + |im|, exactly; NaN and Inf as such. */
static void magnitude_of(mpfr_t m, test_number x)
{
    mpfr_set_d(m, magnitude(x.re), MPFR_RNDN);
    if (mpfr_add_d(m, m, magnitude(x.im), MPFR_RNDN) != 0)
        abort();
}

/* From 1, 0 for none: the first NaN, or the first of the largest. */
static int64_t index_of_largest(const fuzz_case *c, const fuzz_memory *m)
{
    int64_t index = 0;
    MPFR(best, 2200);
    MPFR(x, 2200);
    for (int64_t i = 0; i < c->n && c->incx > 0 && !(index && mpfr_nan_p(best)); i++) {
        magnitude_of(x, fuzz_number_in(c, m, OPERAND_X, i, 0));
        if (index == 0 || mpfr_nan_p(x) || mpfr_cmp(x, best) > 0) {
            mpfr_set(best, x, MPFR_RNDN);
            index = i + 1;
        }
    }
    return index;
}

/* RN(a x + b y), without what is NULL. */
static test_number line(const fuzz_case *c, const complex_factor *a, test_number x,
                        const complex_factor *b, test_number y)
{
    COMPLEX_SUM(s, c->routine->type);
    if (a)
        complex_sum_add_product(&s, *a, (complex_factor){x, false});
    if (b)
        complex_sum_add_product(&s, *b, (complex_factor){y, false});
    return complex_sum_round_signed(&s);
}

/* The entries h11, h12, h21, h22 of rotations. */
static void matrix(const fuzz_case *c, complex_factor h[4])
{
    const test_number *param = c->operand[OPERAND_C].v;
    double full[] = {c->alpha.re, c->beta.re, -c->beta.re, c->alpha.re}, implied[] = {1, 1, -1, 1};
    for (int i = 0; i < 4; i++) {
        bool on_diagonal = i == 0 || i == 3;
        if (c->op == OP_ROTM) /* a flag of NaN is as 1 */
            full[i] = !(param[0].re < 0) && on_diagonal == (param[0].re == 0)
                          ? implied[i]
                          : param[(int[]){1, 3, 2, 4}[i]].re;
        h[i] = (complex_factor){{full[i], 0}, true};
    }
}

/* The new x and y of element i; either may be the same as in the loop before. */
static void expect_element(const fuzz_case *c, fuzz_memory *m, int64_t i)
{
    complex_factor alpha = {c->alpha, c->op == OP_REAL_SCAL}, beta = {c->beta, false}, h[4];
    const complex_factor one = {{1, 0}, true};
    bool has_y = c->operand[OPERAND_Y].rows > 0;
    test_number x = fuzz_number_in(c, m, OPERAND_X, i, 0),
                y = has_y ? fuzz_number_in(c, m, OPERAND_Y, i, 0) : (test_number){0, 0};
    switch (c->op) {
    case OP_COPY:
        fuzz_put(c, m, OPERAND_Y, i, 0, x);
        break;
    case OP_SWAP:
        fuzz_put(c, m, OPERAND_Y, i, 0, x);
        fuzz_put(c, m, OPERAND_X, i, 0, y);
        break;
    case OP_AXPY:
        fuzz_put(c, m, OPERAND_Y, i, 0, line(c, &alpha, x, &one, y));
        break;
    case OP_AXPBY:
        fuzz_put(c, m, OPERAND_Y, i, 0,
                 line(c, is_zero_number(c->alpha) ? NULL : &alpha, x,
                      is_zero_number(c->beta) ? NULL : &beta, y));
        break;
    case OP_SCAL:
    case OP_REAL_SCAL:
        fuzz_put(c, m, OPERAND_X, i, 0, line(c, &alpha, x, NULL, x));
        break;
    default: /* rot and rotm */
        matrix(c, h);
        fuzz_put(c, m, OPERAND_X, i, 0, line(c, &h[0], x, &h[1], y));
        fuzz_put(c, m, OPERAND_Y, i, 0, line(c, &h[2], x, &h[3], y));
    }
}

static void expect_elements(const fuzz_case *c, fuzz_memory *m)
{
    bool scales = c->op == OP_SCAL || c->op == OP_REAL_SCAL;
    bool returns = (scales && c->incx <= 0) || (c->op == OP_AXPY && is_zero_number(c->alpha)) ||
                   (c->op == OP_ROTM && c->operand[OPERAND_C].v[0].re == -2);
    if (c->op == OP_IAMAX)
        m->result.re = (double)index_of_largest(c, m);
    else
        for (int64_t i = 0; i < c->n && !returns; i++)
            expect_element(c, m, i);
}

/* --- matrices ------------------------------------------------------------- */

void fuzz_put_result(const fuzz_case *c, fuzz_memory *m, const test_number *r)
{
    if (c->group == GROUP_REDUCTION) {
        m->result = *r;
        return;
    }
    fuzz_which out = c->t.written;
    const fuzz_operand *o = &c->operand[out];
    for (int64_t at = 0; r && at < o->rows * o->cols; at++)
        if (fuzz_is_stored(c, out, at % o->rows, at / o->rows))
            fuzz_put(c, m, out, at % o->rows, at / o->rows, r[at]);
}

static void expect_matrix(const fuzz_case *c, fuzz_memory *m)
{
    test_number *r = fuzz_model(c);
    fuzz_put_result(c, m, r);
    free(r);
}

/* --- bins and segments ---------------------------------------------------- */

/* RN(y[b] + the x that go there); a bin that gets nothing keeps its bits. */
static void expect_scatter(const fuzz_case *c, fuzz_memory *m)
{
    ORACLE(s);
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
            fuzz_put(c, m, OPERAND_Y, b, 0, (test_number){oracle_round(&s, fuzz_format(c)), 0});
    }
}

static void expect_segments(const fuzz_case *c, fuzz_memory *m)
{
    ORACLE(s);
    for (int64_t b = 0; b < c->n; b++) {
        oracle_reset(&s);
        for (int64_t i = c->index[b]; i < c->index[b + 1]; i++)
            oracle_add(&s, c->operand[OPERAND_X].v[i].re);
        fuzz_put(c, m, OPERAND_Y, b, 0, (test_number){oracle_round(&s, fuzz_format(c)), 0});
    }
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
