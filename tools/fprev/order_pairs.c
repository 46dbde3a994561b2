/* The basic algorithm: all pairs by size, smallest first, as in Kruskal's. */
#include "order.h"
#include "tree.h"

#include <stdlib.h>

typedef struct {
    fprev_tree *tree;
    int32_t *size_of; /* of the lowest common addition of i < j: row i of a triangle */
    int32_t *group;   /* union-find of leaves */
    int32_t *top;     /* node of a group, by its root */
    int32_t *made_at; /* size at which a group's node was made */
} pairs;

static int32_t find(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static size_t triangle(size_t n, size_t i, size_t j)
{
    return i * (2 * n - i - 1) / 2 + (j - i - 1);
}

/* Two groups meet in an addition of `size` leaves: a node over both, or one of them already is
 * that node. Two such nodes become one: the second is dropped and its children move. */
static void join(pairs *s, int32_t i, int32_t j, int32_t size)
{
    int32_t x = s->top[i], y = s->top[j];
    fprev_tree *t = s->tree;
    bool open_i = s->made_at[i] == size, open_j = s->made_at[j] == size;
    int32_t node = open_i ? x : open_j ? y : fprev_tree_add(t);
    if (open_i && open_j) {
        for (int32_t k = 0; k < t->n_nodes; k++)
            if (t->parent[k] == y)
                t->parent[k] = x;
        t->parent[y] = FPREV_DROPPED;
    } else {
        if (!open_i)
            t->parent[x] = node;
        if (!open_j)
            t->parent[y] = node;
    }
    s->group[j] = i;
    s->top[i] = node;
    s->made_at[i] = size;
}

/* All pairs of leaves sorted by size: begin[s] ... begin[s + 1] of `pair`, i * n + j. */
static void sort_pairs(const int32_t *size_of, int64_t n, int64_t *begin, int64_t *pair)
{
    int64_t n_pairs = n * (n - 1) / 2;
    for (int64_t s = 0; s <= n + 1; s++)
        begin[s] = 0;
    for (int64_t k = 0; k < n_pairs; k++)
        begin[size_of[k] + 1]++;
    for (int64_t s = 1; s <= n + 1; s++)
        begin[s] += begin[s - 1];
    for (int64_t i = 0, k = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++, k++)
            pair[begin[size_of[k]]++] = i * n + j;
}

static void join_all(pairs *s, int64_t n, const int64_t *pair)
{
    for (int64_t k = 0; k < n * (n - 1) / 2; k++) {
        size_t i = (size_t)(pair[k] / n), j = (size_t)(pair[k] % n);
        int32_t x = find(s->group, (int32_t)i), y = find(s->group, (int32_t)j);
        if (x != y)
            join(s, x, y, s->size_of[triangle((size_t)n, i, j)]);
    }
}

/* Does the tree give leaf i and every later leaf its size? Those that first meet i in a node are
 * the leaves of its other children. */
static bool verify_leaf(const pairs *s, int32_t i, const int32_t *order, const int32_t *begin)
{
    const fprev_tree *t = s->tree;
    for (int32_t node = i, up = t->parent[i]; up >= 0; node = up, up = t->parent[up])
        for (int32_t c = t->first[up]; c >= 0; c = t->next[c])
            for (int32_t k = begin[c]; c != node && k < begin[c] + t->size[c]; k++)
                if (order[k] > i &&
                    s->size_of[triangle((size_t)t->n_leaves, (size_t)i, (size_t)order[k])] !=
                        t->size[up])
                    return false;
    return true;
}

static bool verify(const pairs *s)
{
    const fprev_tree *t = s->tree;
    int32_t *order = s->group, *begin = s->top; /* no longer needed; top has room for all nodes */
    fprev_tree_order(t, order, begin);
    for (int32_t i = 0; i < t->n_leaves; i++)
        if (!verify_leaf(s, i, order, begin))
            return false;
    return true;
}

static fprev_outcome ask_all(fprev_probe *p, int32_t *size_of)
{
    int64_t n = p->f->n_terms, k = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++, k++) {
            size_of[k] = (int32_t)fprev_probe_common(p, i, j);
            if (p->status != FPREV_OK)
                return FPREV_FAILED;
            if (size_of[k] < 2)
                return FPREV_NO_TREE;
        }
    return FPREV_FOUND;
}

static fprev_outcome build(fprev_probe *p, pairs *s, int64_t *begin, int64_t *pair)
{
    int32_t n = (int32_t)p->f->n_terms;
    fprev_outcome outcome = ask_all(p, s->size_of);
    if (outcome != FPREV_FOUND)
        return outcome;
    for (int32_t i = 0; i < n; i++) {
        s->group[i] = s->top[i] = i;
        s->made_at[i] = 1;
    }
    sort_pairs(s->size_of, n, begin, pair);
    join_all(s, n, pair);
    return fprev_tree_close(s->tree) && verify(s) ? FPREV_FOUND : FPREV_NO_TREE;
}

fprev_outcome fprev_order_by_pairs(fprev_probe *p, fprev_tree *t)
{
    size_t n = (size_t)p->f->n_terms, n_pairs = n * (n - 1) / 2;
    if (n > FPREV_PAIRS_TERMS || p->f->absolute)
        return FPREV_TOO_MANY;
    pairs s = {.tree = t};
    s.size_of = malloc((n_pairs + 1) * sizeof *s.size_of);
    s.group = malloc(n * sizeof *s.group);
    s.top = malloc(2 * n * sizeof *s.top);
    s.made_at = malloc(n * sizeof *s.made_at);
    int64_t *begin = malloc((n + 2) * sizeof *begin), *pair = malloc((n_pairs + 1) * sizeof *pair);
    fprev_outcome outcome = FPREV_FAILED;
    if (s.size_of && s.group && s.top && s.made_at && begin && pair &&
        fprev_tree_start(t, (int32_t)n))
        outcome = build(p, &s, begin, pair);
    else
        p->status = FPREV_E_NO_MEMORY;
    free(s.size_of);
    free(s.group);
    free(s.top);
    free(s.made_at);
    free(begin);
    free(pair);
    return outcome;
}
