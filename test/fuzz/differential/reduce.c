#include "reduce.h"

#include <stdlib.h>

static char index_level2(const fuzz_case *c, fuzz_which which, int along)
{
    const level2_traits *t = &level2_family_traits[c->family];
    bool general = t->shape == SHAPE_GENERAL;
    if (!general)
        return which == OPERAND_A || along == 0 ? 'n' : 0;
    if (which == OPERAND_A)
        return along == 0 ? 'm' : 'n';
    if (along == 1)
        return 0;
    bool x_is_m = t->updates || c->transa != 'n';
    return (which == OPERAND_X) == x_is_m ? 'm' : 'n';
}

static char index_level3(const fuzz_case *c, fuzz_which which, int along)
{
    const level3_traits *t = &level3_family_traits[c->family];
    char m = t->has_m ? 'm' : 'n';
    if (which == OPERAND_C || (which == OPERAND_B && t->has_side))
        return along == 0 ? m : 'n';
    if (which == OPERAND_A && t->has_side)
        return c->side == 'l' ? m : 'n';
    if (which == OPERAND_B && t->has_transb)
        return (along == 0) == (c->transb == 'n') ? 'k' : 'n';
    return (along == 0) == (c->transa == 'n') ? m : 'k';
}

char fuzz_index_of(const fuzz_case *c, fuzz_which which, int along)
{
    switch (c->group) {
    case GROUP_LEVEL2:
        return which <= OPERAND_A || which >= OPERAND_X ? index_level2(c, which, along) : 0;
    case GROUP_LEVEL3:
        return which <= OPERAND_C ? index_level3(c, which, along) : 0;
    case GROUP_REDUCTION:
    case GROUP_ELEMENTS:
        return which >= OPERAND_X && along == 0 ? 'n' : 0;
    case GROUP_SCATTER:
        return along == 1 ? 0 : which == OPERAND_X ? 'n' : which == OPERAND_Y ? 'b' : 0;
    default:
        return 0;
    }
}

int64_t *fuzz_extent(fuzz_case *c, char index)
{
    bool level2_square =
        c->group == GROUP_LEVEL2 && level2_family_traits[c->family].shape != SHAPE_GENERAL;
    switch (index) {
    case 'm':
        if (c->group == GROUP_LEVEL3)
            return level3_family_traits[c->family].has_m ? &c->m : NULL;
        return c->group == GROUP_LEVEL2 && !level2_square ? &c->m : NULL;
    case 'k':
        return c->group == GROUP_LEVEL3 && level3_family_traits[c->family].has_k ? &c->k : NULL;
    case 'b':
        return c->group == GROUP_SCATTER ? &c->n_bins : NULL;
    default:
        return c->group == GROUP_ROTG || c->group == GROUP_ROTMG || c->group == GROUP_SEGMENT
                   ? NULL
                   : &c->n;
    }
}

/* Takes lines out of a stack of `copies` matrices. */
static void remove_lines(fuzz_operand *o, int along, int64_t copies, int64_t from, int64_t count)
{
    int64_t each = o->cols / copies, kept_rows = along == 0 ? o->rows - count : o->rows;
    level2_number *to = o->v;
    for (int64_t j = 0; j < o->cols; j++)
        for (int64_t i = 0; i < o->rows; i++) {
            int64_t line = along == 0 ? i : j % each;
            if (line < from || line >= from + count)
                *to++ = o->v[j * o->rows + i];
        }
    o->cols = along == 1 ? o->cols - count * copies : o->cols;
    o->rows = kept_rows;
}

/* Terms that went to bins that are no more go too. */
static void remove_bins(fuzz_case *c, int64_t from, int64_t count)
{
    for (int64_t i = 0; i < c->n_indices; i++) {
        if (c->index[i] >= from + count)
            c->index[i] -= count;
        else if (c->index[i] >= from)
            c->index[i] = 0;
    }
}

static void remove_indices(fuzz_case *c, int64_t from, int64_t count)
{
    for (int64_t i = from; i + count < c->n_indices; i++)
        c->index[i] = c->index[i + count];
    c->n_indices -= count;
}

void fuzz_remove(fuzz_case *c, char index, int64_t from, int64_t count)
{
    bool square = c->group == GROUP_LEVEL2 &&
                  level2_family_traits[c->family].shape != SHAPE_GENERAL && index == 'n';
    for (int w = 0; w < N_OPERANDS; w++) {
        fuzz_operand *o = &c->operand[w];
        bool rows = o->rows * o->cols > 0 && fuzz_index_of(c, (fuzz_which)w, 0) == index;
        bool cols = o->rows * o->cols > 0 && fuzz_index_of(c, (fuzz_which)w, 1) == index;
        int64_t copies = c->group == GROUP_LEVEL3 ? c->batch : 1;
        if (rows)
            remove_lines(o, 0, copies, from, count);
        if (cols)
            remove_lines(o, 1, copies, from, count);
    }
    if (c->group == GROUP_SCATTER && index == 'n')
        remove_indices(c, from, count);
    if (c->group == GROUP_SCATTER && index == 'b')
        remove_bins(c, from, count);
    *fuzz_extent(c, index) -= count;
    if (square || (c->group == GROUP_LEVEL3 && !level3_family_traits[c->family].has_m))
        c->m = c->n;
}
