/* Compensated sums of products (core/arith/compensated.h), of floats plain ones (plain_sum.h), of a
 * work-item, which can be merged: the certified filter of gemv and trsv.
 *
 * Lane (s', c') is merged as the term p = s', r = c', and w' is added to w. With N at least the
 * number of additions on the way from any term to the result, merges included, the lemma in
 * compensated.h holds as it stands: each fl(q + r) errs by at most u|t|, each addition to a c
 * by at most u (1+u)^N times the sum W of |t| that went into it, of which there are at most N one
 * after the other, and the computed w is at least W (1-u)^N:
 *
 *   |exact - (s + c)| <= (N + 2) u w   for N <= 2^25.
 *
 * lossy: a product of doubles may have been too small for two_prod. */
#pragma once

#include "gpu/kernels/plain_sum.h"

/* Merges of the lanes of a group, one after the other. */
enum { EXB_LANE_MERGES = 8 };

typedef struct {
    exb_comp v;
    double lossy; /* 0 or 1 */
} exb_sums;

EXB_INLINE exb_sums exb_sums_zero(void)
{
    exb_sums a;
    a.v.s = a.v.c = a.v.w = a.lossy = 0;
    return a;
}

EXB_INLINE exb_sums exb_sums_add_product(exb_sums a, double x, double y)
{
#if EXB_IS_S
    a.v = exb_plain_add_product(a.v, x, y);
#else
    double r, p = exb_two_prod(x, y, &r);
    a.v = exb_comp_add(a.v, p, r);
    if (exb_fabs(p) < EXB_PRODUCT_LEAST && x != 0 && y != 0)
        a.lossy = 1;
#endif
    return a;
}

EXB_INLINE exb_sums exb_sums_merge(exb_sums a, exb_sums b)
{
    a.v = exb_comp_add(a.v, b.v.s, b.v.c);
    a.v.w += b.v.w;
    a.lossy = a.lossy != 0 || b.lossy != 0 ? 1 : 0;
    return a;
}

/* After at most n additions one after the other, merges included; of more than 2^25 nothing is
 * known. */
EXB_INLINE exb_enclosure exb_sums_enclosure(exb_sums a, exb_i64 n)
{
    if (n > EXB_COMPENSATED_MOST)
        return exb_enclosure_unknown();
    return exb_compensated_enclosure(a.v.s, a.v.c, a.v.w, n, a.lossy == 0);
}

EXB_INLINE exb_sums exb_sums_of(double s, double c, double w, double lossy)
{
    exb_sums a;
    a.v.s = s;
    a.v.c = c;
    a.v.w = w;
    a.lossy = lossy;
    return a;
}

/* In arrays of doubles, `stride` apart, in local or in global memory. */
#define exb_sums_load(p, stride)                                                                   \
    exb_sums_of((p)[0], (p)[stride], (p)[2 * (stride)], (p)[3 * (stride)])

#define exb_sums_store(p, stride, a)                                                               \
    do {                                                                                           \
        exb_sums stored = a;                                                                       \
        (p)[0] = stored.v.s;                                                                       \
        (p)[stride] = stored.v.c;                                                                  \
        (p)[2 * (stride)] = stored.v.w;                                                            \
        (p)[3 * (stride)] = stored.lossy;                                                          \
    } while (0)
