/* The exact sum of another library, where it is installed when the benchmarks are built. */
#pragma once

#include <stdbool.h>

extern const bool rivals_have_mpfr;

/* Keeps the n numbers x as MPFR's, then adds the first n of them with mpfr_sum. Not to be called
 * where there is no MPFR; without memory the sum is NaN. */
void rivals_mpfr_set(const void *unused, const int *n, const double *x);
double rivals_mpfr(const int *n);
void rivals_mpfr_free(void);
