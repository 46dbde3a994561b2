/* An exact number lies inside an enclosure: |exact - (h + l)| <= e + 2^-1020, the slack of the
 * rounding test, or equal if the enclosure says so. */
#pragma once

#include "core/arith/enclosure.h"

#include "oracle.h"
#include "testing.h"

#define assert_inside(value, v) assert_inside_at((value), (v), #v)

static inline void assert_inside_at(const mpfr_t value, exb_enclosure v, const char *what)
{
    MPFR(d, 12000);
    mpfr_sub_d(d, value, v.h, MPFR_RNDN);
    mpfr_sub_d(d, d, v.l, MPFR_RNDN);
    mpfr_abs(d, d, MPFR_RNDN);
    if (v.exact ? !mpfr_zero_p(d) : mpfr_cmp_d(d, v.e + 0x1p-1020) > 0)
        fail_msg("%s: off by %g, not %g", what, mpfr_get_d(d, MPFR_RNDU), v.e);
}

/* The same of the oracle's sum, if the enclosure is finite. */
#define assert_encloses(o, v) assert_encloses_at((o), (v), #v)

static inline void assert_encloses_at(const oracle *o, exb_enclosure v, const char *what)
{
    if (!exb_enclosure_is_finite(v))
        return;
    assert_false(o->has_nan || o->has_pos_inf || o->has_neg_inf);
    assert_inside_at(o->sum, v, what);
}
