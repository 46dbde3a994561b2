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

/* Smallest leaves and, by these, lists of children. Nodes with the same smallest leaf are a chain
 * from it upward, so going through these chains from the last leaf to the first and pushing each
 * node on the front of its parent's list sorts the lists. */
static void link_nodes(fprev_tree *t)
{
    for (int32_t i = 0; i < t->n_nodes; i++) {
        t->first[i] = t->next[i] = -1;
        t->least[i] = i < t->n_leaves ? i : -1;
    }
    for (int32_t leaf = 0; leaf < t->n_leaves; leaf++)
        for (int32_t p = t->parent[leaf]; p >= 0 && t->least[p] < 0; p = t->parent[p])
            t->least[p] = leaf;
    for (int32_t leaf = t->n_leaves - 1; leaf >= 0; leaf--)
        for (int32_t i = leaf, p; (p = t->parent[i]) >= 0 && t->least[i] == leaf; i = p) {
            t->next[i] = t->first[p];
            t->first[p] = i;
        }
}

/* new_id[] by visiting children first, in order. */
static void number(const fprev_tree *t, int32_t *new_id)
{
    int32_t n = t->n_leaves, node = 0;
    for (;;) {
        while (t->first[node] >= 0)
            node = t->first[node];
        for (;;) {
            new_id[node] = node < t->n_leaves ? node : n++;
            if (t->parent[node] < 0)
                return;
            if (t->next[node] >= 0)
                break;
            node = t->parent[node];
        }
        node = t->next[node];
    }
}

static void renumber(const fprev_tree *from, fprev_tree *to, const int32_t *new_id)
{
    to->n_nodes = from->n_nodes;
    for (int32_t i = 0; i < from->n_nodes; i++)
        to->parent[new_id[i]] = from->parent[i] < 0 ? -1 : new_id[from->parent[i]];
    link_nodes(to);
    for (int32_t i = 0; i < to->n_nodes; i++)
        to->size[i] = i < to->n_leaves;
    for (int32_t i = 0; i < to->n_nodes - 1; i++)
        to->size[to->parent[i]] += to->size[i];
}

bool fprev_tree_close(fprev_tree *t)
{
    fprev_tree closed;
    int32_t *new_id = malloc((size_t)t->n_nodes * sizeof(int32_t));
    bool ok = new_id && fprev_tree_start(&closed, t->n_leaves);
    if (ok) {
        link_nodes(t);
        number(t, new_id);
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
