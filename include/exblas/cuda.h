/* Correctly rounded BLAS on CUDA devices (compute capability 8.0 and newer): the bits of the CPU
 * routines of the same name.
 *
 * Conventions, as cuBLAS has them:
 * - A handle belongs to the device that was current when it was made, and to one thread at a time.
 *   Calls with a handle run on its stream, one after the other; by default on the default stream.
 * - Vectors, matrices and results are in device memory, matrices are column-major (but for
 *   exblas_cuda_set_layout), leading
 *   dimensions and increments count elements; alpha and beta are passed by value. Options
 *   are the numbers of exblas/cblas.h (EXBLAS_NO_TRANS, EXBLAS_UPPER, ...). As in BLAS, a
 *   vector with a negative increment starts at its far end. `result` is one element.
 * - Calls only enqueue, but for a large gemm, which waits once, early, for a forecast of how much
 *   precision the product needs, and for scatter_add.
 * - Contexts are those of the runtime: a handle's device must be used through its primary context.
 *   Calls leave the current device as it was.
 * - Graphs: sum, asum, nrm2, dot, gemv, trsv and gemm can be captured (cudaStreamBeginCapture)
 *   if the handle has the memory they need, from the same call before or a workspace. Large gemm
 *   then has as many moduli as normal numbers need, or what the parameter "moduli" says, with the
 *   same bits. It is without residues, and slower, if no large gemm was called on the handle
 * before. A graph and other calls of its handle share that memory and must not run at once.
 * scatter_add waits, so it is EXBLAS_EUNSUPPORTED there. After a call that failed, the capture
 * lacks some of its commands.
 * - Return value: EXBLAS_OK; EXBLAS_EINVAL, an argument is illegal, nothing was enqueued (numbers
 *   of arguments in the text are those of the CBLAS call, where the layout is the first one);
 *   EXBLAS_ENOMEM, outputs are as they were; EXBLAS_EUNSUPPORTED, the routine does not exist for
 *   this method or in a capture; EXBLAS_EDEVICE, a function of CUDA or cuBLAS failed, and outputs
 *   hold anything. exblas_cuda_last_error says more.
 * - Errors of kernels that run later show in the next call that waits, as with all of CUDA.
 * - An output must not overlap an input of the same call: EXBLAS_EINVAL where the first element of
 *   one is an element of the other, in routines of matrices; not found is what lies in gaps.
 *
 * Methods (exblas_set_method, EXBLAS_METHOD) work as on the CPU; all give the same bits.
 *
 * Sources: Collange, Defour, Graillat, Iakymchuk, Parallel Computing 49 (2015): exact sums by
 * expansions and long accumulators on many cores; Ozaki, Uchino, Imamura, "Ozaki scheme II" (2025):
 * products by residues, here with a certificate.
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

/* Waits for the handle's last call and frees what the handle keeps; streams may be destroyed
 * before. NULL is nothing. */
EXBLAS_API exblas_status exblas_cuda_destroy(exblas_cuda_handle handle);

/* Later calls run on `stream` (NULL: the default one), after all calls before, of which a stream
 * that is being captured knows nothing. The stream that was set before may have been destroyed. */
EXBLAS_API exblas_status exblas_cuda_set_stream(exblas_cuda_handle handle,
                                                struct CUstream_st *stream);
EXBLAS_API exblas_status exblas_cuda_get_stream(exblas_cuda_handle handle,
                                                struct CUstream_st **stream);

/* Waits until the handle's stream has run what it has; EXBLAS_EUNSUPPORTED in a capture. */
EXBLAS_API exblas_status exblas_cuda_synchronize(exblas_cuda_handle handle);

/* Calls take memory on the device for their own use, from a pool in the order of the stream, and
 * keep it for later calls. With a workspace, at a multiple of 256 bytes, they take that: what does
 * not fit is EXBLAS_ENOMEM, except that dgemm works in smaller blocks. It is the caller's, and in
 * use until the handle's calls have ended. NULL and 0: the handle's own memory again. Either way
 * the handle gives back what it keeps, except what graphs use, which stays as long as the handle,
 * and so does all of it in a capture. */
EXBLAS_API exblas_status exblas_cuda_set_workspace(exblas_cuda_handle handle, void *memory,
                                                   size_t bytes);

/* The most bytes that one call of this handle has used so far: a workspace for the same calls. */
EXBLAS_API exblas_status exblas_cuda_workspace_size(exblas_cuda_handle handle, size_t *bytes);

/* Sets a parameter; results do not depend on any. EXBLAS_EINVAL: there is none of this name, or the
 * value is out of its range. EXBLAS_EUNSUPPORTED: "kl", "ms" and "ns" of "dgemm" and "sgemm", which
 * OpenCL has; the kernels here are compiled beforehand, for one size of each.
 *
 *   "reduce" "group", "groups"             threads of a block, blocks
 *   "dgemm", "sgemm" and one of
 *     "ml", "nl"                           block sizes of the methods fpe2 ...
 *     "residue_group"                      threads of a block
 *     "residue_rows", "residue_columns"    of C that are computed at once
 *     "residue_terms"                      that are multiplied at once
 *     "moduli"                             5 to 32: residues modulo so many numbers; else as many
 *                                          as a sample of C needs, in a capture as normal
 *                                          numbers do
 *     "plane_tiles"                        blocks of 128 x 128 for each multiprocessor; products of
 *                                          bytes with fewer are one call for all moduli; standard:
 *                                          2
 *     "workspace_mib"                      bound on its workspace; standard: an eighth of the
 *                                          device's memory
 * and others of doc/gpu.md. */
EXBLAS_API exblas_status exblas_cuda_set_param(exblas_cuda_handle handle, const char *routine,
                                               const char *name, int value);

/* How this handle's sums are computed, as exblas_set_method has it for the process; NULL: as the
 * process. EXBLAS_EINVAL: there is no such method. */
EXBLAS_API exblas_status exblas_cuda_set_method(exblas_cuda_handle handle, const char *name);

/* EXBLAS_ROW_MAJOR or, as at first, EXBLAS_COL_MAJOR: how later calls of this handle take matrices.
 */
EXBLAS_API exblas_status exblas_cuda_set_layout(exblas_cuda_handle handle, int layout);

/* Not 0: `result` of sum, asum, nrm2 and dot is in the host's memory, and these calls wait for it;
 * EXBLAS_EUNSUPPORTED in a capture. At first results are on the device. */
EXBLAS_API exblas_status exblas_cuda_set_host_results(exblas_cuda_handle handle, int on_host);

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

/* y = RN(alpha op(A) x + beta y), A of m x n. */
EXBLAS_API exblas_status exblas_cuda_dgemv(exblas_cuda_handle handle, int trans, int64_t m,
                                           int64_t n, double alpha, const double *a, int64_t lda,
                                           const double *x, int64_t incx, double beta, double *y,
                                           int64_t incy);
EXBLAS_API exblas_status exblas_cuda_sgemv(exblas_cuda_handle handle, int trans, int64_t m,
                                           int64_t n, float alpha, const float *a, int64_t lda,
                                           const float *x, int64_t incx, float beta, float *y,
                                           int64_t incy);

/* op(A) x = b, b in x on entry: each unknown is RN(residual / diagonal) with the exact residual. */
EXBLAS_API exblas_status exblas_cuda_dtrsv(exblas_cuda_handle handle, int uplo, int trans, int diag,
                                           int64_t n, const double *a, int64_t lda, double *x,
                                           int64_t incx);
EXBLAS_API exblas_status exblas_cuda_strsv(exblas_cuda_handle handle, int uplo, int trans, int diag,
                                           int64_t n, const float *a, int64_t lda, float *x,
                                           int64_t incx);

/* C = RN(alpha op(A) op(B) + beta C), C of m x n, op(A) of m x k, op(B) of k x n. As BLAS: A and B
 * are not read if alpha is 0, C not if beta is 0. Large products go by residues, with cuBLAS's
 * products of bytes. */
EXBLAS_API exblas_status exblas_cuda_dgemm(exblas_cuda_handle handle, int transa, int transb,
                                           int64_t m, int64_t n, int64_t k, double alpha,
                                           const double *a, int64_t lda, const double *b,
                                           int64_t ldb, double beta, double *c, int64_t ldc);
EXBLAS_API exblas_status exblas_cuda_sgemm(exblas_cuda_handle handle, int transa, int transb,
                                           int64_t m, int64_t n, int64_t k, float alpha,
                                           const float *a, int64_t lda, const float *b, int64_t ldb,
                                           float beta, float *c, int64_t ldc);

/* `batch` products, the i-th of a + i stridea, b + i strideb and c + i stridec, which do not
 * overlap.
 */
EXBLAS_API exblas_status exblas_cuda_dgemm_batch_strided(
    exblas_cuda_handle handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
    double alpha, const double *a, int64_t lda, int64_t stridea, const double *b, int64_t ldb,
    int64_t strideb, double beta, double *c, int64_t ldc, int64_t stridec, int64_t batch);
EXBLAS_API exblas_status exblas_cuda_sgemm_batch_strided(
    exblas_cuda_handle handle, int transa, int transb, int64_t m, int64_t n, int64_t k, float alpha,
    const float *a, int64_t lda, int64_t stridea, const float *b, int64_t ldb, int64_t strideb,
    float beta, float *c, int64_t ldc, int64_t stridec, int64_t batch);

/* C = RN(alpha A B + beta C), or B A with EXBLAS_RIGHT, A symmetric, of which the triangle `uplo`
 * is read; a whole copy of A takes scratch memory. */
EXBLAS_API exblas_status exblas_cuda_dsymm(exblas_cuda_handle handle, int side, int uplo, int64_t m,
                                           int64_t n, double alpha, const double *a, int64_t lda,
                                           const double *b, int64_t ldb, double beta, double *c,
                                           int64_t ldc);
EXBLAS_API exblas_status exblas_cuda_ssymm(exblas_cuda_handle handle, int side, int uplo, int64_t m,
                                           int64_t n, float alpha, const float *a, int64_t lda,
                                           const float *b, int64_t ldb, float beta, float *c,
                                           int64_t ldc);

/* The triangle `uplo` of C = RN(alpha op(A) op(A)' + beta C), op(A) of n x k. Computed whole, in
 * scratch memory for n^2 numbers. */
EXBLAS_API exblas_status exblas_cuda_dsyrk(exblas_cuda_handle handle, int uplo, int trans,
                                           int64_t n, int64_t k, double alpha, const double *a,
                                           int64_t lda, double beta, double *c, int64_t ldc);
EXBLAS_API exblas_status exblas_cuda_ssyrk(exblas_cuda_handle handle, int uplo, int trans,
                                           int64_t n, int64_t k, float alpha, const float *a,
                                           int64_t lda, float beta, float *c, int64_t ldc);

/* op(A) X = alpha B, or X op(A) = alpha B with EXBLAS_RIGHT, X in place of B, of m x n: each
 * unknown is RN(residual / diagonal) with the exact residual. */
EXBLAS_API exblas_status exblas_cuda_dtrsm(exblas_cuda_handle handle, int side, int uplo, int trans,
                                           int diag, int64_t m, int64_t n, double alpha,
                                           const double *a, int64_t lda, double *b, int64_t ldb);
EXBLAS_API exblas_status exblas_cuda_strsm(exblas_cuda_handle handle, int side, int uplo, int trans,
                                           int diag, int64_t m, int64_t n, float alpha,
                                           const float *a, int64_t lda, float *b, int64_t ldb);

/* B = RN(alpha op(A) B), or RN(alpha B op(A)) with EXBLAS_RIGHT, B of m x n, A triangular. A whole
 * copy of A and one of B, and a list of 8 bytes an element of B, at most 32 MiB or one column, take
 * scratch memory. */
EXBLAS_API exblas_status exblas_cuda_dtrmm(exblas_cuda_handle handle, int side, int uplo, int trans,
                                           int diag, int64_t m, int64_t n, double alpha,
                                           const double *a, int64_t lda, double *b, int64_t ldb);
EXBLAS_API exblas_status exblas_cuda_strmm(exblas_cuda_handle handle, int side, int uplo, int trans,
                                           int diag, int64_t m, int64_t n, float alpha,
                                           const float *a, int64_t lda, float *b, int64_t ldb);

/* y_i = RN(y_i + sum of all x_k with index_k = i), 0 <= index_k < n_bins; the bits of
 * exblas_dscatter_add. Waits for the device: if an index is out of range, y stays as it was and the
 * status is EXBLAS_EINVAL. `ordered`: by additions in a fixed order, reproducible but not exact. */
EXBLAS_API exblas_status exblas_cuda_dscatter_add(exblas_cuda_handle handle, int64_t n,
                                                  const double *x, const exblas_int *index,
                                                  int64_t n_bins, double *y);
EXBLAS_API exblas_status exblas_cuda_dscatter_add_64(exblas_cuda_handle handle, int64_t n,
                                                     const double *x, const exblas_int64 *index,
                                                     int64_t n_bins, double *y);
EXBLAS_API exblas_status exblas_cuda_dscatter_add_ordered(exblas_cuda_handle handle, int64_t n,
                                                          const double *x, const exblas_int *index,
                                                          int64_t n_bins, double *y);
EXBLAS_API exblas_status exblas_cuda_sscatter_add(exblas_cuda_handle handle, int64_t n,
                                                  const float *x, const exblas_int *index,
                                                  int64_t n_bins, float *y);
EXBLAS_API exblas_status exblas_cuda_sscatter_add_64(exblas_cuda_handle handle, int64_t n,
                                                     const float *x, const exblas_int64 *index,
                                                     int64_t n_bins, float *y);
EXBLAS_API exblas_status exblas_cuda_sscatter_add_ordered(exblas_cuda_handle handle, int64_t n,
                                                          const float *x, const exblas_int *index,
                                                          int64_t n_bins, float *y);

EXBLAS_END_C

#endif
