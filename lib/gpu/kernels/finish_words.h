/* The words of the exact ends of the matrix routines (finish_parts.h). Element's line.h does the
 * same with accumulators as objects; here words are multiplied by alpha on their way to the window.
 */
#pragma once

#include "gpu/kernels/accumulate.h"

/* An exact sum of products on its way to a result: a FINISH window, of which a sum of products
 * fills the words of the PRODUCT window; flags of what is not finite. */
typedef struct {
    exb_i64 word[EXB_FINISH_WORDS];
    exb_u32 special;
} exb_sum_words;

EXB_INLINE void exb_sum_words_clear(exb_sum_words *a)
{
    EXB_FOR (int i = 0; i < EXB_FINISH_WORDS; i++)
        a->word[i] = 0;
    a->special = 0;
}

EXB_INLINE void exb_sum_words_deposit(exb_sum_words *a, exb_pieces p, bool negative)
{
    exb_i64 sign = negative ? -1 : 0;
    for (int j = 0; j < 3; j++)
        if (p.index + j < EXB_FINISH_WORDS)
            a->word[p.index + j] += exb_with_sign(p.word[j], sign);
}

/* a += x * y. */
EXB_INLINE void exb_sum_words_add_product(exb_sum_words *a, double x, double y)
{
    exb_decomposed p = exb_split(x), q = exb_split(y);
    bool negative = p.negative != q.negative;
    if (!p.is_finite || !q.is_finite)
        a->special |= exb_special_of_product(p, q, negative);
    else
        exb_sum_words_deposit(a, exb_product_pieces(p, q, EXB_GRID_EXP2), negative);
}

/* The sign in the extended reals; 2 for NaN. */
EXB_INLINE int exb_special_sign(exb_u32 special, int finite)
{
    return exb_special_is_nan(special) ? 2
           : special == 0              ? finite
                                       : (special & EXB_HAS_POS_INF ? 1 : -1);
}

/* a += alpha v, in the extended reals, v the sum of the n_accs accumulators at word, next to each
 * other, nobody adding. Digits of v are below 2^53, also the top one in magnitude (of fewer than
 * 2^40 terms), so that a product with alpha's significand has three pieces; at most four are added
 * to a word. */
EXB_INLINE void exb_sum_words_add(exb_sum_words *a, EXB_LOCAL const exb_i64 *word, int stride,
                                  int n_accs, double alpha)
{
    exb_decomposed p = exb_split(alpha);
    exb_i64 carry = 0, any = 0, digit = 0;
    exb_u32 special = 0;
    EXB_ROLLED for (int i = 0; i < EXB_PRODUCT_WORDS; i++)
    {
        exb_i64 w = exb_local_merged_word(word, stride, n_accs, i) + carry;
        carry = w >> EXB_WORD_BITS;
        digit = i + 1 < EXB_PRODUCT_WORDS ? w & (exb_i64)EXB_WORD_MASK : w;
        any |= digit;
        exb_u64 m = exb_with_sign((exb_u64)digit, digit < 0 ? -1 : 0);
        int offset = EXB_WORD_BITS * (EXB_PRODUCT_FIRST + i) + p.exp2;
        exb_sum_words_deposit(
            a, exb_pieces_of_product(exb_mul_high(m, p.significand), m * p.significand, offset),
            (digit < 0) != p.negative);
    }
    for (int j = 0; j < EXB_N_COUNTERS; j++)
        if (exb_local_merged_word(word, stride, n_accs, EXB_PRODUCT_WORDS + j) != 0)
            special |= 1u << j;
    if (special != 0 || !p.is_finite) {
        int sign = exb_special_sign(special, digit < 0 ? -1 : any != 0);
        bool is_nan = sign == 2 || exb_parts_are_nan(p) || sign == 0 || exb_parts_are_zero(p);
        a->special |= exb_special_flag(is_nan, (sign < 0) != p.negative);
    }
}
