/* Exact sums over the processes of an MPI communicator.
 *
 * The bits of a result are those of the serial routine on all the data, for any number of
 * processes, any distribution (also uneven or empty shares) and any order in which the MPI
 * library combines messages. Every process gets the same bits.
 *
 * Functions that return int return an MPI error code, after calling the communicator's error
 * handler as MPI itself would; functions that return a number return NaN then (with the
 * default handler an error ends the program before). They are collective: every process of the
 * communicator calls them, with its own share and otherwise equal arguments. Between MPI_Init
 * and MPI_Finalize, from threads as MPI's thread level allows. Every name that takes exblas_int
 * has a twin ending in _64.
 *
 * Link with pkg-config exblas-mpi. The library serves the MPI that it was built for.
 *
 * Source: accumulators as MPI's numbers: Collange, Defour, Graillat, Iakymchuk, "Numerical
 * reproducibility for the parallel reduction on multi- and many-core architectures", Parallel
 * Computing 49 (2015). */
#ifndef EXBLAS_MPI_H
#define EXBLAS_MPI_H

#include "exblas/accumulator.h"

#include <mpi.h>

EXBLAS_BEGIN_C

/* The datatype of one exblas_acc and the operation that adds accumulators (commutative), for
 * use in MPI's own functions: MPI_Reduce(a, b, n, type, op, ...). Made on the first call; they
 * belong to the library, which frees them in MPI_Finalize. */
EXBLAS_API int exblas_mpi_datatype(MPI_Datatype *type);
EXBLAS_API int exblas_mpi_sum_op(MPI_Op *op);

/* out[i] = the sum of in[i] over all processes, i < count, on the root or everywhere. `in` may be
 * MPI_IN_PLACE where MPI allows it; otherwise in and out must not overlap. Two ways to the
 * same sums: reduce and allreduce add whole accumulators with the operation above; the _words
 * forms add their words with MPI_SUM on 64-bit integers, which some networks do by
 * themselves, in messages of bounded size. */
EXBLAS_API int exblas_mpi_reduce(const exblas_acc *in, exblas_acc *out, int count, int root,
                                 MPI_Comm comm);
EXBLAS_API int exblas_mpi_allreduce(const exblas_acc *in, exblas_acc *out, int count,
                                    MPI_Comm comm);
EXBLAS_API int exblas_mpi_reduce_words(const exblas_acc *in, exblas_acc *out, int count, int root,
                                       MPI_Comm comm);
EXBLAS_API int exblas_mpi_allreduce_words(const exblas_acc *in, exblas_acc *out, int count,
                                          MPI_Comm comm);

/* The serial excblas_?sum, asum, nrm2, dot of a vector whose elements lie on all processes,
 * n of them here (n <= 0: none). Increments as in BLAS. In dot, element i of x belongs to element i
 * of y. */
EXBLAS_API double exblas_mpi_dsum(exblas_int n, const double *x, exblas_int incx, MPI_Comm comm);
EXBLAS_API double exblas_mpi_dasum(exblas_int n, const double *x, exblas_int incx, MPI_Comm comm);
EXBLAS_API double exblas_mpi_dnrm2(exblas_int n, const double *x, exblas_int incx, MPI_Comm comm);
EXBLAS_API double exblas_mpi_ddot(exblas_int n, const double *x, exblas_int incx, const double *y,
                                  exblas_int incy, MPI_Comm comm);
EXBLAS_API float exblas_mpi_ssum(exblas_int n, const float *x, exblas_int incx, MPI_Comm comm);
EXBLAS_API float exblas_mpi_sasum(exblas_int n, const float *x, exblas_int incx, MPI_Comm comm);
EXBLAS_API float exblas_mpi_snrm2(exblas_int n, const float *x, exblas_int incx, MPI_Comm comm);
EXBLAS_API float exblas_mpi_sdot(exblas_int n, const float *x, exblas_int incx, const float *y,
                                 exblas_int incy, MPI_Comm comm);
EXBLAS_API double exblas_mpi_dsum_64(exblas_int64 n, const double *x, exblas_int64 incx,
                                     MPI_Comm comm);
EXBLAS_API double exblas_mpi_dasum_64(exblas_int64 n, const double *x, exblas_int64 incx,
                                      MPI_Comm comm);
EXBLAS_API double exblas_mpi_dnrm2_64(exblas_int64 n, const double *x, exblas_int64 incx,
                                      MPI_Comm comm);
EXBLAS_API double exblas_mpi_ddot_64(exblas_int64 n, const double *x, exblas_int64 incx,
                                     const double *y, exblas_int64 incy, MPI_Comm comm);
EXBLAS_API float exblas_mpi_ssum_64(exblas_int64 n, const float *x, exblas_int64 incx,
                                    MPI_Comm comm);
EXBLAS_API float exblas_mpi_sasum_64(exblas_int64 n, const float *x, exblas_int64 incx,
                                     MPI_Comm comm);
EXBLAS_API float exblas_mpi_snrm2_64(exblas_int64 n, const float *x, exblas_int64 incx,
                                     MPI_Comm comm);
EXBLAS_API float exblas_mpi_sdot_64(exblas_int64 n, const float *x, exblas_int64 incx,
                                    const float *y, exblas_int64 incy, MPI_Comm comm);

/* The same of complex vectors, pairs re, im. A result that is complex is written to result[0] and
 * result[1], also NaN, and the error code is returned. dotc takes the conjugates of x. */
EXBLAS_API int exblas_mpi_zsum(exblas_int n, const void *x, exblas_int incx, void *result,
                               MPI_Comm comm);
EXBLAS_API double exblas_mpi_dzasum(exblas_int n, const void *x, exblas_int incx, MPI_Comm comm);
EXBLAS_API double exblas_mpi_dznrm2(exblas_int n, const void *x, exblas_int incx, MPI_Comm comm);
EXBLAS_API int exblas_mpi_zdotu(exblas_int n, const void *x, exblas_int incx, const void *y,
                                exblas_int incy, void *result, MPI_Comm comm);
EXBLAS_API int exblas_mpi_zdotc(exblas_int n, const void *x, exblas_int incx, const void *y,
                                exblas_int incy, void *result, MPI_Comm comm);
EXBLAS_API int exblas_mpi_csum(exblas_int n, const void *x, exblas_int incx, void *result,
                               MPI_Comm comm);
EXBLAS_API float exblas_mpi_scasum(exblas_int n, const void *x, exblas_int incx, MPI_Comm comm);
EXBLAS_API float exblas_mpi_scnrm2(exblas_int n, const void *x, exblas_int incx, MPI_Comm comm);
EXBLAS_API int exblas_mpi_cdotu(exblas_int n, const void *x, exblas_int incx, const void *y,
                                exblas_int incy, void *result, MPI_Comm comm);
EXBLAS_API int exblas_mpi_cdotc(exblas_int n, const void *x, exblas_int incx, const void *y,
                                exblas_int incy, void *result, MPI_Comm comm);
EXBLAS_API int exblas_mpi_zsum_64(exblas_int64 n, const void *x, exblas_int64 incx, void *result,
                                  MPI_Comm comm);
EXBLAS_API double exblas_mpi_dzasum_64(exblas_int64 n, const void *x, exblas_int64 incx,
                                       MPI_Comm comm);
EXBLAS_API double exblas_mpi_dznrm2_64(exblas_int64 n, const void *x, exblas_int64 incx,
                                       MPI_Comm comm);
EXBLAS_API int exblas_mpi_zdotu_64(exblas_int64 n, const void *x, exblas_int64 incx, const void *y,
                                   exblas_int64 incy, void *result, MPI_Comm comm);
EXBLAS_API int exblas_mpi_zdotc_64(exblas_int64 n, const void *x, exblas_int64 incx, const void *y,
                                   exblas_int64 incy, void *result, MPI_Comm comm);
EXBLAS_API int exblas_mpi_csum_64(exblas_int64 n, const void *x, exblas_int64 incx, void *result,
                                  MPI_Comm comm);
EXBLAS_API float exblas_mpi_scasum_64(exblas_int64 n, const void *x, exblas_int64 incx,
                                      MPI_Comm comm);
EXBLAS_API float exblas_mpi_scnrm2_64(exblas_int64 n, const void *x, exblas_int64 incx,
                                      MPI_Comm comm);
EXBLAS_API int exblas_mpi_cdotu_64(exblas_int64 n, const void *x, exblas_int64 incx, const void *y,
                                   exblas_int64 incy, void *result, MPI_Comm comm);
EXBLAS_API int exblas_mpi_cdotc_64(exblas_int64 n, const void *x, exblas_int64 incx, const void *y,
                                   exblas_int64 incy, void *result, MPI_Comm comm);

/* y = RN(alpha op(A) x + beta y), each element one rounding; trans is EXBLAS_NO_TRANS,
 * EXBLAS_TRANS or EXBLAS_CONJ_TRANS. A is distributed in blocks of rows or of columns, in the
 * order of ranks; each process passes its own block, column-major, m x n, leading dimension lda
 * >= max(1, m), m or n may be 0. With G the sum of the blocks' sizes along the split axis:
 *
 *   split              trans     x here           y
 *   EXBLAS_SPLIT_ROWS  no        whole, n         whole, G elements
 *   EXBLAS_SPLIT_ROWS  yes       this block's m   whole, n
 *   EXBLAS_SPLIT_COLS  no        this block's n   whole, m
 *   EXBLAS_SPLIT_COLS  yes       whole, m         whole, G elements
 *
 * y is the same on every process on entry, and on return. As in BLAS, nothing is done if A has
 * no rows or no columns, or alpha = 0 and beta = 1; alpha = 0: A and x are not read; beta = 0: y
 * is not read. Arguments illegal on any process, or blocks that do not fit together:
 * MPI_ERR_ARG on every process, and nothing is written. Needs no memory beyond the stack. */
enum { EXBLAS_SPLIT_ROWS = 1, EXBLAS_SPLIT_COLS = 2 };
EXBLAS_API int exblas_mpi_dgemv(int split, int trans, exblas_int m, exblas_int n, double alpha,
                                const double *a, exblas_int lda, const double *x, exblas_int incx,
                                double beta, double *y, exblas_int incy, MPI_Comm comm);
EXBLAS_API int exblas_mpi_sgemv(int split, int trans, exblas_int m, exblas_int n, float alpha,
                                const float *a, exblas_int lda, const float *x, exblas_int incx,
                                float beta, float *y, exblas_int incy, MPI_Comm comm);
EXBLAS_API int exblas_mpi_dgemv_64(int split, int trans, exblas_int64 m, exblas_int64 n,
                                   double alpha, const double *a, exblas_int64 lda, const double *x,
                                   exblas_int64 incx, double beta, double *y, exblas_int64 incy,
                                   MPI_Comm comm);
EXBLAS_API int exblas_mpi_sgemv_64(int split, int trans, exblas_int64 m, exblas_int64 n,
                                   float alpha, const float *a, exblas_int64 lda, const float *x,
                                   exblas_int64 incx, float beta, float *y, exblas_int64 incy,
                                   MPI_Comm comm);
EXBLAS_API int exblas_mpi_zgemv(int split, int trans, exblas_int m, exblas_int n, const void *alpha,
                                const void *a, exblas_int lda, const void *x, exblas_int incx,
                                const void *beta, void *y, exblas_int incy, MPI_Comm comm);
EXBLAS_API int exblas_mpi_cgemv(int split, int trans, exblas_int m, exblas_int n, const void *alpha,
                                const void *a, exblas_int lda, const void *x, exblas_int incx,
                                const void *beta, void *y, exblas_int incy, MPI_Comm comm);
EXBLAS_API int exblas_mpi_zgemv_64(int split, int trans, exblas_int64 m, exblas_int64 n,
                                   const void *alpha, const void *a, exblas_int64 lda,
                                   const void *x, exblas_int64 incx, const void *beta, void *y,
                                   exblas_int64 incy, MPI_Comm comm);
EXBLAS_API int exblas_mpi_cgemv_64(int split, int trans, exblas_int64 m, exblas_int64 n,
                                   const void *alpha, const void *a, exblas_int64 lda,
                                   const void *x, exblas_int64 incx, const void *beta, void *y,
                                   exblas_int64 incy, MPI_Comm comm);

/* C = RN(alpha op(A) op(B) + beta C), each element one rounding. Each matrix is distributed in
 * blocks of rows, in the order of ranks; each process passes its own block, column-major. The three
 * axes of the product have a share on each process, m, n and k of them here (also none), M, N and K
 * in all:
 *
 *   C                   m rows here, N columns
 *   A, transa no        m rows here, K columns      transposed: k rows here, M columns
 *   B, transb no        k rows here, N columns      transposed: n rows here, K columns
 *
 * Leading dimensions are at least max(1, rows here). Where nothing is transposed the n need not say
 * how anything is distributed; their sum alone counts. alpha = 0: A and B are not read; beta = 0: C
 * is not read. Needs memory for some columns of op(B) and, if A is transposed, for the rows of
 * op(A) that belong to this process's rows of C. Errors as in gemv; also MPI_ERR_NO_MEM. */
EXBLAS_API int exblas_mpi_dgemm(int transa, int transb, exblas_int m, exblas_int n, exblas_int k,
                                double alpha, const double *a, exblas_int lda, const double *b,
                                exblas_int ldb, double beta, double *c, exblas_int ldc,
                                MPI_Comm comm);
EXBLAS_API int exblas_mpi_sgemm(int transa, int transb, exblas_int m, exblas_int n, exblas_int k,
                                float alpha, const float *a, exblas_int lda, const float *b,
                                exblas_int ldb, float beta, float *c, exblas_int ldc,
                                MPI_Comm comm);
EXBLAS_API int exblas_mpi_zgemm(int transa, int transb, exblas_int m, exblas_int n, exblas_int k,
                                const void *alpha, const void *a, exblas_int lda, const void *b,
                                exblas_int ldb, const void *beta, void *c, exblas_int ldc,
                                MPI_Comm comm);
EXBLAS_API int exblas_mpi_cgemm(int transa, int transb, exblas_int m, exblas_int n, exblas_int k,
                                const void *alpha, const void *a, exblas_int lda, const void *b,
                                exblas_int ldb, const void *beta, void *c, exblas_int ldc,
                                MPI_Comm comm);
EXBLAS_API int exblas_mpi_dgemm_64(int transa, int transb, exblas_int64 m, exblas_int64 n,
                                   exblas_int64 k, double alpha, const double *a, exblas_int64 lda,
                                   const double *b, exblas_int64 ldb, double beta, double *c,
                                   exblas_int64 ldc, MPI_Comm comm);
EXBLAS_API int exblas_mpi_sgemm_64(int transa, int transb, exblas_int64 m, exblas_int64 n,
                                   exblas_int64 k, float alpha, const float *a, exblas_int64 lda,
                                   const float *b, exblas_int64 ldb, float beta, float *c,
                                   exblas_int64 ldc, MPI_Comm comm);
EXBLAS_API int exblas_mpi_zgemm_64(int transa, int transb, exblas_int64 m, exblas_int64 n,
                                   exblas_int64 k, const void *alpha, const void *a,
                                   exblas_int64 lda, const void *b, exblas_int64 ldb,
                                   const void *beta, void *c, exblas_int64 ldc, MPI_Comm comm);
EXBLAS_API int exblas_mpi_cgemm_64(int transa, int transb, exblas_int64 m, exblas_int64 n,
                                   exblas_int64 k, const void *alpha, const void *a,
                                   exblas_int64 lda, const void *b, exblas_int64 ldb,
                                   const void *beta, void *c, exblas_int64 ldc, MPI_Comm comm);

/* x = op(A)^-1 x by substitution, each unknown RN of its expression in the others, rounded. The
 * triangle A of order n is distributed in blocks of rows as above, m of them here; the other
 * triangle is not read. x is whole and the same on every process, on entry and on return. One
 * process computes at a time. Errors as in gemv; also MPI_ERR_NO_MEM. */
EXBLAS_API int exblas_mpi_dtrsv(int uplo, int trans, int diag, exblas_int m, exblas_int n,
                                const double *a, exblas_int lda, double *x, exblas_int incx,
                                MPI_Comm comm);
EXBLAS_API int exblas_mpi_strsv(int uplo, int trans, int diag, exblas_int m, exblas_int n,
                                const float *a, exblas_int lda, float *x, exblas_int incx,
                                MPI_Comm comm);
EXBLAS_API int exblas_mpi_ztrsv(int uplo, int trans, int diag, exblas_int m, exblas_int n,
                                const void *a, exblas_int lda, void *x, exblas_int incx,
                                MPI_Comm comm);
EXBLAS_API int exblas_mpi_ctrsv(int uplo, int trans, int diag, exblas_int m, exblas_int n,
                                const void *a, exblas_int lda, void *x, exblas_int incx,
                                MPI_Comm comm);
EXBLAS_API int exblas_mpi_dtrsv_64(int uplo, int trans, int diag, exblas_int64 m, exblas_int64 n,
                                   const double *a, exblas_int64 lda, double *x, exblas_int64 incx,
                                   MPI_Comm comm);
EXBLAS_API int exblas_mpi_strsv_64(int uplo, int trans, int diag, exblas_int64 m, exblas_int64 n,
                                   const float *a, exblas_int64 lda, float *x, exblas_int64 incx,
                                   MPI_Comm comm);
EXBLAS_API int exblas_mpi_ztrsv_64(int uplo, int trans, int diag, exblas_int64 m, exblas_int64 n,
                                   const void *a, exblas_int64 lda, void *x, exblas_int64 incx,
                                   MPI_Comm comm);
EXBLAS_API int exblas_mpi_ctrsv_64(int uplo, int trans, int diag, exblas_int64 m, exblas_int64 n,
                                   const void *a, exblas_int64 lda, void *x, exblas_int64 incx,
                                   MPI_Comm comm);

EXBLAS_END_C

#endif
