/* What GCC's vector extensions say for two lanes, behind exb_v and v_set1. */
#pragma once

enum { EXB_LANES = 2, EXB_UNROLL = 4 };
typedef int64_t exb_mask __attribute__((vector_size(16))); /* of a lane all bits or none */

#define EXB_STATIC_ROUNDING 0

EXB_INLINE exb_v v_choose(exb_mask m, exb_v a, exb_v b)
{
    return (exb_v)(((exb_mask)a & m) | ((exb_mask)b & ~m));
}

EXB_INLINE unsigned v_bits(exb_mask m)
{
    return (unsigned)(m[0] & 1) | (unsigned)(m[1] & 2);
}

EXB_INLINE exb_v v_load_between(const double *p, int64_t begin, int64_t end)
{
    return (exb_v){begin <= 0 && end > 0 ? p[0] : 0, begin <= 1 && end > 1 ? p[1] : 0};
}

EXB_INLINE exb_v v_load_between_s(const float *p, int64_t begin, int64_t end)
{
    return (exb_v){begin <= 0 && end > 0 ? p[0] : 0, begin <= 1 && end > 1 ? p[1] : 0};
}

#define v_each(f) ((exb_v){f(0), f(1)})
#define v_each_s(f) ((exb_v){f(0), f(1)})

EXB_INLINE exb_v v_swap(exb_v a, int half)
{
    (void)half; /* 1 */
    return (exb_v){a[1], a[0]};
}

EXB_INLINE void v_transpose(exb_v *a)
{
    exb_v first = {a[0][0], a[1][0]};
    a[1] = (exb_v){a[0][1], a[1][1]};
    a[0] = first;
}

EXB_INLINE exb_v v_zero_lanes(exb_v a, unsigned mask)
{
    return (exb_v){mask & 1 ? 0 : a[0], mask & 2 ? 0 : a[1]};
}

#include "core/simd/simd_lanes.h"

EXB_INLINE unsigned v_outside(exb_v a, double lo, double hi)
{
    exb_v m = v_abs(a);
    return v_bits((m >= v_set1(lo)) & (m <= v_set1(hi))) ^ 3;
}

EXB_INLINE exb_v v_min_nonzero(exb_v m, exb_v a)
{
    exb_v b = v_abs(a);
    return v_choose((b < m) & (b > v_set1(0)), b, m);
}
