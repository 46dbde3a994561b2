/* The signs of the leading minors of a matrix, in exact arithmetic: modulo so many primes that
 * their product exceeds four times Hadamard's bound, in mixed radix, whose highest digit is below
 * half its prime exactly for numbers that are not negative.
 *
 * Elimination without exchanges stops where a minor is 0 modulo the prime. Such a prime does not
 * count; a minor that is 0 for that many primes is 0.
 *
 * Cost: about 1.2 n primes for doubles of like size, n^3 / 3 products for each.
 *
 * Source: Knuth, The Art of Computer Programming, volume 2, section 4.3.2. */
#ifndef EXB_MINORS_H
#define EXB_MINORS_H

#include "exblas/types.h"
#include "lapack/integer_bounds.h"

/* EXBLAS_OK if all leading minors are positive, EXBLAS_EINDEFINITE if one is not, EXBLAS_ENOMEM. a:
 * n rows of n finite doubles. */
exblas_status exb_check_minors(int64_t n, const double *a, const exb_integer_bounds *bounds);

#endif
