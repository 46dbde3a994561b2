/* The end of an element of a complex product whose sums were gathered in accumulators. Exported for
 * the libraries that are built with this one, not for users. */
#pragma once

#include "core/type.h"
#include "exblas/accumulator.h"

#pragma GCC visibility push(default)
/* y = RN(alpha (sum[0] + i sum[1]) + beta y), each part one rounding; beta = 0: y is not read. The
 * sums are of fewer than 2^63 products of two numbers of the type. */
void exb_entry(affine_sums)(const exblas_acc *sum, exb_scalar alpha, exb_scalar beta, exb_real *y);
#pragma GCC visibility pop
