/* Patterns times vectors, and the drivers RN(alpha S a x + beta y) over them. */
#ifndef EXB_PRODUCT_H
#define EXB_PRODUCT_H

#include "level2/panel.h"
#include "level2/pattern.h"

typedef struct {
    exb_pattern pattern;
    const exb_real *p;
} exb_t(operand);

/* out[i] += the products of row first + i with x over the columns that all m rows of a
 * block have in a piece. m <= EXB_PANEL_ROWS. */
void exb_t(block_filter)(const exb_t(operand) * a, int64_t first, int m, exb_t(vector) x,
                         exb_t(value) * out);

/* *out += the products that block_filter leaves out of row i of that block, and the
 * diagonal's. */
void exb_t(rest_filter)(const exb_t(operand) * a, int64_t first, int m, int64_t i, exb_t(vector) x,
                        exb_t(value) * out);

/* *out += all products of row i. */
void exb_t(pattern_row_exact)(const exb_t(operand) * a, int64_t i, exb_t(vector) x,
                              const exb_method *method, exb_t(exact) * out);

/* y_i = RN(alpha S a_ij x_j + beta y_i) for all rows, with as many threads as pay off. alpha = 0:
 * neither a nor x is read, beta = 0: y is not read. y does not overlap a or x. In the default
 * floating-point environment. */
void exb_t(product)(const exb_t(operand) * a, exb_complex alpha, exb_t(vector) x, exb_complex beta,
                    exb_real *y, int64_t incy);

/* x_i = RN(S a_ij x_j) for a lower triangle. */
void exb_t(product_in_place)(const exb_t(operand) * a, exb_real *x, int64_t incx);

#endif
