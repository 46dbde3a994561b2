/* Long accumulators in local memory that many work-items add to at once, and the way from words to
 * a result.
 *
 * Word i of an accumulator is at word[i * stride], so that several accumulators can lie
 * interleaved. The words are those of the PRODUCT window (core/arith/words.h), signed and
 * redundant; behind them it has three counters, of +Inf, -Inf and NaN seen.
 *
 * Carries. A deposit v, |v| < 2^57, goes to its word by an atomic addition, which returns the old
 * value. Let k(w) = floor((w + 2^59) / 2^60) modulo 16. The work-item whose addition changed k
 * by d = +1 or -1 subtracts d 2^60 from the word and adds d 2^7 to the next one, in the same way.
 *
 * Claim: when all work-items have ended, the words hold the exact sum and |word| <= 2^59. Proof:
 * additions to one word happen in some order. Each one, also a correction, keeps the word correct
 * modulo 2^64, and the value of all words with the carries under way does not change. A deposit
 * changes k by d and owes a correction that changes k by -d, so k plus what is owed stays 0
 * (modulo 16). At the end nothing is owed: k = 0, -2^59 <= w < 2^59. That holds for any
 * interleaving, delays and numbers of work-items; a word that wraps in between comes back. (Two
 * things make d well-defined: |v| < 2^60, and k is looked at modulo 16, as the word itself is
 * modulo 2^64.) The top word is not corrected; it wraps. */
#pragma once

#include "gpu/device.h"

enum { EXB_N_COUNTERS = 3, EXB_ACC_ENTRIES = EXB_PRODUCT_WORDS + EXB_N_COUNTERS };

/* What the addition of v to `before` changed k by. */
EXB_INLINE exb_i64 exb_local_carry(exb_u64 before, exb_u64 after)
{
    const exb_u64 middle = (exb_u64)1 << 59;
    exb_u64 d = (((after + middle) >> 60) - ((before + middle) >> 60)) & 15;
    return d == 0 ? 0 : d == 1 ? 1 : -1;
}

/* Adds v, |v| < 2^57, or any v to the top word, to word i. */
EXB_INLINE void exb_local_add_word(EXB_LOCAL exb_i64 *word, int stride, int i, exb_i64 v)
{
    for (; v != 0 && i < EXB_PRODUCT_WORDS; i++) {
        exb_u64 before = (exb_u64)exb_atomic_add_local(&word[i * stride], v);
        exb_i64 d = exb_local_carry(before, before + (exb_u64)v);
        v = 0;
        if (d != 0 && i + 1 < EXB_PRODUCT_WORDS) {
            exb_atomic_add_local(&word[i * stride], (exb_i64)(0 - ((exb_u64)d << 60)));
            v = d * 128;
        }
    }
}

EXB_INLINE void exb_local_add_pieces(EXB_LOCAL exb_i64 *word, int stride, exb_pieces p,
                                     bool negative)
{
    exb_i64 sign = negative ? -1 : 0;
    for (int j = 0; j < 3; j++)
        exb_local_add_word(word, stride, p.index + j, exb_with_sign(p.word[j], sign));
}

/* Adds x. Returns the flag (EXB_HAS_*) of an x that is not finite, else 0. */
EXB_INLINE exb_u32 exb_local_add(EXB_LOCAL exb_i64 *word, int stride, double x)
{
    exb_decomposed p = exb_split(x);
    if (!p.is_finite)
        return exb_special_flag(exb_parts_are_nan(p), p.negative);
    int offset = p.exp2 - exb_window_exp2(EXB_PRODUCT_FIRST);
    exb_local_add_pieces(word, stride, exb_pieces_of(0, p.significand, offset), p.negative);
    return 0;
}

/* Of finite numbers, in a window that begins at 2^exp2. */
EXB_INLINE exb_pieces exb_product_pieces(exb_decomposed p, exb_decomposed q, int exp2)
{
    return exb_pieces_of_product(exb_mul_high(p.significand, q.significand),
                                 p.significand * q.significand, p.exp2 + q.exp2 - exp2);
}

/* Adds x * y, exactly. */
EXB_INLINE exb_u32 exb_local_add_product(EXB_LOCAL exb_i64 *word, int stride, double x, double y)
{
    exb_decomposed p = exb_split(x), q = exb_split(y);
    bool negative = p.negative != q.negative;
    if (!p.is_finite || !q.is_finite)
        return exb_special_of_product(p, q, negative);
    exb_local_add_pieces(word, stride, exb_product_pieces(p, q, exb_window_exp2(EXB_PRODUCT_FIRST)),
                         negative);
    return 0;
}

/* Counts what a work-item has met. */
EXB_INLINE void exb_local_add_special(EXB_LOCAL exb_i64 *word, int stride, exb_u32 special)
{
    for (int j = 0; j < EXB_N_COUNTERS; j++)
        if (special >> j & 1)
            exb_atomic_add_local(&word[(EXB_PRODUCT_WORDS + j) * stride], 1);
}

/* Entry i of the sum of n accumulators next to each other, nobody adding: of each the lower 53 bits
 * of word i and what lies above in word i - 1. With |word| <= 2^59 and n <= 512 the result is below
 * 2^62 + 2^16; the top word wraps. */
EXB_INLINE exb_i64 exb_local_merged_word(EXB_LOCAL const exb_i64 *word, int stride, int n, int i)
{
    exb_u64 sum = 0;
    for (EXB_LOCAL const exb_i64 *end = word + n; word < end; word++) {
        exb_u64 own = (exb_u64)word[i * stride];
        sum += i + 1 < EXB_PRODUCT_WORDS ? own & EXB_WORD_MASK : own;
        if (i > 0 && i < EXB_PRODUCT_WORDS)
            sum += (exb_u64)(word[(i - 1) * stride] >> EXB_WORD_BITS);
    }
    return (exb_i64)sum;
}

/* The flags of the counters behind n_words words. */
EXB_INLINE exb_u32 exb_special_of_counters(const exb_i64 *word, int n_words)
{
    exb_u32 special = 0;
    for (int j = 0; j < EXB_N_COUNTERS; j++)
        special |= word[n_words + j] != 0 ? 1u << j : 0u;
    return special;
}

/* Makes normalised words of a finite sum non-negative; its sign before. */
EXB_INLINE int exb_words_magnitude(exb_i64 *word, int n_words)
{
    bool negative = word[n_words - 1] < 0;
    if (negative) {
        exb_words_negate(word, n_words);
        exb_words_normalize(word, n_words);
    }
    return exb_words_top(word, n_words) < 0 ? 0 : negative ? -1 : 1;
}

/* RN of the sum, or of its root if `root` (of a sum that is not negative), of private words in
 * any redundant form; they are changed. */
EXB_INLINE exb_real exb_round_words(exb_i64 *word, int first, int n_words, exb_u32 special,
                                    bool root)
{
    exb_format f = exb_format_real();
    exb_leading m;
    int exp2 = exb_window_exp2(first);
    if (exb_special_is_nan(special))
        return EXB_NAN_REAL;
    if (special)
        return exb_signed_real(f.infinity, (special & EXB_HAS_NEG_INF) != 0);
    exb_words_normalize(word, n_words);
    bool negative = exb_words_magnitude(word, n_words) < 0;
    bool found = root ? exb_leading_of_root(word, n_words, exp2, &m)
                      : exb_leading_of_words(word, n_words, exp2, &m);
    return found ? exb_signed_real(exb_encode_leading(f, &m), negative) : 0;
}
