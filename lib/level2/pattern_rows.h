/* Rows of patterns times vectors: as enclosures, a block of rows at once, and exactly. */
#pragma once

#include "level2/kernels/solve_rows.h"
#include "level2/panel.h"

/* What is done with m <= EXB_SOLVE_ROWS / EXB_PARTS rows from i on once the products of their
 * columns up to i - 1 are in v. */
typedef void exb_t(rows_action)(const void *ctx, int64_t i, int m, const exb_t(value) *v);

/* Adds the products of rows first ... first + m - 1 with x to v, m <= EXB_TALL_ROWS; or, of a lower
 * triangle, calls `solve`, if it is not NULL, for groups of them in turn. Before that only the x_j,
 * j < i, have been read, so that it may set those of its rows. */
void exb_t(filter_rows)(const exb_t(matrix) *a, int64_t first, int m, exb_t(vector) x,
                        exb_t(value) *v, exb_t(rows_action) *solve, const void *ctx);

/* From the first to the last column that some of m rows have. */
exb_range exb_t(columns_of_rows)(const exb_pattern *t, int64_t first, int64_t m);

/* Elements of a, by columns or by rows, without gaps. Above the diagonal of a triangle, beside a
 * band, on a skew-symmetric diagonal and in the imaginary parts of a Hermitian one are zeros then;
 * where these meet Inf nothing is certified, and the exact way has no such terms. */
void exb_t(write_in_full)(const exb_t(matrix) *a, exb_range rows, exb_range columns, bool by_rows,
                          exb_real *full);

/* Row i of a times x, and its terms. */
typedef struct {
    const exb_t(matrix) *a;
    exb_t(vector) x;
    int64_t i;
} exb_t(pattern_row);

exb_p(terms) exb_t(pattern_terms)(const exb_t(pattern_row) *row);
