/* The magnitude of a product of inverse factors, which is far below the product of magnitudes: in
 * plain arithmetic, for bounds. */
#ifndef EXB_INVERSE_MAGNITUDE_H
#define EXB_INVERSE_MAGNITUDE_H

#include "lapack/plain_factors.h"

/* y += about |sum| x for x >= 0, where the sum is that of the products of columns first ... end - 1
 * of X_L' with those rows of X_U': less by at most n^2 2^-1073 |x|_max, by the relative roundings
 * of sums of n terms, and by exb_inverse_magnitude_error times |X_L'| |X_U'| x. Returns the end:
 * the last of some for which no element of y exceeds the limit. Sums of all columns may be less
 * than those of some: `patient` goes on beyond the first end that is too large; else `magnitudes`,
 * |X_U'| x, may tell that it is likely to be. Returns `first`, with y as it was, if there is no
 * such end, and without memory. n^3 / 3 multiply-adds or fewer. */
int64_t exb_inverse_magnitude(const exb_plain_factors *f, int64_t first, const double *x,
                              const double *magnitudes, double limit, bool patient, double *y);
double exb_inverse_magnitude_error(int64_t n);

#endif
