/* RN(sqrt(a)), a >= 0 known exactly; enclosures of it are in enclosure.h. */
#pragma once

#include "core/arith/round.h"

/* RN(sqrt(a)) for a in a PRODUCT window whose exact value is not negative. a is
 * normalised, its value unchanged. Inf -> Inf, NaN -> NaN, 0 -> +0. */
uint64_t exb_root_in(exb_format f, uint64_t nan, exb_superacc *a);
double exb_root_d(exb_superacc *a);
float exb_root_s(exb_superacc *a);
