/* The unit of floats: the largest u such that all of them are multiples of 2^u. */
#pragma once

#include "core/arith/bits.h"

#include <float.h>
#include <math.h>

enum { EXB_UNIT_OF_ZERO = 1 << 20 };

/* The value of the lowest bit of |x|, Inf of 0, by its encoding: an integer, whose minima compilers
 * vectorise. Of Inf and NaN it is not below Inf. */
EXB_INLINE int32_t exb_lowest_bit(float x)
{
    uint32_t a = exb_bits_f(x) & 0x7fffffff, zero = -(uint32_t)(a == 0);
    uint32_t power = -(uint32_t)((a & 0x7fffff) == 0); /* of two */
    uint32_t rest = exb_bits_f(exb_from_bits_f(a) - exb_from_bits_f(a & (a - 1)));
    return (int32_t)((power & a) | (~power & rest) | (zero & 0x7f800000));
}

EXB_INLINE int32_t exb_least_bit(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* The least of n floats. */
EXB_INLINE int32_t exb_lowest_bit_of(int64_t n, const float *x, int64_t incx)
{
    int32_t bit = exb_lowest_bit(0);
    if (incx == 1)
        for (int64_t i = 0; i < n; i++)
            bit = exb_least_bit(exb_lowest_bit(x[i]), bit);
    else
        for (int64_t i = 0; i < n; i++)
            bit = exb_least_bit(exb_lowest_bit(x[i * incx]), bit);
    return bit;
}

/* The unit of numbers of which `bit` is the least. */
EXB_INLINE int exb_unit_of(int32_t bit)
{
    float x = exb_from_bits_f((uint32_t)bit);
    return x <= FLT_MAX ? ilogbf(x) : EXB_UNIT_OF_ZERO;
}
