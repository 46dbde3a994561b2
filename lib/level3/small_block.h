/* Small blocks of a product: by compensated sums, for any data, or against two anchors. */
#ifndef EXB_SMALL_BLOCK_H
#define EXB_SMALL_BLOCK_H

#include "level3/product.h"

/* Most rows and columns: whole strips of any width. */
enum { EXB_SUB_ROWS = 32, EXB_SUB_COLUMNS = 24, EXB_SUB_SIZE = 32 * 24 };

/* Sums in three parts and then, in the same place, their enclosures, in columns of EXB_SUB_ROWS;
 * scales if they are the block's own. */
typedef struct {
    _Alignas(64) double h[EXB_SUB_SIZE], l[EXB_SUB_SIZE], e[EXB_SUB_SIZE];
    double row_scale[EXB_SUB_ROWS], col_scale[EXB_SUB_COLUMNS];
} exb_small_space;

/* Block b, if that is what `space` has. */
static inline exb_enclosures exb_small_enclosures(exb_block b, const exb_small_space *space)
{
    return (exb_enclosures){.i0 = b.i0,
                            .j0 = b.j0,
                            .m = (int)b.m,
                            .n = (int)b.n,
                            .ld = EXB_SUB_ROWS,
                            .h = space->h,
                            .l = space->l,
                            .e = space->e,
                            .row_scale = space->row_scale,
                            .col_scale = space->col_scale};
}

/* Block b by compensated sums. */
void exb_p(enclose_compensated)(const exb_p(product) *p, exb_block b, exb_small_space *space);

/* Vectors as chains take them, all k terms, times powers of two: row i is row i % rows of strip i /
 * rows, which begins at a + i / rows * rows * step, and so are columns. */
typedef struct {
    int rows, cols;
    int64_t k, step;
    const double *a, *b;
} exb_packed;

/* The vectors of block b, with their scales in `space`, in memory to be given back; a = NULL: there
 * is none. FMA is needed, here and for what follows. */
void exb_p(pack_block)(const exb_p(product) *p, exb_block b, exb_small_space *space,
                       exb_packed *out);

/* Block b against two anchors (chain.h), from its vectors, k <= EXB_CHAIN_TWICE_MOST; nothing is
 * known to be exact. Bit i of open[j]: element (i, j) is wanted; strips without one are left out.
 */
void exb_p(enclose_twice)(const exb_packed *q, exb_block b, const uint32_t *open,
                          exb_small_space *space);

/* Sets e to 0 where what that found of p is known to be exact. */
void exb_p(find_exact)(const exb_p(product) *p, const exb_enclosures *found, double *e);

#endif
