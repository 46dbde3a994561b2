/* What GCC's vector extensions, which Clang has, too, say for any number of lanes. Included behind
 * exb_v, EXB_LANES, EXB_STATIC_ROUNDING and v_set1 and, without static rounding, v_bits: the lanes
 * that are set in a mask. */
#pragma once

EXB_INLINE exb_v v_load(const double *p)
{
    exb_v a;
    memcpy(&a, p, sizeof a);
    return a;
}

EXB_INLINE void v_store(double *p, exb_v a)
{
    memcpy(p, &a, sizeof a);
}

#ifndef EXB_OWN_ABS
EXB_INLINE exb_v v_abs(exb_v a)
{
    return (exb_v)((exb_mask)a & INT64_MAX);
}
#endif

EXB_INLINE exb_v v_power(exb_v a)
{
    return (exb_v)((exb_mask)a & (exb_mask)v_set1((double)INFINITY));
}

#if !EXB_STATIC_ROUNDING
EXB_INLINE unsigned v_equal(exb_v a, exb_v b)
{
    return v_bits(a == b);
}

EXB_INLINE unsigned v_at_least(exb_v a, exb_v b)
{
    return v_bits(a >= b);
}
#endif
