/* From questions to a tree. */
#pragma once

#include "probe.h"

typedef enum {
    FPREV_FOUND,
    FPREV_NO_TREE, /* the answers contradict each other */
    FPREV_FAILED,  /* p->status says why */
} fprev_outcome;

/* By recursion on a random pivot's lowest common additions with all others. Functions of absolute
 * values are asked for the nearer one of two leaves instead, which sorts them. */
fprev_outcome fprev_order(fprev_probe *p, const fprev_options *o, fprev_tree *t);
