/* RN(v / d), v known by an enclosure or exactly. */
#ifndef EXB_QUOTIENT_H
#define EXB_QUOTIENT_H

#include "core/arith/enclosure.h"
#include "core/arith/round.h"

/* Enclosure of v / d. Unknown unless |h|, |d| and the quotient lie in
 * [2^-900, 2^1000], or v is exactly 0.
 *
 * q = RN(h / d), r = h - q d exactly, and v / d = q + (r + l) / d +- e / |d|.
 * w = fl(fl(r + l) / d) errs by at most (2u + u^2)|w|(1 + 2u) < 4u|w| (proof/quotient.g). Source:
 * the correcting step of division in the Handbook of Floating-Point Arithmetic, section 4.7. */
exb_enclosure exb_enclosure_divide(exb_enclosure v, double d);

/* Enclosure of v / d for d = h' + l' +- e' with |l'|, e' <= 2^-40 |h'|; ranges as above. */
exb_enclosure exb_enclosure_ratio(exb_enclosure v, exb_enclosure d);

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

#endif
