/* RN(v / d), v known by an enclosure or exactly. */
#ifndef EXB_QUOTIENT_H
#define EXB_QUOTIENT_H

#include "core/enclosure.h"

/* Enclosure of v / d. Unknown unless |h|, |d| and the quotient lie in
 * [2^-900, 2^1000].
 *
 * q = RN(h / d), r = h - q d exactly, and v / d = q + (r + l) / d +- e / |d|.
 * w = fl(fl(r + l) / d) errs by at most (2u + u^2)|w|(1 + 2u) < 4u|w|. Source: the
 * correcting step of division in the Handbook of Floating-Point Arithmetic, section 4.7. */
exb_enclosure exb_enclosure_divide(exb_enclosure v, double d);

/* RN(v / d) for v in a PRODUCT window, which is normalised, its value unchanged.
 * In the extended reals: v / 0 is Inf with the sign of v times that of d, 0 / 0 and
 * Inf / Inf are NaN, an exact zero is +0. Cost: some passes over the words. */
double exb_quotient_d(exb_superacc *v, double d);
float exb_quotient_s(exb_superacc *v, double d);

#endif
