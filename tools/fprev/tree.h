/* Building and evaluating trees. */
#pragma once

#include "fprev.h"

#include <stddef.h>

/* A tree of n_leaves leaves without parents and no other nodes, with room for twice as
 * many. False if out of memory; to be freed either way. */
bool fprev_tree_start(fprev_tree *t, int32_t n_leaves);
void fprev_tree_free(fprev_tree *t);

/* A new node without parent, one of at most 2 n_leaves. */
int32_t fprev_tree_add(fprev_tree *t);

/* To be called when all parents are set, and every inner node has two children or more: numbers the
 * nodes canonically and fills in the rest. False if out of memory. */
bool fprev_tree_close(fprev_tree *t);

/* Are there additions of more than two? */
static inline bool fprev_has_fused_nodes(const fprev_tree *t)
{
    return t->n_nodes < 2 * t->n_leaves - 1;
}

/* FNV-1a-64. */
uint64_t fprev_hash(const char *text);

/* What the function returns for terms a, b if it adds by this tree. work: n_nodes. */
double fprev_tree_evaluate(const fprev_tree *t, const fprev_function *f, const fprev_adder *adder,
                           const double *a, const double *b, long double *work);
