/* Exponent bins: a large carry-save accumulator for numbers of all sizes, at one to
 * three nanoseconds each whatever they are.
 *
 * A bin is a 128-bit integer that gathers the terms of eight neighbouring exponents: the
 * term m * 2^(e + base) adds m << (e & 7), with its sign, to bin e >> 3. Exponents
 * of a double's significand: e = max(field, 1), base -1075; of a product: the sum of two,
 * base -2150. Terms have at most 53 + 7 and 106 + 7 bits, so 2^64 and 2^13 of them stay below
 * 2^126, which leaves room for a carry from the bins below.
 *
 * Source: the large superaccumulator of Neal (2015), with shared bins so that the table
 * (8 KiB) stays in the first cache and clearing it is cheap. */
#pragma once

#include "core/arith/superacc.h"

typedef enum { EXB_BINS_SUM = -1075, EXB_BINS_PRODUCT = -2150 } exb_bins_base;

enum { EXB_N_BINS = 512 };

typedef struct {
    exb_u128 bin[EXB_N_BINS]; /* two's complement */
    exb_bins_base base;
    int64_t n_free; /* terms that still fit */
} exb_bins;

void exb_bins_init(exb_bins *b, exb_bins_base base);

/* acc += the bins. */
void exb_bins_drain(const exb_bins *b, exb_superacc *acc);
