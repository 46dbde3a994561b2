/* Correctly rounded BLAS on OpenCL devices: the bits of the CPU routines of the same name, on
 * every device, for any size of work-groups.
 *
 * Conventions, as CLBlast has them:
 * - The queue says which context and device. Vectors and results are buffers of that context
 *   with offsets in elements; r gets the result, one element at offr. As in BLAS, a vector
 *   with a negative increment starts at its far end. n = 0 gives +0.
 * - A call enqueues commands and returns; it never waits for the device. They start when the
 *   n_wait events of `wait` have completed (0 and NULL: at once). `done`, unless NULL, becomes
 *   an event that completes with the last of them, and that the caller releases. In a queue that
 *   executes in order, calls need no events; in one that does not, order calls by events.
 * - The names with host_ take pointers to the host's memory, copy, wait for the result and
 *   write it to *r.
 * - Return value: EXBLAS_OK; EXBLAS_EINVAL, an argument is illegal, a buffer too small, or a buffer
 *   or an event of the wait list belongs to another context: nothing was enqueued;
 *   EXBLAS_ENOMEM, on the host or the device; EXBLAS_EUNSUPPORTED, the device lacks doubles,
 *   subnormal numbers or 64-bit atomics; EXBLAS_EDEVICE, an OpenCL function failed. If it is not
 *   EXBLAS_OK, *done and *r of the host are untouched; exblas_cl_last_error() says more.
 * - r must not be an element of a vector that the call reads.
 *
 * Methods (exblas_set_method, EXBLAS_METHOD) work as on the CPU: auto filters at the speed of
 * memory and computes exactly only where the filter is not certain, the others are exact sums
 * with expansions of 0 (superacc) or 2 to 8 (fpe2 ... fpe8, fpe4ee ...) terms. All give the
 * same bits.
 *
 * Programs are compiled on first use, once per context, device and kind of call, and kept with
 * some scratch memory until exblas_cl_release. All functions may be called from many threads at
 * once, also with the same queue.
 *
 * Sources: Collange, Defour, Graillat, Iakymchuk, Parallel Computing 49 (2015): exact sums by
 * expansions and long accumulators on many cores; Matsumoto, Nakasato, Sedukhin (2012): gemm in
 * blocks of two levels.
 *
 * Link with pkg-config exblas-opencl. OpenCL 1.2, cl_khr_fp64, cl_khr_int64_base_atomics. */
#ifndef EXBLAS_OPENCL_H
#define EXBLAS_OPENCL_H

#include "exblas/types.h"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

EXBLAS_BEGIN_C

/* One line of English about this thread's last call that failed; never NULL. */
EXBLAS_API const char *exblas_cl_last_error(void);

/* Frees what the library keeps for a context, or for all if it is NULL: programs, scratch memory,
 * parameters, and a reference to the context, which is why a context ends only after this call.
 * No call with the context may be under way; commands that run already are not disturbed. */
EXBLAS_API void exblas_cl_release(cl_context context);

/* Sets a parameter for the queue's context and device; results do not depend on any. EXBLAS_EINVAL
 * names what is wrong.
 *
 *   routine   name     range     meaning
 *   "reduce"  "group"  1 .. 256  work-items of a group, in sum, asum, nrm2, dot
 *   "reduce"  "groups" 1 .. 512  most groups
 *   "dcsrmv", "scsrmv": "group"  1 .. 256, "rows" 1 .. 256 of it at a time (opencl_sparse.h)
 *   "scatter" "group"  1 .. 256  work-items of a group, in scatter_add (opencl_scatter.h)
 *   "scatter" "megabytes" 1 .. 16384  of accumulators at a time
 *   "scatter" "copies" 1 .. 256  accumulators of a bin
 *   "scatter" "round"  1 .. 26   carries move every 2^round terms */
EXBLAS_API exblas_status exblas_cl_set_param(cl_command_queue queue, const char *routine,
                                             const char *name, int value);

/* What the library has done and holds, in this process: "builds", programs compiled since it was
 * loaded; "contexts", "programs", "kernels", "buffers", "events" that it holds now. 0 for other
 * keys. */
EXBLAS_API size_t exblas_cl_statistic(const char *key);

/* r = RN(sum of x_i). */
EXBLAS_API exblas_status exblas_cl_dsum(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                        exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                        const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_ssum(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                        exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                        const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_dsum(cl_command_queue queue, size_t n, const double *x,
                                             exblas_int64 incx, double *r);
EXBLAS_API exblas_status exblas_cl_host_ssum(cl_command_queue queue, size_t n, const float *x,
                                             exblas_int64 incx, float *r);

/* r = RN(sum of |x_i|); +0 if incx <= 0, as in BLAS. */
EXBLAS_API exblas_status exblas_cl_dasum(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                         exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_sasum(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                         exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_dasum(cl_command_queue queue, size_t n, const double *x,
                                              exblas_int64 incx, double *r);
EXBLAS_API exblas_status exblas_cl_host_sasum(cl_command_queue queue, size_t n, const float *x,
                                              exblas_int64 incx, float *r);

/* r = RN(sqrt(sum of x_i^2)), without overflow or underflow on the way. */
EXBLAS_API exblas_status exblas_cl_dnrm2(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                         exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_snrm2(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                         exblas_int64 incx, cl_mem r, size_t offr, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_dnrm2(cl_command_queue queue, size_t n, const double *x,
                                              exblas_int64 incx, double *r);
EXBLAS_API exblas_status exblas_cl_host_snrm2(cl_command_queue queue, size_t n, const float *x,
                                              exblas_int64 incx, float *r);

/* r = RN(sum of x_i y_i). */
EXBLAS_API exblas_status exblas_cl_ddot(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                        exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy,
                                        cl_mem r, size_t offr, cl_uint n_wait, const cl_event *wait,
                                        cl_event *done);
EXBLAS_API exblas_status exblas_cl_sdot(cl_command_queue queue, size_t n, cl_mem x, size_t offx,
                                        exblas_int64 incx, cl_mem y, size_t offy, exblas_int64 incy,
                                        cl_mem r, size_t offr, cl_uint n_wait, const cl_event *wait,
                                        cl_event *done);
EXBLAS_API exblas_status exblas_cl_host_ddot(cl_command_queue queue, size_t n, const double *x,
                                             exblas_int64 incx, const double *y, exblas_int64 incy,
                                             double *r);
EXBLAS_API exblas_status exblas_cl_host_sdot(cl_command_queue queue, size_t n, const float *x,
                                             exblas_int64 incx, const float *y, exblas_int64 incy,
                                             float *r);

/* --- matrices ---------------------------------------------------------------
 *
 * As excblas_{s,d}{gemv,trsv,gemm}, with the queue first, an offset in elements after each buffer,
 * and events last: enums have CBLAS's values, leading dimensions and increments count
 * elements. Results have the same bits. All methods of exblas_set_method; operands may not
 * overlap where BLAS forbids it: EXBLAS_EINVAL if they are of the same buffer and the first element
 * of one is an element of the other. On EXBLAS_EINVAL nothing was written, and
 * exblas_cl_last_error tells the number of the argument in the CBLAS call (1 is the layout). */
EXBLAS_API exblas_status exblas_cl_dgemv(cl_command_queue queue, int layout, int trans, size_t m,
                                         size_t n, double alpha, cl_mem a, size_t offa, size_t lda,
                                         cl_mem x, size_t offx, exblas_int64 incx, double beta,
                                         cl_mem y, size_t offy, exblas_int64 incy, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_sgemv(cl_command_queue queue, int layout, int trans, size_t m,
                                         size_t n, float alpha, cl_mem a, size_t offa, size_t lda,
                                         cl_mem x, size_t offx, exblas_int64 incx, float beta,
                                         cl_mem y, size_t offy, exblas_int64 incy, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_dtrsv(cl_command_queue queue, int layout, int uplo, int trans,
                                         int diag, size_t n, cl_mem a, size_t offa, size_t lda,
                                         cl_mem x, size_t offx, exblas_int64 incx, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_strsv(cl_command_queue queue, int layout, int uplo, int trans,
                                         int diag, size_t n, cl_mem a, size_t offa, size_t lda,
                                         cl_mem x, size_t offx, exblas_int64 incx, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_dgemm(cl_command_queue queue, int layout, int transa, int transb,
                                         size_t m, size_t n, size_t k, double alpha, cl_mem a,
                                         size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                                         double beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_sgemm(cl_command_queue queue, int layout, int transa, int transb,
                                         size_t m, size_t n, size_t k, float alpha, cl_mem a,
                                         size_t offa, size_t lda, cl_mem b, size_t offb, size_t ldb,
                                         float beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);

/* As cblas_?symm, syrk, trsm and trmm; whole copies of symmetric matrices, and of both of trmm's,
 * take scratch memory. */
EXBLAS_API exblas_status exblas_cl_dsymm(cl_command_queue queue, int layout, int side, int uplo,
                                         size_t m, size_t n, double alpha, cl_mem a, size_t offa,
                                         size_t lda, cl_mem b, size_t offb, size_t ldb, double beta,
                                         cl_mem c, size_t offc, size_t ldc, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_ssymm(cl_command_queue queue, int layout, int side, int uplo,
                                         size_t m, size_t n, float alpha, cl_mem a, size_t offa,
                                         size_t lda, cl_mem b, size_t offb, size_t ldb, float beta,
                                         cl_mem c, size_t offc, size_t ldc, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_dsyrk(cl_command_queue queue, int layout, int uplo, int trans,
                                         size_t n, size_t k, double alpha, cl_mem a, size_t offa,
                                         size_t lda, double beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_ssyrk(cl_command_queue queue, int layout, int uplo, int trans,
                                         size_t n, size_t k, float alpha, cl_mem a, size_t offa,
                                         size_t lda, float beta, cl_mem c, size_t offc, size_t ldc,
                                         cl_uint n_wait, const cl_event *wait, cl_event *done);
EXBLAS_API exblas_status exblas_cl_dtrsm(cl_command_queue queue, int layout, int side, int uplo,
                                         int trans, int diag, size_t m, size_t n, double alpha,
                                         cl_mem a, size_t offa, size_t lda, cl_mem b, size_t offb,
                                         size_t ldb, cl_uint n_wait, const cl_event *wait,
                                         cl_event *done);
EXBLAS_API exblas_status exblas_cl_strsm(cl_command_queue queue, int layout, int side, int uplo,
                                         int trans, int diag, size_t m, size_t n, float alpha,
                                         cl_mem a, size_t offa, size_t lda, cl_mem b, size_t offb,
                                         size_t ldb, cl_uint n_wait, const cl_event *wait,
                                         cl_event *done);
EXBLAS_API exblas_status exblas_cl_dtrmm(cl_command_queue queue, int layout, int side, int uplo,
                                         int trans, int diag, size_t m, size_t n, double alpha,
                                         cl_mem a, size_t offa, size_t lda, cl_mem b, size_t offb,
                                         size_t ldb, cl_uint n_wait, const cl_event *wait,
                                         cl_event *done);
EXBLAS_API exblas_status exblas_cl_strmm(cl_command_queue queue, int layout, int side, int uplo,
                                         int trans, int diag, size_t m, size_t n, float alpha,
                                         cl_mem a, size_t offa, size_t lda, cl_mem b, size_t offb,
                                         size_t ldb, cl_uint n_wait, const cl_event *wait,
                                         cl_event *done);

/* The same on host memory, returning when the result is there. */
EXBLAS_API exblas_status exblas_cl_host_dgemv(cl_command_queue queue, int layout, int trans,
                                              size_t m, size_t n, double alpha, const double *a,
                                              size_t lda, const double *x, exblas_int64 incx,
                                              double beta, double *y, exblas_int64 incy);
EXBLAS_API exblas_status exblas_cl_host_sgemv(cl_command_queue queue, int layout, int trans,
                                              size_t m, size_t n, float alpha, const float *a,
                                              size_t lda, const float *x, exblas_int64 incx,
                                              float beta, float *y, exblas_int64 incy);
EXBLAS_API exblas_status exblas_cl_host_dtrsv(cl_command_queue queue, int layout, int uplo,
                                              int trans, int diag, size_t n, const double *a,
                                              size_t lda, double *x, exblas_int64 incx);
EXBLAS_API exblas_status exblas_cl_host_strsv(cl_command_queue queue, int layout, int uplo,
                                              int trans, int diag, size_t n, const float *a,
                                              size_t lda, float *x, exblas_int64 incx);
EXBLAS_API exblas_status exblas_cl_host_dgemm(cl_command_queue queue, int layout, int transa,
                                              int transb, size_t m, size_t n, size_t k,
                                              double alpha, const double *a, size_t lda,
                                              const double *b, size_t ldb, double beta, double *c,
                                              size_t ldc);
EXBLAS_API exblas_status exblas_cl_host_sgemm(cl_command_queue queue, int layout, int transa,
                                              int transb, size_t m, size_t n, size_t k, float alpha,
                                              const float *a, size_t lda, const float *b,
                                              size_t ldb, float beta, float *c, size_t ldc);

EXBLAS_END_C

#endif
