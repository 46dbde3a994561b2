/* Without MPFR. */
#include "rivals.h"

#include <math.h>

const bool rivals_have_mpfr = false;

void rivals_mpfr_set(const void *unused, const int *n, const double *x)
{
    (void)unused, (void)n, (void)x;
}

double rivals_mpfr(const int *n)
{
    (void)n;
    return NAN;
}

void rivals_mpfr_free(void) {}
