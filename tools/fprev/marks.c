#include "marks.h"

#include "format.h"
#include "tree.h"

#include <math.h>

static int32_t other_child(const fprev_tree *t, int32_t node)
{
    int32_t first = t->first[t->parent[node]];
    return first == node ? t->next[node] : first;
}

static bool in_addition_of_two(const fprev_tree *t, int32_t node)
{
    int32_t up = t->parent[node];
    return up >= 0 && t->next[t->next[t->first[up]]] < 0;
}

/* (1 + h)^2 = 1 + 2h + h^2, h = 2^-(p/2 + 1): the last term is below half an ulp. What is
 * left after 1 + 2h is taken away, in the addition that the product enters, is h^2 or 0. */
void fprev_mark_fused(fprev_probe *p, fprev_tree *t)
{
    const fprev_function *f = p->f;
    int bits = fprev_formats[f->type].precision;
    double h = ldexp(1, -(bits / 2 + 1));
    /* Half times half in float is exact anyway. */
    bool rounds = f->result_type == f->type;
    fprev_probe_fill(p, 0, 0);
    for (int32_t i = 0; i < t->n_leaves && f->product && rounds; i++) {
        if (!in_addition_of_two(t, i))
            continue;
        int32_t j = t->least[other_child(t, i)];
        fprev_probe_set(p, i, 1 + h, 1 + h);
        fprev_probe_set(p, j, -(1 + 2 * h), 1);
        if (fprev_probe_call(p) != 0)
            t->mark[i] |= FPREV_FUSED;
        fprev_probe_set(p, i, 0, 0);
        fprev_probe_set(p, j, 0, 0);
    }
    fprev_probe_fill(p, p->mask.unit_a, p->mask.unit_b);
}

/* 1 + h below the node, h below half an ulp, - 1 in the addition above it. */
void fprev_mark_wide(fprev_probe *p, fprev_tree *t)
{
    double h = ldexp(1, -fprev_formats[p->f->result_type].precision - 2);
    bool possible = h >= ldexp(1, fprev_formats[p->f->type].min_exp);
    fprev_probe_fill(p, 0, 1);
    for (int32_t node = t->n_leaves; node < t->n_nodes && possible; node++) {
        int32_t first = t->first[node];
        if (!in_addition_of_two(t, node) || t->next[t->next[first]] >= 0)
            continue;
        int32_t leaf[3] = {t->least[first], t->least[t->next[first]],
                           t->least[other_child(t, node)]};
        fprev_probe_set(p, leaf[0], 1, 1);
        fprev_probe_set(p, leaf[1], h, 1);
        fprev_probe_set(p, leaf[2], -1, 1);
        if (fprev_probe_call(p) != 0)
            t->mark[node] |= FPREV_WIDE;
        for (int k = 0; k < 3; k++)
            fprev_probe_set(p, leaf[k], 0, 1);
    }
    fprev_probe_fill(p, p->mask.unit_a, p->mask.unit_b);
}

/* Among additions of two with a leaf: one product can be fused in each. */
fprev_products fprev_count_fused(const fprev_function *f, const fprev_tree *t)
{
    int fused = 0, plain = 0;
    if (!f->product || f->result_type != f->type)
        return FPREV_FMA_NA;
    for (int32_t i = t->n_leaves; i < t->n_nodes; i++) {
        int32_t x = t->first[i], y = t->next[x];
        if (t->next[y] >= 0 || (x >= t->n_leaves && y >= t->n_leaves))
            continue;
        if ((t->mark[x] | t->mark[y]) & FPREV_FUSED)
            fused++;
        else if (x >= t->n_leaves || y >= t->n_leaves)
            plain++;
    }
    if (fused == 0)
        return FPREV_FMA_NONE;
    return plain == 0 ? FPREV_FMA_ALL : FPREV_FMA_SOME;
}

int fprev_count_wide(const fprev_tree *t)
{
    int n = 0;
    for (int32_t i = t->n_leaves; i < t->n_nodes; i++)
        n += (t->mark[i] & FPREV_WIDE) != 0;
    return n;
}
