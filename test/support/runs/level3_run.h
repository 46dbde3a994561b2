/* Runs problems of Level 3 in memory that shows every access it should not make. */
#pragma once

#include "blas_run.h"
#include "level3_problem.h"

/* Lays the operands out with gaps; gaps, elements that are not stored, unit diagonals, imaginary
 * parts of Hermitian ones and operands that BLAS does not read are NaN. Calls the routine and
 * stores the elements that come out; on quick returns nothing. A batch has more products, in turn
 * of -A, B and -C and of A, B and C.
 *
 * Returns NULL, or what was wrong besides the numbers. */
const char *level3_run_problem(const level3_problem *p, const placement *q, level2_number *result);

/* The same, and compares the elements with `want`: NULL, or the problem and what is wrong, which is
 * kept until the next call. */
const char *level3_difference(const level3_problem *p, const placement *q,
                              const level2_number *want, level2_number *result);

/* Whether element (i, j) of the matrix as stored is read. */
bool level3_is_read(const level3_problem *p, level3_which which, int64_t i, int64_t j);
