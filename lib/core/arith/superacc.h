/* The long accumulator: an exact sum of doubles and of products of doubles.
 *
 * It is a window of a grid of 53-bit words (words.h). The value is the sum of word[i] * weight;
 * words are signed and redundant (carry-save):
 * normalised words lie in [0, 2^53), the top one carries the sign. A deposit
 * adds less than 2^53 to each word it touches, so that after k deposits
 * |word| < (k + 1) * 2^53; EXB_MAX_DEPOSITS keeps that below 2^63 with room for
 * the carry that moves up when the words are normalised.
 *
 * Inf and NaN are kept as flags beside the words: NaN wins, then Inf + (-Inf)
 * = NaN, then Inf.
 *
 * Proved in proof/coq/Accumulator.v, with the rounding.
 *
 * The accumulator does not own its words; callers keep them on the stack, in
 * shared memory or in arrays. Source: the high-radix carry-save accumulator of
 * Neal, "Fast exact summation using small and large superaccumulators" (2015),
 * with the word size chosen for products. */
#pragma once

#include "core/arith/words.h"

enum { EXB_MAX_DEPOSITS = 1000 };

typedef struct {
    int64_t *word;      /* n_words of them, word[0] is word `first` of the grid */
    int first, n_words; /* the window */
    int n_free;         /* deposits that are left before a carry */
    unsigned special;   /* EXB_HAS_* flags */
} exb_superacc;

/* Windows with their words, for the stack. */
typedef struct {
    exb_superacc acc;
    int64_t word[EXB_PRODUCT_WORDS];
} exb_product_acc;

typedef struct {
    exb_superacc acc;
    int64_t word[EXB_FINISH_WORDS];
} exb_finish_acc;

/* Zero, over the given words. */
void exb_superacc_init(exb_superacc *a, int64_t *word, int first, int n_words);
exb_superacc *exb_product_acc_init(exb_product_acc *a);
exb_superacc *exb_finish_acc_init(exb_finish_acc *a);

/* a += x. Any window. */
void exb_superacc_add(exb_superacc *a, double x);

/* a += x * y exactly, even where the product overflows or underflows.
 * PRODUCT or FINISH window. */
void exb_superacc_add_product(exb_superacc *a, double x, double y);

/* a += (-1)^negative * significand * 2^exp2, significand < 2^106 (or a few of up to
 * 2^108, whose highest word counts as four deposits); the lowest bit of the term must lie
 * in the window. */
void exb_superacc_deposit(exb_superacc *a, bool negative, exb_u128 significand, int exp2);

/* a += b. b's window lies inside a's. b is normalised, its value unchanged. */
void exb_superacc_merge(exb_superacc *a, exb_superacc *b);

/* a = -a. */
void exb_superacc_negate(exb_superacc *a);

/* a = |a|, flags of Inf and NaN left aside; whether a was negative. With that the other function
 * makes a what it was. Both leave a normalised. */
bool exb_superacc_make_positive(exb_superacc *a);
void exb_superacc_negate_if(exb_superacc *a, bool negative);

/* dst += alpha * src exactly; src lies in a SUM or PRODUCT window and is
 * normalised, dst is a FINISH window. In the extended reals: Inf * 0 = NaN. */
void exb_superacc_add_scaled(exb_superacc *dst, double alpha, exb_superacc *src);

/* dst += (-1)^negative * significand * 2^exp2 * src, exactly; significand < 2^55, src >= 0 is
 * finite and normalised, in a SUM or PRODUCT window with up to a hundred words other than 0, dst
 * a FINISH window that holds the product's bits. */
void exb_superacc_add_multiple(exb_superacc *dst, bool negative, uint64_t significand, int exp2,
                               const exb_superacc *src);

/* Moves carries up: words in [0, 2^53), the top one signed. Same value. */
void exb_superacc_normalize(exb_superacc *a);

/* Sign of the exact value: -1, 0, 1; Inf counts as signed; 2 for NaN. */
int exb_superacc_sign(exb_superacc *a);

/* -1, 0, 1 as a < b, a = b, a > b; 2 if a NaN is involved. Same window. The
 * words of both are normalised. */
int exb_superacc_compare(exb_superacc *a, exb_superacc *b);

EXB_INLINE bool exb_superacc_is_nan(const exb_superacc *a)
{
    return exb_special_is_nan(a->special);
}

/* Exponent of the lowest bit of the window. */
EXB_INLINE int exb_superacc_exp2(const exb_superacc *a)
{
    return exb_window_exp2(a->first);
}
