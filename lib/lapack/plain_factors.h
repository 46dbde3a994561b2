/* Inverses of the factors of a matrix, in plain arithmetic: P S = L U by Gaussian elimination with
 * partial pivoting, and X_L, X_U with L X_L = I and U X_U = I by substitution. All of it by halves,
 * down to eight rows or columns (Toledo, SIAM J. Matrix Anal. Appl. 18 (1997)).
 *
 * Errors. Every element of L, U, X_L, X_U comes from an equation sum a_k b_k = c that is solved for
 * one of its numbers, with a division, or two more roundings for X_U. Let d be the most operations
 * that c or a product a_k b_k goes through on its way. Divided by those of c, the roundings perturb
 * each product by at most (1 + u)^(2 d + 3), so that
 *
 *   |L U - P S| <= g |L| |U|,   |L X_L - I| <= g |L| |X_L|,   |U X_U - I| <= g |U| |X_U|
 *
 * with g = (2 d + 3) u / (1 - (2 d + 3) u) (Higham, Accuracy and Stability of Numerical Algorithms,
 * 2nd edition, lemmas 3.1 and 8.4). */
#ifndef EXB_PLAIN_FACTORS_H
#define EXB_PLAIN_FACTORS_H

#include "core/arith/compiler.h"

typedef struct {
    int64_t n;
    double *lu;            /* n rows of n: L below the diagonal of ones, U on it and above */
    double *lower, *upper; /* X_L, X_U: n rows of n, zeros outside their triangles */
    int64_t *order;        /* row i of P S is row order[i] of S */
    double *work;
} exb_plain_factors;

/* s: n rows of n. False without memory, or if a pivot is 0 or not finite. */
bool exb_plain_factors_init(exb_plain_factors *f, int64_t n, const double *s);
void exb_plain_factors_free(exb_plain_factors *f);

/* g of the bounds above. */
double exb_plain_factors_error(int64_t n);

#endif
