#include "terms.h"

static level2_number *at(const fuzz_operand *o, int64_t i, int64_t j)
{
    return &o->v[j * o->rows + i];
}

static level2_number *turned(const fuzz_operand *o, bool straight, int64_t i, int64_t j)
{
    return straight ? at(o, i, j) : at(o, j, i);
}

static bool is_named(const fuzz_case *c, const char *base)
{
    return strcmp(c->routine->base, base) == 0;
}

static bool level2_term(const fuzz_case *c, const fuzz_target *t, int64_t l, fuzz_term *out)
{
    level2_problem p = fuzz_level2(c);
    int64_t row = t->i, col = l;
    bool symmetric = level2_family_traits[p.family].shape == SHAPE_SYMMETRIC;
    if (symmetric ? !level2_is_stored(&p, row, col) : c->transa != 'n') {
        row = l;
        col = t->i;
    }
    if (!level2_is_stored(&p, row, col) || !level2_is_read(&p, row, col))
        return false;
    *out = (fuzz_term){at(&c->operand[OPERAND_A], row, col), &c->operand[OPERAND_X].v[l]};
    return true;
}

/* Element (i, l) of the structured A of symm and trmm; false if it is not read. */
static bool structured(const fuzz_case *c, int64_t i, int64_t l, level2_number **out)
{
    level3_problem p = fuzz_level3(c, 0);
    bool symmetric = !level3_family_traits[c->family].has_diag;
    bool swap = symmetric ? !level3_is_stored(&p, MATRIX_A, i, l) : c->transa != 'n';
    int64_t row = swap ? l : i, col = swap ? i : l;
    if (!level3_is_stored(&p, MATRIX_A, row, col) || !level3_is_read(&p, MATRIX_A, row, col))
        return false;
    *out = at(&c->operand[OPERAND_A], row, col);
    return true;
}

static bool level3_term(const fuzz_case *c, const fuzz_target *t, int64_t l, fuzz_term *out)
{
    const level3_traits *traits = &level3_family_traits[c->family];
    const fuzz_operand *a = &c->operand[OPERAND_A], *b = &c->operand[OPERAND_B];
    const fuzz_operand *other = traits->has_diag ? &c->operand[OPERAND_C] : b;
    if (traits->has_side && c->side == 'l') {
        out->factor = at(other, l, t->j);
        return structured(c, t->i, l, &out->number);
    }
    if (traits->has_side) {
        out->number = at(other, t->i, l);
        return structured(c, l, t->j, &out->factor);
    }
    out->number = turned(a, c->transa == 'n', t->i, l);
    out->factor = traits->has_transb ? turned(b, c->transb == 'n', l, t->j)
                                     : turned(a, c->transa == 'n', t->j, l);
    return true;
}

bool fuzz_term_of(const fuzz_case *c, const fuzz_target *t, int64_t l, fuzz_term *out)
{
    if (c->group == GROUP_LEVEL2)
        return level2_term(c, t, l, out);
    if (c->group == GROUP_LEVEL3)
        return level3_term(c, t, l, out);
    *out = (fuzz_term){&c->operand[OPERAND_X].v[l], NULL};
    if (c->operand[OPERAND_Y].rows > 0)
        out->factor = &c->operand[OPERAND_Y].v[l];
    return true;
}

bool fuzz_find_target(test_random *r, const fuzz_case *c, fuzz_target *t)
{
    *t = (fuzz_target){.out = OPERAND_X};
    if (c->group == GROUP_REDUCTION) {
        t->n_terms = c->n;
        return c->n > 0 && c->incx != 0 && c->incy != 0 && !is_named(c, "nrm2") &&
               !is_named(c, "asum");
    }
    if (c->group == GROUP_LEVEL2) {
        const level2_traits *traits = &level2_family_traits[c->family];
        level2_problem p = fuzz_level2(c);
        int64_t n_results = traits->has_beta ? level2_y_length(&p) : level2_x_length(&p);
        t->out = traits->has_beta ? OPERAND_Y : OPERAND_X;
        t->n_terms = level2_x_length(&p);
        if (traits->updates || traits->solves || n_results < 1)
            return false;
        t->i = random_between(r, 0, n_results - 1);
        return true;
    }
    if (c->group != GROUP_LEVEL3 || c->m < 1 || c->n < 1 || c->family == L3_TRSM ||
        c->family == L3_SYR2K || c->family == L3_HER2K)
        return false;
    const level3_traits *traits = &level3_family_traits[c->family];
    level3_problem p = fuzz_level3(c, 0);
    t->out = OPERAND_C;
    t->i = random_between(r, 0, c->m - 1);
    t->j = random_between(r, 0, c->n - 1);
    t->n_terms = traits->has_k ? c->k : c->side == 'l' ? c->m : c->n;
    bool rank_k = !traits->has_b && traits->has_k;
    return level3_is_stored(&p, MATRIX_C, t->i, t->j) && !(rank_k && t->i == t->j);
}
