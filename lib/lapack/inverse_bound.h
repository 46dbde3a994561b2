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
 * 2. Products of magnitudes are far above magnitudes of products. Let K = P S' = L U + D, V = U^-1,
 * N = L^-1, M = X_L' X_U', and with some number k let columns of L, V, X_U, W and rows of N, X_L be
 * those before k with the index 1, the others with 2. For
 *
 *   Q = V_1 N_1 + X_U2 N_2,   H = D V_1 N_1 + W_2 N_2
 *
 * K V_1 = L_1 + D V_1, K X_U2 = L_2 + W_2 and L_1 N_1 + L_2 N_2 = I make K Q = I + H. If the sums
 * of the columns of |H| are below 1, then K has an inverse, and S^-1 = P' K'^-1 = P' (I + H')^-1
 * Q'.
 *
 * V is nearly X_U: F = U X_U - I has |F'| <= g |X_U'| |U'|, hence with v >= |X_U'| e and a = g
 * ||U'| v|_max
 *
 *   |F'| v <= a v,   V' = (I + F')^-1 X_U',   |V' - X_U'| y <= |y|_max a / (1 - a) v
 *
 * for y >= 0, since |X_U'| y <= |y|_max v; the same of L, N and X_L with w >= |X_L'| e, b = g ||L'|
 * w|_max. Neither Q' - M = N_1' (V_1' - X_U1') + (N' - X_L') X_U' nor, with M_1 = X_L1' X_U1', the
 * difference N_1' V_1' - M_1 = N_1' (V_1' - X_U1') + (N_1' - X_L1') X_U1' takes y to more than
 * |y|_max q,
 *
 *   q = b / (1 - b) (1 + a / (1 - a)) |v|_max w + a / (1 - a) |X_L'| v,
 *
 * because |N_1'| v <= |X_L'| v + |v|_max b / (1 - b) w. The conditions in a and b are those of the
 * rows of triangles, which stay small as that of S grows. With d = g |U'| |L'| e >= |D'| e and c >=
 * |W_2'| e the sums of |H'| are at most
 *
 *   t = |M_1| d + |d|_max q + |X_L2'| c + |c|_max b / (1 - b) w,
 *   |Q' r - (I + H')^-1 Q' r| <= t |Q' r|_max / (1 - |t|_max),   |Q' r - M r| <= |r|_max q.
 *
 * |M_1| is known from plain arithmetic (inverse_magnitude.h), c from a product modulo some numbers
 * (residual_columns.h). k is as large as t permits: all columns up to conditions of 3 10^12 or so,
 * 700 of 1000 where it is 10^14. t is below 0.9 up to 10^15 or so.
 *
 * Residues need to tell apart no more than what is known of W = L F + D X_U: with |L_ij| <= 1 (but
 * for two roundings of a quotient)
 *
 *   |W_ij| <= g (|L| |U| |X_U| + |L| |U| |X_U|)_ij <= 2 g (|X_U'| |U'| e)_j.
 *
 * They ask for columns of X_U of fewer bits, and X_U2 may be any: it is rounded for good, and stays
 * so in M, R and W. V and V_1 - X_U1 are those of before; v is off by a factor of 1 + 2^-21, for
 * which there is room. Where little is lost, fewer moduli do; else it is tried with more.
 *
 * 3. Where a, b or |d|_max q is not small, the sums of |E| are at most P' (g |X_L'| |L'| + |X_L'|
 * |W'|) e, with bounds of the first columns of |W| as in the first way, and the others' sums from
 * that product.
 *
 * Underflow. Elements of U and L, of v, of |X_L'| v and of |U'| |L'| e are below 2^100, or there is
 * no bound. So what underflows in D, F and L X_L - I is below n 2^-970 an element
 * (plain_factors.h), and in a sum of rows here, by factors whose sums of rows are below n and
 * 2^100, below n^3 2^-870. That is less than 2^-700 times v or w, which are at least 1: so much is
 * added to sums and to d, a, b.
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
    int64_t first;  /* columns of W from this one on are enclosed, bounds on the others taken */
} exb_inverse_bound;

/* s: n rows of n doubles below 2. False if there is no such bound, or no memory. */
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
