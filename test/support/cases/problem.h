/* Problems as cases: reductions of real numbers, Level 2 and Level 3. */
#pragma once

#include "call.h"

/* A sum, norm or dot product as plain mathematics: vectors without strides, every number a double
 * (floats are doubles that are floats). */
typedef struct {
    const char *name;
    int64_t n;
    double alpha;
    const double *x, *y; /* as the routine needs them */
} blas_case;

/* To be freed. */
fuzz_case fuzz_reduction(const blas_case *b);

/* Calls the routine on operands with gaps; gaps, elements of A that are not stored, unit diagonals,
 * imaginary parts of Hermitian ones and operands that BLAS does not read are NaN. Stores what comes
 * out as the models do; on quick returns nothing. A batch has more products of the same.
 *
 * Returns NULL, or what was wrong besides the numbers. */
const char *blas_run(const blas_case *b, const placement *q, double *result);
const char *level2_run_problem(const level2_problem *p, const placement *q, level2_number *result);
const char *level3_run_problem(const level3_problem *p, const placement *q, level2_number *result);

/* The same, and compares the elements with `want`: NULL, or the problem and what is wrong, which is
 * kept until the next call. */
const char *level3_difference(const level3_problem *p, const placement *q,
                              const level2_number *want, level2_number *result);
