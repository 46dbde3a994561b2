#include "level2_problem.h"

static const level2_traits *traits(const level2_problem *p)
{
    return &level2_family_traits[p->family];
}

number_format level2_format(char type)
{
    return type == 'b'                  ? FORMAT_B
           : type == 'h'                ? FORMAT_H
           : type == 's' || type == 'c' ? FORMAT_S
                                        : FORMAT_D;
}

bool level2_number_is_zero(level2_number a)
{
    return a.re == 0 && a.im == 0;
}

static bool is_one(level2_number a)
{
    return a.re == 1 && a.im == 0;
}

int64_t level2_x_length(const level2_problem *p)
{
    if (traits(p)->updates)
        return traits(p)->shape == SHAPE_GENERAL ? p->m : p->n;
    return traits(p)->shape == SHAPE_GENERAL && p->trans != 'n' ? p->m : p->n;
}

int64_t level2_y_length(const level2_problem *p)
{
    if (traits(p)->shape == SHAPE_GENERAL && !traits(p)->updates && p->trans == 'n')
        return p->m;
    return p->n;
}

bool level2_is_stored(const level2_problem *p, int64_t i, int64_t j)
{
    bool is_band = traits(p)->storage == STORED_BAND;
    if (traits(p)->shape == SHAPE_GENERAL)
        return !is_band || (i - j <= p->kl && j - i <= p->ku);
    int64_t beside = p->uplo == 'l' ? i - j : j - i;
    return beside >= 0 && (!is_band || beside <= p->ku);
}

bool level2_is_diagonal_of_hermitian(const level2_problem *p, int64_t i, int64_t j)
{
    return traits(p)->shape == SHAPE_SYMMETRIC && level2_is_complex(p->type) && i == j;
}

bool level2_returns_quickly(const level2_problem *p)
{
    if (p->n == 0 || (traits(p)->shape == SHAPE_GENERAL && p->m == 0))
        return true;
    if (traits(p)->updates)
        return level2_number_is_zero(p->alpha);
    return traits(p)->has_beta && level2_number_is_zero(p->alpha) && is_one(p->beta);
}

bool level2_is_read(const level2_problem *p, int64_t i, int64_t j)
{
    const level2_traits *t = &level2_family_traits[p->family];
    bool unit = t->shape == SHAPE_TRIANGLE && p->diag == 'u' && i == j;
    bool has_alpha = t->has_beta;
    bool skipped = has_alpha && p->alpha.re == 0 && p->alpha.im == 0;
    return level2_is_stored(p, i, j) && !unit && !skipped;
}

int64_t level2_result_length(const level2_problem *p)
{
    const level2_traits *t = &level2_family_traits[p->family];
    return t->updates ? p->m * p->n : t->has_beta ? level2_y_length(p) : level2_x_length(p);
}
