#include "level3_problem.h"

static const level3_traits *traits(const level3_problem *p)
{
    return &level3_family_traits[p->family];
}

level3_matrix level3_matrix_of(const level3_problem *p, level3_which which)
{
    const level3_traits *t = traits(p);
    int64_t m = t->has_m ? p->m : p->n;
    if (which == MATRIX_C)
        return (level3_matrix){m, p->n, p->c};
    if (which == MATRIX_A && t->has_side) {
        int64_t order = p->side == 'l' ? m : p->n;
        return (level3_matrix){order, order, p->a};
    }
    if (which == MATRIX_A)
        return p->transa == 'n' ? (level3_matrix){m, p->k, p->a} : (level3_matrix){p->k, m, p->a};
    if (!t->has_b)
        return (level3_matrix){0, 0, NULL};
    if (t->has_side)
        return (level3_matrix){m, p->n, p->b};
    if (!t->has_transb) /* rank 2k: as A */
        return p->transa == 'n' ? (level3_matrix){m, p->k, p->b} : (level3_matrix){p->k, m, p->b};
    return p->transb == 'n' ? (level3_matrix){p->k, p->n, p->b} : (level3_matrix){p->n, p->k, p->b};
}

bool level3_is_stored(const level3_problem *p, level3_which which, int64_t i, int64_t j)
{
    const level3_traits *t = traits(p);
    bool is_triangle = which == MATRIX_A ? t->has_side : which == MATRIX_C && t->writes_triangle;
    return !is_triangle || (p->uplo == 'l' ? i >= j : i <= j);
}

bool level3_is_real(const level3_problem *p, level3_which which, int64_t i, int64_t j)
{
    const level3_traits *t = traits(p);
    level3_which hermitian = t->has_side ? MATRIX_A : MATRIX_C;
    return t->is_hermitian && which == hermitian && i == j;
}

bool level3_is_without_product(const level3_problem *p)
{
    return level2_number_is_zero(p->alpha) || (traits(p)->has_k && p->k == 0);
}

bool level3_returns_quickly(const level3_problem *p)
{
    const level3_traits *t = traits(p);
    if (p->n == 0 || (t->has_m && p->m == 0))
        return true;
    return t->has_beta && level3_is_without_product(p) && p->beta.re == 1 && p->beta.im == 0;
}

bool level3_is_read(const level3_problem *p, level3_which which, int64_t i, int64_t j)
{
    const level3_traits *t = &level3_family_traits[p->family];
    if (level3_returns_quickly(p))
        return which == MATRIX_C;
    if (which == MATRIX_C && t->has_beta && level2_number_is_zero(p->beta))
        return false;
    if ((which != MATRIX_C || !t->has_beta) && level3_is_without_product(p))
        return false;
    bool is_unit = which == MATRIX_A && t->has_diag && p->diag == 'u' && i == j;
    return level3_is_stored(p, which, i, j) && !is_unit;
}
