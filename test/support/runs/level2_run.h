/* Runs problems of Level 2 in memory that shows every access it should not make. */
#pragma once

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

/* Where element (i, j) of A and i of a vector stand, in elements from the first; and whether the
 * routine reads that of A, apart from quick returns. */
int64_t level2_place(const level2_problem *p, bool by_rows, int64_t lda, int64_t i, int64_t j);
int64_t level2_least_lda(const level2_problem *p, bool by_rows);
int64_t level2_vector_place(int64_t n, int64_t inc, int64_t i);
bool level2_is_read(const level2_problem *p, int64_t i, int64_t j);
