/* Terms that fill the bound of anchored sums (core/anchor.h) as far as it can be filled. */
#ifndef LOSSY_LANES_H
#define LOSSY_LANES_H

#include <stdint.h>

enum { LOSSY_MOST_LANES = 64 };

/* n terms for n_lanes lanes, term i in lane i % n_lanes: first a 1, then numbers just below
 * half_unit, half of the anchor's unit U, so that nothing but c takes them up. Each of them is as
 * far below as makes the addition to c lose half of c's last place w, always in one direction:
 *
 *   half_unit - w / 2 - 2^-53 half_unit   (a last place of its own, so that it is no tie).
 *
 * The i-th addition loses u 2^floor(log2 i) U / 2, u = 2^-53, and N of them, N a power of two,
 * u U N^2 / 6 where the bound grants u U (N^2 + 3 N) / 4. Returns the sum of the lanes' c as
 * kernels add them up, by halving. */
double lossy_lanes(int n_lanes, double half_unit, int64_t n, double *term);

#endif
