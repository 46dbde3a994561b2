/* What the filter knows about a sum, for the bindings: may change at any time. Called in round to
 * nearest (fpenv.h). Term i is x[i * incx], its magnitude, or x[i * incx] * y[i * incy]; n >= 0. */
#pragma once

#include "core/kernels.h"
#include "exblas/types.h"

EXBLAS_API exb_enclosure exb_denclosure_of(exb_term term, int64_t n, const double *x, int64_t incx,
                                           const double *y, int64_t incy);
EXBLAS_API exb_enclosure exb_senclosure_of(exb_term term, int64_t n, const float *x, int64_t incx,
                                           const float *y, int64_t incy);

/* Of the sums of the parts of n complex numbers that lie side by side, which are read once. */
EXBLAS_API void exb_dpart_enclosures_of(int64_t n, const double *x, exb_enclosure v[2]);
EXBLAS_API void exb_spart_enclosures_of(int64_t n, const float *x, exb_enclosure v[2]);
