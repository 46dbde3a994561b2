/* RN(n / d) and RN(sqrt(n / d)) in a format of at most 53 bits, by one division of integers. No
 * overflow or underflow but at the rounding. Enclosures of quotients are in enclosure.h. */
#pragma once

#include "core/arith/bigint.h"
#include "core/arith/natural.h"
#include "core/arith/round.h"

enum { EXB_RATIO_LIMBS = 5 /* beside those of the longer number */ };

/* The ratio n / d 2^exp2 or its root, d > 0. Both change, and have room for that many limbs more
 * than the longer one has.
 *
 * The quotient of n / d times a power of two has 128 or 129 bits, of which the upper 64 are the
 * result's, or the root of the upper 127 or 128 (encode.h); the others, and what the division
 * leaves, only count as 0 or not. */
double exb_ratio_of_naturals(exb_format f, bool is_root, exb_natural *n, exb_natural *d,
                             int64_t exp2);

/* The same of n / |d|, or the root of |n / d| with n's sign. */
double exb_ratio_of_bigs(exb_format f, bool is_root, const exb_big *n, const exb_big *d);

/* RN(n / d) for n in any window and d >= 0 in a PRODUCT window, of sums of two products of
 * one double and, in n, a PRODUCT; both are normalised, their values unchanged. In the extended
 * reals: n / 0 is Inf with the sign of n, 0 / 0 and Inf / Inf are NaN, n / Inf = +0. */
double exb_ratio(exb_format f, exb_superacc *n, exb_superacc *d);

/* RN(v / d) for v in a PRODUCT window, which is normalised, its value unchanged.
 * In the extended reals: v / 0 is Inf with the sign of v times that of d, 0 / 0 and
 * Inf / Inf are NaN, an exact zero is +0. Cost: some passes over the words. */
double exb_quotient(exb_format f, exb_superacc *v, double d);
