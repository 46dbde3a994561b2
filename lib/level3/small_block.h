/* Small blocks of a product by compensated sums, for any data. */
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
    };
} exb_small_space;

/* The enclosures of block b, in `space`. */
exb_enclosures exb_p(enclose_small_block)(const exb_p(product) *p, exb_block b,
                                          exb_small_space *space);

#endif
