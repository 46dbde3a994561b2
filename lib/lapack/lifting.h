/* The solution of A_IJ x = b_I to any number of digits base p, where A_IJ is the block that an
 * elimination modulo p has inverted (elimination.h):
 *
 *   x = d_0 + d_1 p + d_2 p^2 + ...,   d_k = A_IJ^-1 r_k mod p,   r_0 = b,
 *   r_{k+1} = (r_k - A_J d_k) / p.
 *
 * Everything is in the ring of fractions with powers of two below, of which doubles are members:
 * the residuals r_k are exact in long accumulators and hardly grow, since |d_k| < p.
 *
 * The rows outside I take part. Is r_k - A_J d_k in one of them no multiple of p, then the solution
 * of A_IJ x = b_I does not solve A_J x = b modulo p^(k+1).
 *
 * Source: Dixon, "Exact solution of linear equations using p-adic expansions", Numer. Math. 40
 * (1982). */
#pragma once

#include "lapack/elimination.h"

typedef enum {
    EXB_LIFTED,
    EXB_NOT_A_SOLUTION, /* some row outside I fails */
    EXB_LIFT_NO_MEMORY
} exb_lift_result;

/* digit[k n + j] = digit k of unknown j of J, 0 <= k < n_digits, each below p. a: n rows of n
 * finite doubles; b: finite, element i at b[i incb]. */
exb_lift_result exb_lift(const exb_elimination *e, const double *a, const double *b, int64_t incb,
                         int64_t n_digits, uint64_t *digit);
