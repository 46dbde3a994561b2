/* The long accumulators of scatter-add, for kernels and the host.
 *
 * A first pass over the terms finds between which bits they lie, so that the accumulator of a bin
 * needs words for those alone. It is a column of 64-bit words, `digit` bits apart, the lowest one
 * `base` bits above the lowest bit of the SUM window of core/arith/words.h, 2^-1104. A term is cut
 * at the borders of digits into up to three pieces below 2^digit, each added by an integer atomic
 * whose result nobody looks at. So a word takes 2^(61 - digit) terms in any order before carries
 * must move, |word| <= 2^61 and as much again from below; a carry pass makes room for as many more,
 * and then there is one word more at the top, of carries alone, for the sum of 2^40 terms.
 *
 * Digits are as wide as the number of terms permits, and the topmost one ends where the largest
 * term does: two pieces then reach at least 2 digit - 53 bits below it, and most data have few
 * terms that are smaller.
 *
 * Rows of words lie one after another, a slot in each, and neighbouring bins are rounded in step.
 * Bins are taken in chunks, to bound the memory; few bins get several slots each, to spread the
 * atomics. */
#pragma once

#include "core/arith/words.h"

enum {
    EXB_SLOT_TERMS_EXP2 = 26, /* terms between two carries, at most: digits of 35 bits at least */
    EXB_SLOT_FILL = 61,       /* log2 of what those may make of a word */
    EXB_SLOT_DIGIT_MOST = 52, /* 256 slots of a bin add up to 2^60 just after a carry pass */
    EXB_SLOT_TOP = EXB_SUM_WORDS * EXB_WORD_BITS
};

/* Where the words of a call lie. */
typedef struct {
    exb_i32 base, digit, n_words;
    exb_i32 first_counter, count; /* rows of counters behind the words; -1: there are none */
} exb_slots;

/* Rows of counters: how many +Inf, -Inf and NaN; and how many terms, where that matters. */
enum { EXB_SLOT_POS_INF, EXB_SLOT_NEG_INF, EXB_SLOT_NAN, EXB_SLOT_COUNTERS };

/* What the first pass leaves in device memory: an index is out of range; a bin's bits change if 0
 * is added; a term is not finite; 1 + the largest offset of the last bit of a term from the bottom
 * of the window, EXB_SLOT_TOP - the smallest, both 0 if all terms are 0. */
enum {
    EXB_SCATTER_BAD,
    EXB_SCATTER_DOUBT,
    EXB_SCATTER_SPECIAL,
    EXB_SCATTER_HIGH,
    EXB_SCATTER_LOW,
    EXB_SCATTER_FLAGS
};
