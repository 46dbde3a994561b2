/* Small blocks of a product: by compensated sums, for any data, or against two anchors. */
#ifndef EXB_SMALL_BLOCK_H
#define EXB_SMALL_BLOCK_H

#include "level3/product.h"

enum {
    EXB_SMALL_BLOCK = 32, /* most rows and columns */
    EXB_SMALL_PANEL = 48  /* terms that are packed at once */
};

/* Room for the packed operands and then, in the same place, for the enclosures. */
typedef union {
    struct {
        double a[EXB_SMALL_PANEL * EXB_SMALL_BLOCK], b[EXB_SMALL_PANEL * EXB_SMALL_BLOCK];
    };
    struct {
        double h[EXB_SMALL_BLOCK * EXB_SMALL_BLOCK], l[EXB_SMALL_BLOCK * EXB_SMALL_BLOCK],
            e[EXB_SMALL_BLOCK * EXB_SMALL_BLOCK];
        double row_scale[EXB_SMALL_BLOCK], col_scale[EXB_SMALL_BLOCK];
    };
} exb_small_space;

/* The enclosures of block b, in `space`. */
exb_enclosures exb_p(enclose_small_block)(const exb_p(product) *p, exb_block b,
                                          exb_small_space *space);

/* The same against two anchors (chain.h), k <= EXB_CHAIN_TWICE_MOST; FMA is needed. Nothing is
 * known to be exact. */
exb_enclosures exb_p(enclose_block_twice)(const exb_p(product) *p, exb_block b,
                                          exb_small_space *space);

/* The same of block b of the tile that `found` is, whose rows begin with a strip, from its packed
 * vectors. Bit i of open[j]: element (i, j) is wanted; strips without one are left out. Scales stay
 * in `found`. */
exb_enclosures exb_p(enclose_packed_twice)(const exb_enclosures *found, int64_t k, exb_block b,
                                           const uint32_t *open, exb_small_space *space);

/* Sets e to 0 where what either of these found of p is known to be exact. */
void exb_p(find_exact)(const exb_p(product) *p, exb_enclosures *found, exb_small_space *space);

/* Sums of tile (g, h) of a block stand at a place of their own, tile_cols runs of tile_rows. */
static inline int64_t exb_small_tile_at(const exb_kernels *k, int g, int h)
{
    return ((int64_t)h * (EXB_SMALL_BLOCK / k->tile_rows) + g) * k->tile_rows * k->tile_cols;
}

/* Element (i, j) of the block. */
static inline int64_t exb_small_sum_at(const exb_kernels *k, int i, int j)
{
    return exb_small_tile_at(k, i / k->tile_rows, j / k->tile_cols) +
           (int64_t)(j % k->tile_cols) * k->tile_rows + i % k->tile_rows;
}

#endif
