/* Formats of a few bits by MPFR's emulation. */
#pragma once

#include <mpfr.h>

/* x, of the format's precision and rounded once with this ternary value, as a number of the format,
 * subnormal ones included. Exponents are MPFR's, of significands in [1/2, 1): that of the least
 * number and that of the largest. */
static inline double mpfr_in_range(mpfr_t x, int ternary, int least, int largest, mpfr_rnd_t mode)
{
    mpfr_exp_t old_least = mpfr_get_emin(), old_largest = mpfr_get_emax();
    mpfr_set_emin(least);
    mpfr_set_emax(largest);
    ternary = mpfr_check_range(x, ternary, mode);
    mpfr_subnormalize(x, ternary, mode);
    double result = mpfr_get_d(x, MPFR_RNDN);
    mpfr_set_emin(old_least);
    mpfr_set_emax(old_largest);
    return result;
}
