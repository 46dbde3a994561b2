/* The algorithms: from questions to a tree. */
#ifndef FPREV_ORDER_H
#define FPREV_ORDER_H

#include "probe.h"

typedef enum {
    FPREV_FOUND,
    FPREV_NOT_BINARY, /* an addition of more than two, which the algorithm does not treat */
    FPREV_NO_TREE,    /* the answers contradict each other */
    FPREV_AMBIGUOUS,  /* naive: more than one tree explains all results */
    FPREV_TOO_MANY,   /* terms, for the algorithm */
    FPREV_FAILED,     /* p->status says why */
} fprev_outcome;

/* By recursion on a pivot's lowest common additions with all others. fused: additions of more
 * than two are found; otherwise they end the search. Functions of absolute values are asked for
 * the nearer one of two leaves instead, which sorts them. */
fprev_outcome fprev_order_by_pivots(fprev_probe *p, bool fused, const fprev_options *o,
                                    fprev_tree *t);

/* From the lowest common additions of all pairs: n (n - 1) / 2 calls. */
fprev_outcome fprev_order_by_pairs(fprev_probe *p, fprev_tree *t);

/* By trying all binary trees on random data: n_terms <= FPREV_NAIVE_TERMS. */
enum { FPREV_NAIVE_TERMS = 8, FPREV_PAIRS_TERMS = 16384 };
fprev_outcome fprev_order_by_trial(fprev_probe *p, const fprev_options *o, fprev_tree *t);

#endif
