/* The words of a long accumulator, for processors and kernels alike: the grid, what a deposit
 * adds to which word, carries, and bits anywhere in a sum.
 *
 * One grid of 53-bit words covers every exponent the library meets:
 *
 *   word g of the grid has the weight 2^(EXB_GRID_EXP2 + 53 g).
 *
 * An accumulator is a window of that grid, so that words of different windows
 * line up and accumulators merge by adding words:
 *
 *   window    holds                          lowest bit  words       top
 *   SUM       sums of doubles                2^-1104     41 .. 82    2^1122
 *   PRODUCT   sums of products of two,       2^-2164     21 .. 101   2^2129
 *             and their midpoints (2^-2150)
 *   FINISH    alpha * PRODUCT + beta * c     2^-3277      0 .. 120   2^3136
 *
 * The tops leave room for 2^63 terms; the top word, having 64 bits, holds ten bits more, and
 * sums beyond those wrap. A double touches at most two words (52 + 53 <= 2 * 53), an exact
 * 106-bit product at most three (52 + 106 <= 3 * 53): the reason for 53-bit words. */
#pragma once

#include "core/arith/bits.h"

/* Bits of value in a word, and of the type that stores it. A test compiles this text with
 * narrower words, of which it can try all. */
#ifndef EXB_WORD_BITS
#define EXB_WORD_BITS 53
#define EXB_STORED_BITS 64
#endif

enum {
    EXB_GRID_EXP2 = -3277,

    EXB_SUM_FIRST = 41,
    EXB_SUM_WORDS = 42,
    EXB_PRODUCT_FIRST = 21,
    EXB_PRODUCT_WORDS = 81,
    EXB_FINISH_FIRST = 0,
    EXB_FINISH_WORDS = 121
};

enum { EXB_HAS_POS_INF = 1, EXB_HAS_NEG_INF = 2, EXB_HAS_NAN = 4 };

#define EXB_WORD_MASK (((exb_u64)1 << EXB_WORD_BITS) - 1)

/* floor(n / 53) for 0 <= n < 54272. m = ceil(2^22 / 53) = 79138 and
 * 53 m - 2^22 = 10, so n m / 2^22 exceeds n / 53 by 10 n / (53 * 2^22) < 1 / 53;
 * the product stays below 2^32. Offsets in the grid are below 121 * 53 = 6413. */
EXB_INLINE int exb_word_index(int n)
{
    return (int)((exb_u32)n * (((1u << 22) + EXB_WORD_BITS - 1) / EXB_WORD_BITS) >> 22);
}

/* Exponent of the lowest bit of the window that starts at word `first` of the grid. */
EXB_INLINE int exb_window_exp2(int first)
{
    return EXB_GRID_EXP2 + EXB_WORD_BITS * first;
}

/* What a term adds: word[j], below 2^53, to word `index` + j; word[2] may have two bits more
 * (see exb_superacc_deposit). */
typedef struct {
    int index;
    exb_u64 word[3];
} exb_pieces;

/* The pieces of (q * 2^53 + low) * 2^offset, low < 2^53, q < 2^55, offset in bits above the
 * window's lowest. */
EXB_INLINE exb_pieces exb_pieces_of(exb_u64 q, exb_u64 low, int offset)
{
    exb_pieces p;
    p.index = exb_word_index(offset);
    int shift = offset - EXB_WORD_BITS * p.index;
    p.word[0] = low << shift & EXB_WORD_MASK;
    p.word[1] = (low >> (EXB_WORD_BITS - shift) | q << shift) & EXB_WORD_MASK;
    p.word[2] = q >> (EXB_WORD_BITS - shift);
    return p;
}

/* The same of the 128-bit number high * 2^64 + low < 2^108. */
EXB_INLINE exb_pieces exb_pieces_of_product(exb_u64 high, exb_u64 low, int offset)
{
    return exb_pieces_of(high << (EXB_STORED_BITS - EXB_WORD_BITS) | low >> EXB_WORD_BITS,
                         low & EXB_WORD_MASK, offset);
}

/* magnitude, negated if sign is -1 instead of 0. */
EXB_INLINE exb_i64 exb_with_sign(exb_u64 magnitude, exb_i64 sign)
{
    return (exb_i64)((magnitude ^ (exb_u64)sign) - (exb_u64)sign);
}

/* In the top word: a sum that leaves the window wraps, as two's complement does. */
EXB_INLINE exb_i64 exb_wrapping_add(exb_i64 a, exb_i64 b)
{
    return (exb_i64)((exb_u64)a + (exb_u64)b);
}

/* What an infinite term or a NaN leaves behind. In integers, so that adding one number raises
 * no flag in any floating-point environment. */
EXB_INLINE exb_u32 exb_special_flag(bool is_nan, bool negative)
{
    return is_nan ? EXB_HAS_NAN : negative ? EXB_HAS_NEG_INF : EXB_HAS_POS_INF;
}

/* NaN, both Inf signs or NaN seen. */
EXB_INLINE bool exb_special_is_nan(exb_u32 special)
{
    return (special & EXB_HAS_NAN) || (special & 3u) == 3u;
}

EXB_INLINE bool exb_parts_are_nan(exb_decomposed p)
{
    return !p.is_finite && p.significand != 0x10000000000000u;
}

EXB_INLINE bool exb_parts_are_zero(exb_decomposed p)
{
    return p.is_finite && p.significand == 0;
}

/* The flag of p * q, one of them not finite. */
EXB_INLINE exb_u32 exb_special_of_product(exb_decomposed p, exb_decomposed q, bool negative)
{
    bool inf_times_zero = exb_parts_are_zero(p) || exb_parts_are_zero(q);
    return exb_special_flag(exb_parts_are_nan(p) || exb_parts_are_nan(q) || inf_times_zero,
                            negative);
}

/* Moves carries up: words in [0, 2^53), the top one signed. Same value. Shifts of negative
 * numbers are arithmetic with all compilers that are used. */
EXB_INLINE void exb_words_normalize(exb_i64 *word, int n_words)
{
    exb_i64 carry = 0;
    int top = n_words - 1;
    EXB_FOR (int i = 0; i < top; i++) {
        exb_i64 w = word[i] + carry;
        carry = w >> EXB_WORD_BITS;
        word[i] = w & (exb_i64)EXB_WORD_MASK;
    }
    word[top] = exb_wrapping_add(word[top], carry);
}

EXB_INLINE void exb_words_negate(exb_i64 *word, int n_words)
{
    EXB_FOR (int i = 0; i < n_words; i++)
        word[i] = (exb_i64)(0 - (exb_u64)word[i]);
}

/* In normalised words that are not negative: the position of the top bit, -1 of zero. */
EXB_INLINE int exb_words_top(const exb_i64 *word, int n_words)
{
    int i = n_words - 1;
    while (i >= 0 && word[i] == 0)
        i--;
    return i < 0 ? -1
                 : EXB_WORD_BITS * i + EXB_STORED_BITS - 1 - exb_leading_zeros((exb_u64)word[i]);
}

/* The 64 bits from position `at` up; below position 0 there are zeros. */
EXB_INLINE exb_u64 exb_words_bits(const exb_i64 *word, int n_words, int at)
{
    int from = at < 0 ? 0 : at;
    int i = exb_word_index(from);
    int shift = from - EXB_WORD_BITS * i;
    exb_u64 b = (exb_u64)word[i] >> shift;
    if (i + 1 < n_words)
        b |= (exb_u64)word[i + 1] << (EXB_WORD_BITS - shift);
    if (i + 2 < n_words && shift > 2 * EXB_WORD_BITS - EXB_STORED_BITS)
        b |= (exb_u64)word[i + 2] << (2 * EXB_WORD_BITS - shift);
    return at > -EXB_STORED_BITS ? b << (from - at) : 0;
}

/* Is a bit below position `at` set? */
EXB_INLINE bool exb_words_below(const exb_i64 *word, int at)
{
    if (at <= 0)
        return false;
    int i = exb_word_index(at);
    exb_u64 rest = (exb_u64)word[i] & (((exb_u64)1 << (at - EXB_WORD_BITS * i)) - 1);
    for (int j = i - 1; j >= 0 && rest == 0; j--)
        rest = (exb_u64)word[j];
    return rest != 0;
}
