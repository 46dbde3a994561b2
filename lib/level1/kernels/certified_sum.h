/* Sums of products in progress, for loops without branches that the compiler turns into
 * vectors: what the kernels of linear combinations and of rank updates share. */
#ifndef EXB_CERTIFIED_SUM_H
#define EXB_CERTIFIED_SUM_H

#include "core/arith/eft.h"
#include "core/kernel.h"
#include "core/type.h"

/* c ? a : b in integer operations: conditional expressions on doubles become branches
 * before GCC 12 looks for vectors. */
EXB_INLINE double exb_choose(bool c, double a, double b)
{
    uint64_t mask = -(uint64_t)c;
    return exb_from_bits((exb_bits(a) & mask) | (exb_bits(b) & ~mask));
}

/* A sum of products a_k b_k = p_k + e_k in progress:
 *   h         the p_k, added by two_sum
 *   last      the error of the latest of these additions, from the second term on
 *   low       the earlier errors and the e_k, added in floating point
 *   size      sum of |p_k|
 *   inexact   the bits that are set in a term of low: 0 or the sign bit alone if h + last
 *             is the exact sum
 *   operands  the bits that are set in a b_k, likewise */
typedef struct {
    int n_terms;
    double h, last, low, size;
    uint64_t inexact, operands;
} exb_sum;

/* h + last rounded to odd (round.h), h = RN(h + last), to be rounded to float: if h is
 * even and not exact, the neighbour on the side of last. */
EXB_INLINE double exb_to_odd(double h, double last)
{
    uint64_t b = exb_bits(h);
    uint64_t step = (uint64_t)(last != 0) & ~b;
    uint64_t inward = (b ^ exb_bits(last)) >> 63;
    return exb_from_bits(b + step - 2 * (step & inward));
}

/* The neighbours of a double that is not 0, in the bits, which order magnitudes. */
EXB_INLINE double exb_next_above(double x)
{
    uint64_t b = exb_bits(x);
    return exb_from_bits(b + 1 - 2 * (b >> 63));
}

EXB_INLINE double exb_next_below(double x)
{
    return -exb_next_above(-x);
}

#endif
