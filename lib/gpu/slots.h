/* The long accumulators of scatter-add, for kernels and the host.
 *
 * A first pass over the terms finds between which bits they lie, so that the accumulator of a bin
 * needs words for those alone. It is a column of 64-bit words, `digit` bits apart, the lowest one
 * `base` bits above the lowest bit of the SUM window of core/arith/words.h, 2^-1104. A term is cut
 * at the borders of digits into pieces below 2^digit, each added by an integer atomic whose result
 * nobody looks at. So a word takes 2^(61 - digit) terms in any order, |word| <= 2^61, and as much
 * again from below.
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
    EXB_SLOT_FILL = 61,       /* log2 of what all terms may make of a word */
    EXB_SLOT_DIGIT_MOST = 52, /* a word of the window has 53 bits */
    EXB_SLOT_TOP = EXB_SUM_WORDS * EXB_WORD_BITS
};

/* Where the words of a call lie. Behind them are rows of counters if there are more rows. */
typedef struct {
    exb_i32 base, digit, n_words, n_rows;
} exb_slots;

/* Of +Inf, -Inf and NaN, and of terms of bins whose bits change if 0 is added. */
enum { EXB_SLOT_POS_INF, EXB_SLOT_NEG_INF, EXB_SLOT_NAN, EXB_SLOT_TERMS, EXB_SLOT_COUNTERS };

/* What the first pass leaves in device memory: an index is out of range; there is something to
 * count; 1 + the largest offset of the last bit of a term from the bottom of the window,
 * EXB_SLOT_TOP - the smallest, both 0 if all terms are 0. */
enum { EXB_SCATTER_BAD, EXB_SCATTER_COUNTED, EXB_SCATTER_HIGH, EXB_SCATTER_LOW, EXB_SCATTER_FLAGS };
