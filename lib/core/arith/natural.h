/* Natural numbers of any length, for exact fractions and bigint.h: limb[0] is least significant,
 * the highest of n limbs is not 0, zero has none. The owner of a number sees to it that its array
 * holds the results: the sum of the operands' limbs of a product, one limb more than the longer
 * one of anything else.
 *
 * Source: Knuth, The Art of Computer Programming, volume 2, section 4.3.1. */
#pragma once

#include "core/arith/compiler.h"

typedef struct {
    int64_t n;
    uint64_t *limb;
} exb_natural;

/* r = word, r = a. */
void exb_natural_set(exb_natural *r, uint64_t word);
void exb_natural_copy(exb_natural *r, const exb_natural *a);

/* Position of the highest bit, from 1; 0 of zero. */
int64_t exb_natural_bits(const exb_natural *a);

/* -1, 0, 1 as a < b, a = b, a > b. */
int exb_natural_compare(const exb_natural *a, const exb_natural *b);

/* r = r w + c, r += a w, r -= a (a <= r), r = a b (r is neither). */
void exb_natural_multiply_word(exb_natural *r, uint64_t w, uint64_t c);
void exb_natural_add_product(exb_natural *r, const exb_natural *a, uint64_t w);
void exb_natural_subtract(exb_natural *r, const exb_natural *a);
void exb_natural_multiply(exb_natural *r, const exb_natural *a, const exb_natural *b);

/* r = r 2^k, r = floor(r / 2^k), k >= 0. */
void exb_natural_shift_left(exb_natural *r, int64_t k);
void exb_natural_shift_right(exb_natural *r, int64_t k);

/* q = floor(r / d), r = r mod d, d > 0; d is as before afterwards. All three are different. */
void exb_natural_divide(exb_natural *q, exb_natural *r, exb_natural *d);
