/* RN(v / d) and RN(sqrt(n / d)) in a format of at most 53 bits, decided exactly: every comparison
 * of the ratio with a number m is one of n with m d in big integers, of its root one of n with m^2
 * d. No overflow or underflow but at the rounding. Enclosures of quotients are in enclosure.h. */
#pragma once

#include "core/arith/bigint.h"
#include "core/arith/round.h"

/* RN(n / d), or of the root of |n| / d with the sign of n; d > 0, and 0 has no sign. Cost: some six
 * products of a big and a two-limb number. */
double exb_ratio_of_bigs(exb_format f, bool is_root, const exb_big *n, const exb_big *d);

/* RN(n / d) for n in any window and d >= 0 in a PRODUCT window, of sums of two products of
 * one double and, in n, a PRODUCT; both are normalised, their values unchanged. In the extended
 * reals: n / 0 is Inf with the sign of n, 0 / 0 and Inf / Inf are NaN, n / Inf = +0. */
double exb_ratio(exb_format f, exb_superacc *n, exb_superacc *d);

/* RN(v / d) for v in a PRODUCT window, which is normalised, its value unchanged.
 * In the extended reals: v / 0 is Inf with the sign of v times that of d, 0 / 0 and
 * Inf / Inf are NaN, an exact zero is +0. Cost: some passes over the words. */
double exb_quotient(exb_format f, exb_superacc *v, double d);
