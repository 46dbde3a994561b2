/* RN(v / d), v known exactly; enclosures of it are in enclosure.h. */
#pragma once

#include "core/arith/round.h"

/* RN(n / d) for n in any window and d >= 0 in a PRODUCT window, of sums of two products of
 * one double and, in n, a PRODUCT; both are normalised, their values unchanged. In the extended
 * reals: n / 0 is Inf with the sign of n, 0 / 0 and Inf / Inf are NaN, n / Inf = +0. */
double exb_ratio_d(exb_superacc *n, exb_superacc *d);
float exb_ratio_s(exb_superacc *n, exb_superacc *d);

/* RN(v / d) for v in a PRODUCT window, which is normalised, its value unchanged.
 * In the extended reals: v / 0 is Inf with the sign of v times that of d, 0 / 0 and
 * Inf / Inf are NaN, an exact zero is +0. Cost: some passes over the words. The first returns an
 * encoding without its sign, or nan. */
uint64_t exb_quotient_in(exb_format f, uint64_t nan, exb_superacc *v, double d, bool *negative);
double exb_quotient_d(exb_superacc *v, double d);
float exb_quotient_s(exb_superacc *v, double d);
