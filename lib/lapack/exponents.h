/* Exponents of the bits of finite doubles. */
#pragma once

#include "core/arith/bits.h"

enum { EXB_NO_BITS = 1 << 20 };

/* Of the lowest bit that is set; EXB_NO_BITS of 0. */
EXB_INLINE int exb_lowest_exp2(double x)
{
    exb_decomposed d = exb_split(x);
    return d.significand ? d.exp2 + __builtin_ctzll(d.significand) : EXB_NO_BITS;
}

/* |x| < 2^this, and not less than half of that; -EXB_NO_BITS of 0. */
EXB_INLINE int exb_top_exp2(double x)
{
    exb_decomposed d = exb_split(x);
    return d.significand ? d.exp2 + 64 - exb_leading_zeros(d.significand) : -EXB_NO_BITS;
}
