/* The naive algorithm: every binary tree over n leaves is made, (2n - 3)!! of them, by putting
 * leaf after leaf on every edge, and tried on random data. Trees and their evaluation are
 * its own, so that it can be the oracle of the other algorithms. */
#include "format.h"
#include "order.h"
#include "random.h"
#include "tree.h"

#include <math.h>
#include <string.h>

enum { N_INPUTS = 48, N_MAX = 2 * FPREV_NAIVE_TERMS };

typedef struct {
    const fprev_function *f;
    int n;
    int left[N_MAX], right[N_MAX], parent[N_MAX], root; /* leaves, then inner nodes */
    double term[N_INPUTS][FPREV_NAIVE_TERMS], result[N_INPUTS];
    int found;
    int found_parent[N_MAX];
} trial;

static double evaluate(const trial *s, int node, const double *term)
{
    if (node < s->n)
        return s->f->absolute ? fabs(term[node]) : term[node];
    return fprev_add(s->f->result_type, evaluate(s, s->left[node], term),
                     evaluate(s, s->right[node], term));
}

static void try_tree(trial *s)
{
    for (int k = 0; k < N_INPUTS; k++)
        if (evaluate(s, s->root, s->term[k]) != s->result[k])
            return;
    if (s->found++ == 0)
        memcpy(s->found_parent, s->parent, sizeof s->parent);
}

static void replace_child(trial *s, int parent, int from, int to)
{
    s->parent[to] = parent;
    if (parent < 0)
        s->root = to;
    else if (s->left[parent] == from)
        s->left[parent] = to;
    else
        s->right[parent] = to;
}

/* Leaves 0 ... leaf - 1 are placed; inner node n + leaf - 1 comes with `leaf`. */
static void place(trial *s, int leaf)
{
    if (leaf == s->n) {
        try_tree(s);
        return;
    }
    int node = s->n + leaf - 1;
    for (int k = 0; k < node; k++) {
        if (k >= leaf && k < s->n)
            continue; /* a leaf that is not placed yet */
        int parent = s->parent[k];
        replace_child(s, parent, k, node);
        s->left[node] = k;
        s->right[node] = leaf;
        s->parent[k] = s->parent[leaf] = node;
        place(s, leaf + 1);
        replace_child(s, parent, node, k);
    }
}

/* Values of both signs whose sums round; products by 1, whose rounding does not matter. */
static void ask(fprev_probe *p, uint64_t seed, trial *s)
{
    double one[FPREV_NAIVE_TERMS];
    for (int i = 0; i < FPREV_NAIVE_TERMS; i++)
        one[i] = 1;
    for (int k = 0; k < N_INPUTS; k++) {
        for (int i = 0; i < s->n; i++) {
            double x = ldexp(1 + fprev_random_unit(&seed), (int)fprev_random_below(&seed, 4));
            s->term[k][i] = fprev_round(p->f->type, fprev_random(&seed) & 1 ? x : -x);
        }
        s->result[k] = fprev_probe_on(p, s->term[k], one);
    }
    fprev_probe_fill(p, p->mask.unit_a, p->mask.unit_b);
}

fprev_outcome fprev_order_by_trial(fprev_probe *p, const fprev_options *o, fprev_tree *t)
{
    if (p->f->n_terms > FPREV_NAIVE_TERMS)
        return FPREV_TOO_MANY;
    trial s = {.f = p->f, .n = (int)p->f->n_terms};
    ask(p, o->seed, &s);
    if (p->status == FPREV_OK && !fprev_tree_start(t, s.n))
        p->status = FPREV_E_NO_MEMORY;
    if (p->status != FPREV_OK)
        return FPREV_FAILED;
    s.parent[0] = -1;
    place(&s, 1);
    if (s.found != 1)
        return s.found ? FPREV_AMBIGUOUS : FPREV_NO_TREE;
    for (int k = s.n; k < 2 * s.n - 1; k++)
        fprev_tree_add(t);
    for (int k = 0; k < 2 * s.n - 1; k++)
        t->parent[k] = s.found_parent[k];
    return fprev_tree_close(t) ? FPREV_FOUND : FPREV_NO_TREE;
}
