/* Complex routines on CUDA devices: the bits of the CPU routines of the same name. What
 * exblas/cuda.h says of handles, layouts, methods and results holds here, too.
 *
 * Complex numbers are pairs of floats (c) or doubles (z), as in exblas/cblas.h: arrays are pointers
 * to void, increments and leading dimensions count pairs, and complex scalars are pointers to the
 * host's memory that are read before the call returns. Both parts of a result are the real
 * expression that follows from (a + bi)(c + di) = (ac - bd) + (ad + bc)i, rounded once.
 *
 * Vectors have n elements, matrices m rows and n columns unless said. An output must not overlap an
 * input of the same call. Illegal arguments give EXBLAS_EINVAL, missing memory EXBLAS_ENOMEM;
 * outputs are as they were.
 *
 * Source: sums as in exblas/cuda.h, over the real terms of each part; quotients by long division
 * (Knuth, The Art of Computer Programming, volume 2, section 4.3.1).
 *
 * Link with pkg-config exblas-cuda. */
#ifndef EXBLAS_CUDA_COMPLEX_H
#define EXBLAS_CUDA_COMPLEX_H

#include "exblas/cuda.h"

EXBLAS_BEGIN_C

/* result = RN(sum of x_i), both parts. */
EXBLAS_API exblas_status exblas_cuda_zsum(exblas_cuda_handle handle, int64_t n, const void *x,
                                          int64_t incx, void *result);
EXBLAS_API exblas_status exblas_cuda_csum(exblas_cuda_handle handle, int64_t n, const void *x,
                                          int64_t incx, void *result);

/* result = RN(sum of |re x_i| + |im x_i|), a real number; +0 if incx <= 0. */
EXBLAS_API exblas_status exblas_cuda_dzasum(exblas_cuda_handle handle, int64_t n, const void *x,
                                            int64_t incx, double *result);
EXBLAS_API exblas_status exblas_cuda_scasum(exblas_cuda_handle handle, int64_t n, const void *x,
                                            int64_t incx, float *result);

/* result = RN(sqrt(sum of |x_i|^2)), a real number. */
EXBLAS_API exblas_status exblas_cuda_dznrm2(exblas_cuda_handle handle, int64_t n, const void *x,
                                            int64_t incx, double *result);
EXBLAS_API exblas_status exblas_cuda_scnrm2(exblas_cuda_handle handle, int64_t n, const void *x,
                                            int64_t incx, float *result);

/* result = RN(sum of x_i y_i); with dotc of conj(x_i) y_i. */
EXBLAS_API exblas_status exblas_cuda_zdotu(exblas_cuda_handle handle, int64_t n, const void *x,
                                           int64_t incx, const void *y, int64_t incy, void *result);
EXBLAS_API exblas_status exblas_cuda_cdotu(exblas_cuda_handle handle, int64_t n, const void *x,
                                           int64_t incx, const void *y, int64_t incy, void *result);
EXBLAS_API exblas_status exblas_cuda_zdotc(exblas_cuda_handle handle, int64_t n, const void *x,
                                           int64_t incx, const void *y, int64_t incy, void *result);
EXBLAS_API exblas_status exblas_cuda_cdotc(exblas_cuda_handle handle, int64_t n, const void *x,
                                           int64_t incx, const void *y, int64_t incy, void *result);

/* y = RN(alpha op(A) x + beta y), A of m x n. */
EXBLAS_API exblas_status exblas_cuda_zgemv(exblas_cuda_handle handle, int trans, int64_t m,
                                           int64_t n, const void *alpha, const void *a, int64_t lda,
                                           const void *x, int64_t incx, const void *beta, void *y,
                                           int64_t incy);
EXBLAS_API exblas_status exblas_cuda_cgemv(exblas_cuda_handle handle, int trans, int64_t m,
                                           int64_t n, const void *alpha, const void *a, int64_t lda,
                                           const void *x, int64_t incx, const void *beta, void *y,
                                           int64_t incy);

/* op(A) x = b, b in x on entry. */
EXBLAS_API exblas_status exblas_cuda_ztrsv(exblas_cuda_handle handle, int uplo, int trans, int diag,
                                           int64_t n, const void *a, int64_t lda, void *x,
                                           int64_t incx);
EXBLAS_API exblas_status exblas_cuda_ctrsv(exblas_cuda_handle handle, int uplo, int trans, int diag,
                                           int64_t n, const void *a, int64_t lda, void *x,
                                           int64_t incx);

/* C = RN(alpha op(A) op(B) + beta C). If alpha and beta are real, as a product of real matrices,
 * for which four times A, twice B and C, and a list of 8 bytes an element are kept in scratch
 * memory; without that memory, and with other scalars, by dot products, which is slower. */
EXBLAS_API exblas_status exblas_cuda_zgemm(exblas_cuda_handle handle, int transa, int transb,
                                           int64_t m, int64_t n, int64_t k, const void *alpha,
                                           const void *a, int64_t lda, const void *b, int64_t ldb,
                                           const void *beta, void *c, int64_t ldc);
EXBLAS_API exblas_status exblas_cuda_cgemm(exblas_cuda_handle handle, int transa, int transb,
                                           int64_t m, int64_t n, int64_t k, const void *alpha,
                                           const void *a, int64_t lda, const void *b, int64_t ldb,
                                           const void *beta, void *c, int64_t ldc);

/* `batch` products, the i-th of a + i stridea, b + i strideb and c + i stridec, strides in
 * elements. */
EXBLAS_API exblas_status exblas_cuda_zgemm_batch_strided(
    exblas_cuda_handle handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
    const void *alpha, const void *a, int64_t lda, int64_t stridea, const void *b, int64_t ldb,
    int64_t strideb, const void *beta, void *c, int64_t ldc, int64_t stridec, int64_t batch);
EXBLAS_API exblas_status exblas_cuda_cgemm_batch_strided(
    exblas_cuda_handle handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
    const void *alpha, const void *a, int64_t lda, int64_t stridea, const void *b, int64_t ldb,
    int64_t strideb, const void *beta, void *c, int64_t ldc, int64_t stridec, int64_t batch);

/* C = RN(alpha A B + beta C), or B A with EXBLAS_RIGHT, A symmetric or, with hemm, Hermitian. */
EXBLAS_API exblas_status exblas_cuda_zsymm(exblas_cuda_handle handle, int side, int uplo, int64_t m,
                                           int64_t n, const void *alpha, const void *a, int64_t lda,
                                           const void *b, int64_t ldb, const void *beta, void *c,
                                           int64_t ldc);
EXBLAS_API exblas_status exblas_cuda_csymm(exblas_cuda_handle handle, int side, int uplo, int64_t m,
                                           int64_t n, const void *alpha, const void *a, int64_t lda,
                                           const void *b, int64_t ldb, const void *beta, void *c,
                                           int64_t ldc);
EXBLAS_API exblas_status exblas_cuda_zhemm(exblas_cuda_handle handle, int side, int uplo, int64_t m,
                                           int64_t n, const void *alpha, const void *a, int64_t lda,
                                           const void *b, int64_t ldb, const void *beta, void *c,
                                           int64_t ldc);
EXBLAS_API exblas_status exblas_cuda_chemm(exblas_cuda_handle handle, int side, int uplo, int64_t m,
                                           int64_t n, const void *alpha, const void *a, int64_t lda,
                                           const void *b, int64_t ldb, const void *beta, void *c,
                                           int64_t ldc);

/* The triangle `uplo` of C = RN(alpha op(A) op(A)' + beta C), the transpose. */
EXBLAS_API exblas_status exblas_cuda_zsyrk(exblas_cuda_handle handle, int uplo, int trans,
                                           int64_t n, int64_t k, const void *alpha, const void *a,
                                           int64_t lda, const void *beta, void *c, int64_t ldc);
EXBLAS_API exblas_status exblas_cuda_csyrk(exblas_cuda_handle handle, int uplo, int trans,
                                           int64_t n, int64_t k, const void *alpha, const void *a,
                                           int64_t lda, const void *beta, void *c, int64_t ldc);

/* The same with the conjugate transpose, and real scalars. The diagonal of C has imaginary parts of
 * +0 then, which are not read. */
EXBLAS_API exblas_status exblas_cuda_zherk(exblas_cuda_handle handle, int uplo, int trans,
                                           int64_t n, int64_t k, double alpha, const void *a,
                                           int64_t lda, double beta, void *c, int64_t ldc);
EXBLAS_API exblas_status exblas_cuda_cherk(exblas_cuda_handle handle, int uplo, int trans,
                                           int64_t n, int64_t k, float alpha, const void *a,
                                           int64_t lda, float beta, void *c, int64_t ldc);

/* op(A) X = alpha B, or X op(A) = alpha B with EXBLAS_RIGHT, X in place of B. */
EXBLAS_API exblas_status exblas_cuda_ztrsm(exblas_cuda_handle handle, int side, int uplo, int trans,
                                           int diag, int64_t m, int64_t n, const void *alpha,
                                           const void *a, int64_t lda, void *b, int64_t ldb);
EXBLAS_API exblas_status exblas_cuda_ctrsm(exblas_cuda_handle handle, int side, int uplo, int trans,
                                           int diag, int64_t m, int64_t n, const void *alpha,
                                           const void *a, int64_t lda, void *b, int64_t ldb);

/* B = RN(alpha op(A) B), or RN(alpha B op(A)) with EXBLAS_RIGHT, A triangular. */
EXBLAS_API exblas_status exblas_cuda_ztrmm(exblas_cuda_handle handle, int side, int uplo, int trans,
                                           int diag, int64_t m, int64_t n, const void *alpha,
                                           const void *a, int64_t lda, void *b, int64_t ldb);
EXBLAS_API exblas_status exblas_cuda_ctrmm(exblas_cuda_handle handle, int side, int uplo, int trans,
                                           int diag, int64_t m, int64_t n, const void *alpha,
                                           const void *a, int64_t lda, void *b, int64_t ldb);

EXBLAS_END_C

#endif
