/* The exact sum of an oracle lies inside an enclosure: |exact - (h + l)| <= e + 2^-1020, or equal
 * if the enclosure says so. */
#ifndef ENCLOSING_H
#define ENCLOSING_H

#include "core/arith/enclosure.h"

#include "oracle.h"
#include "testing.h"

#include <math.h>

static inline void assert_encloses(const oracle *o, exb_enclosure v)
{
    mpfr_t d;
    if (!(fabs(v.h) <= 0x1p1023) || !(fabs(v.l) <= 0x1p1023) || !(v.e <= 0x1p1023))
        return;
    assert_false(o->has_nan || o->has_pos_inf || o->has_neg_inf);
    mpfr_init2(d, 8000);
    mpfr_sub_d(d, o->sum, v.h, MPFR_RNDN);
    mpfr_sub_d(d, d, v.l, MPFR_RNDN);
    mpfr_abs(d, d, MPFR_RNDN);
    assert_true(v.exact ? mpfr_zero_p(d) : mpfr_cmp_d(d, v.e + 0x1p-1020) <= 0);
    mpfr_clear(d);
}

#endif
