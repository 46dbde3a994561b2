/* The exact ends of the matrix routines for elements of one part or two: part k of RN(alpha v +
 * beta c) and of RN(v / t), from the words of part k of v and of the other one. Element's line.h
 * does the same with accumulators as objects; here words are multiplied by alpha on their way to
 * the window. */
#pragma once

#include "gpu/kernels/accumulate.h"
#include "gpu/kernels/element_parts.h"

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

/* v is in the n_accs accumulators at own, of the other part at other; c is not looked at if beta =
 * 0.
 */
EXB_INLINE exb_real exb_finish_part(int k, EXB_LOCAL const exb_i64 *own,
                                    EXB_LOCAL const exb_i64 *other, int stride, int n_accs,
                                    exb_element alpha, exb_element beta, exb_element c)
{
    double sign = k == 0 ? -1 : 1;
    exb_sum_words v;
    exb_sum_words_clear(&v);
    exb_sum_words_add(&v, own, stride, n_accs, alpha.part[0]);
    if (EXB_PARTS == 2)
        exb_sum_words_add(&v, other, stride, n_accs, sign * alpha.part[EXB_PARTS - 1]);
    if (!exb_element_is_zero(beta)) {
        exb_sum_words_add_product(&v, beta.part[0], c.part[k]);
        if (EXB_PARTS == 2)
            exb_sum_words_add_product(&v, sign * beta.part[EXB_PARTS - 1],
                                      c.part[EXB_PARTS - 1 - k]);
    }
    return exb_round_words(v.word, EXB_FINISH_FIRST, EXB_FINISH_WORDS, v.special, false);
}

/* Where division aligns leading bits: above those of all sums. A numerator is below 2 * 2^1024 *
 * 2^2089 of 2^40 products, so its bits are below 3114 + 3277 = 6391 = 120 * 53 + 31; a remainder
 * is below four times the divisor, two bits more. */
enum { TOP_BIT = 120 * EXB_WORD_BITS + 40 };

/* Shifts non-negative normalised words up. */
EXB_INLINE void shift_up(exb_i64 *word, int n_bits)
{
    int words = exb_word_index(n_bits), bits = n_bits - EXB_WORD_BITS * words;
    EXB_FOR (int i = EXB_FINISH_WORDS - 1; i >= 0; i--) {
        exb_u64 own = i >= words ? (exb_u64)word[i - words] : 0;
        exb_u64 below = i > words ? (exb_u64)word[i - words - 1] : 0;
        word[i] = (exb_i64)((own << bits & EXB_WORD_MASK) | below >> (EXB_WORD_BITS - bits));
    }
}

/* rest -= d if that is not negative; true if so. Both are normalised. */
EXB_INLINE bool take_once(exb_i64 *rest, const exb_i64 *d)
{
    exb_i64 carry = 0;
    int i = EXB_FINISH_WORDS - 1;
    EXB_FOR (; i > 0 && rest[i] == d[i]; i--)
        ;
    if (rest[i] < d[i])
        return false;
    EXB_FOR (int j = 0; j < EXB_FINISH_WORDS; j++) {
        exb_i64 w = rest[j] - d[j] + carry;
        carry = w >> EXB_WORD_BITS;
        rest[j] = w & (exb_i64)EXB_WORD_MASK;
    }
    return true;
}

/* Leading bits of n / d, both positive and normalised; n becomes the remainder. A division bit by
 * bit: after each step n / d = (significand + n' / 2d) 2^exp2. At most 65 steps. */
EXB_INLINE exb_leading leading_of_ratio(exb_i64 *n, exb_i64 *d)
{
    int n_top = exb_words_top(n, EXB_FINISH_WORDS), d_top = exb_words_top(d, EXB_FINISH_WORDS);
    exb_leading q = {0, n_top - d_top + 1, false, false};
    shift_up(n, TOP_BIT - n_top);
    shift_up(d, TOP_BIT - d_top);
    EXB_FOR (; q.significand >> 63 == 0; q.exp2--) {
        q.significand = q.significand << 1 | (exb_u64)take_once(n, d);
        shift_up(n, 1);
    }
    q.inexact = exb_words_top(n, EXB_FINISH_WORDS) >= 0;
    return q;
}

/* Part k of RN(v / t) in the extended reals: n / 0 is Inf, 0 / 0 and Inf / Inf are NaN, n / Inf =
 * +0, where n = (v conj(t))_k and the divisor is |t|^2; of real numbers n = +-v and it is |t|. */
EXB_INLINE exb_real exb_quotient_of_parts(int k, exb_sum_words *v, EXB_LOCAL const exb_i64 *own,
                                          EXB_LOCAL const exb_i64 *other, int stride, int n_accs,
                                          exb_element t)
{
    exb_sum_words divisor;
    double re = EXB_PARTS == 2 ? t.part[0] : exb_bits(t.part[0]) >> 63 ? -1 : 1;
    double im = t.part[EXB_PARTS - 1];
    exb_sum_words_clear(&divisor);
    exb_sum_words_add(v, own, stride, n_accs, re);
    exb_sum_words_add_product(&divisor, t.part[0], re);
    if (EXB_PARTS == 2) {
        exb_sum_words_add(v, other, stride, n_accs, k == 0 ? im : -im);
        exb_sum_words_add_product(&divisor, im, im);
    }
    exb_words_normalize(v->word, EXB_FINISH_WORDS);
    exb_words_normalize(divisor.word, EXB_FINISH_WORDS);
    int sign = exb_special_sign(v->special, exb_words_magnitude(v->word, EXB_FINISH_WORDS));
    int below =
        exb_special_sign(divisor.special, exb_words_magnitude(divisor.word, EXB_FINISH_WORDS));
    bool by_infinity = divisor.special != 0;
    if (sign == 2 || below == 2 || (sign == 0 && below == 0) || (v->special && by_infinity))
        return EXB_NAN_REAL;
    if (sign == 0 || by_infinity)
        return 0;
    if (v->special || below == 0)
        return exb_signed_real(exb_format_real().infinity, sign < 0);
    exb_leading q = leading_of_ratio(v->word, divisor.word);
    return exb_signed_real(exb_encode_leading(exb_format_real(), &q), sign < 0);
}
