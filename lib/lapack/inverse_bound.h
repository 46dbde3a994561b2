/* An approximate inverse R = P' X_L' X_U' of S, from the factors P S' = L U + D (plain_factors.h)
 * and never multiplied out, with a proof that it is one. Three ways, from the cheapest; e = (1,
 * ..., 1), and norms are the largest sums of rows.
 *
 * 1. With
 *
 *   P (S' R' - I) P' = (L X_L - I) + L (U X_U - I) X_L + D X_U X_L
 *                    = (L X_L - I) + W X_L,   W = P S' X_U - L,
 *
 * and the bounds of the factors the sums of the rows of |E|, E = I - R S, are at most those of
 *
 *   g P' (|X_L'| |L'| + 2 |X_L'| |X_U'| |U'| |L'|) e,
 *
 * products of matrices with vectors; that is below 0.9 up to conditions of 10^10 or so. Then S^-1
 * = (I - E)^-1 R, and with |E| for the largest sum
 *
 *   |S^-1 r - R r| <= |E| e |R r|_max / (1 - |E|).
 *
 * 2. Products of magnitudes are far above magnitudes of products: with M = X_L' X_U', |M| known
 * from plain arithmetic (inverse_magnitude.h), and T = U' L', G = T^-1 D', so that S^-1 = P' (I +
 * G)^-1 T^-1, the sums of |G| are at most those of |T^-1| d, d = g |U'| |L'| e, and T^-1 is nearly
 * M: F = U X_U - I has |F'| <= g |X_U'| |U'|, hence with v >= |X_U'| e and a = g ||U'| v|_max
 *
 *   |F'| v <= a v,   U'^-1 = (I + F')^-1 X_U',   |U'^-1 - X_U'| y <= |y|_max a / (1 - a) v
 *
 * for y >= 0, since |X_U'| y <= |y|_max v; the same of L with w = |X_L'| e, b = g ||L'| w|_max.
 * T^-1 - M = (L'^-1 - X_L') U'^-1 + X_L' (U'^-1 - X_U') is therefore bounded by
 *
 *   |T^-1 - M| y <= |y|_max q,   q = b / (1 - b) (1 + a / (1 - a)) |v|_max w + a / (1 - a) |X_L'|
 * v.
 *
 * The conditions in a and b are those of the rows of triangles, which stay small as that of S
 * grows: what is left is |G| e <= |M| d + |d|_max q =: t, below 0.9 up to conditions of 3 10^12 or
 * so. Then
 *
 *   |T^-1 r - (I + G)^-1 T^-1 r| <= t |T^-1 r|_max / (1 - |t|_max),   |T^-1 r - M r| <= |r|_max q.
 *
 * 3. Beyond, the sums of |E| are at most P' (g |X_L'| |L'| + |X_L'| |W'|) e, and the sums of the
 * columns of |W| come from a product in more than double precision (residual_columns.h); that is
 * below 0.9 up to 10^15 or so.
 *
 * Sources: Oishi, Rump, "Fast verification of solutions of matrix equations", Numer. Math. 90
 * (2002); Rump, "Verification methods", Acta Numerica 19 (2010), section 10.1; for conditions of
 * triangles Higham, "Accuracy and Stability of Numerical Algorithms", chapter 8. */
#ifndef EXB_INVERSE_BOUND_H
#define EXB_INVERSE_BOUND_H

#include "lapack/plain_factors.h"

typedef struct {
    int64_t n;
    exb_plain_factors factors;
    double *spread; /* at least about P' |X_L'| |X_U'| e */
    double *rest;   /* |S^-1 r - R r|_i <= rest_i |R r|_max + apart_i |r|_max */
    double *apart;  /* 0 but for the second way */
    double most;    /* of `spread` */
} exb_inverse_bound;

/* s: n rows of n finite doubles. False if there is no such bound, or no memory. */
bool exb_inverse_bound_init(exb_inverse_bound *v, int64_t n, const double *s);
void exb_inverse_bound_free(exb_inverse_bound *v);

/* y = about R x, y = about R' x; `work` has n elements. */
void exb_inverse_apply(const exb_inverse_bound *v, const double *x, double *y, double *work);
void exb_inverse_apply_transposed(const exb_inverse_bound *v, const double *x, double *y,
                                  double *work);

/* |y - R r|_i of exb_inverse_apply on r or on RN(r), and apart_i, are together at most this times
 * |r|_max, but for 2^-700. */
double exb_inverse_product_error(const exb_inverse_bound *v, int64_t i);

/* At least the sum of |S^-1_ij| over j. */
double exb_inverse_sum(const exb_inverse_bound *v, int64_t i);

#endif
