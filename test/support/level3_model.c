#include "level3_problem.h"
#include "oracle.h"

/* An exact complex sum. */
typedef struct {
    oracle re, im;
} sum;

/* A factor: an element that may be missing (outside of a triangle), or be real. */
typedef struct {
    level2_number v;
    bool is_missing, is_real;
} factor;

static const level3_traits *traits(const level3_problem *p)
{
    return &level3_family_traits[p->family];
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

static level2_number conjugate_if(bool c, level2_number a)
{
    if (c)
        a.im = -a.im;
    return a;
}

/* Element (i, j) of a matrix as stored. */
static level2_number stored(const level3_problem *p, level3_which which, int64_t i, int64_t j)
{
    level3_matrix a = level3_matrix_of(p, which);
    return a.p[j * a.rows + i];
}

/* The same of op of it. */
static factor general(const level3_problem *p, level3_which which, char trans, int64_t i, int64_t j)
{
    level2_number v = trans == 'n' ? stored(p, which, i, j) : stored(p, which, j, i);
    return (factor){conjugate_if(trans == 'c', v), false, !level2_is_complex(p->type)};
}

/* Element (i, j) of the whole symmetric, Hermitian or op of the triangular A. */
static factor structured(const level3_problem *p, int64_t i, int64_t j)
{
    factor f = {.is_real = !level2_is_complex(p->type)};
    if (!traits(p)->has_diag) {
        bool here = level3_is_stored(p, MATRIX_A, i, j);
        f.v = here ? stored(p, MATRIX_A, i, j) : stored(p, MATRIX_A, j, i);
        f.v = conjugate_if(!here && traits(p)->is_hermitian, f.v);
        f.is_real = f.is_real || level3_is_real(p, MATRIX_A, i, j);
        return f;
    }
    int64_t row = p->transa == 'n' ? i : j, col = p->transa == 'n' ? j : i;
    if (i == j && p->diag == 'u')
        return (factor){{1, 0}, false, true};
    f.is_missing = !level3_is_stored(p, MATRIX_A, row, col);
    if (!f.is_missing)
        f.v = conjugate_if(p->transa == 'c', stored(p, MATRIX_A, row, col));
    return f;
}

/* The four-product formula, or what is left of it for real types and factors. */
static void add_product(sum *s, bool is_complex, factor a, factor b)
{
    if (a.is_missing || b.is_missing)
        return;
    oracle_add_product(&s->re, a.v.re, b.v.re);
    if (!is_complex)
        return;
    if (!a.is_real && !b.is_real)
        oracle_add_product(&s->re, -a.v.im, b.v.im);
    if (!b.is_real)
        oracle_add_product(&s->im, a.v.re, b.v.im);
    if (!a.is_real)
        oracle_add_product(&s->im, a.v.im, b.v.re);
}

/* Products of row i and column j; `second`: B A^T of the rank-2k updates. */
static void add_products(const level3_problem *p, sum *s, int64_t i, int64_t j, bool second)
{
    const level3_traits *t = traits(p);
    bool is_complex = level2_is_complex(p->type), left = p->side == 'l';
    level3_which other = t->has_diag ? MATRIX_C : MATRIX_B;
    if (t->has_side) {
        int64_t order = left ? p->m : p->n;
        for (int64_t l = 0; l < order; l++)
            add_product(s, is_complex, left ? structured(p, i, l) : general(p, other, 'n', i, l),
                        left ? general(p, other, 'n', l, j) : structured(p, l, j));
        return;
    }
    for (int64_t l = 0; l < p->k; l++) {
        if (t->has_transb) {
            add_product(s, is_complex, general(p, MATRIX_A, p->transa, i, l),
                        general(p, MATRIX_B, p->transb, l, j));
            continue;
        }
        /* op(X)(i, l) times the same of Y in row j, one of the two conjugated if Hermitian */
        level3_which x = second ? MATRIX_B : MATRIX_A, y = second == t->has_b ? MATRIX_A : MATRIX_B;
        char trans = p->transa == 'n' ? 'n' : 't';
        factor f = general(p, x, trans, i, l), g = general(p, y, trans, j, l);
        f.v = conjugate_if(t->is_hermitian && trans == 't', f.v);
        g.v = conjugate_if(t->is_hermitian && trans == 'n', g.v);
        add_product(s, is_complex, f, g);
    }
}

/* t += alpha s. */
static void add_scaled(const level3_problem *p, sum *t, level2_number alpha, const sum *s)
{
    oracle_add_scaled(&t->re, alpha.re, &s->re);
    if (!level2_is_complex(p->type))
        return;
    oracle_add_scaled(&t->im, alpha.re, &s->im);
    if (!traits(p)->real_alpha) {
        oracle_add_scaled(&t->re, -alpha.im, &s->im);
        oracle_add_scaled(&t->im, alpha.im, &s->re);
    }
}

static level2_number rounded(const level3_problem *p, const sum *t)
{
    number_format f = level2_format(p->type);
    return (level2_number){oracle_round(&t->re, f),
                           level2_is_complex(p->type) ? oracle_round(&t->im, f) : 0};
}

static level2_number element(const level3_problem *p, int64_t i, int64_t j)
{
    const level3_traits *t = traits(p);
    bool is_complex = level2_is_complex(p->type), rank_2k = t->has_b && !t->has_transb && t->has_k;
    sum total;
    start(&total);
    for (int term = 0; term < 1 + rank_2k && !level3_is_without_product(p); term++) {
        sum s;
        start(&s);
        add_products(p, &s, i, j, term == 1);
        add_scaled(p, &total, conjugate_if(term == 1 && t->is_hermitian, p->alpha), &s);
        end(&s);
    }
    if (t->has_beta && !level2_number_is_zero(p->beta)) {
        factor beta = {p->beta, false, !is_complex || t->real_beta};
        factor c = {stored(p, MATRIX_C, i, j), false,
                    !is_complex || level3_is_real(p, MATRIX_C, i, j)};
        add_product(&total, is_complex, beta, c);
    }
    level2_number r = rounded(p, &total);
    end(&total);
    if (level3_is_real(p, MATRIX_C, i, j))
        r.im = 0;
    return r;
}

/* --- triangular systems --------------------------------------------------- */

/* What multiplies unknown l in equation i. */
static factor equation(const level3_problem *p, int64_t i, int64_t l)
{
    return p->side == 'l' ? structured(p, i, l) : structured(p, l, i);
}

/* s / d, each part rounded once. */
static level2_number quotient(const level3_problem *p, const sum *s, level2_number d)
{
    number_format f = level2_format(p->type);
    if (!level2_is_complex(p->type))
        return (level2_number){oracle_quotient(&s->re, d.re, f), 0};
    sum n;
    oracle square;
    start(&n);
    oracle_init(&square);
    oracle_add_scaled(&n.re, d.re, &s->re);
    oracle_add_scaled(&n.re, d.im, &s->im);
    oracle_add_scaled(&n.im, d.re, &s->im);
    oracle_add_scaled(&n.im, -d.im, &s->re);
    oracle_add_product(&square, d.re, d.re);
    oracle_add_product(&square, d.im, d.im);
    level2_number q = {oracle_ratio(&n.re, &square, f), oracle_ratio(&n.im, &square, f)};
    end(&n);
    oracle_clear(&square);
    return q;
}

/* x has the right-hand side, and gets the unknowns, `step` apart. */
static void solve(const level3_problem *p, int64_t order, level2_number *x, int64_t step)
{
    bool is_complex = level2_is_complex(p->type);
    bool lower = (p->uplo == 'l') == (p->transa == 'n'), forward = lower == (p->side == 'l');
    for (int64_t t = 0; t < order; t++) {
        int64_t i = forward ? t : order - 1 - t;
        sum s;
        start(&s);
        factor alpha = {p->alpha, false, !is_complex}, b = {x[i * step], false, !is_complex};
        add_product(&s, is_complex, alpha, b);
        for (int64_t l = forward ? 0 : i + 1; l < (forward ? i : order); l++) {
            factor minus = {{-x[l * step].re, -x[l * step].im}, false, !is_complex};
            add_product(&s, is_complex, equation(p, i, l), minus);
        }
        x[i * step] = p->diag == 'u' ? rounded(p, &s) : quotient(p, &s, equation(p, i, i).v);
        end(&s);
    }
}

static void solve_all(const level3_problem *p, level2_number *x)
{
    bool left = p->side == 'l';
    int64_t order = left ? p->m : p->n, sides = left ? p->n : p->m;
    for (int64_t v = 0; v < sides; v++) {
        level2_number *first = left ? x + v * p->m : x + v;
        for (int64_t i = 0; i < order && level2_number_is_zero(p->alpha); i++)
            first[i * (left ? 1 : p->m)] = (level2_number){0, 0};
        if (!level2_number_is_zero(p->alpha))
            solve(p, order, first, left ? 1 : p->m);
    }
}

void level3_model(const level3_problem *p, level2_number *result)
{
    level3_matrix c = level3_matrix_of(p, MATRIX_C);
    for (int64_t i = 0; i < c.rows * c.cols; i++)
        result[i] = c.p[i];
    if (level3_returns_quickly(p))
        return;
    if (p->family == L3_TRSM) {
        solve_all(p, result);
        return;
    }
    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t i = 0; i < c.rows; i++)
            if (level3_is_stored(p, MATRIX_C, i, j))
                result[j * c.rows + i] = element(p, i, j);
}
