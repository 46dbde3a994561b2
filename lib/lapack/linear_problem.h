/* Correctly rounded solutions for several right-hand sides. A square system is refined by an
 * inverse with a bound, and so are the normal equations of least squares and least norms (gram.h),
 * which are exact, in words. What refinement leaves open is computed in exact arithmetic.
 *
 * The exact way takes for the normal equations a square system of the words W_w of G, with carries
 * z_w from word to word:
 *
 *   W_w y - z_w + 2^53 z_(w+1) = c_w,   z_0 = 0 and none after the last word,
 *
 * which is G y = c when the equations, times 2^(53 w), are added up; its determinant is that of G
 * but for the sign. Where A is wide, V_j y - x_j = 0 for a component x_j is one equation more.
 *
 * Cost: n^3; for m not n, m n^2 for G and n^3 for its inverse, and of a number of words k, (k n)^3
 * for the exact way. */
#pragma once

#include "core/arith/bits.h"
#include "exblas/lapack.h"

typedef struct {
    int64_t m, n, n_right; /* equations, unknowns */
    int64_t first;         /* components before it are not wanted */
    bool has_info;         /* the condition is asked for */
    exb_format format;
    double *a; /* m rows of n or, for m > n, n columns of m; finite, and spoilt for m not n */
    double *b; /* n_right times m, likewise */
} exb_problem;

/* x: n_right times n, RN of the components as doubles that the format has. EXBLAS_OK; ESINGULAR: A
 * has not full rank; ENOMEM. x may be written in any case. */
exblas_status exb_solve(const exb_problem *p, double *x, exblas_solution *info);
