/* The steps of compensated sums (compensated.h), of numbers and of products. */
#pragma once

#include "core/kernels.h"
#include "core/simd/compensated_simd.h"
#include "core/simd/element_simd.h"

/* The state after one term. */
EXB_INLINE exb_vcomp first_term(exb_term term, exb_v x, exb_v y)
{
    exb_vcomp a = {x, v_zero(), v_zero()};
    if (term == EXB_TERM_ABS_X)
        a.s = v_abs(x);
    if (term == EXB_TERM_XY && EXB_IS_S)
        a.s = v_mul(x, y);
    if (term == EXB_TERM_XY && !EXB_IS_S) {
        a.s = v_two_prod(x, y, &a.c);
        a.w = v_abs(a.c);
    }
    return a;
}

EXB_INLINE exb_vcomp add_compensated(exb_term term, exb_vcomp a, exb_v x, exb_v y)
{
    if (term == EXB_TERM_X)
        return v_comp_add(a, x);
    if (term == EXB_TERM_ABS_X)
        return v_comp_add(a, v_abs(x));
    return EXB_IS_S ? v_comp_add(a, v_mul(x, y)) : v_comp_add_product(a, x, y);
}

/* The least magnitudes in x and y, but for zeros, if they are wanted. */
EXB_INLINE void note_least(exb_term term, exb_v x, exb_v y, exb_v *least)
{
    if (least)
        *least = v_min_nonzero(*least, x);
    if (least && term == EXB_TERM_XY)
        *least = v_min_nonzero(*least, y);
}

/* One sum a lane. least: NULL, or to be lowered to the least magnitude. */
EXB_INLINE exb_vcomp chain(exb_term term, int64_t n, const exb_real *x, const exb_real *y,
                           exb_v *least)
{
    bool has_y = term == EXB_TERM_XY;
    exb_v xi = v_load_up_to_real(x, n), yi = has_y ? v_load_up_to_real(y, n) : v_zero();
    exb_vcomp a = first_term(term, xi, yi);
    note_least(term, xi, yi, least);
    int64_t i = EXB_LANES;
    for (; i + EXB_LANES <= n; i += EXB_LANES) {
        xi = v_load_real(x + i);
        yi = has_y ? v_load_real(y + i) : v_zero();
        a = add_compensated(term, a, xi, yi);
        note_least(term, xi, yi, least);
    }
    if (i < n) {
        xi = v_load_few_real(x + i, n - i);
        yi = has_y ? v_load_few_real(y + i, n - i) : v_zero();
        a = add_compensated(term, a, xi, yi);
        note_least(term, xi, yi, least);
    }
    return a;
}
