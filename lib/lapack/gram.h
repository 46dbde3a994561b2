/* The normal equations G y = c of least squares and least norms, exactly, as integers in words:
 *
 *   m > n:  V = A D,     G = V' V,  c = V' b 2^-right,   x = D y 2^right
 *   m < n:  V = (D A)',  G = V' V,  c = D b 2^-right,    x = V y 2^right
 *
 * D, of powers of two, brings the columns of V to one size. G has an inverse exactly if A has full
 * rank. A word is an integer below 2^53; word w counts 2^(unit + 53 w), and those of an element
 * have one sign. */
#pragma once

#include "lapack/inverse_bound.h"
#include "lapack/linear_problem.h"
#include "lapack/scaled_system.h"

typedef struct {
    int64_t n, length, n_right; /* V has n columns of that length */
    const double *v;            /* one after the other */
    double *word;               /* n rows of layout.ld: G, then layout.n_words for each c */
    int *scale, *right;         /* exponents of D, and for each right-hand side */
    int first;                  /* word 0 in a window of products */
    exb_layout layout;          /* of G about 1 */
    bool is_scaled;             /* D is not 1, and G and c are as the layout says */
} exb_gram;

/* Scales p->a and p->b in place. False without memory. */
bool exb_gram_init(exb_gram *g, const exb_problem *p);
void exb_gram_free(exb_gram *g);

/* An approximate inverse R = X X' of G, X an upper triangle, as an inverse bound (inverse_bound.h)
 * whose second factor is the transpose of its first. Let F = I - X' G X, and norms be as there.
 *
 * Lemma 1. If |F| <= a < 1, then G has an inverse, and for h = X' r
 *
 *   |G^-1 r - R r|_i <= (|X| e)_i a / (1 - a) |h|_max,
 *   |h|_max <= |X' G| / (1 - a) |R r|_max.
 *
 * For X' G X = I - F, so that G^-1 = X (I - F)^-1 X' and X^-1 = (I - F)^-1 X' G; R r = X h.
 *
 * Lemma 2. For T = RN(G X) and S = RN(X' T), each element one rounding, u = 2^-53:
 *
 *   |F| <= |I - S| + u |S| + u |X'| |T|,   |X' G|, the largest sum of a column of G X,
 *   is at most that of T times 1 / (1 - u).
 *
 * Whatever X is. With S = C' C near enough, X C^-1 is the next one: X = I comes first. Pivots of C
 * that rounding errors may have made small are raised, so that the condition of S falls by some
 * 10^6 a step, until it is near 1: for A's conditions up to 10^13 or so.
 *
 * Proved in proof/coq/Inverse.v.
 *
 * Source: Fukaya, Kannan, Nakatsukasa, Yamamoto, Yanagisawa, "Shifted Cholesky QR", SIAM J. Sci.
 * Comput. 42 (2020). */
bool exb_gram_inverse_init(exb_inverse_bound *v, const exb_gram *g);
