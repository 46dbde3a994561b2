/* Compensated sums with a running bound: the filter for any data.
 *
 * A lane holds s, c, w. Adding a term p + r (p = RN(ab), r its error, or r = 0):
 *
 *   (s, q) = two_sum(s, p);   t = fl(q + r);   c = fl(c + t);   w = fl(w + |t|)
 *
 * After n terms the exact sum is s + sum (q_i + r_i), and c stands for the second
 * part. Let W = sum |t_i|, u = 2^-53. fl(q + r) errs by at most u|t|, fl(c + t) by
 * at most u|c| <= u (1+u)^n W, and the computed w is at least W (1-u)^n. So
 *
 *   |exact - (s + c)| <= (u + n u (1+u)^n) W <= (n + 2) u w   for n <= 2^25,
 *
 * because (n + 1)(1+u)^n / (1-u)^n <= (n + 1)(1 + 2.1 n u) <= n + 2 there
 * (proof/compensated_step.g; the induction, joins included: proof/coq/Compensated.v).
 * Products of doubles below the range of two_prod lose up to 2^-1070 each
 * (eft.h; without FMA four partial products underflow), added where they occur.
 *
 * Lanes are joined by the same step: lane (s', c') is the term p = s', r = c'.
 *
 * w = 0 means that every t_i was 0, hence every q_i = -r_i: the sum is exactly s
 * if the terms were exact. Overflow, Inf and NaN make s or c not finite and stay.
 * Source: Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26 (2005), Sum2 and Dot2. */
#pragma once

#include "core/arith/enclosure.h"

typedef struct {
    double s, c, w;
} exb_comp;

/* a + (p + r). */
EXB_INLINE exb_comp exb_comp_add(exb_comp a, double p, double r)
{
    double q;
    a.s = exb_two_sum(a.s, p, &q);
    double t = q + r;
    a.c += t;
    a.w += exb_fabs(t);
    return a;
}

/* The loss of up to 2^50 products of doubles below the range of two_prod. Not
 * n * 2^-1070: arithmetic on subnormal numbers takes a hundred cycles on some processors. */
#define EXB_PRODUCT_LOSS EXB_UNDERFLOW_LOSS

/* Terms of a lane for which (n + 2) u w is a bound. */
enum { EXB_COMPENSATED_MOST = 1 << 25 };

/* Enclosure of a lane after n <= EXB_COMPENSATED_MOST terms. exact_terms: no product lost
 * anything, that is they were sums, products of floats, or at least 2^-960. */
EXB_INLINE exb_enclosure exb_compensated_enclosure(double s, double c, double w, exb_i64 n,
                                                   bool exact_terms)
{
    exb_enclosure v = {s, c, 0, exact_terms && w == 0 && exb_fabs(s) <= DBL_MAX};
    if (!v.exact)
        v.e = exb_bound_up((double)(n + 2) * (0x1p-53 * w) + (exact_terms ? 0 : EXB_PRODUCT_LOSS));
    return v;
}

/* Enclosure of the sum of n_lanes lanes of at most n terms each. */
EXB_INLINE exb_enclosure exb_compensated_join(const double *s, const double *c, const double *w,
                                              int n_lanes, exb_i64 n, bool exact_terms)
{
    exb_comp total = {0, 0, 0};
    double w_lanes = 0;
    for (int i = 0; i < n_lanes; i++) {
        total = exb_comp_add(total, s[i], c[i]);
        w_lanes += w[i];
    }
    exb_enclosure v = exb_compensated_enclosure(total.s, total.c, total.w, n_lanes, true);
    v.exact = v.exact && exact_terms && w_lanes == 0;
    if (!v.exact)
        v.e = exb_bound_up(v.e + (double)(n + 2) * (0x1p-53 * w_lanes) +
                           (exact_terms ? 0 : EXB_PRODUCT_LOSS));
    return v;
}
