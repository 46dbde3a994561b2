/* An approximate inverse R of S with a proof that it is one: bounds on the rows of E = I - R S,
 *
 *   row_sum_i >= sum_j |E_ij|,   norm = max_i row_sum_i < 1/2.
 *
 * Then S has an inverse, (I - E)^-1 R, and for any r
 *
 *   S^-1 r = R r + E (I - E)^-1 R r,   |S^-1 r - R r|_i <= row_sum_i |R r|_max / (1 - norm).
 *
 * The elements of R S - I come from this library's gemm, each rounded once, so that the bound is
 * sharp for any R. It fails for conditions beyond about 10^15.
 *
 * Source: Rump, "Verification methods", Acta Numerica 19 (2010), section 10.1. */
#ifndef EXB_INVERSE_BOUND_H
#define EXB_INVERSE_BOUND_H

#include "core/arith/compiler.h"

typedef struct {
    int64_t n;
    double *r;       /* n rows of n */
    double *row_sum; /* n */
    double norm;
} exb_inverse_bound;

/* s: n rows of n finite doubles. False if there is no such bound, or no memory. */
bool exb_inverse_bound_init(exb_inverse_bound *v, int64_t n, const double *s);
void exb_inverse_bound_free(exb_inverse_bound *v);

#endif
