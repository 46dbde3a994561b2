/* Plain sums in doubles of numbers that are doubles themselves, and far from its ends: floats and
 * products of floats.
 *
 * A sum s_j = RN(s_(j-1) + p_j) is wrong by at most u |s_j|, u = 2^-53 (a rounded number is at
 * least as large as the unit below it), and n of them by at most n u max |s_j|. Nothing underflows
 * or overflows: terms are 0 or lie between 2^-298 and 2^256. If max |s_j| = 0, every term was 0.
 *
 * Sums of lanes are added up in a tree: whatever its form, each of its levels adds numbers whose
 * magnitudes together are at most `most`, the sum of the lanes' largest, and loses at most u most
 * of them, (1 + u) most a level further. */
#pragma once

#include "core/arith/enclosure.h"

/* n terms added up plainly to s, by way of sums of magnitude `most` at most, in lanes whose `most`
 * are added up: n additions that lose at most u most each, and up to 3 for the lanes; what the
 * computed `most` lost itself is below 2^-50 of it. */
EXB_INLINE exb_enclosure exb_plain_enclosure(double s, double most, exb_i64 n)
{
    double e = (double)(n + 3) * (0x1p-53 * most);
    return (exb_enclosure){s, 0, exb_bound_up(e), most == 0};
}

/* So wide, or so unknown, that rounding to float would often not be certified. */
EXB_INLINE bool exb_plain_is_coarse(exb_enclosure v)
{
    return !v.exact && !(v.e <= 0x1p-34 * exb_fabs(v.h));
}
