/* Certified sums of two to four products in lanes of the element type, where it has FMAs: floats
 * are added up as floats, twice as many to a vector.
 * With u = 2^-24 of floats, 2^-53 of doubles, and products P = c x, p = RN(P), step j adds one to
 * h_0 = p_0 as TwoSum (eft.h) does, here h = h_j-1 and h' = h_j:
 *
 *   h' = RN(h + p),  z = RN(h' - h),  w = RN(h' - z),  l_j = l_j-1 + (P - z) + (h - w)
 *
 * from left to right. w + z = h' and h - w are exact: if |h| >= |p| then w = h, else by FastTwoSum
 * of h' and -h, or |h'| < |h| and h' = h + p. So h + P - h' = (P - z) + (h - w); of h = p_0 it is
 * P_0 - w, by an FMA as P - z.
 *
 * A step that cancels, |h'| < max(|h|, |p|) / 2, is exact: h' = h + p (Sterbenz), z = p, w = h, and
 * P - p and P_0 - p_0 are numbers, at most 2u |h|: it only rounds l_j, by u |l_j|. Otherwise |h|,
 * |p| <= 2 |h'|, |h - w| <= u |h' - h| <= 3u |h'|, of P_0 5u |h'|, and |P - z| <= 6u |h'|, so that
 * FMAs and additions round 13u^2 |h'| + u |l_j-1| + u |l_j| at most. Both ways |l_j-1| <= (1 + 3u)
 * |l_j| + 10u |h_j| + 2u |h_j-1| from the second step on. So k <= 3 steps leave out
 *
 *   D <= 55u^2 (|h_1| + ... + |h_k|) + 5u |l_k|
 *
 * and 3 times the least subnormal number, by FMAs that underflow. The ends are RN(h_k +
 * RN((1 +- s) l_k +- m)), with the sign of l_k: m is 2^7 u^2 (|h_1| + ... + |h_k-1|) and the least
 * normal number, s u / 4 >= 2^6 u^2. If |l_k| >= u |h_k| / 4 they enclose the sum. If not, h_k +
 * l_k rounds to h_k, as half a place is u |h_k| / 2 or more, and so do both ends, if they are one.
 * Then either m (1 - 4u) >= D, and they enclose the sum; or what is left out before the last step
 * is less than 0.45 D, so that D < 120u^2 |h_k|, and it rounds to h_k, too. It is not 0, of which
 * the ends differ, as they do where one overflows; of both the difference is NaN.
 *
 * One step needs no m: D <= 11u^2 |h_1| + u |l_1|, and the ends are RN(h_1 + (1 +- s) l_1). If the
 * first is LEAST or more, |h_1| or |l_1| is LEAST / 4: what has underflowed, at most the least
 * subnormal number, is 2u^2 |h_1| or, if |h_1| is smaller, less than s |l_1| / 2. */
#pragma once

#include "core/kernel.h"
#include "core/simd/element_simd.h"

enum { EXB_SUM_VECTORS = 2, EXB_SUM_BLOCK = EXB_SUM_VECTORS * EXB_REALS };

/* The sum, if then no bit is set in `differ`. Of three terms c_0 is 1. */
EXB_INLINE exb_reals exb_sum_in_lanes(int n_terms, const exb_reals *c, const exb_reals *x,
                                      exb_real_bits *differ)
{
    const exb_reals zero = {0}, one = zero + 1;
    const exb_real_bits sign = (exb_real_bits)-zero;
    const exb_reals u = zero + (exb_real)(EXB_IS_S ? 0x1p-24 : 0x1p-53);
    const exb_reals s = zero + (exb_real)(EXB_IS_S ? 0x1p-16 : 0x1p-31);
    const exb_reals least = zero + (exb_real)(EXB_IS_S ? 0x1p-100 : 0x1p-960);
    exb_reals h = x[0], l = zero, m = zero + (exb_real)(EXB_IS_S ? FLT_MIN : DBL_MIN), lo, hi;
    if (n_terms != 3)
        h = c[0] * x[0];
#pragma GCC unroll 4
    for (int i = 1; i < n_terms; i++) {
        if (i > 1)
            m = r_add_product((exb_reals)((exb_real_bits)h & ~sign), 128 * u * u, m);
        exb_reals before = h;
        h += c[i] * x[i];
        exb_reals minus_z = before - h, w = h + minus_z, rest = before - w;
        exb_reals t = r_add_product(c[i], x[i], minus_z);
        if (i == 1 && n_terms != 3)
            rest = r_add_product(c[0], x[0], -w);
        l = i > 1 ? l + t + rest : t + rest;
    }
    if (n_terms == 2) {
        lo = r_add_product(l, one - s, h);
        hi = r_add_product(l, one + s, h);
        *differ |= (exb_real_bits)((exb_reals)((exb_real_bits)lo & ~sign) < least);
    } else {
        m = (exb_reals)((exb_real_bits)m | ((exb_real_bits)l & sign));
        lo = h + r_add_product(l, one - s, -m);
        hi = h + r_add_product(l, one + s, m);
    }
    *differ |= (exb_real_bits)(lo - hi);
    return lo;
}

/* Blocks of one or two sums from `at` on, which may take the place of an x. Where it `turns`, the
 * last x, and of four the second, are those before them with neighbours exchanged. Returns the
 * first number of a block that is as it was: it is not certified, or reaches beyond n. */
EXB_INLINE int64_t exb_sums_in_lanes(int n_sums, int n_terms, bool turns, int64_t at, int64_t n,
                                     exb_reals (*c)[4], const exb_real *const *x,
                                     exb_real *const *out)
{
    for (; at + EXB_SUM_BLOCK <= n; at += EXB_SUM_BLOCK) {
        exb_reals r[2][EXB_SUM_VECTORS], in[4];
        exb_real_bits differ = {0};
#pragma GCC unroll 2
        for (int v = 0; v < EXB_SUM_VECTORS; v++) {
#pragma GCC unroll 4
            for (int k = 0; k < n_terms; k++)
                if (turns && k > 0 && (n_terms - k) % 2 > 0)
                    for (int i = 0; i < EXB_REALS; i++)
                        in[k][i] = in[k - 1][i ^ 1];
                else
                    memcpy(&in[k], x[k] + at + v * EXB_REALS, sizeof in[k]);
            for (int j = 0; j < n_sums; j++)
                r[j][v] = exb_sum_in_lanes(n_terms, c[j], in, &differ);
        }
        /* lo is never -0 beside hi = +0: that bit is not alone in two floats */
        if (v_any_nonzero((exb_v)differ))
            break;
        for (int j = 0; j < n_sums; j++)
            for (int v = 0; v < EXB_SUM_VECTORS; v++) /* from registers: not at once */
                memcpy(out[j] + at + v * EXB_REALS, &r[j][v], sizeof r[j][v]);
    }
    return at;
}
