/* Patterns times vectors, and the drivers RN(alpha S a x + beta y) over them. */
#ifndef EXB_VECTOR_PRODUCT_H
#define EXB_VECTOR_PRODUCT_H

#include "level2/panel.h"
#include "level2/pattern.h"

typedef struct {
    exb_pattern pattern;
    const exb_real *p;
} exb_t(coefficients);

/* What is done with row i once all its products are in v. */
typedef void exb_t(row_action)(const void *ctx, int64_t i, const exb_t(value) * v);

/* Adds the products of rows first ... first + m - 1 with x to v, m <= EXB_TALL_ROWS, and
 * calls `row`, if it is not NULL, for each row in turn. Before it is called for row i only the x_j of row i's
 * own columns have been read, and of earlier rows', so that a solve may set x_i there. */
void exb_t(filter_rows)(const exb_t(coefficients) * a, int64_t first, int m, exb_t(vector) x,
                        exb_t(value) * v, exb_t(row_action) * row, const void *ctx);

/* *out += all products of row i. */
void exb_t(pattern_row_exact)(const exb_t(coefficients) * a, int64_t i, exb_t(vector) x,
                              const exb_method *method, exb_t(exact) * out);

/* y_i = RN(alpha S a_ij x_j + beta y_i) for all rows, with as many threads as pay off. alpha = 0:
 * neither a nor x is read, beta = 0: y is not read. y does not overlap a or x. In the default
 * floating-point environment. */
void exb_t(vector_product)(const exb_t(coefficients) * a, exb_complex alpha, exb_t(vector) x,
                           exb_complex beta, exb_real *y, int64_t incy);

/* x_i = RN(S a_ij x_j) for a lower triangle. */
void exb_t(vector_product_in_place)(const exb_t(coefficients) * a, exb_real *x, int64_t incx);

#endif
