/* Levels 2 and 3 as their definitions read, on dense matrices and the oracle's exact sums: slow,
 * and nothing shared with the library. */
#include "expect.h"

#include "complex_sum.h"

/* An element that may be missing (outside of a triangle or band), or be real. */
typedef struct {
    complex_factor f;
    bool is_missing;
} factor;

static test_number stored(const fuzz_case *c, fuzz_which which, int64_t i, int64_t j)
{
    return c->operand[which].v[j * c->operand[which].rows + i];
}

/* Element (i, j) of op of an operand. */
static factor element_of(const fuzz_case *c, fuzz_which which, char trans, int64_t i, int64_t j)
{
    int64_t row = trans == 'n' ? i : j, col = trans == 'n' ? j : i;
    if (!fuzz_is_stored(c, which, row, col))
        return (factor){.is_missing = true};
    test_number v = conjugate_if(trans == 'c', stored(c, which, row, col));
    return (factor){{v, fuzz_is_real(c, which, row, col)}, false};
}

/* Of the whole symmetric, Hermitian or skew-symmetric A, or of op(A). */
static factor whole(const fuzz_case *c, int64_t i, int64_t j)
{
    if (c->t.has_diag && c->diag == 'u' && i == j)
        return (factor){{{1, 0}, true}, false};
    if (c->t.shape != SHAPE_SYMMETRIC)
        return element_of(c, OPERAND_A, c->transa, i, j);
    bool is_here = fuzz_is_stored(c, OPERAND_A, i, j);
    factor f = element_of(c, OPERAND_A, is_here ? 'n' : c->t.is_hermitian ? 'c' : 't', i, j);
    if (c->t.is_skew && !is_here)
        f.f.v.re = -f.f.v.re;
    return f;
}

static void add_product(complex_sum *s, factor a, factor b)
{
    if (!a.is_missing && !b.is_missing)
        complex_sum_add_product(s, a.f, b.f);
}

/* What A is multiplied by. */
static fuzz_which other_factor(const fuzz_case *c)
{
    return c->group == GROUP_LEVEL2 ? OPERAND_X : c->t.has_b ? OPERAND_B : OPERAND_C;
}

/* Term l of element (i, j) of an update: of X Y^T, or if `second` of Y X^T. */
static void add_update(const fuzz_case *c, complex_sum *s, int64_t i, int64_t j, int64_t l,
                       bool second)
{
    fuzz_which x = c->t.updates ? OPERAND_X : OPERAND_A, y = x;
    if (c->t.has_y || c->t.has_b)
        y = c->t.updates ? OPERAND_Y : OPERAND_B;
    char trans = c->t.updates || c->transa == 'n' ? 'n' : 't';
    factor f = element_of(c, second ? y : x, trans, i, l);
    factor g = element_of(c, second ? x : y, trans, j, l);
    f.f.v = conjugate_if(c->t.conjugates && trans == 't', f.f.v);
    g.f.v = conjugate_if(c->t.conjugates && trans == 'n', g.f.v);
    add_product(s, f, g);
}

static void add_products(const fuzz_case *c, complex_sum *s, int64_t i, int64_t j, bool second)
{
    bool left = fuzz_is_left(c), is_update = c->t.updates || c->t.is_rank_k;
    fuzz_which other = other_factor(c);
    const fuzz_operand *o = &c->operand[other];
    int64_t n = c->t.updates ? 1 : c->t.has_k ? c->k : left ? o->rows : o->cols;
    for (int64_t l = 0; l < n; l++)
        if (is_update)
            add_update(c, s, i, j, l, second);
        else if (left)
            add_product(s, whole(c, i, l),
                        element_of(c, other, c->t.has_transb ? c->transb : 'n', l, j));
        else
            add_product(s, element_of(c, other, 'n', i, l), whole(c, l, j));
}

/* What multiplies products, right-hand sides and old values. */
static complex_factor alpha_of(const fuzz_case *c, bool conjugated)
{
    if (!c->t.has_alpha)
        return (complex_factor){{1, 0}, true};
    return (complex_factor){conjugate_if(conjugated, c->alpha), c->t.real_alpha};
}

static complex_factor beta_of(const fuzz_case *c)
{
    return c->t.updates ? (complex_factor){{1, 0}, true}
                        : (complex_factor){c->beta, c->t.real_beta};
}

test_number fuzz_element(const fuzz_case *c, int64_t i, int64_t j)
{
    fuzz_which out = c->t.written;
    if (fuzz_returns_quickly(c))
        return stored(c, out, i, j);
    complex_factor beta = beta_of(c);
    complex_sum total, s;
    complex_sum_init(&total, c->routine->type);
    for (int term = 0; term < 1 + c->t.is_rank_2 && !fuzz_is_without_product(c); term++) {
        complex_sum_init(&s, c->routine->type);
        add_products(c, &s, i, j, term == 1);
        complex_factor alpha = alpha_of(c, term == 1 && c->t.is_hermitian);
        if (c->t.is_skew && term != c->t.is_rank_2)
            alpha.v.re = -alpha.v.re;
        complex_sum_add_scaled(&total, alpha, &s);
        complex_sum_clear(&s);
    }
    if ((c->t.has_beta || c->t.updates) && !is_zero_number(beta.v))
        complex_sum_add_product(&total, beta, element_of(c, out, 'n', i, j).f);
    test_number r = c->t.updates ? complex_sum_round_signed(&total) : complex_sum_round(&total);
    complex_sum_clear(&total);
    if (fuzz_is_real(c, out, i, j))
        r.im = 0;
    return r;
}

/* x has the right-hand side, and gets the unknowns, `step` apart. */
static void solve(const fuzz_case *c, int64_t order, test_number *x, int64_t step)
{
    bool left = fuzz_is_left(c), lower = (c->uplo == 'l') == (c->transa == 'n');
    bool forward = lower == left;
    for (int64_t t = 0; t < order; t++) {
        int64_t i = forward ? t : order - 1 - t;
        COMPLEX_SUM(s, c->routine->type);
        complex_sum_add_product(&s, alpha_of(c, false), (complex_factor){x[i * step], false});
        for (int64_t l = forward ? 0 : i + 1; l < (forward ? i : order); l++) {
            test_number minus = {-x[l * step].re, -x[l * step].im};
            add_product(&s, left ? whole(c, i, l) : whole(c, l, i),
                        (factor){{minus, false}, false});
        }
        x[i * step] =
            c->diag == 'u' ? complex_sum_round(&s) : complex_sum_quotient(&s, whole(c, i, i).f.v);
    }
}

static void solve_all(const fuzz_case *c, int64_t rows, int64_t cols, test_number *x)
{
    bool left = fuzz_is_left(c);
    for (int64_t at = 0; at < rows * cols && fuzz_is_without_product(c); at++)
        x[at] = (test_number){0, 0};
    for (int64_t v = 0; v < (left ? cols : rows) && !fuzz_is_without_product(c); v++)
        solve(c, left ? rows : cols, left ? x + v * rows : x + v, left ? 1 : rows);
}

/* Of one product. */
static void compute(const fuzz_case *c, test_number *result)
{
    const fuzz_operand *o = &c->operand[c->t.written];
    memcpy(result, o->v, (size_t)(o->rows * o->cols) * sizeof *result);
    if (c->t.solves)
        solve_all(c, o->rows, o->cols, result);
    for (int64_t j = 0; j < o->cols && !c->t.solves; j++)
        for (int64_t i = 0; i < o->rows; i++)
            if (fuzz_is_stored(c, c->t.written, i, j))
                result[j * o->rows + i] = fuzz_element(c, i, j);
}

test_number *fuzz_model(const fuzz_case *c)
{
    const fuzz_operand *o = &c->operand[c->t.written];
    if (fuzz_returns_quickly(c))
        return NULL;
    test_number *r = fuzz_malloc((size_t)(o->rows * o->cols) * sizeof *r);
    for (int64_t copy = 0; copy < c->batch; copy++) {
        fuzz_case one = *c;
        for (int w = 0; w < N_OPERANDS; w++) {
            one.operand[w].cols /= c->batch;
            one.operand[w].v += copy * one.operand[w].rows * one.operand[w].cols;
        }
        compute(&one, r + copy * (o->rows * o->cols / c->batch));
    }
    return r;
}
