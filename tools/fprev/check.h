/* Checks against random data: replay, exactness, compensation. */
#pragma once

#include "probe.h"

/* Terms of the type for run k: of both signs, of one sign, of widely
 * different size, one large among small ones. Their sum
 * does not overflow. b may be NULL. */
void fprev_random_terms(const fprev_function *f, int k, uint64_t *state, double *a, double *b);

typedef struct {
    int runs, mismatches; /* of the tree's result and the function's */
    double error;         /* of the function: average distance from the exact sum */
    double tree_error;    /* of the tree; both relative to the sum of absolute values */
    int unfaithful;       /* runs in which it is further away than compensated sums are */
    int unstable;         /* runs in which a second call gave another result */
} fprev_replay;

/* Evaluates the tree and calls the function on the same data. Of the candidates for the fused
 * adder the best one is kept in *adder. t may be NULL: then `mismatches` are differences
 * from the exact sum, rounded once. */
void fprev_replay_tree(fprev_probe *p, const fprev_tree *t, uint64_t seed, fprev_adder *adder,
                       fprev_replay *replay);

/* The widest span of exponents, in bits, in which terms of random exponent, half of them
 * cancelling, were all summed exactly and rounded once; the format's whole range at most.
 * *full is set to that range. 0 if none or if p->status was set. */
int fprev_exact_span(fprev_probe *p, uint64_t seed, int *full);
