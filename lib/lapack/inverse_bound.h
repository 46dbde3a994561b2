/* An approximate inverse R = P' X_L' X_U' of S, from the factors P S' = L U (plain_factors.h) and
 * never multiplied out, with a proof that it is one. With e = (1, ..., 1) and
 *
 *   P (S' R' - I) P' = (L X_L - I) + L (U X_U - I) X_L + (P S' - L U) X_U X_L
 *                    = (L X_L - I) + W X_L,   W = P S' X_U - L,
 *
 * and the bounds of the factors the sums of the rows of |E|, E = I - R S, are at most those of
 *
 *   g P' (|X_L'| |L'| + 2 |X_L'| |X_U'| |U'| |L'|) e,
 *
 * products of matrices with vectors; that is below 0.9 up to conditions of 3 10^9 or so. Beyond,
 * they are at most P' (g |X_L'| |L'| + |X_L'| |W'|) e, and the sums of the columns of |W| come from
 * a product in more than double precision (residual_columns.h); that is below 0.9 up to 10^15 or
 * so. Then S^-1 = (I - E)^-1 R, and with |E| for the largest sum
 *
 *   |S^-1 r - R r| <= |E| e |R r|_max / (1 - |E|).
 *
 * Sources: Oishi, Rump, "Fast verification of solutions of matrix equations", Numer. Math. 90
 * (2002); Rump, "Verification methods", Acta Numerica 19 (2010), section 10.1. */
#ifndef EXB_INVERSE_BOUND_H
#define EXB_INVERSE_BOUND_H

#include "lapack/plain_factors.h"

typedef struct {
    int64_t n;
    exb_plain_factors factors;
    double *spread; /* at least about P' |X_L'| |X_U'| e */
    double *rest;   /* |S^-1 r - R r|_i <= rest_i times |R r|_max */
    double most;    /* of `spread` */
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

/* At least the sum of |S^-1_ij| over j. */
double exb_inverse_sum(const exb_inverse_bound *v, int64_t i);

#endif
