/* Systems of linear equations solved in exact arithmetic: any matrix of finite doubles, whatever
 * its condition; ties are ties, and a singular matrix is proved to be one.
 *
 * Powers of two for rows and columns make A and b integers,
 *
 *   A'_ij = a_ij 2^-(row_i + column_j),   b'_i = b_i 2^-(row_i + right),
 *
 * and A' y = b' for y_j = x_j 2^(column_j - right) = N_j / D by Cramer's rule. Hadamard's bound of
 * a determinant is the product of its rows' or its columns' lengths; each of these is 0 or at
 * least 1, so that a determinant of part of A' has the same bound.
 *
 * Solutions are lifted (lifting.h) to as many digits as determine these fractions. A is singular if
 * the equations for some column from other columns have a solution to so many digits that a
 * determinant below the bound must be 0.
 *
 * Cost for n unknowns with doubles of like size: n^3 products modulo p once, then per right-hand
 * side about 2 n steps of 2 n^2 products. */
#pragma once

#include "core/arith/encode.h"
#include "exblas/types.h"
#include "lapack/elimination.h"

typedef struct {
    const double *a; /* n rows of n finite doubles, the caller's */
    exb_elimination inverse;
    int *row, *column; /* exponents, as above */
    int *row_top;      /* |A'_ij| < 2^row_top_i */
    double row_bits;   /* log2 of the product of the rows' lengths, from above */
    double column_bits;
} exb_exact;

/* EXBLAS_OK: A has an inverse. EXBLAS_ESINGULAR: it has none; ENOMEM. */
exblas_status exb_exact_init(exb_exact *e, int64_t n, const double *a);
void exb_exact_free(exb_exact *e);

/* x_j = RN of 2^exp2_j times component j of the solution of A x = b, as a double that the format
 * has, for the j with wanted[j]; the others are left alone. exp2: NULL for zeros. b: finite.
 * ENOMEM: some may not have been written. */
exblas_status exb_exact_solve(const exb_exact *e, const double *b, exb_format format,
                              const bool *wanted, const int *exp2, double *x);
