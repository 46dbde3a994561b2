/* triple.h's step in every lane of a vector. */
#pragma once

#include "core/arith/triple.h"
#include "core/simd/simd.h"

typedef struct {
    exb_v s, c, d, w;
} exb_vtriple;

/* p + r. */
EXB_INLINE exb_vtriple v_triple_add(exb_vtriple a, exb_v p, exb_v r, bool has_r)
{
    exb_v q, f, g;
    a.s = v_two_sum(a.s, p, &q);
    a.c = v_two_sum(a.c, q, &f);
    if (has_r)
        a.c = v_two_sum(a.c, r, &g);
    exb_v t = has_r ? v_add(f, g) : f;
    a.d = v_add(a.d, t);
    a.w = v_add(a.w, v_abs(t));
    return a;
}

/* a + b: b.s as a term, then b.c, and b.d. */
EXB_INLINE exb_vtriple v_triple_join(exb_vtriple a, exb_vtriple b)
{
    exb_v q, f, g;
    a.s = v_two_sum(a.s, b.s, &q);
    a.c = v_two_sum(a.c, q, &f);
    a.c = v_two_sum(a.c, b.c, &g);
    exb_v t = v_add(f, g);
    a.d = v_add(v_add(a.d, t), b.d);
    a.w = v_add(v_add(a.w, v_abs(t)), b.w);
    return a;
}

/* Lane 0: the sum of all lanes. */
EXB_INLINE exb_vtriple v_triple_join_lanes(exb_vtriple a)
{
    for (int half = EXB_LANES / 2; half > 0; half /= 2)
        a = v_triple_join(a, (exb_vtriple){v_swap(a.s, half), v_swap(a.c, half), v_swap(a.d, half),
                                           v_swap(a.w, half)});
    return a;
}
