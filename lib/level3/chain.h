/* Sums of products by chains of FMAs: the engines for floats and, anchored, for doubles.
 *
 * Rows of A and columns of B are scaled by powers of two so that their computed 2-norms, with
 * all rounding errors of the norm (relative 2^-21), are at most sqrt(1 - 2^-20). Then every prefix
 * of a scalar product obeys |sum a b| < 1 - 2^-22 (Cauchy-Schwarz), and sum |a b| < 1.
 *
 * Plain, for products that are doubles (of floats): s = fma(a, b, s) from 0 in runs of r =
 * EXB_CHAIN_SHORT_RUN, whose results are added to a total. A product takes part in at most r
 * rounded additions of its run and in k / r + 1 of the total (panels are whole runs, or the
 * last): |s - sum| <= (n u + (n u)^2) sum |ab|, n = r + k / r + 2, since the rounding errors of a
 * sum are at most (1 + u)^n - 1 relative to the magnitudes that pass through n additions.
 *
 * Anchored, for doubles: from S = 3, L = 0
 *
 *   t = fma(a, b, S);  h = t - S;  S = t;  L += fma(a, b, -h)
 *
 * By induction |S - 3 - prefix| <= k 2^-52, so 2 < S < 4 for k < 2^29: all S are multiples of
 * U = 2^-51, t - S is exact (Sterbenz), ab - h is at most U/2 = 2^-52 in magnitude, and the FMA
 * that computes it errs by at most 2^-106, half an ulp below 2^-52. L is added up in runs of r
 * products, each from 0. After i products of a run |L| <= i 2^-52, a double, so rounding keeps
 * that, and the i-th addition errs by at most 2^-53 i 2^-52. The runs, at most k / r + 1, are added
 * to a total of at most k 2^-52:
 *
 *   products     k 2^-106
 *   inside runs  (k / r) (r (r + 1) / 2) 2^-105 = k (r + 1) 2^-106
 *   joining      (k / r + 1) k 2^-105
 *
 * so |(S - 3) + L - sum| <= k (r / 2 + k / r + 2) 2^-105; one more k 2^-105 is for the shorter run
 * at the end and for what is flushed: inside the kernel subnormal numbers may count as zero
 * (arithmetic on them can cost a hundred cycles), and packed elements and corrections lose at most
 * 4 * 2^-1022 each. r is EXB_CHAIN_RUN, or the panel where that is shorter: panels are whole runs.
 *
 * One step is checked by machine: proof/chain_step.g.
 *
 * Exactness. If all elements of a row and of a column are multiples of EXB_CHAIN_GRID after
 * scaling, 2^-25 or of plain chains 2^-26, products are multiples of its square, and the sum of any
 * of them that follow each other is below 1: no addition rounds, the sum is exact, ties and zeros
 * are decided. That covers integers of up to 25 or 26 bits below the norm.
 *
 * Two anchors, for sums of which cancellation leaves less than one anchor's corrections know. Let p
 * + r = ab, p = RN(ab) (eft.h), and A = 3 2^g with 2^g >= (k + 1) 2^-52. From S = 3, M = A, L = 0
 *
 *   t = S + p;  h = t - S;  S = t;  e = p - h
 *   t = M + e;  i = t - M;  M = t;  x = e - i
 *   t = M + r;  j = t - M;  M = t;  y = r - j;  L += x + y
 *
 * As above 2 < S < 4, h is exact, and so is e: a multiple of ulp(p) that does not exceed |p| nor
 * 2^-52. |r| <= 2^-53 |p|, hence all |e| and |r| add up to at most (k + 1/2) 2^-52 (1 + 2^-40). An
 * addition to M errs by at most half of its unit V = 2^(g - 51), 2k of them by less than 2^(g - 28)
 * for k <= 2^23: so |M - A| < 2^g, 2^(g + 1) < M < 2^(g + 2), i and j are exact, and x and y are as
 * e was, at most V/2 in magnitude. Only x + y and the addition to L round: after n products |L| <=
 * n V, a double, so the errors are at most 2^-53 (V + n V), in all 2^-53 V k (k + 3) / 2. With 2^g
 * < (k + 1) 2^-51 that makes
 *
 *   |(S - 3) + (M - A) + L - sum| <= k (k + 1) (k + 3) 2^-156 (1 + 2^-40),
 *
 * whose last factor has what underflows: a packed element loses at most 2^-1075, a product whose
 * two_prod is not exact at most 2^-1070.
 *
 * If all products are multiples of some q >= 2^-1000, so are p and r, and with every h and i, which
 * are multiples of q or leave nothing, e, x and y. Then L is exact while n V <= 2^53 q, and so is
 * (S - 3) + (M - A) + L: ties and sums of 0 are decided.
 *
 * Source: anchors as in Demmel and Nguyen, IEEE TC 64 (2015), "pre-rounding"; FMA splitting of
 * products as in Ogita, Rump, Oishi (2005). */
#pragma once

#include "core/arith/bits.h"

enum { EXB_CHAIN_RUN = 512, EXB_CHAIN_SHORT_RUN = 128 };

/* Columns of a strip, at most. */
enum { EXB_CHAIN_MOST_COLS = 8 };

#define EXB_CHAIN_GRID (EXB_IS_S ? 0x1p-26 : 0x1p-25)
#define EXB_CHAIN_ANCHOR 3.0

/* Most products of one chain. */
#define EXB_CHAIN_MOST ((int64_t)1 << 28)

/* Most products of one sum against two anchors; 2^g + 2^(g + 1) for k of them. */
enum { EXB_CHAIN_TWICE_MOST = 1 << 20 };

static inline double exb_chain_second_anchor(int64_t k)
{
    double power = 0x1p-52;
    while (power < (double)(k + 1) * 0x1p-52)
        power *= 2;
    return 3 * power;
}

static inline double exb_chain_bound_twice(int64_t k)
{
    double n = (double)k;
    return n * (n + 1) * (n + 3) * (0x1p-156 * (1 + 0x1p-40));
}

static inline double exb_chain_bound_plain(int64_t k)
{
    int64_t n = EXB_CHAIN_SHORT_RUN + k / EXB_CHAIN_SHORT_RUN + 2;
    return (double)n * (0x1p-53 * (1 + 0x1p-19));
}

static inline double exb_chain_bound_anchored(int64_t k, int64_t run)
{
    double n = (double)k, r = (double)run;
    return n * (r / 2 + n / r + 3) * (0x1p-105 * (1 + 0x1p-40));
}

/* The exponent E for which x * 2^-E has a norm of at most sqrt(1 - 2^-20), from the sum of the
 * squares, computed with a relative error below 2^-21: sumsq = f 2^q with 1/2 <= f < 1, and
 * 4^E >= 2^q, or 2 or 4 times that if f is next to 1. */
static inline int exb_chain_exponent(double sumsq)
{
    uint64_t b = exb_bits(sumsq);
    int q = (int)(b >> 52) - 1022;                       /* sumsq is positive and normal */
    bool next_to_1 = ~b << 12 >> 12 < (uint64_t)1 << 35; /* f > 1 - 2^-18 */
    int e = (q + (q > 0)) / 2;                           /* ceil(q / 2) */
    return next_to_1 && q % 2 == 0 ? e + 1 : e;
}
