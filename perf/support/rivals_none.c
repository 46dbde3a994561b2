/* Without MPFR or without TBB. */
#include "rivals.h"

#include <math.h>

#ifdef EXB_NO_MPFR
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
#endif

#ifdef EXB_NO_TBB
const bool rivals_have_tbb = false;

double rivals_tbb(int64_t n, const double *x)
{
    (void)n;
    (void)x;
    return NAN;
}
#endif
