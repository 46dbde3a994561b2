/* Sums of three parts with a running bound: the second filter, for sums of which cancellation
 * leaves less than compensated sums (compensated.h) know.
 *
 * A lane holds s, c, d, w. Adding a term p + r (p = RN(ab), r its error, or r = 0):
 *
 *   (s, q) = two_sum(s, p);   (c, f) = two_sum(c, q);   (c, g) = two_sum(c, r);
 *   t = fl(f + g);   d = fl(d + t);   w = fl(w + |t|)
 *
 * Every two_sum is exact, so the sum of the terms is s + c + sum (f_i + g_i), and d stands for the
 * third part as c does for the second in compensated.h: for n <= 2^25 terms
 *
 *   |exact - (s + c + d)| <= (n + 2) u w.
 *
 * as if d took all n terms one after the other: each t is rounded, and each addition to d, whose
 * partial sums do not exceed (1 + 2nu) w.
 *
 * Joining two sums adds a term and the other's d: two roundings of such numbers. A kernel has two
 * chains a lane. The d of a chain takes at most every second term and two that are left over, and
 * at the end of each of C calls what the other chain found, after at most half of that call's
 * terms. So a rounding error passes through, or stands beside, no more than n/2 + 4C additions and
 * half a call's. One call: n + 4. More calls have at least 64 terms but for the last, and half of
 * one is at most n/2 for C = 2, n/4 for more: below n + 8. Lanes are joined once, by 2
 * EXB_TRIPLE_LANES additions. EXB_TRIPLE_JOINS, added to n, is more than both need.
 *
 * w = 0 means that nothing was left out of s + c: the sum is exactly that if the terms were exact.
 * And if the terms are numbers of which none but zeros is smaller than `least`, w <= least says
 * that the sum is exactly s + c + d. All are multiples of g = 2^(k - 52), 2^k <= least, and so is
 * all that is added up. The first inexact addition to d or w, or in a t, would have rounded a
 * number above 2^53 g, which is more than least, to no less than that, and w only grows. Products
 * below the range of two_prod lose up to 2^-1070 each. Overflow, Inf and NaN make s, c or d not
 * finite and stay.
 *
 * Source: Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26 (2005), DotK with K = 3. */
#pragma once

#include "core/arith/compensated.h"

enum {
    EXB_TRIPLE_MOST = 1 << 25, /* terms */
    EXB_TRIPLE_LANES = 8,      /* most that a vector has */
    EXB_TRIPLE_JOINS = 64      /* additions that a sum may have beside those of its terms */
};

typedef struct {
    double s, c, d, w;
} exb_triple;

/* Lanes of a sum that is not joined yet. All 0: none. */
typedef struct {
    double s[EXB_TRIPLE_LANES], c[EXB_TRIPLE_LANES], d[EXB_TRIPLE_LANES], w[EXB_TRIPLE_LANES];
} exb_triples;

/* The sum of numbers, none but zeros below `least`: w becomes 0 if d is exact. */
EXB_INLINE exb_triple exb_triple_of_numbers(exb_triple a, double least)
{
    if (a.w <= least && least >= EXB_CERTIFIED_LEAST)
        a.w = 0;
    return a;
}

/* h + l is s + c + d but for what the last two_sum leaves. */
EXB_INLINE exb_enclosure exb_triple_enclosure(exb_triple a, exb_i64 n, bool exact_terms)
{
    double x, y, z;
    exb_enclosure v;
    double h = exb_two_sum(a.s, a.c, &x);
    double l = exb_two_sum(x, a.d, &y);
    v.h = exb_two_sum(h, l, &z);
    v.l = exb_two_sum(z, y, &x);
    v.exact = exact_terms && a.w == 0 && x == 0 && exb_fabs(v.h) <= DBL_MAX;
    v.e = 0;
    if (!v.exact)
        v.e = exb_bound_up((double)(n + 2 + EXB_TRIPLE_JOINS) * (0x1p-53 * a.w) + exb_fabs(x) +
                           (exact_terms ? 0 : EXB_PRODUCT_LOSS));
    return v;
}
