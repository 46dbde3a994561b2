/* Accumulators on CUDA devices: exact sums to keep, to merge and to add up over several devices.
 *
 * An accumulator is EXBLAS_CUDA_ACC_WORDS integers of 64 bits in device memory, which is the
 * caller's; arrays of them lie side by side. All bytes zero is the sum 0. It holds what exblas_acc
 * (exblas/accumulator.h) holds, sums of numbers and of products of two, exactly; neither the order
 * of additions nor how terms are split over accumulators and devices shows in results.
 *
 * After every call the words are normalised: all but the top one of the sum are in [0, 2^53), which
 * leaves room for carries. Arrays that were added up word by word, as 64-bit integers, are exact
 * sums as long as no word overflows: of up to EXBLAS_CUDA_ACC_MOST_ADDED of them, since
 * 2^10 (2^53 - 1) < 2^63, and one more may overflow. (The top word counts units of 2^2076, of which
 * 2^10 sums of up to 2^63 products have less than 2^46; the counters count numbers.) So sums
 * over devices are sums of integers, then normalise, before anything else is done with them. Over
 * more devices or processes add up groups of so many, normalise, and add up their sums. Calls only
 * enqueue but for _read and _write, which wait. Conventions and statuses are those of
 * exblas/cuda.h: an illegal argument is EXBLAS_EINVAL. An accumulator and the numbers that are
 * added to it must not overlap; b may be a in _merge.
 *
 * Source: Collange, Defour, Graillat, Iakymchuk, Parallel Computing 49 (2015). */
#ifndef EXBLAS_CUDA_ACC_H
#define EXBLAS_CUDA_ACC_H

#include "exblas/accumulator.h"
#include "exblas/cuda.h"

EXBLAS_BEGIN_C

enum {
    EXBLAS_CUDA_ACC_WORDS = EXBLAS_ACC_WORDS + 3, /* how many +Inf, -Inf, NaN */
    EXBLAS_CUDA_ACC_MOST_ADDED = 1 << 10          /* arrays, between two normalisations */
};

/* *acc += the sum of n numbers x_i. */
EXBLAS_API exblas_status exblas_cuda_dacc_add(exblas_cuda_handle handle, int64_t n, const double *x,
                                              int64_t incx, int64_t *acc);
EXBLAS_API exblas_status exblas_cuda_sacc_add(exblas_cuda_handle handle, int64_t n, const float *x,
                                              int64_t incx, int64_t *acc);

/* *acc += the sum of n products x_i y_i. */
EXBLAS_API exblas_status exblas_cuda_dacc_dot(exblas_cuda_handle handle, int64_t n, const double *x,
                                              int64_t incx, const double *y, int64_t incy,
                                              int64_t *acc);
EXBLAS_API exblas_status exblas_cuda_sacc_dot(exblas_cuda_handle handle, int64_t n, const float *x,
                                              int64_t incx, const float *y, int64_t incy,
                                              int64_t *acc);

/* results_i = RN(a_i), i < n. */
EXBLAS_API exblas_status exblas_cuda_dacc_round(exblas_cuda_handle handle, int64_t n,
                                                const int64_t *a, double *results);
EXBLAS_API exblas_status exblas_cuda_sacc_round(exblas_cuda_handle handle, int64_t n,
                                                const int64_t *a, float *results);

/* a_i += b_i, i < n. */
EXBLAS_API exblas_status exblas_cuda_acc_merge(exblas_cuda_handle handle, int64_t n, int64_t *a,
                                               const int64_t *b);

/* Carries of words that were added up move up; the sums stay. */
EXBLAS_API exblas_status exblas_cuda_acc_normalize(exblas_cuda_handle handle, int64_t n,
                                                   int64_t *a);

/* From and to the host's accumulators, which exblas_acc_export makes canonical bytes of: the same
 * as on any machine. */
EXBLAS_API exblas_status exblas_cuda_acc_read(exblas_cuda_handle handle, int64_t n,
                                              const int64_t *a, exblas_acc *to);
EXBLAS_API exblas_status exblas_cuda_acc_write(exblas_cuda_handle handle, int64_t n,
                                               const exblas_acc *from, int64_t *a);

EXBLAS_END_C

#endif
