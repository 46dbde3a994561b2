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

EXBLAS_END_C

#endif
