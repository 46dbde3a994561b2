/* Is a symmetric matrix positive definite? Decided, never guessed:
 *
 *   - yes, if the Cholesky factorisation of A - c I runs to its end in plain arithmetic, c being a
 *     bound on what its rounding errors can do (Rump, "Verification of positive definiteness", BIT
 *     46 (2006), theorem 2.3);
 *   - no, if v' A v < 0 for the vector v that a factorisation which stops shows;
 *   - what is left, close to singular, by the determinants of the leading blocks from where that
 *     stopped, in exact arithmetic (exact_solve.h). */
#ifndef EXB_DEFINITE_H
#define EXB_DEFINITE_H

#include "exblas/types.h"

/* a: n rows of n finite doubles, symmetric. EXBLAS_OK, EXBLAS_EINDEFINITE or EXBLAS_ENOMEM. */
exblas_status exb_check_definite(int64_t n, const double *a);

/* The same in exact arithmetic alone; the leading block of order n_definite is known to be so. */
exblas_status exb_check_blocks(int64_t n, const double *a, int64_t n_definite);

#endif
