/* The rounding test: is every number of an interval rounded to the same double
 * or float? Then that is the correctly rounded value of whatever lies in it.
 *
 * Let v be in [h + l - e, h + l + e], e >= 0, all finite, and u = 2^-53. Computing
 * l - e and l + e in floating point rounds inwards, so e is widened first:
 *
 *   e2 = fl(2^-51 |l| + e (1 + 2^-50) + 2^-1020)
 *
 * Claim: e2 >= e + u (|l| + e2). The exact value of the right-hand side of e2 is
 * X = 4u|l| + e(1 + 8u) + 2^-1020; three roundings, each relative u or
 * absolute 2^-1075, give e2 >= X (1 - 4u) - 2^-1073 >= e(1 + 3u) + 3u|l| + 2^-1021,
 * and u e2 <= u (X (1 + 4u) + 2^-1073) <= u e (1 + 13u) + u|l|/2 + 2^-1072; the
 * difference is positive. Therefore
 *   fl(l - e2) <= l - e2 + u(|l| + e2) <= l - e   and   fl(l + e2) >= l + e,
 * and the two last additions are single roundings of numbers that enclose v.
 * RN is monotone: lo == hi implies RN(v) = lo. Checked by machine: proof/rounding_test.g, and
 * with Inf, NaN, floats and subnormal results proof/coq/Certificate.v.
 *
 * The term 2^-1020 also covers underflow in the computation of e and l by the
 * caller: at most 2^50 operations that each lose 2^-1075. It makes the test
 * useless for tiny h, and h near overflow could make lo and hi infinite, so the
 * test only passes for 2^-900 <= |h| <= 2^1000. Source: the condition is an
 * outward-rounded form of Ziv's test (ACM TOMS 17 (1991)). */
#pragma once

#include "core/arith/bits.h"

#define EXB_CERTIFIED_LEAST 0x1p-900
#define EXB_CERTIFIED_MOST 0x1p1000

/* More than underflow takes from what a caller computes: 2^50 operations lose 2^-1025. */
#define EXB_UNDERFLOW_LOSS 0x1p-1020

/* Of |l| and e in e2, as derived above. */
#define EXB_WIDENED_L 0x1p-51
#define EXB_WIDENED_E (1 + 0x1p-50)

typedef struct {
    double lo, hi; /* RN of the two ends, widened */
} exb_bracket;

EXB_INLINE exb_bracket exb_bracket_of(double h, double l, double e)
{
    double e2 = (EXB_WIDENED_L * exb_fabs(l) + e * EXB_WIDENED_E) + EXB_UNDERFLOW_LOSS;
    return (exb_bracket){h + (l - e2), h + (l + e2)};
}

EXB_INLINE bool exb_certifiable(double h)
{
    double m = exb_fabs(h);
    return m >= EXB_CERTIFIED_LEAST && m <= EXB_CERTIFIED_MOST; /* false for NaN */
}

/* If true, *r = RN(v) for all v in h + l +- e. */
EXB_INLINE bool exb_certify_d(double h, double l, double e, double *r)
{
    exb_bracket b = exb_bracket_of(h, l, e);
    *r = b.lo;
    return b.lo == b.hi && exb_certifiable(h);
}

/* The double next to x, not zero, not Inf, away from or towards zero. */
EXB_INLINE double exb_away(double x)
{
    return exb_from_bits(exb_bits(x) + 1);
}

EXB_INLINE double exb_toward(double x)
{
    return exb_from_bits(exb_bits(x) - 1);
}

/* As certify_d, to float. lo and hi are rounded to double already and bracket v
 * only within half an ulp, so each moves outward by one double before it is
 * rounded to float: lo' <= v <= hi'. Both must have the same sign, or a -0
 * and a +0 would pass for equal. */
EXB_INLINE bool exb_certify_s(double h, double l, double e, float *r)
{
    exb_bracket b = exb_bracket_of(h, l, e);
    if (!exb_certifiable(h) || !(b.lo * b.hi > 0))
        return false;
    float lo = (float)(b.lo > 0 ? exb_toward(b.lo) : exb_away(b.lo));
    float hi = (float)(b.hi > 0 ? exb_away(b.hi) : exb_toward(b.hi));
    *r = lo;
    return lo == hi;
}
