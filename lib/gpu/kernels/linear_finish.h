/* The exact finish of a linear routine by one work-item: RN(alpha sum + beta c) from the words of
 * the sum, in the extended reals, as core/finish.h. */
#ifndef EXB_LINEAR_FINISH_H
#define EXB_LINEAR_FINISH_H

#include "gpu/kernels/accumulate.h"

/* word[...] += (-1)^negative * (high * 2^64 + low) * 2^offset of a FINISH window, below 2^108. At
 * most 1000 times between carries. */
EXB_INLINE void finish_deposit(exb_i64 *word, bool negative, exb_u64 high, exb_u64 low, int offset)
{
    exb_pieces p = exb_pieces_of_product(high, low, offset);
    for (int j = 0; j < 3; j++)
        if (p.index + j < EXB_FINISH_WORDS)
            word[p.index + j] =
                exb_wrapping_add(word[p.index + j], exb_with_sign(p.word[j], -(exb_i64)negative));
}

/* -1, 0, 1, and 2 for NaN, of normalised words of a sum's magnitude. */
EXB_INLINE int finish_sign(const exb_i64 *magnitude, bool negative, exb_u32 special)
{
    if (exb_special_is_nan(special))
        return 2;
    if (special)
        return special & EXB_HAS_POS_INF ? 1 : -1;
    return exb_words_top(magnitude, EXB_PRODUCT_WORDS) < 0 ? 0 : negative ? -1 : 1;
}

/* total += alpha * sum, sum as normalised words of its magnitude; returns flags of what is not
 * finite. Inf * 0 = NaN. */
EXB_INLINE exb_u32 finish_add_scaled(exb_i64 *total, double alpha, const exb_i64 *magnitude,
                                     bool negative, exb_u32 special)
{
    exb_parts a = exb_split(alpha);
    if (!a.is_finite || special) {
        int sign = finish_sign(magnitude, negative, special);
        bool is_nan = sign == 2 || sign == 0 || exb_parts_are_nan(a) || exb_parts_are_zero(a);
        return exb_special_flag(is_nan, (sign < 0) != a.negative);
    }
    for (int i = 0; i < EXB_PRODUCT_WORDS; i++) {
        exb_u64 w = (exb_u64)magnitude[i];
        if (w != 0)
            finish_deposit(total, negative != a.negative, exb_mul_high(w, a.significand),
                           w * a.significand, EXB_WORD_BITS * (EXB_PRODUCT_FIRST + i) + a.exp2);
    }
    return 0;
}

/* total += beta * c. */
EXB_INLINE exb_u32 finish_add_product(exb_i64 *total, double beta, double c)
{
    exb_parts p = exb_split(beta), q = exb_split(c);
    bool negative = p.negative != q.negative;
    if (!p.is_finite || !q.is_finite)
        return exb_special_of_product(p, q, negative);
    finish_deposit(total, negative, exb_mul_high(p.significand, q.significand),
                   p.significand * q.significand, p.exp2 + q.exp2 - EXB_GRID_EXP2);
    return 0;
}

/* RN(alpha sum + beta c); the words of the sum's PRODUCT window are lost. c is not looked at if beta
 * is 0. */
EXB_INLINE exb_real finish_linear(double alpha, exb_i64 *sum, exb_u32 special, double beta,
                                  double c)
{
    exb_i64 total[EXB_FINISH_WORDS];
    if (alpha == 1 && beta == 0)
        return exb_round_words(sum, EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS, special, false);
    exb_words_normalize(sum, EXB_PRODUCT_WORDS);
    bool negative = sum[EXB_PRODUCT_WORDS - 1] < 0;
    if (negative) {
        exb_words_negate(sum, EXB_PRODUCT_WORDS);
        exb_words_normalize(sum, EXB_PRODUCT_WORDS);
    }
    for (int i = 0; i < EXB_FINISH_WORDS; i++)
        total[i] = 0;
    exb_u32 flags = finish_add_scaled(total, alpha, sum, negative, special);
    if (beta != 0)
        flags |= finish_add_product(total, beta, c);
    return exb_round_words(total, EXB_FINISH_FIRST, EXB_FINISH_WORDS, flags, false);
}

#endif
