/* Runs problems of Level 2 in memory that shows every access it should not make. */
#ifndef LEVEL2_RUN_H
#define LEVEL2_RUN_H

#include "blas_run.h"
#include "level2_problem.h"

/* Lays the operands out with gaps; gaps, elements of A that are not stored, unit diagonals,
 * imaginary parts of Hermitian ones and operands that BLAS does not read are NaN. Calls the
 * routine and stores what comes out as level2_model does; on quick returns nothing.
 *
 * Returns NULL, or what was wrong besides the numbers. */
const char *level2_run_problem(const level2_problem *p, const placement *q, level2_number *result);

/* How many numbers come out: stored ones of n x n or m x n, or a vector. */
int64_t level2_result_length(const level2_problem *p);

#endif
