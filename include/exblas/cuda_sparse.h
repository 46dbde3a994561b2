/* Products of sparse matrices with vectors, on CUDA devices: exblas/sparse.h with device pointers.
 *
 * A matrix of m rows and n columns is stored by rows; row_start has m + 1 elements, column and
 * value have n_entries, x has n and y has m. Indices are 32-bit, in the forms ending in _64 64-bit.
 * y must not overlap anything that is read. Conventions and statuses are those of exblas/cuda.h.
 *
 * The device alone knows the structure, so calls wait until it has been looked at, and cannot be
 * captured: EXBLAS_EINVAL, and nothing was written, if row_start begins below 0, decreases or ends
 * behind n_entries, or a column is outside 0 ... n - 1.
 *
 * Source: sums of two parts and a long accumulator as in exblas/cuda.h; a few threads for a row:
 * Bell, Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented
 * processors", SC 2009. */
#ifndef EXBLAS_CUDA_SPARSE_H
#define EXBLAS_CUDA_SPARSE_H

#include "exblas/cuda.h"

EXBLAS_BEGIN_C

/* y_i = RN(alpha S a_ij x_j + beta y_i): the bits of exblas_dcsrmv (exblas_scsrmv). beta = 0: y is
 * not read; alpha = 0: the matrix's values and x do not count. */
EXBLAS_API exblas_status exblas_cuda_dcsrmv(exblas_cuda_handle handle, int64_t m, int64_t n,
                                            int64_t n_entries, double alpha,
                                            const exblas_int *row_start, const exblas_int *column,
                                            const double *value, const double *x, double beta,
                                            double *y);
EXBLAS_API exblas_status exblas_cuda_scsrmv(exblas_cuda_handle handle, int64_t m, int64_t n,
                                            int64_t n_entries, float alpha,
                                            const exblas_int *row_start, const exblas_int *column,
                                            const float *value, const float *x, float beta,
                                            float *y);
EXBLAS_API exblas_status exblas_cuda_dcsrmv_64(exblas_cuda_handle handle, int64_t m, int64_t n,
                                               int64_t n_entries, double alpha,
                                               const exblas_int64 *row_start,
                                               const exblas_int64 *column, const double *value,
                                               const double *x, double beta, double *y);
EXBLAS_API exblas_status exblas_cuda_scsrmv_64(exblas_cuda_handle handle, int64_t m, int64_t n,
                                               int64_t n_entries, float alpha,
                                               const exblas_int64 *row_start,
                                               const exblas_int64 *column, const float *value,
                                               const float *x, float beta, float *y);

EXBLAS_END_C

#endif
