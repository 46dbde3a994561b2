/* Anchored sums: the fast filter for long vectors (five operations a vector).
 *
 * A lane starts at s = sigma = 1.5 * 2^e, c = 0, and takes terms x:
 *
 *   t = fl(s + x);  q = t - s;  s = t;  c = fl(c + (x - q))
 *
 * Unit U = 2^(e-52), the spacing of doubles in [2^e, 2^(e+1)]; at most N <= 2^nu terms
 * a lane, e = g + nu + 1.
 *
 * Lemma A. Every s shall lie in [2^e, 2^(e+1)), or at its end if s + x was not beyond it. (1) Every
 * s is a multiple of U. (2) q is exact: t and s are multiples of U within a factor two (Sterbenz).
 * (3) x - q = (s + x) - t is the error of an addition, hence exact, and |x - q| <= U/2. (4) |c|
 * after i terms is at most iU/2 (representable, rounding is monotone), so the i-th
 * addition to c errs by at most u i U/2, u = 2^-53: together u U (N^2 + N)/4.
 * So the lane's sum is (s - sigma) + c with that error; s - sigma is a multiple of U. Adding up
 * such differences of any number of lanes is exact while sums are at most 2^(e+1) = 2^53 U.
 *
 * Lemma B, products: t = fma(a, b, s), q = t - s, r = fma(a, b, -q), c = fl(c + r). The
 * same with x = ab, which the FMA sees exactly. The rounding of r adds at most u U/2 a term and,
 * below the normal range, 2^-1075.
 *
 * Where the s lie: if all |x| <= 2^g, sigma + i 2^g and sigma - i 2^g are multiples of U (g >= e -
 * 52) for i <= N, N 2^g <= 2^(e-1); if s lies between them for i - 1, then s + x does for i, and
 * rounding is monotone.
 *
 * Lemma D, where only rises are seen. Let no computed q be more than m >= 0, the last s at least
 * sigma - d, d >= 0, and R + d <= 2^(e-1) for R = N m (1 + 2^-50), R less than that. As the q, fl(t
 * - s), are, no s is more than m (1 + 2^-50) above the one before it, so none is more than R above
 * sigma, or above the last one: all are in [sigma - d - R, sigma + R], whatever the terms. With |q|
 * <= m, d = 0: they are in [sigma - R, sigma + R]. All lanes together: if each |s - sigma| is at
 * most N m + d and L / 4 times that at most 2^(e-1), adding L of them up is exact.
 *
 * Lemma C, terms that are never negative, |x| and squares: s never falls. If each lane's s - sigma
 * is less than 2^(e-1) in the end, every s lay in [sigma, 2^(e+1)): (2) to (4) hold, however large
 * the terms. A lane that left it has more than that, as computed, too: sums of what is not negative
 * are no less than each. If all lanes together have less than 2^(e+1), adding them up is exact.
 *
 * L lanes of N terms, n <= L N terms in all, c added over a depth of at most
 * EXB_ANCHOR_DEPTH additions each of a sum of at most n U/2:
 *
 *   E = n u U ((N + 3) / 4 + DEPTH / 2).
 *
 * With e >= -900, n 2^-1075 is far below the last 2^-20 of E, which is widened by
 * that much. A block is valid if its m, of lemma C or D, is <= 2^g and no c is NaN or Inf: a vector
 * maximum may drop a NaN, c keeps it. Sums that share an m hide nothing of each other in it.
 *
 * One step of each is checked by machine: proof/anchored_sum.g, proof/anchored_dot.g; lanes and
 * their sums: proof/coq/Anchored.v.
 *
 * Blocks are added as enclosures. Source: Rump, Ogita, Oishi, SIAM J. Sci. Comput. 31 (2008),
 * section 3 (extraction with sigma); Demmel, Nguyen, IEEE TC 64 (2015). */
#pragma once

#include "core/arith/enclosure.h"

enum {
    EXB_ANCHOR_NU = 11,    /* a lane takes at most 2^11 terms of a chunk */
    EXB_ANCHOR_DEPTH = 16, /* of the tree that adds the lanes' c */
    EXB_ANCHOR_MIN_G = -900 - EXB_ANCHOR_NU - 1,
    EXB_ANCHOR_MAX_G = 900 - EXB_ANCHOR_NU - 1
};

/* What a kernel finds of a chunk. N is the kernel's to say: it alone knows its lanes. */
typedef struct {
    double sum;     /* of s - sigma over the lanes, exact */
    double c;       /* sum of their c, as computed */
    double m;       /* as exb_anchored_most returns it */
    int64_t n_lane; /* terms of the longest lane, zeros that fill a vector included */
    bool valid;     /* no c is NaN or Inf */
} exb_anchored;

/* 2^n for -1022 <= n <= 1023. */
EXB_INLINE double exb_pow2(int n)
{
    return exb_from_bits((uint64_t)(n + 1023) << 52);
}

EXB_INLINE double exb_anchor_sigma(int g)
{
    return 1.5 * exb_pow2(g + EXB_ANCHOR_NU + 1);
}

EXB_INLINE double exb_anchor_unit(int g)
{
    return exb_pow2(g + EXB_ANCHOR_NU + 1 - 52);
}

/* Least g with m <= 2^g, within the range of anchors; above it for larger m, Inf
 * and NaN. */
EXB_INLINE int exb_anchor_exponent(double m)
{
    uint64_t b = exb_bits(m) & 0x7fffffffffffffffu;
    int g = (int)(b >> 52) - 1023 + ((b & 0xfffffffffffffu) != 0);
    return g < EXB_ANCHOR_MIN_G ? EXB_ANCHOR_MIN_G : g;
}

/* E of a chunk of n terms, n_lane <= 2^NU of them in the longest lane, against an anchor with that
 * unit. */
EXB_INLINE double exb_anchor_bound(double unit, int64_t n, int64_t n_lane)
{
    double per_term = (double)(n_lane + 3) * 0.25 + EXB_ANCHOR_DEPTH * 0.5;
    return (double)n * (0x1p-53 * unit) * per_term * (1 + 0x1p-20);
}

/* At most 2^g if lemma C holds. lane, sum: the largest s - sigma and their sum, as computed. Or if
 * lemma D does: the largest N m + d, and as much for each lane. */
EXB_INLINE double exb_anchored_most(double lane, double sum)
{
    double most = lane <= 0.25 * sum ? 0.25 * sum : lane; /* a NaN remains */
    return exb_bound_up(most) * (1.0 / (1 << EXB_ANCHOR_NU));
}

/* Enclosure of a valid chunk of n terms with m <= 2^g. */
EXB_INLINE exb_enclosure exb_anchored_enclosure(const exb_anchored *a, int g, int64_t n)
{
    exb_enclosure v = {.e = exb_anchor_bound(exb_anchor_unit(g), n, a->n_lane)};
    v.h = exb_two_sum(a->sum, a->c, &v.l);
    return v;
}
