/* How far a matrix times an inverse factor is from the other factor, W = P S' X_U - L
 * (plain_factors.h): strips of columns in plain arithmetic, for each column a bound on the sum of
 * its |W_ij|.
 *
 * Let p be the roundings that a product goes through in exb_plain_update, T the sums that an
 * element has taken from it, and u, h_q as in plain_factors.h.
 *
 * Lemma. For n 4^b <= 2^53 let S' = S1 + S2 and X_U = X1 + X2, S1 of the nearest multiples of
 * 2^(1-b), column j of X1 of those of unit_j = 2^(e-b), where its elements are below 2^e. Then all
 * sums of products of S1 and X1 are exact: they are multiples of 2^(1-b) unit_j, at most n 4^b of
 * them, because elements of S1 are at most 2 and those of X1 at most 2^e. With L - S1 X1 for its
 * first sum, and products of S1 X2 and S2 X_U for the others, the computed w has, as in
 * plain_factors.h with L_ij for c and g = h_(p + T),
 *
 *   sum_i |W_ij - w_ij| <= g (sum_ik (|S1_ik| |X2_kj| + |S2_ik| |X_kj|) + sum_i |w_ij|),
 *   sum_ik (|S1_ik| |X2_kj| + |S2_ik| |X_kj|) <= n^2 unit_j + n 2^-b sum_k |X_kj|.
 *
 * Proved in proof/coq/Inverse.v. What underflows is below n 2^-1073 an element. */
#pragma once

#include "core/partition.h"
#include "lapack/plain_factors.h"

enum { EXB_RESIDUAL_WIDTH = 192 };

typedef struct {
    const exb_plain_factors *factors;
    int n_bits;                 /* b */
    double *s_high, *s_low;     /* S1 and S2: n rows of n */
    double *w, *x_high, *x_low; /* n rows of EXB_RESIDUAL_WIDTH: W, X1, X2 */
    double *ones;               /* n */
} exb_residual_strips;

/* s: n rows of n doubles below 2. False without memory. */
bool exb_residual_strips_init(exb_residual_strips *r, const exb_plain_factors *f, const double *s);
void exb_residual_strips_free(exb_residual_strips *r);

/* At least the sums of the columns, of EXB_RESIDUAL_WIDTH at most, but for roundings of relative
 * size n 2^-52 and for 2^-750. */
void exb_residual_strips_sum(const exb_residual_strips *r, exb_range columns, double *sums);
