/* Terms of sparse rows against an anchor, a lane each: what the kernels of sparse products share
 * (csr_block.h has the bounds). */
#pragma once

#include "core/simd/element_simd.h"

typedef struct {
    exb_v q, r;
} sums;

/* The largest |q|, the least magnitude of an x that is not 0. */
typedef struct {
    exb_v most, least;
} extremes;

EXB_INLINE extremes no_extremes(void)
{
    return (extremes){v_zero(), v_set1(DBL_MAX)};
}

EXB_INLINE sums add_term(sums s, exb_v a, exb_v x, exb_v sigma, extremes *e)
{
#if EXB_HAVE_FMA
    exb_v q = v_sub(v_fma(a, x, sigma), sigma);
    exb_v r = v_fms(a, x, q);
#else
    exb_v low = v_zero(), p = EXB_IS_S ? v_mul(a, x) : v_two_prod(a, x, &low);
    exb_v q = v_sub(v_add(p, sigma), sigma);
    exb_v r = v_add(v_sub(p, q), low);
#endif
    e->most = v_max_abs(e->most, q);
    e->least = v_min_nonzero(e->least, x);
    return (sums){v_add(s.q, q), v_add(s.r, r)};
}
