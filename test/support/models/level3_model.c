#include "complex_sum.h"
#include "level3_problem.h"

/* An element that may be missing (outside of a triangle), or be real. */
typedef struct {
    complex_factor f;
    bool is_missing;
} factor;

static const level3_traits *traits(const level3_problem *p)
{
    return &level3_family_traits[p->family];
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
    return (factor){{conjugate_if(trans == 'c', v), false}, false};
}

/* Element (i, j) of the whole symmetric, Hermitian or op of the triangular A. */
static factor structured(const level3_problem *p, int64_t i, int64_t j)
{
    factor f = {.is_missing = false};
    if (!traits(p)->has_diag) {
        bool here = level3_is_stored(p, MATRIX_A, i, j);
        f.f.v = here ? stored(p, MATRIX_A, i, j) : stored(p, MATRIX_A, j, i);
        f.f.v = conjugate_if(!here && traits(p)->is_hermitian, f.f.v);
        f.f.is_real = level3_is_real(p, MATRIX_A, i, j);
        return f;
    }
    int64_t row = p->transa == 'n' ? i : j, col = p->transa == 'n' ? j : i;
    if (i == j && p->diag == 'u')
        return (factor){{{1, 0}, true}, false};
    f.is_missing = !level3_is_stored(p, MATRIX_A, row, col);
    if (!f.is_missing)
        f.f.v = conjugate_if(p->transa == 'c', stored(p, MATRIX_A, row, col));
    return f;
}

static void add_product(complex_sum *s, factor a, factor b)
{
    if (!a.is_missing && !b.is_missing)
        complex_sum_add_product(s, a.f, b.f);
}

/* Products of row i and column j; `second`: B A^T of the rank-2k updates. */
static void add_products(const level3_problem *p, complex_sum *s, int64_t i, int64_t j, bool second)
{
    const level3_traits *t = traits(p);
    bool left = p->side == 'l';
    level3_which other = t->has_diag ? MATRIX_C : MATRIX_B;
    if (t->has_side) {
        int64_t order = left ? p->m : p->n;
        for (int64_t l = 0; l < order; l++)
            add_product(s, left ? structured(p, i, l) : general(p, other, 'n', i, l),
                        left ? general(p, other, 'n', l, j) : structured(p, l, j));
        return;
    }
    for (int64_t l = 0; l < p->k; l++) {
        if (t->has_transb) {
            add_product(s, general(p, MATRIX_A, p->transa, i, l),
                        general(p, MATRIX_B, p->transb, l, j));
            continue;
        }
        /* op(X)(i, l) times the same of Y in row j, one of the two conjugated if Hermitian */
        level3_which x = second ? MATRIX_B : MATRIX_A, y = second == t->has_b ? MATRIX_A : MATRIX_B;
        char trans = p->transa == 'n' ? 'n' : 't';
        factor f = general(p, x, trans, i, l), g = general(p, y, trans, j, l);
        f.f.v = conjugate_if(t->is_hermitian && trans == 't', f.f.v);
        g.f.v = conjugate_if(t->is_hermitian && trans == 'n', g.f.v);
        add_product(s, f, g);
    }
}

static level2_number element(const level3_problem *p, int64_t i, int64_t j)
{
    const level3_traits *t = traits(p);
    bool rank_2k = t->has_b && !t->has_transb && t->has_k;
    complex_sum total;
    complex_sum_init(&total, p->type);
    for (int term = 0; term < 1 + rank_2k && !level3_is_without_product(p); term++) {
        complex_sum s;
        complex_sum_init(&s, p->type);
        add_products(p, &s, i, j, term == 1);
        complex_factor alpha = {conjugate_if(term == 1 && t->is_hermitian, p->alpha),
                                t->real_alpha};
        complex_sum_add_scaled(&total, alpha, &s);
        complex_sum_clear(&s);
    }
    if (t->has_beta && !level2_number_is_zero(p->beta)) {
        complex_factor beta = {p->beta, t->real_beta};
        complex_factor c = {stored(p, MATRIX_C, i, j), level3_is_real(p, MATRIX_C, i, j)};
        complex_sum_add_product(&total, beta, c);
    }
    level2_number r = complex_sum_round(&total);
    complex_sum_clear(&total);
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

/* x has the right-hand side, and gets the unknowns, `step` apart. */
static void solve(const level3_problem *p, int64_t order, level2_number *x, int64_t step)
{
    bool lower = (p->uplo == 'l') == (p->transa == 'n'), forward = lower == (p->side == 'l');
    for (int64_t t = 0; t < order; t++) {
        int64_t i = forward ? t : order - 1 - t;
        complex_sum s;
        complex_sum_init(&s, p->type);
        complex_factor alpha = {p->alpha, false}, b = {x[i * step], false};
        complex_sum_add_product(&s, alpha, b);
        for (int64_t l = forward ? 0 : i + 1; l < (forward ? i : order); l++) {
            factor minus = {{{-x[l * step].re, -x[l * step].im}, false}, false};
            add_product(&s, equation(p, i, l), minus);
        }
        x[i * step] = p->diag == 'u' ? complex_sum_round(&s)
                                     : complex_sum_quotient(&s, equation(p, i, i).f.v);
        complex_sum_clear(&s);
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
