/* From exact to floating point: the only way. Round to nearest, ties to even,
 * once, also into the subnormal range; an exact zero is +0; a non-zero value
 * that rounds to zero keeps its sign; NaN is the canonical quiet NaN. */
#pragma once

#include "core/arith/encode.h"
#include "core/arith/superacc.h"

/* The leading bits of a, which is normalised. False if a is zero. Flags of Inf and NaN are not
 * looked at. */
bool exb_superacc_leading(exb_superacc *a, exb_leading *out);

/* RN(a). a is normalised, its value unchanged. The first returns the encoding of the magnitude in a
 * format, or nan. */
uint64_t exb_superacc_round_in(exb_format f, uint64_t nan, exb_superacc *a, bool *negative);
double exb_superacc_round_d(exb_superacc *a);
float exb_superacc_round_s(exb_superacc *a);

/* Sign of x - (n + half / 2) * 2^exp2 for a positive x, n < 2^54, half 0 or 1. */
typedef int exb_comparison(void *x, uint64_t n, int half, int exp2);

/* Encoding of RN(x) for a positive x that is known by exact comparisons (quotients,
 * roots). exponent = floor(log2 x); leading is x / 2^exponent with a relative error below
 * 2^-50, or anything if the exponent is out of the format's range. */
uint64_t exb_round_compared(exb_format f, exb_comparison *compare, void *x, int exponent,
                            double leading);
