/* The solution of a scaled system as a sum of terms, with a bound on what is missing:
 *
 *   y = term_1 + term_2 + ... + term_k + R r + error,   r = c - S (term_1 + ... + term_k) exactly.
 *
 * The residual stays in one long accumulator for each row, to which a term adds n products. R r,
 * computed, is the next term; the bound on the error is that of inverse_bound.h and of the rounding
 * of the product. Components are rounded as soon as the bound allows it.
 *
 * Source: Ogita, Oishi, "Accurate and robust inverse matrix factorization", Nonlinear Theory and
 * Its Applications 1 (2010); Rump, Acta Numerica 19 (2010), section 10. */
#ifndef EXB_REFINEMENT_H
#define EXB_REFINEMENT_H

#include "core/arith/rounding.h"
#include "core/arith/superacc.h"
#include "lapack/inverse_bound.h"
#include "lapack/scaled_system.h"

enum { EXB_MOST_TERMS = 40 };

typedef struct {
    const exb_scaled_system *system;
    const exb_inverse_bound *bound;
    exb_format format;
    int n_terms;               /* in use */
    int64_t n_more;            /* components that were rounded, after more than three terms */
    double *c;                 /* the right-hand side, n */
    double *term;              /* EXB_MOST_TERMS times n */
    double *rounded;           /* RN of the residuals, n */
    double *work;              /* n */
    exb_product_acc *residual; /* n */
    double most;               /* at least |R r|_max */
    double residual_most;      /* at least |r|_max */
    int exp2;                  /* x_j = y_j 2^(exp2 + column_j) */
    int n_ranges;
} exb_refinement;

/* False without memory. */
bool exb_refinement_init(exb_refinement *f, const exb_scaled_system *s, const exb_inverse_bound *v,
                         exb_format format);
void exb_refinement_free(exb_refinement *f);

/* x_j = RN of component j of the solution for the right-hand side b, for those with wanted[j],
 * which become false; what is wanted afterwards is not decided. */
void exb_refine(exb_refinement *f, const double *b, bool *wanted, double *x);

#endif
