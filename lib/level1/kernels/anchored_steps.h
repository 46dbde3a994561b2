/* The steps of anchored sums (anchor.h), of numbers and of products. */
#pragma once

#include "core/kernels.h"
#include "core/simd/element_simd.h"

/* m: the largest of the |x| or |q|. */
typedef struct {
    exb_v s, c, m;
} anchored_lanes;

EXB_INLINE anchored_lanes add_anchored_number(anchored_lanes a, exb_v x)
{
    x = v_keep(x); /* used three times; without this GCC loads it again */
    exb_v t = v_add_by_fma(x, a.s);
    exb_v q = v_sub(t, a.s);
    a.s = t;
    a.c = v_add(a.c, v_sub_by_fma(x, q));
    a.m = v_max_abs(a.m, x);
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
    if (term != EXB_TERM_XY)
        return add_anchored_number(a, term == EXB_TERM_ABS_X ? v_abs(x) : x);
    x = v_keep(x); /* as above */
    y = v_keep(y);
    a.m = v_max_abs(a.m, add_anchored_product(&a.s, &a.c, x, y));
    return a;
}

/* At most a vector. */
EXB_INLINE anchored_lanes add_few(exb_term term, anchored_lanes a, int64_t n, const exb_real *x,
                                  const exb_real *y)
{
    if (n > EXB_LANES)
        n = EXB_LANES;
    return add_anchored(term, a, v_load_few_real(x, n),
                        term == EXB_TERM_XY ? v_load_few_real(y, n) : v_zero());
}
