/* Sums of many groups at once: scatter-add and segmented sums.
 *
 * RN is rounding to nearest, ties to even, into the element type; the sum inside is
 * exact, so the bits do not depend on the order of the terms, the number of threads,
 * the processor or the caller's rounding mode, FTZ and DAZ. Overflow and underflow
 * happen only at the rounding. An exact zero is +0. A NaN that is read and Inf - Inf
 * give the canonical quiet NaN, otherwise Inf wins.
 *
 * Indices and offsets count elements from 0. Inputs and outputs must not overlap. All
 * entries return EXBLAS_OK, EXBLAS_EINVAL or EXBLAS_ENOMEM; in the last two cases
 * nothing was written. Names ending in _64 take 64-bit integers.
 *
 * Sources: the first pass is a compensated sum for each bin, Neumaier, ZAMM 54 (1974), with a
 * running bound; the exact one has a long accumulator for each bin, Kulisch, "Computer Arithmetic
 * and Validity" (2008). */
#ifndef EXBLAS_SCATTER_H
#define EXBLAS_SCATTER_H

#include "exblas/types.h"

EXBLAS_BEGIN_C

/* y_i = RN(y_i + sum of all x_k with index_k = i), i = 0 ... n_bins - 1. x and index have
 * n elements, y has n_bins. A bin that no index names keeps its bits.
 *
 * EINVAL: n or n_bins negative, an index outside 0 ... n_bins - 1, or a null pointer
 * although n > 0. ENOMEM: no room for the working space, at most 48 n bytes whatever
 * n_bins is. The rare bins whose rounding a fast pass cannot decide take up to 32 MiB
 * more, less if that is not to be had. */
EXBLAS_API exblas_status exblas_dscatter_add(exblas_int n, const double *x, const exblas_int *index,
                                             exblas_int n_bins, double *y);
EXBLAS_API exblas_status exblas_sscatter_add(exblas_int n, const float *x, const exblas_int *index,
                                             exblas_int n_bins, float *y);
EXBLAS_API exblas_status exblas_dscatter_add_64(exblas_int64 n, const double *x,
                                                const exblas_int64 *index, exblas_int64 n_bins,
                                                double *y);
EXBLAS_API exblas_status exblas_sscatter_add_64(exblas_int64 n, const float *x,
                                                const exblas_int64 *index, exblas_int64 n_bins,
                                                float *y);

/* y_i = RN(x_j + ... + x_k), j = offset_i, k = offset_{i+1} - 1, i = 0 ... n_seg - 1; an
 * empty segment gives +0. offset has n_seg + 1 elements.
 *
 * EINVAL: n_seg negative, offset_0 negative, offsets that decrease, or a null pointer to
 * something that would be read or written. */
EXBLAS_API exblas_status exblas_dsegment_sum(exblas_int n_seg, const exblas_int *offset,
                                             const double *x, double *y);
EXBLAS_API exblas_status exblas_ssegment_sum(exblas_int n_seg, const exblas_int *offset,
                                             const float *x, float *y);
EXBLAS_API exblas_status exblas_dsegment_sum_64(exblas_int64 n_seg, const exblas_int64 *offset,
                                                const double *x, double *y);
EXBLAS_API exblas_status exblas_ssegment_sum_64(exblas_int64 n_seg, const exblas_int64 *offset,
                                                const float *x, float *y);

EXBLAS_END_C

#endif
