/* The size of a product before it is formed. */
#pragma once

#include "acc/acc_view.h"
#include "core/arith/round.h"

/* False if a x = 0, else 2^exponent <= |a x| < 2^(exponent + 2). a and x finite; a is
 * normalised. */
EXB_INLINE bool exb_acc_product_exponent(exb_superacc *a, double x, int *exponent)
{
    exb_leading leading;
    exb_decomposed p = exb_split(x);
    if (!p.significand || !exb_superacc_leading(a, &leading))
        return false;
    *exponent = leading.exp2 + 63 + p.exp2 + 63 - __builtin_clzll(p.significand);
    return true;
}
