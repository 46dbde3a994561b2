/* The exact ends of the matrix routines: RN(alpha v + beta c) and RN(v / d), v in the words of a
 * work-item. Element's line.h and core's quotient.h do the same with accumulators as objects; here
 * alpha is multiplied into the words where they are, and the quotient is a long division. */
#pragma once

#include "gpu/kernels/accumulate.h"

/* An exact sum of products on its way to a result: a FINISH window, of which a sum of products
 * fills the words of the PRODUCT window; flags of what is not finite. */
typedef struct {
    exb_i64 word[EXB_FINISH_WORDS];
    exb_u32 special;
} exb_sum_words;

/* The sum of the n_accs accumulators at word, next to each other, nobody adding. */
EXB_INLINE void exb_sum_words_take(exb_sum_words *a, EXB_LOCAL const exb_i64 *word, int stride,
                                   int n_accs)
{
    EXB_FOR (int i = 0; i < EXB_FINISH_WORDS; i++)
        a->word[i] = 0;
    a->special = 0;
    EXB_FOR (int i = 0; i < EXB_ACC_ENTRIES; i++) {
        exb_i64 w = exb_local_merged_word(word, stride, n_accs, i);
        if (i < EXB_PRODUCT_WORDS)
            a->word[EXB_PRODUCT_FIRST + i] = w;
        else
            a->special |= w != 0 ? 1u << (i - EXB_PRODUCT_WORDS) : 0u;
    }
    exb_words_normalize(a->word + EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS);
}

EXB_INLINE void exb_sum_words_deposit(exb_sum_words *a, exb_pieces p, bool negative)
{
    exb_i64 sign = negative ? -1 : 0;
    for (int j = 0; j < 3; j++)
        if (p.index + j < EXB_FINISH_WORDS)
            a->word[p.index + j] += exb_with_sign(p.word[j], sign);
}

/* a += x * y, once or twice after the words were normalised. */
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

/* word *= f < 2^53. Words of the PRODUCT window are below 2^53 (of fewer than 2^40 terms the top
 * one is), so that low + carry < 2^54 and the product fits one word more. */
EXB_INLINE void exb_words_multiply(exb_i64 *word, exb_u64 f)
{
    exb_u64 carry = 0;
    EXB_FOR (int i = EXB_PRODUCT_FIRST; i < EXB_PRODUCT_FIRST + EXB_PRODUCT_WORDS; i++) {
        exb_u64 w = (exb_u64)word[i];
        exb_u64 low = w * f, high = exb_mul_high(w, f);
        exb_u64 sum = (low & EXB_WORD_MASK) + carry;
        word[i] = (exb_i64)(sum & EXB_WORD_MASK);
        carry = (high << (64 - EXB_WORD_BITS) | low >> EXB_WORD_BITS) + (sum >> EXB_WORD_BITS);
    }
    word[EXB_PRODUCT_FIRST + EXB_PRODUCT_WORDS] = (exb_i64)carry;
}

/* Word i of the non-negative words shifted up by `words` words and `bits` < 53 bits. */
EXB_INLINE exb_i64 exb_shifted_word(const exb_i64 *word, int i, int words, int bits)
{
    int from = i - words;
    exb_u64 own = from >= 0 && from < EXB_FINISH_WORDS ? (exb_u64)word[from] : 0;
    exb_u64 below = from >= 1 && from <= EXB_FINISH_WORDS ? (exb_u64)word[from - 1] : 0;
    return (exb_i64)((own << bits & EXB_WORD_MASK) | below >> (EXB_WORD_BITS - bits));
}

/* word *= 2^exp2, -1074 <= exp2 <= 971: the product of two factors and alpha fits the FINISH
 * window (core/arith/words.h). Each word is read before it is written. */
EXB_INLINE void exb_words_shift(exb_i64 *word, int exp2)
{
    int words = exb_word_index(exp2 + 21 * EXB_WORD_BITS) - 21;
    int bits = exp2 - EXB_WORD_BITS * words;
    if (words >= 0)
        EXB_FOR (int i = EXB_FINISH_WORDS - 1; i >= 0; i--)
            word[i] = exb_shifted_word(word, i, words, bits);
    else
        EXB_FOR (int i = 0; i < EXB_FINISH_WORDS; i++)
            word[i] = exb_shifted_word(word, i, words, bits);
}

/* a *= alpha, in the extended reals. */
EXB_INLINE void exb_sum_words_scale(exb_sum_words *a, double alpha)
{
    exb_decomposed p = exb_split(alpha);
    int sign = exb_words_magnitude(a->word + EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS);
    if (!p.is_finite || a->special) {
        sign = exb_special_sign(a->special, sign);
        bool is_nan = sign == 2 || exb_parts_are_nan(p) || sign == 0 || exb_parts_are_zero(p);
        a->special = exb_special_flag(is_nan, (sign < 0) != p.negative);
        return;
    }
    exb_words_multiply(a->word, p.significand);
    exb_words_shift(a->word, p.exp2);
    if ((sign < 0) != p.negative)
        exb_words_negate(a->word, EXB_FINISH_WORDS);
}

/* RN(alpha v + beta c); c is not looked at if beta = 0. The words are changed. */
EXB_INLINE exb_real exb_finish_words(exb_sum_words *a, double alpha, double beta, double c)
{
    if (alpha != 1)
        exb_sum_words_scale(a, alpha);
    if (beta != 0)
        exb_sum_words_add_product(a, beta, c);
    return exb_round_words(a->word, EXB_FINISH_FIRST, EXB_FINISH_WORDS, a->special, false);
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
