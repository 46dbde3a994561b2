/* The exact ends of the matrix routines: RN(alpha v + beta c) and RN(v / d), v in the words of a
 * work-item. Element's line.h and core's quotient.h do the same with accumulators as objects; here
 * words are multiplied by alpha on their way to the window, and the quotient is a long division. */
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

/* Leading bits of the quotient of a PRODUCT window's words, positive and normalised, and a finite
 * d > 0: long division, one bit after the other, until 64 are known. At most 53 + 63 steps. */
EXB_INLINE exb_leading exb_leading_of_quotient(const exb_i64 *word, exb_decomposed d)
{
    int at = exb_words_top(word, EXB_PRODUCT_WORDS) + 1;
    exb_u64 quotient = 0, rest = 0;
    while (quotient >> 63 == 0) {
        at--;
        int i = exb_word_index(at < 0 ? 0 : at);
        exb_u64 bit = at < 0 ? 0 : (exb_u64)word[i] >> (at - EXB_WORD_BITS * i) & 1;
        rest = rest << 1 | bit; /* below 2^54 */
        bool fits = rest >= d.significand;
        rest -= fits ? d.significand : 0;
        quotient = quotient << 1 | (exb_u64)fits;
    }
    exb_leading q;
    q.significand = quotient;
    q.exp2 = exb_window_exp2(EXB_PRODUCT_FIRST) + at - d.exp2;
    q.negative = false;
    q.inexact = rest != 0 || exb_words_below(word, at);
    return q;
}

/* RN(v / d) in the extended reals: v / 0 is Inf, 0 / 0 and Inf / Inf are NaN, an exact zero is +0.
 * The words, of a PRODUCT, are changed. */
EXB_INLINE exb_real exb_quotient_of_words(exb_sum_words *a, double divisor)
{
    exb_i64 *word = a->word + EXB_PRODUCT_FIRST;
    exb_decomposed d = exb_split(divisor);
    exb_words_normalize(word, EXB_PRODUCT_WORDS);
    int sign = exb_special_sign(a->special, exb_words_magnitude(word, EXB_PRODUCT_WORDS));
    bool by_zero = exb_parts_are_zero(d);
    if (sign == 2 || exb_parts_are_nan(d) || (sign == 0 && by_zero) || (a->special && !d.is_finite))
        return EXB_NAN_REAL;
    if (sign == 0 || !d.is_finite)
        return 0;
    bool negative = (sign < 0) != d.negative;
    if (a->special || by_zero)
        return exb_signed_real(exb_format_real().infinity, negative);
    exb_leading q = exb_leading_of_quotient(word, d);
    return exb_signed_real(exb_encode_leading(exb_format_real(), &q), negative);
}
