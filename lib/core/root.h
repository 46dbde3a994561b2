/* RN(sqrt(a)), a >= 0 known by an enclosure or exactly. */
#ifndef EXB_ROOT_H
#define EXB_ROOT_H

#include "core/enclosure.h"

/* Enclosure of sqrt(a), unknown unless 2^-900 <= h <= 2^1000 and e <= 2^-50 h
 * (h, l renormalised so that |l| <= u h, u = 2^-53).
 *
 * Let r = RN(sqrt(h)), rem = h - r^2 (exact), D = rem + l +- e, w = (rem + l) / 2r.
 *   sqrt(a) = r + D / 2r - D^2 / (2r (sqrt(a) + r)^2).
 * |rem| <= 2u h, so |D| <= (3u + 8u) h and the last term is at most
 * |D / 2r| * 11u h / 4h (1 + 2^-40) < 3u |D / 2r|; computing w by a sum, a
 * reciprocal and a product errs by less than 4u|w|. Together: |sqrt(a) - (r + w)| <=
 * (e / 2r)(1 + 3u) + 7u|w|. */
exb_enclosure exb_enclosure_root(exb_enclosure a);

/* RN(sqrt(a)) for a in a PRODUCT window whose exact value is not negative. a is
 * normalised, its value unchanged. Inf -> Inf, NaN -> NaN, 0 -> +0. */
double exb_root_d(exb_superacc *a);
float exb_root_s(exb_superacc *a);

#endif
