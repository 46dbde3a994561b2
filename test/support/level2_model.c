#include "level2_model.h"

#include "oracle.h"

#include <stdlib.h>

/* An exact complex sum. */
typedef struct {
    oracle re, im;
} sum;

static const level2_traits *traits(const level2_problem *p)
{
    return &level2_family_traits[p->family];
}

static void start(sum *s)
{
    oracle_init(&s->re);
    oracle_init(&s->im);
}

static void end(sum *s)
{
    oracle_clear(&s->re);
    oracle_clear(&s->im);
}

/* The four-product formula, or what is left of it for real types and factors. */
static void add_product(sum *s, bool is_complex, bool a_is_real, level2_number a, level2_number x)
{
    oracle_add_product(&s->re, a.re, x.re);
    if (!is_complex)
        return;
    oracle_add_product(&s->im, a.re, x.im);
    if (!a_is_real) {
        oracle_add_product(&s->re, -a.im, x.im);
        oracle_add_product(&s->im, a.im, x.re);
    }
}

static level2_number conjugate_if(bool c, level2_number a)
{
    if (c)
        a.im = -a.im;
    return a;
}

/* s += op(A)_ij x. */
static void add_element(const level2_problem *p, sum *s, int64_t i, int64_t j, level2_number x)
{
    bool is_complex = level2_is_complex(p->type), conjugate = p->trans == 'c';
    int64_t row = i, col = j;
    if (traits(p)->shape == SHAPE_SYMMETRIC) {
        conjugate = false;
        if (!level2_is_stored(p, i, j)) { /* the other triangle's element reflected */
            row = j;
            col = i;
            conjugate = true;
        }
    } else if (p->trans != 'n') {
        row = j;
        col = i;
    }
    if (!level2_is_stored(p, row, col))
        return;
    if (traits(p)->shape == SHAPE_TRIANGLE && p->diag == 'u' && i == j) {
        oracle_add(&s->re, x.re);
        oracle_add(&s->im, x.im);
        return;
    }
    add_product(s, is_complex, level2_is_diagonal_of_hermitian(p, i, j),
                conjugate_if(conjugate, p->a[col * p->m + row]), x);
}

/* RN(alpha s + beta c); beta = 0 leaves c out. */
static level2_number finish(const level2_problem *p, const sum *s, level2_number alpha,
                            level2_number beta, level2_number c)
{
    sum t;
    bool is_complex = level2_is_complex(p->type);
    start(&t);
    oracle_add_scaled(&t.re, alpha.re, &s->re);
    if (is_complex) {
        oracle_add_scaled(&t.re, -alpha.im, &s->im);
        oracle_add_scaled(&t.im, alpha.re, &s->im);
        oracle_add_scaled(&t.im, alpha.im, &s->re);
    }
    if (!level2_number_is_zero(beta))
        add_product(&t, is_complex, false, beta, c);
    level2_number r = {oracle_round(&t.re, level2_format(p->type)),
                       oracle_round(&t.im, level2_format(p->type))};
    end(&t);
    return r;
}

/* Rows begin, begin + step, ... */
static void multiply(const level2_problem *p, int64_t begin, int64_t step, level2_number *result)
{
    bool without_sum = traits(p)->has_beta && level2_number_is_zero(p->alpha);
    level2_number alpha = without_sum ? (level2_number){1, 0} : p->alpha;
    for (int64_t i = begin; i < level2_y_length(p); i += step) {
        sum s;
        start(&s);
        for (int64_t j = 0; !without_sum && j < level2_x_length(p); j++)
            add_element(p, &s, i, j, p->x[j]);
        result[i] = traits(p)->has_beta
                        ? finish(p, &s, alpha, p->beta, p->y[i])
                        : (level2_number){oracle_round(&s.re, level2_format(p->type)),
                                          oracle_round(&s.im, level2_format(p->type))};
        end(&s);
    }
}

static level2_number negated(level2_number a)
{
    return (level2_number){-a.re, -a.im};
}

/* (re + im i) / d, each part rounded once. */
static level2_number quotient(const level2_problem *p, const sum *r, level2_number d)
{
    sum n;
    oracle square;
    if (!level2_is_complex(p->type))
        return (level2_number){oracle_quotient(&r->re, d.re, level2_format(p->type)), 0};
    start(&n);
    oracle_init(&square);
    oracle_add_scaled(&n.re, d.re, &r->re);
    oracle_add_scaled(&n.re, d.im, &r->im);
    oracle_add_scaled(&n.im, d.re, &r->im);
    oracle_add_scaled(&n.im, -d.im, &r->re);
    oracle_add_product(&square, d.re, d.re);
    oracle_add_product(&square, d.im, d.im);
    level2_number q = {oracle_ratio(&n.re, &square, level2_format(p->type)),
                       oracle_ratio(&n.im, &square, level2_format(p->type))};
    end(&n);
    oracle_clear(&square);
    return q;
}

static void solve(const level2_problem *p, level2_number *x)
{
    bool forward = (p->uplo == 'l') == (p->trans == 'n');
    for (int64_t step = 0; step < p->n; step++) {
        int64_t i = forward ? step : p->n - 1 - step;
        sum s;
        start(&s);
        oracle_add(&s.re, p->x[i].re);
        oracle_add(&s.im, p->x[i].im);
        for (int64_t j = forward ? 0 : i + 1; j < (forward ? i : p->n); j++)
            add_element(p, &s, i, j, negated(x[j]));
        x[i] = p->diag == 'u' ? (level2_number){oracle_round(&s.re, level2_format(p->type)),
                                                oracle_round(&s.im, level2_format(p->type))}
                              : quotient(p, &s, conjugate_if(p->trans == 'c', p->a[i * p->m + i]));
        end(&s);
    }
}

/* Whether abc is an exact -0, given which of its factors are 0 and signs. */
static bool is_negative_zero(double a, double b, double c)
{
    bool negative = (bits_of(a) ^ bits_of(b) ^ bits_of(c)) >> 63;
    return (a == 0 || b == 0 || c == 0) && negative;
}

/* All terms of the parts of alpha x y are -0: the sign of an exact zero as IEEE gives it. */
static void note_signs(level2_number al, level2_number x, level2_number y, bool is_complex,
                       bool alpha_is_real, bool *re, bool *im)
{
    *re = *re && is_negative_zero(al.re, x.re, y.re);
    if (!is_complex)
        return;
    *re = *re && is_negative_zero(-al.re, x.im, y.im);
    *im = *im && is_negative_zero(al.re, x.re, y.im) && is_negative_zero(al.re, x.im, y.re);
    if (alpha_is_real)
        return;
    *re = *re && is_negative_zero(-al.im, x.re, y.im) && is_negative_zero(-al.im, x.im, y.re);
    *im = *im && is_negative_zero(al.im, x.re, y.re) && is_negative_zero(-al.im, x.im, y.im);
}

/* t += alpha x y. */
static void add_update(sum *t, bool is_complex, bool alpha_is_real, level2_number al,
                       level2_number x, level2_number y)
{
    sum p;
    start(&p);
    add_product(&p, is_complex, false, x, y);
    oracle_add_scaled(&t->re, al.re, &p.re);
    if (is_complex) {
        oracle_add_scaled(&t->im, al.re, &p.im);
        if (!alpha_is_real) {
            oracle_add_scaled(&t->re, -al.im, &p.im);
            oracle_add_scaled(&t->im, al.im, &p.re);
        }
    }
    end(&p);
}

static double rounded(const level2_problem *p, const oracle *t, bool all_negative_zero)
{
    double r = oracle_round(t, level2_format(p->type));
    return r == 0 && mpfr_zero_p(t->sum) && all_negative_zero ? -0.0 : r;
}

static level2_number update_element(const level2_problem *p, int64_t i, int64_t j)
{
    bool is_complex = level2_is_complex(p->type), symmetric = traits(p)->shape == SHAPE_SYMMETRIC;
    bool conjugate = is_complex && (symmetric || p->family == L2_GERC);
    bool real_diagonal = level2_is_diagonal_of_hermitian(p, i, j);
    bool alpha_is_real = symmetric && !traits(p)->has_y;
    const level2_number *y = traits(p)->has_y ? p->y : p->x;
    level2_number a = p->a[j * p->m + i], yj = conjugate_if(conjugate, y[j]);
    bool re = bits_of(a.re) >> 63 && a.re == 0, im = bits_of(a.im) >> 63 && a.im == 0;
    sum t;
    start(&t);
    oracle_add(&t.re, a.re);
    if (!real_diagonal)
        oracle_add(&t.im, a.im);
    add_update(&t, is_complex, alpha_is_real, p->alpha, p->x[i], yj);
    note_signs(p->alpha, p->x[i], yj, is_complex, alpha_is_real, &re, &im);
    if (symmetric && traits(p)->has_y) {
        level2_number al = conjugate_if(conjugate, p->alpha);
        level2_number xj = conjugate_if(conjugate, p->x[j]);
        add_update(&t, is_complex, false, al, y[i], xj);
        note_signs(al, y[i], xj, is_complex, false, &re, &im);
    }
    level2_number r = {rounded(p, &t.re, re), real_diagonal ? 0 : rounded(p, &t.im, im)};
    end(&t);
    return r;
}

void level2_model(const level2_problem *p, level2_number *result)
{
    const level2_traits *t = traits(p);
    int64_t n = t->updates ? p->m * p->n : t->has_beta ? level2_y_length(p) : level2_x_length(p);
    const level2_number *before = t->updates ? p->a : t->has_beta ? p->y : p->x;
    for (int64_t i = 0; i < n; i++)
        result[i] = before[i];
    if (level2_returns_quickly(p))
        return;
    if (t->solves)
        solve(p, result);
    else if (!t->updates)
        multiply(p, 0, 1, result);
    else
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m; i++)
                if (level2_is_stored(p, i, j))
                    result[j * p->m + i] = update_element(p, i, j);
}

void level2_model_of_rows(const level2_problem *p, int64_t begin, int64_t step,
                          level2_number *result)
{
    multiply(p, begin, step, result);
}
