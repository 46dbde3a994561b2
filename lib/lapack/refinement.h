/* The solution of a scaled system as a sum of terms, with a bound on what is missing:
 *
 *   y = term_1 + term_2 + ... + term_k + R r + error,   r = c - S (term_1 + ... + term_k) exactly.
 *
 * The residual is computed with nearly all of its bits (residual.h); R r, computed, is the next
 * term; the bound on the error is that of inverse_bound.h, of the rounding of the product, and of
 * what is not known of r. Components are rounded as soon as the bound allows it. Where the rest of
 * r is in the way, residuals become exact, and so do what is 0, ties, and components that are far
 * smaller than others.
 *
 * Source: Ogita, Oishi, "Accurate and robust inverse matrix factorization", Nonlinear Theory and
 * Its Applications 1 (2010); Rump, Acta Numerica 19 (2010), section 10. */
#pragma once

#include "core/arith/encode.h"
#include "lapack/inverse_bound.h"
#include "lapack/residual.h"
#include "lapack/scaled_system.h"

enum { EXB_MOST_TERMS = 40 };

typedef struct {
    const exb_scaled_system *system;
    const exb_inverse_bound *bound;
    exb_format format;
    int n_terms;    /* in use */
    int64_t n_more; /* components that were rounded, after more than three terms */
    double *c;      /* room for the right-hand side of a scaled system, n */
    double *term;   /* EXB_MOST_TERMS times n */
    double *work;   /* n */
    exb_residual residual;
    double most; /* at least |R r|_max, of the computed r */
    int exp2;    /* x_j = y_j 2^(exp2 + column_j) */

    /* If not NULL: n rows of n_results numbers below 1, V', and x = V y 2^exp2. */
    const double *v;
    int64_t n_results;
} exb_refinement;

/* False without memory. */
bool exb_refinement_init(exb_refinement *f, const exb_scaled_system *s, const exb_inverse_bound *v,
                         exb_format format);
void exb_refinement_free(exb_refinement *f);

/* x_j = RN of component j of the solution for the right-hand side c of the scaled system, and
 * f->exp2, for those with wanted[j], which become false; what is wanted afterwards is not decided.
 */
void exb_refine(exb_refinement *f, const double *c, bool *wanted, double *x);
