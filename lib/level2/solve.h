/* Triangular systems, for all storages and types. */
#pragma once

#include "level2/pattern_rows.h"

/* x_i = RN((x_i - S t_ij x_j) / t_ii) for the rows i in ascending order, the unknowns before them
 * being known; a is the strict lower triangle, whose view has the diagonal as well; other rows are
 * not read; unit: t_ii is 1 and not read. In the default floating-point environment. */
void exb_t(solve)(const exb_t(matrix) *a, bool unit, exb_range rows, exb_real *x, int64_t incx);
