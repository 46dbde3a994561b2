/* The second filter for elements of a small block: sums of three parts (triple.h) of copies of its
 * vectors, made when first needed. */
#ifndef EXB_TRIPLE_BLOCK_H
#define EXB_TRIPLE_BLOCK_H

#include "level3/small_block.h"

typedef struct {
    const exb_p(product) *p;
    int64_t i0, j0; /* of the block, at most EXB_SMALL_BLOCK rows and columns */
    exb_real *copy; /* [2 * EXB_SMALL_BLOCK][k]; NULL: not there yet, or no memory */
    bool tried;
    bool ready[2 * EXB_SMALL_BLOCK];
    double least[2 * EXB_SMALL_BLOCK]; /* magnitudes other than 0 */
} exb_p(triple_block);

/* For the block at i0, j0 of p; release frees its memory. */
void exb_p(triple_block_init)(exb_p(triple_block) *b, const exb_p(product) *p, int64_t i0,
                              int64_t j0);
void exb_p(triple_block_release)(exb_p(triple_block) *b);

/* Element (i, j) of the product; unknown without memory. */
exb_enclosure exb_p(triple_block_element)(exb_p(triple_block) *b, int64_t i, int64_t j);

#endif
