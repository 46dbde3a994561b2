/* Inverses of the factors of a matrix, in plain arithmetic: P S' = L U by Gaussian elimination with
 * partial pivoting, and X_L, X_U with L X_L = I and U X_U = I by substitution. All of it by halves,
 * down to eight columns and to strips of some rows (Toledo, SIAM J. Matrix Anal. Appl. 18 (1997)).
 *
 * Errors. Every element of L, U, X_L, X_U comes from an equation sum_k a_k b_k + x b = c, solved
 * for x: sums s_1 ... s_T of some of the products each are subtracted from c_0 = c one after the
 * other, c_t = fl(c_(t-1) - s_t), and x is c_T / b with at most two roundings. With u = 2^-53, h_q
 * = q u / (1 - q u) and p >= 2 roundings at most in the sum of a product,
 *
 *   c_t (1 + e_t) = c_(t-1) - s_t, |e_t| <= u;   c - sum s_t - c_T = sum e_t c_t,
 *   |c_t| <= (1 + u)^T (|s_(t+1)| + ... + |s_T| + |c_T|),
 *   |c - sum a_k b_k - x b| <= (h_p + h_T + h_p h_T) (sum |a_k b_k| + |x b|),
 *
 * each c_t once, so that the last factor is at most g = h_(p + T):
 *
 *   |L U - P S'| <= g |L| |U|,   |L X_L - I| <= g |L| |X_L|,   |U X_U - I| <= g |U| |X_U|.
 *
 * (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, lemmas 3.1 and 3.3; chapter
 * 8 divides by the roundings of c instead, and has about 2 (p + T).) As products are summed in runs
 * and updates are few, g is 49 u for n = 300 and 55 u for n = 1000.
 *
 * Underflow is not in it: each of the fewer than 4 n operations of an equation loses at most
 * 2^-1075 besides, of x that times |b|. Where elements are below 2^100, the three differences are
 * within n 2^-970 of their bounds. */
#pragma once

#include "core/arith/compiler.h"

typedef struct {
    int64_t n;
    double *lu;            /* n rows of n: L below the diagonal of ones, U on it and above */
    double *lower, *upper; /* X_L, X_U: n rows of n, zeros outside their triangles */
    int64_t *order;        /* row i of P S' is column order[i] of S */
    int64_t *pivot;        /* the row that row i changed places with in step i */
    double *reciprocal;    /* of U's diagonal, from the last one on */
    double *work;
} exb_plain_factors;

/* s: n rows of n. False without memory, or if a pivot is 0 or not finite. */
bool exb_plain_factors_init(exb_plain_factors *f, int64_t n, const double *s);
void exb_plain_factors_free(exb_plain_factors *f);

/* g of the bounds above. */
double exb_plain_factors_error(int64_t n);
