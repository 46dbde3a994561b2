/* The drivers RN(alpha S a x + beta y) over the rows of a pattern. */
#pragma once

#include "level2/pattern_rows.h"

/* y_i = RN(alpha S a_ij x_j + beta y_i) for all rows, with as many threads as pay off. alpha = 0:
 * neither a nor x is read, beta = 0: y is not read. y does not overlap a or x. In the default
 * floating-point environment. */
void exb_t(vector_product)(const exb_t(matrix) *a, exb_complex alpha, exb_t(vector) x,
                           exb_complex beta, exb_real *y, int64_t incy);

/* x_i = RN(S a_ij x_j) for a triangle, if it is a small one of reals; false: nothing is done. */
bool exb_t(small_product_in_place)(const exb_t(matrix) *a, exb_real *x, int64_t incx);

/* The same for any lower triangle. */
void exb_t(vector_product_in_place)(const exb_t(matrix) *a, exb_real *x, int64_t incx);
