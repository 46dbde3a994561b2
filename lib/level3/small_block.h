/* Small blocks of a product against two anchors. */
#ifndef EXB_SMALL_BLOCK_H
#define EXB_SMALL_BLOCK_H

#include "level3/product.h"

/* Most rows and columns: whole strips of any width. */
enum { EXB_SUB_ROWS = 32, EXB_SUB_COLUMNS = 24, EXB_SUB_SIZE = 32 * 24 };

/* Sums in three parts and then, in the same place, their enclosures, in columns of EXB_SUB_ROWS. */
typedef struct {
    _Alignas(64) double h[EXB_SUB_SIZE], l[EXB_SUB_SIZE], e[EXB_SUB_SIZE];
    double row_scale[EXB_SUB_ROWS], col_scale[EXB_SUB_COLUMNS];
} exb_small_space;

/* Block b (chain.h). Bit i of open[j]: element (i, j) is wanted; strips without one are left out.
 * Nothing is known of more than EXB_CHAIN_TWICE_MOST terms, for a method without a filter, or
 * without memory. */
exb_enclosures exb_p(enclose_twice)(const exb_p(product) *p, exb_block b, const uint32_t *open,
                                    exb_small_space *space);

#endif
