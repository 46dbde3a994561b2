#include "tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One block, of which parent is the beginning. */
bool fprev_tree_start(fprev_tree *t, int32_t n_leaves)
{
    size_t n = 2 * (size_t)n_leaves;
    int32_t *p = malloc(n * (5 * sizeof *p + 1));
    *t = (fprev_tree){0};
    if (!p)
        return false;
    *t = (fprev_tree){n_leaves,  n_leaves,  p,         p + n,
                      p + 2 * n, p + 3 * n, p + 4 * n, memset(p + 5 * n, 0, n)};
    for (int32_t i = 0; i < n_leaves; i++)
        p[i] = -1;
    return true;
}

void fprev_tree_free(fprev_tree *t)
{
    free(t->parent);
    *t = (fprev_tree){0};
}

int32_t fprev_tree_add(fprev_tree *t)
{
    t->parent[t->n_nodes] = -1;
    return t->n_nodes++;
}

/* Sizes and smallest leaves, from the leaves upward: a node is done when all its children
 * are. next[] counts the children that are not, first[] is the queue. False unless all
 * nodes are reached, below one root. */
static bool measure(fprev_tree *t)
{
    int32_t n_queued = 0, n_roots = 0;
    memset(t->next, 0, (size_t)t->n_nodes * sizeof(int32_t));
    for (int32_t i = 0; i < t->n_nodes; i++) {
        t->size[i] = i < t->n_leaves;
        t->least[i] = i < t->n_leaves ? i : INT32_MAX;
        n_roots += t->parent[i] == -1;
        if (t->parent[i] >= 0)
            t->next[t->parent[i]]++;
        if (i < t->n_leaves)
            t->first[n_queued++] = i;
    }
    for (int32_t k = 0; k < n_queued; k++) {
        int32_t i = t->first[k], p = t->parent[i];
        if (p < 0)
            continue;
        t->size[p] += t->size[i];
        t->least[p] = t->least[i] < t->least[p] ? t->least[i] : t->least[p];
        if (--t->next[p] == 0)
            t->first[n_queued++] = p;
    }
    return n_roots == 1 && n_queued == t->n_nodes;
}

/* Lists of children by smallest leaf. Nodes with the same smallest leaf are a chain from
 * it upward, so going through these chains from the last leaf to the first and pushing each
 * node on the front of its parent's list sorts the lists. */
static void link_children(fprev_tree *t)
{
    for (int32_t i = 0; i < t->n_nodes; i++)
        t->first[i] = -1;
    for (int32_t leaf = t->n_leaves - 1; leaf >= 0; leaf--)
        for (int32_t i = leaf, p; t->least[i] == leaf; i = p) {
            p = t->parent[i];
            if (p < 0)
                break;
            t->next[i] = t->first[p];
            t->first[p] = i;
        }
}

/* new_id[] by visiting children first, in order. */
static int32_t number(const fprev_tree *t, int32_t root, int32_t *new_id)
{
    int32_t n = t->n_leaves, node = root;
    for (;;) {
        while (t->first[node] >= 0)
            node = t->first[node];
        for (;;) {
            new_id[node] = node < t->n_leaves ? node : n++;
            if (node == root)
                return n;
            if (t->next[node] >= 0)
                break;
            node = t->parent[node];
        }
        node = t->next[node];
    }
}

static void renumber(const fprev_tree *from, fprev_tree *to, const int32_t *new_id)
{
    for (int32_t i = 0; i < from->n_nodes; i++) {
        int32_t k = new_id[i];
        to->parent[k] = from->parent[i] < 0 ? -1 : new_id[from->parent[i]];
        to->first[k] = from->first[i] < 0 ? -1 : new_id[from->first[i]];
        to->next[k] = from->next[i] < 0 ? -1 : new_id[from->next[i]];
        to->size[k] = from->size[i];
        to->least[k] = from->least[i];
        to->mark[k] = from->mark[i];
    }
}

static bool all_inner_nodes_branch(const fprev_tree *t)
{
    for (int32_t i = t->n_leaves; i < t->n_nodes; i++)
        if (t->first[i] < 0 || t->next[t->first[i]] < 0)
            return false;
    return true;
}

bool fprev_tree_close(fprev_tree *t)
{
    if (!measure(t))
        return false;
    for (int32_t i = 0; i < t->n_nodes; i++)
        t->next[i] = -1;
    link_children(t);
    if (!all_inner_nodes_branch(t))
        return false;
    int32_t root = 0;
    while (t->parent[root] >= 0)
        root = t->parent[root];
    fprev_tree closed;
    int32_t *new_id = malloc((size_t)t->n_nodes * sizeof(int32_t));
    bool ok = new_id && fprev_tree_start(&closed, t->n_leaves);
    if (ok) {
        closed.n_nodes = number(t, root, new_id);
        renumber(t, &closed, new_id);
        fprev_tree_free(t);
        *t = closed;
    }
    free(new_id);
    return ok;
}

int32_t fprev_tree_common(const fprev_tree *t, int32_t i, int32_t j)
{
    while (i != j) { /* parents have larger numbers */
        if (i < j)
            i = t->parent[i];
        else
            j = t->parent[j];
    }
    return t->size[i];
}

static char *write_node(const fprev_tree *t, int32_t node, char *s)
{
    if (node < t->n_leaves) {
        s += sprintf(s, "%" PRId32, node);
        if (t->mark[node] & FPREV_FUSED)
            *s++ = '*';
        return s;
    }
    *s++ = ')';
    if (t->mark[node] & FPREV_WIDE)
        *s++ = '~';
    return s;
}

char *fprev_tree_text(const fprev_tree *t)
{
    char *text = malloc(12 * (size_t)t->n_leaves + 4 * (size_t)t->n_nodes + 1), *s = text;
    if (!text)
        return NULL;
    int32_t node = t->n_nodes - 1;
    for (bool done = false; !done;) {
        for (; t->first[node] >= 0; node = t->first[node])
            *s++ = '(';
        for (s = write_node(t, node, s); t->next[node] < 0; s = write_node(t, node, s)) {
            node = t->parent[node];
            if (node < 0) {
                done = true;
                break;
            }
        }
        if (!done) {
            *s++ = ',';
            node = t->next[node];
        }
    }
    *s = 0;
    return text;
}

uint64_t fprev_hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3;
    return h;
}
