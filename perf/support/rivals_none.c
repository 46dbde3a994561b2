/* Without MPFR. */
#include "rivals.h"

#include <math.h>

const bool rivals_have_mpfr = false;

void rivals_mpfr_set(int64_t n, const double *x)
{
    (void)n;
    (void)x;
}

double rivals_mpfr(int64_t n)
{
    (void)n;
    return NAN;
}

void rivals_mpfr_free(void) {}
