/* The magnitude of a product of inverse factors, which is far below the product of magnitudes: in
 * plain arithmetic, for bounds. */
#ifndef EXB_INVERSE_MAGNITUDE_H
#define EXB_INVERSE_MAGNITUDE_H

#include "lapack/plain_factors.h"

/* y += about |sum| x for x >= 0, where the sum is that of the products of columns `first` and later
 * of X_L' with those rows of X_U', all of X_L' X_U' for 0: less by at most n^2 2^-1073 |x|_max, by
 * the relative roundings of sums of n terms, and by exb_inverse_magnitude_error times |X_L'| |X_U'|
 * x. n^3 / 3 multiply-adds or fewer. False without memory. */
bool exb_inverse_magnitude(const exb_plain_factors *f, int64_t first, const double *x, double *y);
double exb_inverse_magnitude_error(int64_t n);

#endif
