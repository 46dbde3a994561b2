/* Exact elements of a small block of a product, for data that no filter decides: integer arithmetic
 * on the numbers' fields, the same few steps for any data.
 *
 * A double is (-1)^s m 2^(e - 1074), m < 2^53, 0 <= e <= 2045. A product is m_a m_b < 2^106 at bit
 * e_a + e_b <= 4090 above 2^-2148: shifted by up to 31 bits it is five digits of 32 bits, which are
 * added to 64-bit words without carries, of one of two accumulators, for positive and for negative
 * products: no step depends on a sign or on an earlier sum. 4090 + 106 bits are 132 words; 2^16
 * products leave each below 2^48. The difference goes to a long accumulator, two words at a time.
 *
 * Cost: some 2 ns a product that is not 0, plus the fields of 2 * 32 vectors, taken apart when
 * first needed. */
#ifndef EXB_EXACT_BLOCK_H
#define EXB_EXACT_BLOCK_H

#include "level3/small_block.h"

typedef struct {
    uint64_t significand;
    uint32_t place; /* e, and s in bit 16 */
} exb_field;

typedef struct {
    const exb_p(product) *p;
    int64_t i0, j0;    /* of the block, at most EXB_SUB_ROWS rows and columns */
    exb_field *fields; /* [2 * EXB_SUB_ROWS][k]; NULL: not there yet, or no memory */
    uint64_t *filled;  /* a bit for each that is not 0, [2 * EXB_SUB_ROWS][k / 64 + 1] */
    bool tried;
    signed char state[2 * EXB_SUB_ROWS]; /* 0 not taken apart, 1 ready, -1 Inf or NaN */
} exb_p(exact_block);

/* For the block at i0, j0 of p; release frees its memory. */
void exb_p(exact_block_init)(exb_p(exact_block) *b, const exb_p(product) *p, int64_t i0,
                             int64_t j0);
void exb_p(exact_block_release)(exb_p(exact_block) *b);

/* acc += element (i, j) of the product. PRODUCT window. */
void exb_p(exact_block_element)(exb_p(exact_block) *b, int64_t i, int64_t j, exb_superacc *acc);

#endif
