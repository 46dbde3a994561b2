/* The exact sum of another library, where it is installed when the benchmarks are built. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

extern const bool rivals_have_mpfr;

/* Keeps x as MPFR's numbers, then adds the first n of them with mpfr_sum. Not to be called where
 * there is no MPFR; without memory the sum is NaN. */
void rivals_mpfr_set(int64_t n, const double *x);
double rivals_mpfr(int64_t n);
void rivals_mpfr_free(void);
