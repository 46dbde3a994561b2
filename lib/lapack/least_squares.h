/* Correctly rounded least squares and least norms for several right-hand sides: by refinement on
 * the normal equations (gram.h), whose exact words leave nothing out; what that leaves open, in
 * exact arithmetic.
 *
 * The exact way takes a square system of the words W_w of G, with carries z_w from word to word:
 *
 *   W_w y - z_w + 2^53 z_(w+1) = c_w,   z_0 = 0 and none after the last word,
 *
 * which is G y = c when the equations, times 2^(53 w), are added up; its determinant is that of G
 * but for the sign. Where A is wide, V_j y - x_j = 0 for a component x_j is one equation more.
 *
 * Cost: m n^2 for G and n^3 for its inverse; of a number of words k, (k n)^3 for the exact way. */
#ifndef EXB_LEAST_SQUARES_H
#define EXB_LEAST_SQUARES_H

#include "lapack/square_system.h"

/* As exb_solve, for m not n. ESINGULAR: A has not full rank. */
exblas_status exb_least_squares(const exb_problem *p, double *x, exblas_solution *info);

#endif
