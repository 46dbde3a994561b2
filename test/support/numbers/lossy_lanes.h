/* Terms that fill the bounds of sums in lanes as far as they can be filled. */
#pragma once

#include <stdint.h>

enum { LOSSY_MOST_LANES = 64 };

/* For anchored sums (core/arith/anchor.h): n terms for n_lanes lanes, term i in lane i % n_lanes:
 * first a 1, then numbers just below half_unit, half of the anchor's unit U, so that nothing but c
 * takes them up. Each of them is as far below as makes the addition to c lose half of c's last
 * place w, always in one direction:
 *
 *   half_unit - w / 2 - 2^-53 half_unit   (a last place of its own, so that it is no tie).
 *
 * The i-th addition loses u 2^floor(log2 i) U / 2, u = 2^-53, and N of them, N a power of two,
 * u U N^2 / 6 where the bound grants u U (N^2 + 3 N) / 4. Returns the sum of the lanes' c as
 * kernels add them up, by halving. */
double lossy_lanes(int n_lanes, double half_unit, int64_t n, double *term);

/* For compensated sums (core/arith/compensated.h): each of n_lanes lanes gets 1, 2^-54, 2^-54 +
 * above 2^-105, and then N - 3 times -2^-106 (1 - 2^-10), which its c, above 2^-53, does not take
 * up: it is off by (N - 3) 2^-106 (1 - 2^-10) where the bound is (N + 2) 2^-106. The computed sum
 * of a lane lies `above` 2^-105 above 1 + 2^-53, a midpoint, as do n_lanes of them if n_lanes is a
 * power of two; the exact one lies below it if 2 above < (N - 3)(1 - 2^-10), and an interval of
 * half the bound does not reach there if 2 above > (N + 2) / 2. */
void lossy_compensated(int n_lanes, int above, int64_t n, double *term);
