#include "terms.h"

static test_number *at(const fuzz_operand *o, int64_t i, int64_t j)
{
    return &o->v[j * o->rows + i];
}

static test_number *turned(const fuzz_operand *o, bool straight, int64_t i, int64_t j)
{
    return straight ? at(o, i, j) : at(o, j, i);
}

static bool is_named(const fuzz_case *c, const char *base)
{
    return strcmp(c->routine->base, base) == 0;
}

/* Element (i, l) of the whole A; false if it is not read. */
static bool whole(const fuzz_case *c, int64_t i, int64_t l, test_number **out)
{
    bool swap =
        c->t.shape == SHAPE_SYMMETRIC ? !fuzz_is_stored(c, OPERAND_A, i, l) : c->transa != 'n';
    int64_t row = swap ? l : i, col = swap ? i : l;
    *out = at(&c->operand[OPERAND_A], row, col);
    return fuzz_is_read(c, OPERAND_A, row, col);
}

static bool matrix_term(const fuzz_case *c, const fuzz_target *t, int64_t l, fuzz_term *out)
{
    const fuzz_operand *a = &c->operand[OPERAND_A], *b = &c->operand[OPERAND_B];
    const fuzz_operand *other = c->t.has_b ? b : &c->operand[OPERAND_C];
    if (c->group == GROUP_LEVEL2) {
        out->factor = &c->operand[OPERAND_X].v[l];
        return whole(c, t->i, l, &out->number);
    }
    if (c->t.has_side && c->side == 'l') {
        out->factor = at(other, l, t->j);
        return whole(c, t->i, l, &out->number);
    }
    if (c->t.has_side) {
        out->number = at(other, t->i, l);
        return whole(c, l, t->j, &out->factor);
    }
    out->number = turned(a, c->transa == 'n', t->i, l);
    out->factor = c->t.has_transb ? turned(b, c->transb == 'n', l, t->j)
                                  : turned(a, c->transa == 'n', t->j, l);
    return true;
}

bool fuzz_term_of(const fuzz_case *c, const fuzz_target *t, int64_t l, fuzz_term *out)
{
    if (c->group == GROUP_LEVEL2 || c->group == GROUP_LEVEL3)
        return matrix_term(c, t, l, out);
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
    t->out = c->t.written;
    if (c->group == GROUP_LEVEL2) {
        int64_t n_results = c->operand[t->out].rows;
        t->n_terms = c->operand[OPERAND_X].rows;
        if (c->t.updates || c->t.solves || n_results < 1)
            return false;
        t->i = random_between(r, 0, n_results - 1);
        return true;
    }
    if (c->group != GROUP_LEVEL3 || c->m < 1 || c->n < 1 || c->t.solves ||
        (c->t.is_rank_k && c->t.is_rank_2))
        return false;
    t->i = random_between(r, 0, c->m - 1);
    t->j = random_between(r, 0, c->n - 1);
    t->n_terms = c->t.has_k ? c->k : c->side == 'l' ? c->m : c->n;
    return fuzz_is_stored(c, OPERAND_C, t->i, t->j) && !(c->t.is_rank_k && t->i == t->j);
}
