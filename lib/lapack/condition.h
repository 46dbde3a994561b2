/* The condition |A| |A^-1| in the largest row sum, from an approximate inverse: an estimate that is
 * seldom more than three times too small.
 *
 * Source: Hager, "Condition estimates", SIAM J. Sci. Stat. Comput. 5 (1984). */
#pragma once

#include "lapack/inverse_bound.h"
#include "lapack/scaled_system.h"

/* Of the matrix that the system is scaled from; Inf without memory. */
double exb_condition(const exb_scaled_system *s, const exb_inverse_bound *v);
