/* The running sum of one element of a product of matrices, in registers: compensated sums
 * (EXB_TERMS = 0) or an expansion (EXB_TERMS = 2 ... 8, EXB_EARLY_EXIT). Either ends as an
 * enclosure. An expansion whose residue is not 0 is lost: the element is listed, and computed
 * again with a long accumulator, which so need not be kept for every element. */
#ifndef EXB_GPU_CELL_H
#define EXB_GPU_CELL_H

#include "gpu/kernels/expansion.h"

#include "core/arith/compensated.h"

#if EXB_TERMS == 0
typedef exb_comp exb_cell;
#else
typedef exb_expansion exb_cell;
#endif

EXB_INLINE void exb_cell_clear(exb_cell *c)
{
#if EXB_TERMS == 0
    c->s = c->c = c->w = 0;
#else
    exb_expansion_clear(c);
#endif
}

/* c += x * y; true if something was lost. */
EXB_INLINE bool exb_cell_add_product(exb_cell *c, double x, double y)
{
#if EXB_IS_S
    double p = x * y, r = 0;
#else
    double r, p = exb_two_prod(x, y, &r);
#endif
#if EXB_TERMS == 0
    *c = exb_comp_add(*c, p, r);
    return false;
#else
    bool lost = exb_expansion_add(c, p) != 0;
    if (!EXB_IS_S)
        lost = exb_expansion_add(c, r) != 0 || lost;
    return lost;
#endif
}

/* After n products, none of which lost anything if exact_terms. Overflow leaves NaN in an
 * expansion's last term, whose residue is then lost, too. */
EXB_INLINE exb_enclosure exb_cell_enclosure(const exb_cell *c, exb_i64 n, bool exact_terms)
{
#if EXB_TERMS == 0
    return n > (exb_i64)1 << 25 ? exb_enclosure_unknown()
                                : exb_compensated_enclosure(c->s, c->c, c->w, n, exact_terms);
#else
    if (!exact_terms)
        return exb_enclosure_unknown();
    exb_enclosure v = exb_enclosure_exact(c->term[0]);
    for (int j = 1; j < EXB_TERMS; j++)
        v = exb_enclosure_add(v, exb_enclosure_exact(c->term[j]));
    return v;
#endif
}

#endif
