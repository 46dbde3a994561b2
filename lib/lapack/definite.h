/* Is a symmetric matrix positive definite? Decided, never guessed:
 *
 *   - yes, if the Cholesky factorisation of A - c I runs to its end in plain arithmetic, c being a
 *     bound on what its rounding errors can do (Rump, "Verification of positive definiteness", BIT
 *     46 (2006), theorem 2.3);
 *   - what is left, by the signs of the determinants of the leading blocks from where that stopped:
 *     correctly rounded solutions have them (linear_problem.h). */
#pragma once

#include "exblas/types.h"

/* a: n rows of n finite doubles, symmetric. EXBLAS_OK, EXBLAS_EINDEFINITE or EXBLAS_ENOMEM. */
exblas_status exb_check_definite(int64_t n, const double *a);

/* The same by the blocks alone; that of order n_definite is known to be definite. */
exblas_status exb_check_blocks(int64_t n, const double *a, int64_t n_definite);
