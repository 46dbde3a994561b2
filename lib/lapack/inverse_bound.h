/* An approximate inverse R = P' X_L' X_U' of S, from the factors P S' = L U + D (plain_factors.h)
 * and never multiplied out, with a proof that it is one. e = (1, ..., 1), and norms are the largest
 * sums of rows. E = I - R S, W = P S' X_U - L.
 *
 * Lemma 1. If |E| < 1, then S has an inverse, and
 *
 *   |S^-1 r - R r| <= |E| e |R r|_max / (1 - |E|).
 *
 * For x with S x = r, x - R r = E x, so that |x|_max <= |R r|_max / (1 - |E|), which is 0 if r is.
 *
 * Lemma 2. P (S' R' - I) P' = (L X_L - I) + W X_L, whatever X_U is. With |L X_L - I| <= g |L| |X_L|
 * the sums of the rows of |E| are at most P' |X_L'| c,
 *
 *   c = g |L'| e + |W'| e.
 *
 * Lemma 3. W = L (U X_U - I) + D X_U, so with the bounds of the factors |W| <= 2 g |L| |U| |X_U|,
 * |W'| e <= 2 g |X_U'| |U'| |L'| e; and since |L_ij| <= 1 (but for two roundings of a quotient),
 * |W_ij| <= 2 g (|X_U'| |U'| e)_j.
 *
 * Proved in proof/coq/Inverse.v.
 *
 * Where Lemma 3 bounds all of c, up to conditions of 10^10 or so, only matrices are multiplied with
 * vectors. X_U' grows down its rows, so that it bounds the first elements of c well enough even
 * where S is ill-conditioned: these are added up as far as that goes. The next ones are known from
 * W (residual_strips.h). All is below 0.9 up to conditions of 10^15 or so.
 *
 * Underflow. Elements of U and L, of |X_U'| e, of |X_L'| |X_U'| e and of |U'| |L'| e are below
 * 2^100, or there is no bound. So what underflows in D, U X_U - I and L X_L - I is below n 2^-970
 * an element (plain_factors.h), and in a sum of rows here, by factors whose sums of rows are below
 * n and 2^100, below n^3 2^-870: less than 2^-700, which is added to sums.
 *
 * Sources: Oishi, Rump, "Fast verification of solutions of matrix equations", Numer. Math. 90
 * (2002); Rump, "Verification methods", Acta Numerica 19 (2010), section 10.1. */
#pragma once

#include "lapack/plain_factors.h"

typedef struct {
    int64_t n;
    exb_plain_factors factors;
    double *spread; /* at least about P' |X_L'| |X_U'| e */
    double *rest;   /* |S^-1 r - R r|_i <= rest_i |R r|_max */
    double most;    /* of `spread` */
    int64_t first;  /* columns of W before this one are bounded by Lemma 3 */
} exb_inverse_bound;

/* s: n rows of n doubles below 2. False if there is no such bound, or no memory. */
bool exb_inverse_bound_init(exb_inverse_bound *v, int64_t n, const double *s);
void exb_inverse_bound_free(exb_inverse_bound *v);

/* Sets `spread` and `most` from the factors; x and y have n elements. False if one of those, or an
 * element of a factor, is not below 2^100. */
bool exb_inverse_spread(exb_inverse_bound *v, double *x, double *y);

/* y = about R x, y = about R' x; `work` has n elements. */
void exb_inverse_apply(const exb_inverse_bound *v, const double *x, double *y, double *work);
void exb_inverse_apply_transposed(const exb_inverse_bound *v, const double *x, double *y,
                                  double *work);

/* |y - R r|_i of exb_inverse_apply on r or on RN(r) is at most this times |r|_max, but for 2^-700.
 */
double exb_inverse_product_error(const exb_inverse_bound *v, int64_t i);

/* At least the sum of |S^-1_ij| over j. */
double exb_inverse_sum(const exb_inverse_bound *v, int64_t i);
