/* Complex routines on OpenCL devices: the bits of the CPU routines of the same name. What
 * exblas/opencl.h says of queues, buffers, events, statuses and methods holds here, too.
 *
 * Complex numbers are pairs of floats (c) or doubles (z), as in exblas/cblas.h: offsets, increments
 * and leading dimensions count pairs, complex scalars are pointers to the host's memory that are
 * read before the call returns. Both parts of a result are the real expression that follows from
 * (a + bi)(c + di) = (ac - bd) + (ad + bc)i, rounded once.
 *
 * Vectors have n elements, matrices m rows and n columns unless said. Names with host_ take
 * pointers to the host's memory and wait. An output must not overlap an input of the same call.
 * Illegal arguments give EXBLAS_EINVAL, missing memory EXBLAS_ENOMEM; outputs are as they were.
 *
 * Source: sums as in exblas/opencl.h, over the real terms of each part; quotients by long division
 * (Knuth, The Art of Computer Programming, volume 2, section 4.3.1).
 *
 * Link with pkg-config exblas-opencl. */
#ifndef EXBLAS_OPENCL_COMPLEX_H
#define EXBLAS_OPENCL_COMPLEX_H

#include "exblas/opencl.h"

EXBLAS_BEGIN_C

/* r = RN(sum of x_i), both parts. */
EXBLAS_API exblas_status exblas_cl_zsum(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                        exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                        const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_csum(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                        exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                        const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_zsum(cl_command_queue queue, size_t n, const void *x,
                                             exblas_int64 incx, void *r);
EXBLAS_API exblas_status exblas_cl_host_csum(cl_command_queue queue, size_t n, const void *x,
                                             exblas_int64 incx, void *r);

/* r = RN(sum of |re x_i| + |im x_i|), a real number; +0 if incx <= 0. */
EXBLAS_API exblas_status exblas_cl_dzasum(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                          exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                          const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_scasum(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                          exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                          const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_dzasum(cl_command_queue queue, size_t n, const void *x,
                                               exblas_int64 incx, double *r);
EXBLAS_API exblas_status exblas_cl_host_scasum(cl_command_queue queue, size_t n, const void *x,
                                               exblas_int64 incx, float *r);

/* r = RN(sqrt(sum of |x_i|^2)), a real number. */
EXBLAS_API exblas_status exblas_cl_dznrm2(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                          exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                          const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_scnrm2(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                          exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                          const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_dznrm2(cl_command_queue queue, size_t n, const void *x,
                                               exblas_int64 incx, double *r);
EXBLAS_API exblas_status exblas_cl_host_scnrm2(cl_command_queue queue, size_t n, const void *x,
                                               exblas_int64 incx, float *r);

/* r = RN(sum of x_i y_i); with dotc of conj(x_i) y_i. */
EXBLAS_API exblas_status exblas_cl_zdotu(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                         exblas_int64 incx, cl_mem y, size_t offy,
                                         exblas_int64 incy, cl_mem r, size_t offr, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_cdotu(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                         exblas_int64 incx, cl_mem y, size_t offy,
                                         exblas_int64 incy, cl_mem r, size_t offr, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_zdotu(cl_command_queue queue, size_t n, const void *x,
                                              exblas_int64 incx, const void *y, exblas_int64 incy,
                                              void *r);
EXBLAS_API exblas_status exblas_cl_host_cdotu(cl_command_queue queue, size_t n, const void *x,
                                              exblas_int64 incx, const void *y, exblas_int64 incy,
                                              void *r);
EXBLAS_API exblas_status exblas_cl_zdotc(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                         exblas_int64 incx, cl_mem y, size_t offy,
                                         exblas_int64 incy, cl_mem r, size_t offr, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_cdotc(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                         exblas_int64 incx, cl_mem y, size_t offy,
                                         exblas_int64 incy, cl_mem r, size_t offr, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_zdotc(cl_command_queue queue, size_t n, const void *x,
                                              exblas_int64 incx, const void *y, exblas_int64 incy,
                                              void *r);
EXBLAS_API exblas_status exblas_cl_host_cdotc(cl_command_queue queue, size_t n, const void *x,
                                              exblas_int64 incx, const void *y, exblas_int64 incy,
                                              void *r);

/* --- matrices: arguments as in exblas/opencl.h ------------------------------- */

/* y = RN(alpha op(A) x + beta y), A of m x n. */
EXBLAS_API exblas_status exblas_cl_zgemv(cl_command_queue queue, int layout, int trans, size_t m,
                                         size_t n, const void *alpha, cl_mem a, size_t offa,
                                         size_t lda, cl_mem x, size_t offx, exblas_int64 incx,
                                         const void *beta, cl_mem y, size_t offy, exblas_int64 incy,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_cgemv(cl_command_queue queue, int layout, int trans, size_t m,
                                         size_t n, const void *alpha, cl_mem a, size_t offa,
                                         size_t lda, cl_mem x, size_t offx, exblas_int64 incx,
                                         const void *beta, cl_mem y, size_t offy, exblas_int64 incy,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_zgemv(cl_command_queue queue, int layout, int trans,
                                              size_t m, size_t n, const void *alpha, const void *a,
                                              size_t lda, const void *x, exblas_int64 incx,
                                              const void *beta, void *y, exblas_int64 incy);
EXBLAS_API exblas_status exblas_cl_host_cgemv(cl_command_queue queue, int layout, int trans,
                                              size_t m, size_t n, const void *alpha, const void *a,
                                              size_t lda, const void *x, exblas_int64 incx,
                                              const void *beta, void *y, exblas_int64 incy);

/* op(A) x = b, b in x on entry, A of n x n. */
EXBLAS_API exblas_status exblas_cl_ztrsv(cl_command_queue queue, int layout, int uplo, int trans,
                                         int diag, size_t n, cl_mem a, size_t offa, size_t lda,
                                         cl_mem x, size_t offx, exblas_int64 incx, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_ctrsv(cl_command_queue queue, int layout, int uplo, int trans,
                                         int diag, size_t n, cl_mem a, size_t offa, size_t lda,
                                         cl_mem x, size_t offx, exblas_int64 incx, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_ztrsv(cl_command_queue queue, int layout, int uplo,
                                              int trans, int diag, size_t n, const void *a,
                                              size_t lda, void *x, exblas_int64 incx);
EXBLAS_API exblas_status exblas_cl_host_ctrsv(cl_command_queue queue, int layout, int uplo,
                                              int trans, int diag, size_t n, const void *a,
                                              size_t lda, void *x, exblas_int64 incx);

/* C = RN(alpha op(A) op(B) + beta C), C of m x n, op(A) of m x k. */
EXBLAS_API exblas_status exblas_cl_zgemm(cl_command_queue queue, int layout, int transa, int transb,
                                         size_t m, size_t n, size_t k, const void *alpha, cl_mem a,
                                         size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                                         const void *beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_cgemm(cl_command_queue queue, int layout, int transa, int transb,
                                         size_t m, size_t n, size_t k, const void *alpha, cl_mem a,
                                         size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                                         const void *beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_zgemm(cl_command_queue queue, int layout, int transa,
                                              int transb, size_t m, size_t n, size_t k,
                                              const void *alpha, const void *a, size_t lda,
                                              const void *b, size_t ldb, const void *beta, void *c,
                                              size_t ldc);
EXBLAS_API exblas_status exblas_cl_host_cgemm(cl_command_queue queue, int layout, int transa,
                                              int transb, size_t m, size_t n, size_t k,
                                              const void *alpha, const void *a, size_t lda,
                                              const void *b, size_t ldb, const void *beta, void *c,
                                              size_t ldc);

/* C = RN(alpha A B + beta C), or B A with EXBLAS_RIGHT, C of m x n, A symmetric or, with hemm,
 * Hermitian. */
EXBLAS_API exblas_status exblas_cl_zsymm(cl_command_queue queue, int layout, int side, int uplo,
                                         size_t m, size_t n, const void *alpha, cl_mem a,
                                         size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                                         const void *beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_csymm(cl_command_queue queue, int layout, int side, int uplo,
                                         size_t m, size_t n, const void *alpha, cl_mem a,
                                         size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                                         const void *beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_zhemm(cl_command_queue queue, int layout, int side, int uplo,
                                         size_t m, size_t n, const void *alpha, cl_mem a,
                                         size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                                         const void *beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_chemm(cl_command_queue queue, int layout, int side, int uplo,
                                         size_t m, size_t n, const void *alpha, cl_mem a,
                                         size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                                         const void *beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);

/* The triangle `uplo` of C = RN(alpha op(A) op(A)' + beta C), op(A) of n x k, the transpose. */
EXBLAS_API exblas_status exblas_cl_zsyrk(cl_command_queue queue, int layout, int uplo, int trans,
                                         size_t n, size_t k, const void *alpha, cl_mem a,
                                         size_t offa, size_t lda, const void *beta, cl_mem c,
                                         size_t offc, size_t ldc, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_csyrk(cl_command_queue queue, int layout, int uplo, int trans,
                                         size_t n, size_t k, const void *alpha, cl_mem a,
                                         size_t offa, size_t lda, const void *beta, cl_mem c,
                                         size_t offc, size_t ldc, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);

/* The same with the conjugate transpose, and real scalars. The diagonal of C has imaginary parts of
 * +0 then, which are not read. */
EXBLAS_API exblas_status exblas_cl_zherk(cl_command_queue queue, int layout, int uplo, int trans,
                                         size_t n, size_t k, double alpha, cl_mem a, size_t offa,
                                         size_t lda, double beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_cherk(cl_command_queue queue, int layout, int uplo, int trans,
                                         size_t n, size_t k, float alpha, cl_mem a, size_t offa,
                                         size_t lda, float beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);

/* op(A) X = alpha B, or X op(A) = alpha B with EXBLAS_RIGHT, X in place of B, of m x n. */
EXBLAS_API exblas_status exblas_cl_ztrsm(cl_command_queue queue, int layout, int side, int uplo,
                                         int trans, int diag, size_t m, size_t n, const void *alpha,
                                         cl_mem a, size_t offa, size_t lda, cl_mem b, size_t offb,
                                         size_t ldb, cl_uint n_wait, const cl_event *wait,
                                         cl_event *done);
EXBLAS_API exblas_status exblas_cl_ctrsm(cl_command_queue queue, int layout, int side, int uplo,
                                         int trans, int diag, size_t m, size_t n, const void *alpha,
                                         cl_mem a, size_t offa, size_t lda, cl_mem b, size_t offb,
                                         size_t ldb, cl_uint n_wait, const cl_event *wait,
                                         cl_event *done);

/* B = RN(alpha op(A) B), or RN(alpha B op(A)) with EXBLAS_RIGHT, A triangular, B of m x n. */
EXBLAS_API exblas_status exblas_cl_ztrmm(cl_command_queue queue, int layout, int side, int uplo,
                                         int trans, int diag, size_t m, size_t n, const void *alpha,
                                         cl_mem a, size_t offa, size_t lda, cl_mem b, size_t offb,
                                         size_t ldb, cl_uint n_wait, const cl_event *wait,
                                         cl_event *done);
EXBLAS_API exblas_status exblas_cl_ctrmm(cl_command_queue queue, int layout, int side, int uplo,
                                         int trans, int diag, size_t m, size_t n, const void *alpha,
                                         cl_mem a, size_t offa, size_t lda, cl_mem b, size_t offb,
                                         size_t ldb, cl_uint n_wait, const cl_event *wait,
                                         cl_event *done);

EXBLAS_END_C

#endif
