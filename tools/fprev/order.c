/* The ancestors of a pivot leaf are a chain; each other leaf hangs below that ancestor which
 * is its lowest common addition with the pivot. Sorting the leaves by these gives the
 * chain, and each group of equal ones is a part of the same problem. With random pivots the
 * part that a leaf is in has at most half the size after O(1) levels, expected. */
#include "order.h"
#include "random.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

/* rank orders the leaves of a part by their distance from the pivot. */
typedef struct {
    int64_t rank;
    int32_t leaf;
} entry;

/* entry[low] ... entry[high - 1] hang below `node`, whose leaves are `limit`. */
typedef struct {
    int32_t low, high, node;
    int64_t limit;
} part;

typedef struct {
    fprev_probe *probe;
    fprev_tree *tree;
    entry *entry, *spare;
    part *todo;
    int32_t n_todo;
    bool contradiction;
} search;

static int compare_rank(const void *x, const void *y)
{
    int64_t a = ((const entry *)x)->rank, b = ((const entry *)y)->rank;
    return (a > b) - (a < b);
}

/* entry[low] is the pivot. The rank of the others becomes the number of leaves below
 * their lowest common addition with it, ascending. */
static bool rank_by_masks(search *s, part q)
{
    entry *e = s->entry;
    for (int32_t k = q.low + 1; k < q.high; k++) {
        e[k].rank = fprev_probe_common(s->probe, e[q.low].leaf, e[k].leaf);
        if (e[k].rank < 2 || e[k].rank > q.limit)
            return false;
    }
    qsort(e + q.low + 1, (size_t)(q.high - q.low - 1), sizeof *e, compare_rank);
    return true;
}

/* < 0: j meets the pivot before k does; 0: they meet each other before. */
static int compare_distance(search *s, int32_t pivot, int32_t j, int32_t k)
{
    bool j_first = fprev_probe_closer(s->probe, pivot, j, k);
    bool k_first = fprev_probe_closer(s->probe, pivot, k, j);
    s->contradiction |= j_first && k_first;
    return k_first - j_first;
}

static void merge(search *s, int32_t pivot, int32_t low, int32_t middle, int32_t high)
{
    entry *e = s->entry;
    int32_t i = low, j = middle;
    for (int32_t k = low; k < high; k++) {
        bool left =
            j == high || (i < middle && compare_distance(s, pivot, e[i].leaf, e[j].leaf) <= 0);
        s->spare[k] = left ? e[i++] : e[j++];
    }
    memcpy(e + low, s->spare + low, (size_t)(high - low) * sizeof *e);
}

/* As rank_by_masks, by comparisons: merge sort, then the sizes from the places. */
static bool rank_by_comparisons(search *s, part q)
{
    entry *e = s->entry;
    int32_t pivot = e[q.low].leaf, low = q.low + 1;
    for (int64_t width = 1; width < q.high - low; width *= 2)
        for (int64_t i = low; i + width < q.high; i += 2 * width) {
            int64_t end = i + 2 * width < q.high ? i + 2 * width : q.high;
            merge(s, pivot, (int32_t)i, (int32_t)(i + width), (int32_t)end);
        }
    for (int32_t k = q.high - 1; k >= low; k--) {
        bool last = k == q.high - 1 || compare_distance(s, pivot, e[k].leaf, e[k + 1].leaf) != 0;
        e[k].rank = last ? k + 1 - q.low : e[k + 1].rank;
    }
    return !s->contradiction && s->probe->status == FPREV_OK;
}

static void push(search *s, part q)
{
    if (q.high - q.low == 1)
        s->tree->parent[s->entry[q.low].leaf] = q.node;
    else
        s->todo[s->n_todo++] = q;
}

/* Puts the chain from the pivot upward below q.node and the groups on the list. */
static fprev_outcome hang(search *s, part q)
{
    entry *e = s->entry;
    int32_t node = e[q.low].leaf, k = q.low + 1;
    while (k < q.high && (q.node < 0 || e[k].rank < q.limit)) {
        part group = {.low = k, .limit = e[k].rank};
        while (k < q.high && e[k].rank == group.limit)
            k++;
        group.high = k;
        if (k - q.low != group.limit) /* what is below is all that was there */
            return FPREV_NO_TREE;
        group.node = fprev_tree_add(s->tree);
        s->tree->parent[node] = group.node;
        push(s, group);
        node = group.node;
    }
    s->tree->parent[node] = q.node;
    if (k == q.high)
        return FPREV_FOUND;
    push(s, (part){k, q.high, q.node, q.limit}); /* siblings */
    return FPREV_FOUND;
}

/* Moves the pivot of a part to its first place. */
static void choose_pivot(search *s, part q, uint64_t *state)
{
    int32_t pivot = q.low + (int32_t)fprev_random_below(state, q.high - q.low);
    entry e = s->entry[pivot];
    s->entry[pivot] = s->entry[q.low];
    s->entry[q.low] = e;
}

static fprev_outcome run(search *s, const fprev_options *o)
{
    uint64_t state = o->seed;
    bool masks = !s->probe->f->absolute;
    if (!masks)
        fprev_probe_fill(s->probe, 0, 1);
    push(s, (part){0, s->tree->n_leaves, -1, s->tree->n_leaves});
    while (s->n_todo > 0) {
        part q = s->todo[--s->n_todo];
        choose_pivot(s, q, &state);
        bool ranked = masks ? rank_by_masks(s, q) : rank_by_comparisons(s, q);
        if (s->probe->status != FPREV_OK)
            return FPREV_FAILED;
        fprev_outcome outcome = ranked ? hang(s, q) : FPREV_NO_TREE;
        if (outcome != FPREV_FOUND)
            return outcome;
    }
    return fprev_tree_close(s->tree) ? FPREV_FOUND : FPREV_FAILED;
}

fprev_outcome fprev_order(fprev_probe *p, const fprev_options *o, fprev_tree *t)
{
    size_t n = (size_t)p->f->n_terms;
    search s = {.probe = p, .tree = t};
    s.entry = malloc(n * sizeof *s.entry);
    s.spare = malloc(n * sizeof *s.spare);
    s.todo = malloc(n * sizeof *s.todo);
    fprev_outcome outcome = FPREV_FAILED;
    if (s.entry && s.spare && s.todo && fprev_tree_start(t, (int32_t)n)) {
        for (size_t i = 0; i < n; i++)
            s.entry[i] = (entry){0, (int32_t)i};
        outcome = run(&s, o);
    }
    if (outcome == FPREV_FAILED && p->status == FPREV_OK)
        p->status = FPREV_E_NO_MEMORY;
    fprev_probe_fill(p, p->mask.unit_a, p->mask.unit_b);
    free(s.entry);
    free(s.spare);
    free(s.todo);
    return outcome;
}
