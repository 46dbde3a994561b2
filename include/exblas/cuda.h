/* Correctly rounded BLAS on CUDA devices (compute capability 8.0 and newer): the bits of the CPU
 * routines of the same name.
 *
 * Conventions, as cuBLAS has them:
 * - A handle belongs to the device that was current when it was made, and to one thread at a time.
 *   Calls with a handle run on its stream, one after the other; by default on the default stream.
 * - Vectors, matrices and results are in device memory, matrices are column-major, leading
 *   dimensions and increments count elements; alpha and beta are passed by value. Transposes are
 *   passed as CBLAS's numbers (EXBLAS_NO_TRANS, EXBLAS_TRANS, EXBLAS_CONJ_TRANS). As in BLAS, a
 *   vector with a negative increment starts at its far end. `result` is one element.
 * - Reductions only enqueue. dgemm waits once, early, for a forecast of how much precision the
 *   product needs, and enqueues the rest.
 * - Return value: EXBLAS_OK; EXBLAS_EINVAL, an argument is illegal, nothing was enqueued;
 *   EXBLAS_ENOMEM; EXBLAS_EUNSUPPORTED, the routine does not exist for this method;
 *   EXBLAS_EDEVICE, a function of CUDA or cuBLAS failed. exblas_cuda_last_error says more.
 * - Errors of kernels that run later show in the next call that waits, as with all of CUDA.
 *
 * Methods (exblas_set_method, EXBLAS_METHOD) work as on the CPU; all give the same bits.
 *
 * Link with pkg-config exblas-cuda. */
#ifndef EXBLAS_CUDA_H
#define EXBLAS_CUDA_H

#include "exblas/types.h"

EXBLAS_BEGIN_C

typedef struct exb_cuda_handle *exblas_cuda_handle;
struct CUstream_st; /* a cudaStream_t points to it */

/* EXBLAS_EDEVICE if there is no device, EXBLAS_EUNSUPPORTED if it is older than 8.0. */
EXBLAS_API exblas_status exblas_cuda_create(exblas_cuda_handle *handle);

/* Waits for the handle's stream and frees what the handle keeps. NULL is nothing. */
EXBLAS_API exblas_status exblas_cuda_destroy(exblas_cuda_handle handle);

/* Later calls run on `stream` (NULL: the default one), after all calls before. */
EXBLAS_API exblas_status exblas_cuda_set_stream(exblas_cuda_handle handle,
                                                struct CUstream_st *stream);

/* Sets a parameter; results do not depend on any. EXBLAS_EINVAL: there is none of this name.
 *
 *   routine   name             meaning
 *   "reduce"  "group"          threads of a block (1 .. 256) in sum, asum, nrm2, dot
 *   "reduce"  "groups"         most blocks (1 .. 512)
 *   "dgemm"   "residue_group"  threads of a block (1 .. 256)
 *   "dgemm"   "residue_rows", "residue_columns"  of C that are computed at once
 *   "dgemm"   "residue_terms"  of the sums that are multiplied at once
 *   "dgemm"   "workspace_mib"  bound on the workspace; an eighth of the device's memory */
EXBLAS_API exblas_status exblas_cuda_set_param(exblas_cuda_handle handle, const char *routine,
                                               const char *name, int value);

/* One line of English about this thread's last call that failed; never NULL. */
EXBLAS_API const char *exblas_cuda_last_error(void);

/* result = RN(sum of x_i). */
EXBLAS_API exblas_status exblas_cuda_dsum(exblas_cuda_handle handle, int64_t n, const double *x,
                                          int64_t incx, double *result);
EXBLAS_API exblas_status exblas_cuda_ssum(exblas_cuda_handle handle, int64_t n, const float *x,
                                          int64_t incx, float *result);

/* result = RN(sum of |x_i|); +0 if incx <= 0, as in BLAS. */
EXBLAS_API exblas_status exblas_cuda_dasum(exblas_cuda_handle handle, int64_t n, const double *x,
                                           int64_t incx, double *result);
EXBLAS_API exblas_status exblas_cuda_sasum(exblas_cuda_handle handle, int64_t n, const float *x,
                                           int64_t incx, float *result);

/* result = RN(sqrt(sum of x_i^2)), without overflow or underflow on the way. */
EXBLAS_API exblas_status exblas_cuda_dnrm2(exblas_cuda_handle handle, int64_t n, const double *x,
                                           int64_t incx, double *result);
EXBLAS_API exblas_status exblas_cuda_snrm2(exblas_cuda_handle handle, int64_t n, const float *x,
                                           int64_t incx, float *result);

/* result = RN(sum of x_i y_i). */
EXBLAS_API exblas_status exblas_cuda_ddot(exblas_cuda_handle handle, int64_t n, const double *x,
                                          int64_t incx, const double *y, int64_t incy,
                                          double *result);
EXBLAS_API exblas_status exblas_cuda_sdot(exblas_cuda_handle handle, int64_t n, const float *x,
                                          int64_t incx, const float *y, int64_t incy,
                                          float *result);

/* C = RN(alpha op(A) op(B) + beta C), C of m x n, op(A) of m x k, op(B) of k x n. By residues, with
 * cuBLAS's products of bytes in integers. As BLAS: A and B are not read if alpha is 0, C not if
 * beta is 0. */
EXBLAS_API exblas_status exblas_cuda_dgemm(exblas_cuda_handle handle, int transa, int transb,
                                           int64_t m, int64_t n, int64_t k, double alpha,
                                           const double *a, int64_t lda, const double *b,
                                           int64_t ldb, double beta, double *c, int64_t ldc);

EXBLAS_END_C

#endif
