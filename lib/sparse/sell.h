/* Sparse matrices in sliced storage (SELL-C-sigma), which is made once and checked then.
 *
 * EXB_SELL_ROWS rows are a slice: entry k of its rows stand side by side, so that each row has a
 * lane of the vector unit. Shorter rows are filled up with zeros, in column 0. Rows of a window may
 * change their order, so that rows in a slice have about the same length. EXB_SELL_SLICES slices
 * are a block, whose rows are finished together.
 *
 * The sums of a block are those of csr_block.h, with its bounds: what is said there of a row's n
 * products holds for the widest slice of a block, since what fills a slice is a product with 0,
 * which the anchor splits into two zeros. It may be no number, where x is none: then the row is not
 * certified. Rows that are not certified are computed one by one, from the entries that were given.
 *
 * Rows that are too long, or far longer than those around them, stay as they are, in `rest`.
 *
 * Source: Kreutzer, Hager, Wellein, Fehske, Bishop, SIAM J. Sci. Comput. 36 (2014). */
#pragma once

#include "core/kernels.h"
#include "sparse/csr.h"

enum {
    EXB_SELL_SLICES = 8,
    EXB_SELL_BLOCK = EXB_SELL_SLICES * EXB_SELL_ROWS, /* rows: as many as the finish kernel takes */
    EXB_SELL_WIDTH = 1 << EXB_ANCHOR_NU               /* most entries of a row in slices */
};

/* Slices with the widths, rows with the lengths. unit: every value is a multiple of it, a power of
 * two; 0: not known, Inf: all are 0. */
typedef struct {
    double unit;
    int n_rows, widest;
    bool in_order; /* its rows are consecutive */
    uint16_t width[EXB_SELL_SLICES], length[EXB_SELL_BLOCK];
} exb_sell_block;

/* value_at[b]: the first value of block b, a multiple of EXB_SELL_ROWS, and its column; n_blocks +
 * 1 of them. row[b * EXB_SELL_BLOCK + i] is the number of row i of block b, rest_row[i] that of row
 * i of the rest. */
typedef struct {
    int64_t m, n, n_blocks;
    int64_t *value_at;
    exb_sell_block *block;
    int32_t *row, *column;
    exb_real *value;
    exb_t(csr) rest;
    exb_index rest_row;
    void *memory;
} exb_t(sell);

/* From a matrix that is good, in `memory`, which is to be given back. ENOMEM: nothing was made. */
exblas_status exb_t(sell_make)(const exb_t(csr) *a, exb_t(sell) *out);

/* y = RN(alpha A x + beta y), x and y contiguous, alpha not 0; otherwise as exb_t(csr_multiply). */
void exb_t(sell_multiply)(const exb_t(sell) *a, exb_complex alpha, const exb_real *x,
                          exb_complex beta, exb_real *y);
