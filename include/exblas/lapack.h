/* Correctly rounded solutions of linear systems.
 *
 * RN is rounding to nearest, ties to even, into the element type. Every component of x is RN of
 * that component of the exact solution of the system that the given numbers stand for: not of a
 * system nearby, whatever the condition. So the bits do not depend on the processor, the number of
 * threads or the caller's rounding mode, FTZ and DAZ. A component that is exactly 0 is +0.
 *
 * Matrices are column-major as in LAPACK: element (i, j) of A is a[i + j lda]. There are nrhs
 * right-hand sides, the columns of B, and as many columns of X. a and b are not written; x may be
 * the same array as b if ldx = ldb, else it overlaps neither. Names ending in _64 take 64-bit
 * integers.
 *
 * All entries return
 *   EXBLAS_OK
 *   EXBLAS_ESINGULAR    the system has no unique solution: proved in exact arithmetic
 *   EXBLAS_EINVAL       an argument is illegal, Inf and NaN in a or b included; its number in the
 *                       call went to the handler of exblas_set_xerbla
 *   EXBLAS_ENOMEM       out of memory
 * and write x in the first case only.
 *
 * How. An approximate inverse R with a proof that |I - R A| < 1/2; solutions as sums of several
 * doubles with exact residuals; a bound on the error of each component, and more terms until it
 * decides the rounding. Ties, and matrices whose condition leaves no such R (beyond about 10^15),
 * are decided by p-adic lifting in integers.
 *
 * Cost. About 4 n^3 / 3 operations for R and its proof, beyond conditions of 10^9 about 6 n^3; then
 * for each right-hand side some 6 n^2 for each term. Exact arithmetic takes n^3 products modulo a
 * prime once and, for each right-hand side that needs it, about 8 n^3 operations: a second at n =
 * 300, six at n = 600. Memory: five to seven matrices of n^2 doubles.
 *
 * Sources: Oishi, Rump, Numer. Math. 90 (2002); Rump, Acta Numerica 19 (2010), section 10; Dixon,
 * "Exact solution of linear equations using p-adic expansions", Numer. Math. 40 (1982). */
#ifndef EXBLAS_LAPACK_H
#define EXBLAS_LAPACK_H

#include "exblas/types.h"

EXBLAS_BEGIN_C

/* How a solution was found. The members are facts about the way, which may differ between versions
 * and processors; x does not. */
typedef struct exblas_solution {
    double condition; /* about |A| |A^-1| in the largest row sum; Inf if beyond about 10^15 */
    int64_t n_terms;  /* most terms of which the sum was made for some right-hand side */
    int64_t n_more;   /* components that needed more than three terms */
    int64_t n_exact;  /* components that were decided in exact arithmetic */
} exblas_solution;

/* A X = B, A of n rows and columns. Argument numbers: n 1, nrhs 2, a 3, lda 4, b 5, ldb 6, x 7,
 * ldx 8. EINVAL: n or nrhs negative, lda, ldb or ldx below max(1, n). info may be NULL. n = 0 or
 * nrhs = 0: nothing to do. */
EXBLAS_API exblas_status exblas_dgesv(exblas_int n, exblas_int nrhs, const double *a,
                                      exblas_int lda, const double *b, exblas_int ldb, double *x,
                                      exblas_int ldx, exblas_solution *info);
EXBLAS_API exblas_status exblas_sgesv(exblas_int n, exblas_int nrhs, const float *a, exblas_int lda,
                                      const float *b, exblas_int ldb, float *x, exblas_int ldx,
                                      exblas_solution *info);
EXBLAS_API exblas_status exblas_dgesv_64(exblas_int64 n, exblas_int64 nrhs, const double *a,
                                         exblas_int64 lda, const double *b, exblas_int64 ldb,
                                         double *x, exblas_int64 ldx, exblas_solution *info);
EXBLAS_API exblas_status exblas_sgesv_64(exblas_int64 n, exblas_int64 nrhs, const float *a,
                                         exblas_int64 lda, const float *b, exblas_int64 ldb,
                                         float *x, exblas_int64 ldx, exblas_solution *info);

/* A X = B, A symmetric and positive definite, of which the triangle `uplo` is read: 121 the upper
 * one, 122 the lower one, as in CBLAS. EXBLAS_EINDEFINITE: A is not positive definite, proved in
 * exact arithmetic; that of a singular matrix, too. Argument numbers: uplo 1, n 2, nrhs 3, a 4, lda
 * 5, b 6, ldb 7, x 8, ldx 9; otherwise as gesv. The proof takes n^3 / 3 operations more, and for
 * matrices that are singular but for some 10^-13 / n, either way, n^4 / 2: seconds at n = 200. */
EXBLAS_API exblas_status exblas_dposv(int uplo, exblas_int n, exblas_int nrhs, const double *a,
                                      exblas_int lda, const double *b, exblas_int ldb, double *x,
                                      exblas_int ldx, exblas_solution *info);
EXBLAS_API exblas_status exblas_dposv_64(int uplo, exblas_int64 n, exblas_int64 nrhs,
                                         const double *a, exblas_int64 lda, const double *b,
                                         exblas_int64 ldb, double *x, exblas_int64 ldx,
                                         exblas_solution *info);
EXBLAS_API exblas_status exblas_sposv(int uplo, exblas_int n, exblas_int nrhs, const float *a,
                                      exblas_int lda, const float *b, exblas_int ldb, float *x,
                                      exblas_int ldx, exblas_solution *info);
EXBLAS_API exblas_status exblas_sposv_64(int uplo, exblas_int64 n, exblas_int64 nrhs,
                                         const float *a, exblas_int64 lda, const float *b,
                                         exblas_int64 ldb, float *x, exblas_int64 ldx,
                                         exblas_solution *info);

/* A of m rows and n columns, and of full rank. m >= n: x minimises |b - A x| for each column b of
 * B; m < n: of all solutions of A x = b, x has the least |x| (lengths in the sense of Euclid). B
 * has m rows, X n. EXBLAS_ESINGULAR: the rank is less than the lesser of m and n, proved. Argument
 * numbers: m 1, n 2, nrhs 3, a 4, lda 5, b 6, ldb 7, x 8, ldx 9; lda and ldb at least max(1, m),
 * ldx at least max(1, n). m = 0: x = 0. info->condition is that of the system of m + n unknowns
 * that is solved, and so is the cost. */
EXBLAS_API exblas_status exblas_dgels(exblas_int m, exblas_int n, exblas_int nrhs, const double *a,
                                      exblas_int lda, const double *b, exblas_int ldb, double *x,
                                      exblas_int ldx, exblas_solution *info);
EXBLAS_API exblas_status exblas_dgels_64(exblas_int64 m, exblas_int64 n, exblas_int64 nrhs,
                                         const double *a, exblas_int64 lda, const double *b,
                                         exblas_int64 ldb, double *x, exblas_int64 ldx,
                                         exblas_solution *info);
EXBLAS_API exblas_status exblas_sgels(exblas_int m, exblas_int n, exblas_int nrhs, const float *a,
                                      exblas_int lda, const float *b, exblas_int ldb, float *x,
                                      exblas_int ldx, exblas_solution *info);
EXBLAS_API exblas_status exblas_sgels_64(exblas_int64 m, exblas_int64 n, exblas_int64 nrhs,
                                         const float *a, exblas_int64 lda, const float *b,
                                         exblas_int64 ldb, float *x, exblas_int64 ldx,
                                         exblas_solution *info);

EXBLAS_END_C

#endif
