/* The long accumulators of scatter-add, for kernels and the host.
 *
 * The accumulator of a bin is a column of 64-bit words 16 bits apart: row j has the weight
 * 2^(16 (EXB_SLOT_FIRST + j)) units of the SUM window of core/arith/words.h, 2^-1104. A term is cut
 * in pieces, each added by an integer atomic whose result nobody looks at:
 *
 *   double   two pieces, below 2^32 and 2^36: its 53 bits and the up to 15 they are shifted by
 *   float    one piece below 2^39: 24 bits and 15
 *
 * So a word takes 2^EXB_SLOT_TERMS_EXP2 terms in any order before carries must move, |word| < 2^62
 * and room for the carry from below; a carry pass makes room for as many more. The topmost word
 * takes only carries and holds the sum of 2^40 terms: 2^(16 (FIRST + N - 1) - 1104 + 62) exceeds
 * 2^(1024 + 40) and 2^(128 + 40).
 *
 * Rows of words lie one after another, a slot in each: data of like size use few rows, which are
 * dense, and neighbouring bins are rounded in step. Bins are taken in chunks, to bound the memory;
 * few bins get several slots each, to spread the atomics. */
#ifndef EXB_GPU_SLOTS_H
#define EXB_GPU_SLOTS_H

#include "core/arith/words.h"

enum { EXB_SLOT_DIGIT_BITS = 16, EXB_SLOT_LOW_BITS = 32 };

/* Doubles: bits from 2^-1074 (row 0 is word 1) up; the last bit of the largest is 2^971 = 2^(129 *
 * 16 + 11) units, in word 129, its second piece in word 131. Floats as 24 bits, also of the
 * smallest, 2^-149 = 2^23 2^-172: word 58 to the largest's last bit 2^104, word 75. */
enum {
    EXB_SLOT_FIRST_D = 1,
    EXB_SLOT_WORDS_D = 132,
    EXB_SLOT_TERMS_EXP2_D = 26,
    EXB_SLOT_FIRST_S = 58,
    EXB_SLOT_WORDS_S = 19,
    EXB_SLOT_TERMS_EXP2_S = 23
};

/* Rows behind the words: how many +Inf, -Inf and NaN; how many terms, counted where it matters. */
enum { EXB_SLOT_POS_INF, EXB_SLOT_NEG_INF, EXB_SLOT_NAN, EXB_SLOT_COUNT, EXB_SLOT_EXTRA };

/* Flags in device memory: an index out of range; a bin whose bits change if 0 is added. */
enum { EXB_SCATTER_BAD, EXB_SCATTER_DOUBT, EXB_SCATTER_FLAGS };

#endif
