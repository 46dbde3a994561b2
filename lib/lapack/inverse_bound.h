/* An approximate inverse R of S with a proof that it is one, in one of two forms.
 *
 * R = X_U X_L P from the factors (plain_factors.h), never multiplied out. With their bounds,
 *
 *   P (I - S R) P' = -(L X_L - I) - L (U X_U - I) X_L - (P S - L U) X_U X_L,
 *   |I - S R| <= F = g P' (|L| |X_L| + 2 |L| |U| |X_U| |X_L|) P,
 *
 * so that the largest row sum of F is known from products of matrices with vectors. If it is below
 * 1/2, S^-1 = R (I - F')^-1 with |F'| <= F, and for any r
 *
 *   |S^-1 r - R r| <= |R| F e |r|_max / (1 - |F|),   e = (1, ..., 1).
 *
 * This holds up to conditions of 10^9 or so. Beyond, R is multiplied out, and the sums of the rows
 * of R S - I are bounded by products in more than double precision (residual_rows.h). With E = I -
 * R S and a row sum |E| < 1/2
 *
 *   |S^-1 r - R r| <= |E| e |R r|_max / (1 - |E|).
 *
 * That fails beyond 10^15 or so.
 *
 * Sources: Oishi, Rump, "Fast verification of solutions of matrix equations", Numer. Math. 90
 * (2002); Rump, "Verification methods", Acta Numerica 19 (2010), section 10.1. */
#ifndef EXB_INVERSE_BOUND_H
#define EXB_INVERSE_BOUND_H

#include "lapack/plain_factors.h"

typedef struct {
    int64_t n;
    exb_plain_factors factors;
    double *r;      /* R, n rows of n; NULL: the first form */
    double *spread; /* about |X_U| |X_L| e, or |R| e */
    double *rest;   /* |S^-1 r - R r|_i <= rest_i times |r|_max, in the second form |R r|_max */
} exb_inverse_bound;

/* s: n rows of n finite doubles. False if there is no such bound, or no memory. */
bool exb_inverse_bound_init(exb_inverse_bound *v, int64_t n, const double *s);
void exb_inverse_bound_free(exb_inverse_bound *v);

/* y = about R x, y = about R' x; `work` has n elements. */
void exb_inverse_apply(const exb_inverse_bound *v, const double *x, double *y, double *work);
void exb_inverse_apply_transposed(const exb_inverse_bound *v, const double *x, double *y,
                                  double *work);

/* |y - R r|_i of exb_inverse_apply on r or on RN(r) is at most this times |r|_max, but for 2^-700.
 */
double exb_inverse_product_error(const exb_inverse_bound *v, int64_t i);

#endif
