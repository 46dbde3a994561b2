/* compensated.h's step in every lane of a vector. */
#pragma once

#include "core/simd/simd.h"

typedef struct {
    exb_v s, c, w;
} exb_vcomp;

/* += p */
EXB_INLINE exb_vcomp v_comp_add(exb_vcomp a, exb_v p)
{
    exb_v q;
    a.s = v_two_sum(a.s, p, &q);
    a.c = v_add(a.c, q);
    a.w = v_add(a.w, v_abs(q));
    return a;
}

/* += x * y. Half of the additions are the units' of products. */
EXB_INLINE exb_vcomp v_comp_add_product(exb_vcomp a, exb_v x, exb_v y)
{
    exb_v r, p = v_two_prod(x, y, &r), s = v_add(a.s, p);
    exb_v z = v_sub(s, a.s), kept = v_sub_by_fma(s, z), came = v_sub_by_fma(p, z);
    exb_v d = v_add_by_fma(v_add(v_sub(a.s, kept), came), r);
    return (exb_vcomp){s, v_add_by_fma(a.c, d), v_add(a.w, v_abs(d))};
}

/* a += b: the step with the term b.s + b.c; b's bound is added up. */
EXB_INLINE exb_vcomp v_comp_join(exb_vcomp a, exb_vcomp b)
{
    exb_v q;
    a.s = v_two_sum(a.s, b.s, &q);
    exb_v t = v_add(q, b.c);
    a.c = v_add(a.c, t);
    a.w = v_add(v_add(a.w, v_abs(t)), b.w);
    return a;
}

/* Lane 0: the sum of all lanes, in EXB_LANE_JOINS steps. */
EXB_INLINE exb_vcomp v_comp_join_lanes(exb_vcomp a)
{
    for (int half = EXB_LANES / 2; half > 0; half /= 2)
        a = v_comp_join(a, (exb_vcomp){v_swap(a.s, half), v_swap(a.c, half), v_swap(a.w, half)});
    return a;
}

enum { EXB_LANE_JOINS = EXB_LANES == 8 ? 3 : EXB_LANES / 2 };
_Static_assert(EXB_LANES >> EXB_LANE_JOINS == 1, "a power of two of lanes, at most eight");

EXB_INLINE exb_vcomp v_comp_load(const double *s, const double *c, const double *w)
{
    return (exb_vcomp){v_load(s), v_load(c), v_load(w)};
}

EXB_INLINE void v_comp_store(exb_vcomp a, double *s, double *c, double *w)
{
    v_store(s, a.s);
    v_store(c, a.c);
    v_store(w, a.w);
}
