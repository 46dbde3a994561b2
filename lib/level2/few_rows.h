/* Products of a small matrix, a triangle or a symmetric matrix with a vector: all rows against one
 * anchor, finished together, so that a row costs little beside its products. */
#pragma once

#include "element/line.h"
#include "level2/panel.h"

enum {
    EXB_FEW_ROWS = 1024,        /* of a small general matrix, and */
    EXB_FEW_ELEMENTS = 1 << 15, /* its elements: the second-level cache holds them */
    EXB_FEW_SHARED = 256,       /* rows of a triangle from which on threads may share it */
    EXB_TRIANGLE_ROWS = 2048,   /* of triangles and of parts of tall matrices, the most of all */
    EXB_FEW_WORDS = EXB_TRIANGLE_ROWS / 64
};

/* Three numbers for each row: of rows up to a multiple of 8, which may be written. */
#define EXB_FEW_ROOM(n_rows) (3 * (((n_rows) + 7) / 8 * 8))

/* Whether the method and the processor are those of the kernels. */
bool exb_t(suits_few_rows)(void);

/* r_i = RN(alpha sum of a_ij x_j + beta y_i), y_i at y[i * incy]; bit i of `uncertified`: r_i means
 * nothing. r, too, has room for a multiple of 8. Returns how many do, or -1 if the matrix is none
 * of these, or more than an eighth of its rows and eight more would be left. */
int exb_t(multiply_few_rows)(const exb_t(matrix) *a, const exb_line *line, exb_t(vector) x,
                             const exb_real *y, int64_t incy, double *room, exb_real *r,
                             uint64_t uncertified[EXB_FEW_WORDS]);

/* Which parts of m rows, at most 64 in all, of those in `rows`, whose sums are finite, have
 * products with x that are all 0. */
uint64_t exb_t(zero_rows)(const exb_t(matrix) *a, exb_t(vector) x, int64_t first, int m,
                          uint64_t rows);
