/* Level 2 as its definitions read, on dense matrices and the oracle's exact sums: slow, and
 * nothing shared with the library. */
#pragma once

#include "level2_problem.h"

/* The new y of ..mv with beta, the new x of triangular routines, the new A of updates, of
 * which stored elements count. Inputs as they were on quick returns. */
void level2_model(const level2_problem *p, level2_number *result);
