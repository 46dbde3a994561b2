/* The steps of anchored sums (anchor.h), of numbers and of products. */
#pragma once

#include "core/kernels.h"
#include "core/simd/element_simd.h"

/* m: the largest q by v_max_upper, or 0 of sums that rise (lemma C). */
typedef struct {
    exb_v s, c, m;
} anchored_lanes;

EXB_INLINE anchored_lanes add_anchored_number(exb_term term, anchored_lanes a, exb_v x)
{
    x = term == EXB_TERM_ABS_X ? v_abs(x) : v_keep(x); /* used twice, loaded once */
    exb_v t = v_add_by_fma(x, a.s);
    exb_v q = v_sub(t, a.s);
    a.s = t;
    a.c = v_add(a.c, v_sub_by_fma(x, q));
    a.m = exb_term_rises(term) ? a.m : v_max_upper(a.m, q);
    return a;
}

/* Adds x y to (s, c); returns q. */
EXB_INLINE exb_v add_anchored_product(exb_v *s, exb_v *c, exb_v x, exb_v y)
{
#if EXB_HAVE_FMA
    exb_v t = v_fma(x, y, *s), q = v_sub(t, *s), low = v_fms(x, y, q);
#else /* products of floats, which are exact; those of doubles are not offered (kernel_slots.h) */
    exb_v p = v_mul(x, y), t = v_add(*s, p), q = v_sub(t, *s), low = v_sub(p, q);
#endif
    *c = v_add(low, *c);
    *s = t;
    return q;
}

EXB_INLINE anchored_lanes add_anchored(exb_term term, anchored_lanes a, exb_v x, exb_v y)
{
    if (term == EXB_TERM_X || term == EXB_TERM_ABS_X)
        return add_anchored_number(term, a, x);
    x = v_keep(x); /* as above */
    exb_v q = add_anchored_product(&a.s, &a.c, x, term == EXB_TERM_XX ? x : v_keep(y));
    a.m = exb_term_rises(term) ? a.m : v_max_upper(a.m, q);
    return a;
}

/* The larger of `fall` and of how far s is below sigma in the end, where the q do not say so. */
EXB_INLINE exb_v larger_fall(exb_v fall, exb_v sigma, exb_v s)
{
    return EXB_SEES_FALLS ? fall : v_max_upper(fall, v_sub(sigma, s));
}

/* For each lane what is at most 2^g if lemma D holds for n_lanes lanes; m: the largest q. Where
 * falls are seen that is m: lanes have less than 2^NU terms, and all of them less than 4 times
 * that. */
EXB_INLINE exb_v reach_of_lanes(exb_v m, exb_v fall, int64_t n_lane, int n_lanes)
{
    _Static_assert(EXB_LANES > 1 && EXB_CHUNK <= 2 << EXB_ANCHOR_NU, "two chains of at least two");
    exb_v rise = v_mul(v_at_most(m), v_set1((double)n_lane)), most = v_add(v_at_most(fall), rise);
    return EXB_SEES_FALLS ? m : v_mul(most, v_set1(exb_anchored_most(1, n_lanes)));
}
