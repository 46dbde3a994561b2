/* The residual r = c - S (term_1 + ... + term_k) of a scaled system, which is far smaller than what
 * is summed: by sums of three parts (triple.h), which know it but for about 2^-130 of that, and
 * where this is not enough in long accumulators, exactly.
 *
 * The three-part sum of a row goes on from term to term: with k terms and w words it is one of
 * w (1 + k n) numbers, in k calls. triple.h counts the additions at the end of calls with at least
 * 64 terms; what a call of fewer adds to them, at most 4, is counted as terms. */
#pragma once

#include "core/arith/superacc.h"
#include "lapack/scaled_system.h"

typedef struct {
    int64_t n;
    const double *s;
    const exb_layout *layout; /* of s and c */
    double *value;            /* n: r_i +- error, and error <= 2^-53 |r_i| if `exact` */
    double most;              /* at least |value_i| */
    double error;             /* INFINITY: r is not known */
    bool exact;               /* from the accumulators */
    bool lost;                /* a term had bits below the range */
    int n_subtracted;         /* terms */
    exb_triples *sums;        /* n */
    exb_product_acc *acc;     /* n, once they were asked for */
    const double *c;
    double *errors;     /* n */
    double *minus_term; /* times the scale of each word */
    int n_ranges;
} exb_residual;

/* s: n rows as the layout says, its elements below 2^40. False without memory. */
bool exb_residual_init(exb_residual *r, int64_t n, const double *s, const exb_layout *layout);
void exb_residual_free(exb_residual *r);

/* r = c, which is read until the next start. */
void exb_residual_start(exb_residual *r, const double *c);

/* r -= S term. */
void exb_residual_subtract(exb_residual *r, const double *term);

/* From here to the next start r is exact, for n_terms terms of n numbers each. False without
 * memory. */
bool exb_residual_make_exact(exb_residual *r, int n_terms, const double *terms);

/* Is r known to be 0? */
bool exb_residual_is_zero(exb_residual *r);
