/* What a filter or an engine knows about a real number v, and hands to the
 * finish:
 *
 *   v in [h + l - e, h + l + e],   or, if `exact`, v = h + l.
 *
 * h is the value, l the correction, e the bound on what was left out. Nothing is
 * known if any of the three is Inf or NaN. `exact` is set only where it was
 * proven, never because e came out as 0; then e is 0. It decides ties.
 *
 * Underflow in e and l themselves may be left to the 2^-1020 in the rounding
 * test (certify.h) as long as fewer than 2^50 operations contribute and the
 * enclosure is not scaled up; exb_enclosure_affine adds it before it scales. */
#ifndef EXB_ENCLOSURE_H
#define EXB_ENCLOSURE_H

#include "core/arith/certify.h"
#include "core/arith/eft.h"
#include "core/arith/rounding.h"

typedef struct {
    double h, l, e;
    int exact; /* 0 or 1; no bool, which kernels' arguments must not have (OpenCL C 1.2, 6.9 k) */
} exb_enclosure;

/* Widens a computed bound by its own rounding: up to eight operations with
 * non-negative operands, 8u < 2^-49 (proof/bound_up.g). */
#define EXB_BOUND_UP (1 + 0x1p-49)

EXB_INLINE double exb_bound_up(double e)
{
    return e * EXB_BOUND_UP;
}

EXB_INLINE exb_enclosure exb_enclosure_exact(double h)
{
    return (exb_enclosure){h, 0, 0, true};
}

EXB_INLINE exb_enclosure exb_enclosure_unknown(void)
{
    return (exb_enclosure){0, 0, (double)INFINITY, false};
}

/* x + y: h by two_sum, and the two additions of the corrections leave errors
 * that two_sum returns, so that they enter e as they are. */
EXB_INLINE exb_enclosure exb_enclosure_add(exb_enclosure x, exb_enclosure y)
{
    if (x.exact && x.h == 0 && x.l == 0) /* where sums start */
        return y;
    exb_enclosure s;
    double r, e1, e2;
    s.h = exb_two_sum(x.h, y.h, &r);
    double t = exb_two_sum(x.l, y.l, &e1);
    s.l = exb_two_sum(t, r, &e2);
    double lost = exb_fabs(e1) + exb_fabs(e2);
    s.exact = x.exact && y.exact && lost == 0;
    s.e = s.exact ? 0 : exb_bound_up(x.e + y.e + lost);
    return s;
}

/* alpha * v + beta * c, unknown if a product leaves the range in which
 * two_prod is exact. */
exb_enclosure exb_enclosure_affine(double alpha, exb_enclosure v, double beta, double c);

/* If true, *r = RN(v). The sum h + l of an exact enclosure is rounded by one
 * addition (to float: by rounding to odd first); an exact zero is +0. */
EXB_INLINE bool exb_enclosure_round_d(exb_enclosure v, double *r)
{
    if (v.exact) {
        *r = v.h + v.l;
        if (*r == 0)
            *r = 0;
        return exb_fabs(*r) <= DBL_MAX;
    }
    return exb_certify_d(v.h, v.l, v.e, r);
}

EXB_INLINE bool exb_enclosure_round_s(exb_enclosure v, float *r)
{
    if (v.exact) {
        double s = exb_add_to_odd(v.h, v.l);
        *r = s == 0 ? 0 : (float)s;
        return exb_fabs(s) <= EXB_CERTIFIED_MOST;
    }
    return exb_certify_s(v.h, v.l, v.e, r);
}

/* Whether the sum h + l +- e that a filter found for numbers, not products, is exact. None but
 * zeros is smaller than `least`: all are multiples of g = 2^(k - 52), 2^k <= least, and so is all
 * that filters add up beside the leading part. Of that the magnitudes have a sum of at most w: of
 * compensated sums e >= 2^-53 (n + 2) w (compensated.h), of anchored ones w = n U and e >= 2^-53 n
 * U (anchor.h). So 2^54 e <= least / 2 says that w < 2^52 g, and no addition rounds. */
EXB_INLINE bool exb_sum_lost_nothing(double e, double least)
{
    return least >= EXB_CERTIFIED_LEAST && 0x1p54 * e <= least / 2;
}

#endif
