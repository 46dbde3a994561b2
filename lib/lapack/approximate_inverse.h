/* The inverse of a matrix in plain arithmetic: Gaussian elimination with partial pivoting, in
 * blocks of columns, and two triangular solves. Nothing is claimed about its errors; whoever uses
 * it proves what he needs (inverse_bound.h).
 *
 * Source: Golub, Van Loan, Matrix Computations, 4th edition, sections 3.2 and 3.4. */
#ifndef EXB_APPROXIMATE_INVERSE_H
#define EXB_APPROXIMATE_INVERSE_H

#include "core/arith/compiler.h"

/* r = about 1 / a, both n rows of n. `work` has n n elements. False without memory, or if a pivot
 * is 0 or not finite. */
bool exb_approximate_inverse(int64_t n, const double *a, double *r, double *work);

#endif
