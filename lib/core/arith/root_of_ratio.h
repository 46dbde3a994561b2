/* RN(sqrt(n / d)), the outputs of rotg, and RN(n / d), decided exactly: every comparison of the
 * root with a number m is one of n with m^2 d in big integers, of the ratio one of n with m d.
 * n >= 0, d > 0; no overflow or underflow but at the rounding. Cost: some six products of a big
 * and a two-limb number. */
#pragma once

#include "core/arith/bigint.h"

double exb_root_of_ratio_d(const exb_big *n, const exb_big *d);
float exb_root_of_ratio_s(const exb_big *n, const exb_big *d);
double exb_ratio_of_big_d(const exb_big *n, const exb_big *d);

/* The encoding of the root or the ratio in any format. */
uint64_t exb_ratio_of_bigs(exb_format f, bool is_root, const exb_big *n, const exb_big *d);
