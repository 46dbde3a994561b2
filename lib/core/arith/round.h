/* From exact to floating point: the only way. Round to nearest, ties to even,
 * once, also into the subnormal range; an exact zero is +0; a non-zero value
 * that rounds to zero keeps its sign; NaN is the canonical quiet NaN. */
#pragma once

#include "core/arith/encode.h"
#include "core/arith/superacc.h"

/* The leading bits of a, which is normalised. False if a is zero. Flags of Inf and NaN are not
 * looked at. */
bool exb_superacc_leading(exb_superacc *a, exb_leading *out);

/* The number with this sign of whose magnitude b is the encoding in a format: a double, exactly.
 * NaN for EXB_CANONICAL_NAN, which is no encoding of a magnitude. */
double exb_number_in(exb_format f, uint64_t b, bool negative);

/* RN(a) in a format of at most 53 bits. a is normalised, its value unchanged. */
double exb_superacc_round(exb_format f, exb_superacc *a);

/* RN(sqrt(a)) for an a whose exact value is not negative; enclosures of it are in
 * enclosure.h. a is normalised, its value unchanged. Inf -> Inf, NaN -> NaN, 0 -> +0. */
double exb_superacc_root(exb_format f, exb_superacc *a);
