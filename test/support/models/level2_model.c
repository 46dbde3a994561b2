#include "level2_model.h"

#include "complex_sum.h"

static const level2_traits *traits(const level2_problem *p)
{
    return &level2_family_traits[p->family];
}

static void add(complex_sum *s, level2_number x)
{
    oracle_add(&s->re, x.re);
    oracle_add(&s->im, x.im);
}

/* s += op(A)_ij x. */
static void add_element(const level2_problem *p, complex_sum *s, int64_t i, int64_t j,
                        level2_number x)
{
    bool conjugate = p->trans == 'c';
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
        add(s, x);
        return;
    }
    complex_factor a = {conjugate_if(conjugate, p->a[col * p->m + row]),
                        level2_is_diagonal_of_hermitian(p, i, j)};
    complex_sum_add_product(s, a, (complex_factor){x, false});
}

/* RN(alpha s + beta c); beta = 0 leaves c out. */
static level2_number finish(const complex_sum *s, level2_number alpha, level2_number beta,
                            level2_number c)
{
    complex_sum t;
    complex_sum_init(&t, s->type);
    complex_sum_add_scaled(&t, (complex_factor){alpha, false}, s);
    if (!level2_number_is_zero(beta))
        complex_sum_add_product(&t, (complex_factor){beta, false}, (complex_factor){c, false});
    level2_number r = complex_sum_round(&t);
    complex_sum_clear(&t);
    return r;
}

static void multiply(const level2_problem *p, level2_number *result)
{
    bool without_sum = traits(p)->has_beta && level2_number_is_zero(p->alpha);
    level2_number alpha = without_sum ? (level2_number){1, 0} : p->alpha;
    for (int64_t i = 0; i < level2_y_length(p); i++) {
        complex_sum s;
        complex_sum_init(&s, p->type);
        for (int64_t j = 0; !without_sum && j < level2_x_length(p); j++)
            add_element(p, &s, i, j, p->x[j]);
        result[i] =
            traits(p)->has_beta ? finish(&s, alpha, p->beta, p->y[i]) : complex_sum_round(&s);
        complex_sum_clear(&s);
    }
}

static level2_number negated(level2_number a)
{
    return (level2_number){-a.re, -a.im};
}

static void solve(const level2_problem *p, level2_number *x)
{
    bool forward = (p->uplo == 'l') == (p->trans == 'n');
    for (int64_t step = 0; step < p->n; step++) {
        int64_t i = forward ? step : p->n - 1 - step;
        complex_sum s;
        complex_sum_init(&s, p->type);
        add(&s, p->x[i]);
        for (int64_t j = forward ? 0 : i + 1; j < (forward ? i : p->n); j++)
            add_element(p, &s, i, j, negated(x[j]));
        x[i] = p->diag == 'u'
                   ? complex_sum_round(&s)
                   : complex_sum_quotient(&s, conjugate_if(p->trans == 'c', p->a[i * p->m + i]));
        complex_sum_clear(&s);
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
static void add_update(complex_sum *t, bool alpha_is_real, level2_number al, level2_number x,
                       level2_number y)
{
    complex_sum p;
    complex_sum_init(&p, t->type);
    complex_sum_add_product(&p, (complex_factor){x, false}, (complex_factor){y, false});
    complex_sum_add_scaled(t, (complex_factor){al, alpha_is_real}, &p);
    complex_sum_clear(&p);
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
    complex_sum t;
    complex_sum_init(&t, p->type);
    oracle_add(&t.re, a.re);
    if (!real_diagonal)
        oracle_add(&t.im, a.im);
    add_update(&t, alpha_is_real, p->alpha, p->x[i], yj);
    note_signs(p->alpha, p->x[i], yj, is_complex, alpha_is_real, &re, &im);
    if (symmetric && traits(p)->has_y) {
        level2_number al = conjugate_if(conjugate, p->alpha);
        level2_number xj = conjugate_if(conjugate, p->x[j]);
        add_update(&t, false, al, y[i], xj);
        note_signs(al, y[i], xj, is_complex, false, &re, &im);
    }
    level2_number r = {rounded(p, &t.re, re), real_diagonal ? 0 : rounded(p, &t.im, im)};
    complex_sum_clear(&t);
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
        multiply(p, result);
    else
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m; i++)
                if (level2_is_stored(p, i, j))
                    result[j * p->m + i] = update_element(p, i, j);
}
