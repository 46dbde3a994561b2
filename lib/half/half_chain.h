/* Products of bfloat16 that are rounded to bfloat16: 8 bits of a result are certified by chains of
 * floats, twice as many at a time as doubles, and four times where the processor adds pairs of such
 * products (half_end.c has what other products take).
 *
 * Sums. Products of two bfloat16 are floats but for underflow. A chain s = s + x y in floats, or s
 * = s + x y + x' y' with a rounding for each product, in any order, runs over r = EXB_HALF_RUN
 * products from 0; its result is added to a double. A rounding in step t of a run is relative to a
 * sum of products up to that step: at most 2^-24 (1 + r 2^-23) |a_t| |b_t|, by Cauchy-Schwarz, with
 * the norms of the parts of the row and the column up to there. Over two roundings a step and all
 * runs these add up, by Cauchy-Schwarz again, to at most the same times A B, where
 *
 *   A^2 = sum of w_l a_l^2,   w_l = r - 2 floor((l mod r) / 2),
 *
 * the number of roundings that a product passes; about half of what norms and r roundings for each
 * would make of it. A product is in k / r + 1 additions of doubles. Since w_l >= 2
 *
 *   |s - sum| <= (2^-24 (1 + 2^-16) + (k / r + 3) 2^-53) A B + lost.
 *
 * Overflow: A and B are 0, or between EXB_HALF_NORM_LEAST = 2^-37 and EXB_HALF_NORM_MOST = 2^60, so
 * no partial sum reaches 2^121. Underflow: some processors take operands and results below 2^-126
 * for 0. An operand a is then lost with a product of at most 2^-126 |b|, and each of the at most
 * 2 k results loses at most 2^-126: lost <= 2^-126 (k (A + B) + 2 k) <= k 2^-44 A B, because
 * 1 / A + 1 / B + 2 / (A B) <= 2^38 + 2^75.
 *
 * Results. x = alpha sum + beta c, of p = RN(alpha s), q = RN(beta c), v = RN(p + q): RN(v - e) and
 * RN(v + e) are floats, and x lies between them, if with E = |alpha| |s - sum|
 *
 *   e >= E + 2^-52 (|p| + |q|) + (2^-24 + 2^-53) (|v| + e) + 2^-150,
 *
 * for which e = E (1 + 2^-20) + 2^-22 (|p| + |q|) + 2^-149, rounded, will do. (If both are Inf,
 * x is beyond all midpoints.) Rounding to bfloat16 is monotone: what is the same for both is RN(x).
 * The signs of zeros count, so x = 0 is left open.
 *
 * Source: the norms as in chain.h; two levels of sums as in Castaldo, Whaley, Chronopoulos, SIAM J.
 * Sci. Comput. 31 (2008). */
#pragma once

#include "core/arith/half.h"
#include "core/kernels.h"

enum { EXB_HALF_RUN = 32 };

#define EXB_HALF_NORM_LEAST 0x1p-37
#define EXB_HALF_NORM_MOST 0x1p60

/* For k < 2^20 products, to be multiplied with A and B. */
static inline double exb_half_bound(int64_t k)
{
    double runs = (double)(k / EXB_HALF_RUN + 3);
    return 0x1p-24 * (1 + 0x1p-16) + runs * 0x1p-53 + (double)k * 0x1p-44;
}

/* Operands are packed: a[l * rows + i] holds elements 2 l and 2 l + 1 of row i, b[l * cols + j] of
 * column j. `sum`: their sums of n_pairs > 0 such products to s[j * rows + i]. `end`: a column of
 * `rows` elements from such sums h, rounded to r, where row_bound holds the norms of rows and
 * col_bound is that of the column times |alpha| and the bound for A = B = 1; c: NULL, or what is in
 * C, as beta counts. No other field is read. Returns the set of elements that are not certified.
 * `dot`: k products in doubles, of which each takes part in at most k >= 8 additions. `norm`: A of
 * k elements, with a relative error below (k + 8) 2^-53. `widen`: n numbers as floats. */
struct exb_half_chain {
    int rows, cols;
    void (*sum)(int64_t n_pairs, const uint32_t *a, const uint32_t *b, double *s);
    uint64_t (*end)(const exb_column *q, uint16_t *r);
    double (*dot)(int64_t k, const uint16_t *a, const uint16_t *b);
    double (*norm)(int64_t k, const uint16_t *a);
    void (*widen)(exb_half_kind kind, int64_t n, const uint16_t *x, float *y);
};

enum { EXB_HALF_MOST_ROWS = 48, EXB_HALF_MOST_COLS = 8 };
