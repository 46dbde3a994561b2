#include "report.h"

#include "tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tree is peeled from the leaves: a level is the set of the longest chains of additions of
 * single units, first of terms, then of the chains of the level before. */
typedef struct {
    const fprev_tree *t;
    bool *unit, *chain; /* of the node: done before; a chain of units */
    int32_t root;       /* of the part that is described */
    int32_t n_tail;     /* terms that were added above it */
    char *text, *end;
} peel;

typedef struct {
    int32_t count, shortest, longest;
    int64_t step;
    bool regular, fused;
    int32_t width; /* largest number of units that enter one fused addition */
} level;

static void say(peel *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(s->text, (size_t)(s->end - s->text), format, list);
    va_end(list);
    s->text += n < s->end - s->text ? n : s->end - s->text - 1;
}

/* Number of children that are not units; *inner is one of them. */
static int count_inner(const peel *s, int32_t node, int32_t *inner)
{
    int n = 0;
    for (int32_t c = s->t->first[node]; c >= 0; c = s->t->next[c])
        if (!s->unit[c]) {
            *inner = c;
            n++;
        }
    return n;
}

static void find_chains(peel *s)
{
    for (int32_t i = s->t->n_leaves; i <= s->root; i++) {
        int32_t inner = -1;
        int n = count_inner(s, i, &inner);
        s->chain[i] = !s->unit[i] && (n == 0 || (n == 1 && s->chain[inner]));
    }
}

/* Adds the chain that ends in `node` to the level. */
static void measure_chain(const peel *s, int32_t node, level *v)
{
    const fprev_tree *t = s->t;
    int32_t length = 0, above = -1, inner = -1;
    int64_t step = 0;
    for (;;) { /* from the top down: the labels of the units, each minus the one below it */
        int n_inner = count_inner(s, node, &inner);
        int32_t units[2] = {-1, -1}, n_units = 0;
        for (int32_t c = t->first[node]; c >= 0; c = t->next[c])
            if (s->unit[c])
                units[n_units++ & 1] = t->least[c];
        v->fused |= n_units + n_inner > 2;
        v->width = n_units > v->width ? n_units : v->width;
        length += n_units;
        if (above >= 0 && n_inner) {
            v->regular &= step == 0 || above - units[0] == step;
            step = above - units[0];
        }
        if (n_inner == 0) {
            bool up = above < 0 || above > units[1];
            int32_t near = up ? units[1] : units[0], far = up ? units[0] : units[1];
            if (above >= 0)
                v->regular &= above - near == near - far && (step == 0 || above - near == step);
            step = near - far;
            break;
        }
        above = units[0];
        node = inner;
    }
    v->regular &= v->count == 0 || v->step == step;
    v->step = step;
    v->shortest = v->count == 0 || length < v->shortest ? length : v->shortest;
    v->longest = length > v->longest ? length : v->longest;
    v->count++;
}

/* All units are in chains, and these are alike. */
static level find_level(peel *s)
{
    const fprev_tree *t = s->t;
    level v = {.regular = true};
    find_chains(s);
    for (int32_t i = 0; i < s->root; i++) /* nodes beyond the root are above it or tails */
        if (s->unit[i] && t->parent[i] <= s->root && !s->unit[t->parent[i]])
            v.regular &= s->chain[t->parent[i]];
    for (int32_t i = t->n_leaves; i <= s->root; i++)
        if (s->chain[i] && (i == s->root || !s->chain[t->parent[i]]))
            measure_chain(s, i, &v);
    v.regular &= v.count > 0 && v.longest <= 2 * v.shortest;
    return v;
}

/* The last addition takes in a term, or a chain of them, beside something larger. */
static bool strip_tail(peel *s)
{
    const fprev_tree *t = s->t;
    int32_t x = t->first[s->root], y = t->next[x];
    if (t->next[y] >= 0 || s->root < t->n_leaves)
        return false;
    bool plain = y < t->n_leaves || s->chain[y];
    if (!plain || x < t->n_leaves || 3 * t->size[y] >= t->size[x])
        return false;
    s->n_tail += t->size[y];
    s->root = x; /* y and the additions below it have larger numbers */
    return true;
}

static const char *direction(int64_t step)
{
    return step == 1 ? "from first to last" : step == -1 ? "from last to first" : "";
}

static void say_first(peel *s, const level *v)
{
    char terms[48];
    if (v->shortest == v->longest)
        snprintf(terms, sizeof terms, "%d", v->longest);
    else
        snprintf(terms, sizeof terms, "%d to %d", v->shortest, v->longest);
    if (v->count > 1 && v->longest > 2 && (v->step == 1 || v->step == -1))
        say(s, "%d blocks × %s terms, each %s", v->count, terms, direction(v->step));
    else if (v->count > 1 && (v->longest > 2 || v->step != 1))
        say(s, "%d lanes × %s terms (stride %lld)", v->count, terms, (long long)v->step);
    else if (v->count > 1)
        say(s, "%d pairs, then pairwise", v->count);
    else if (v->step == 1 || v->step == -1)
        say(s, "%s terms one after another, %s", terms, direction(v->step));
    else
        say(s, "%s terms one after another (stride %lld)", terms, (long long)v->step);
}

static void say_next(peel *s, const level *v, bool *pairwise)
{
    bool pairs = v->longest == 2 && v->shortest == 2;
    if (pairs && !*pairwise)
        say(s, ", then pairwise");
    if (!pairs && v->count > 1)
        say(s, ", then %d groups of %d in order (stride %lld)", v->count, v->longest,
            (long long)v->step);
    else if (!pairs)
        say(s, ", then these %d one after another", v->longest);
    *pairwise = pairs;
}

/* False if the order has no pattern of levels. */
static bool say_levels(peel *s)
{
    bool pairwise = false;
    for (int depth = 0; !s->unit[s->root]; depth++) {
        level v = find_level(s);
        while (depth == 0 && !v.regular && strip_tail(s))
            v = find_level(s);
        if (!v.regular || v.fused || (depth > 0 && v.shortest < v.longest))
            return false;
        if (depth == 0)
            say_first(s, &v);
        else
            say_next(s, &v, &pairwise);
        pairwise |= depth == 0 && v.longest == 2 && v.step == 1;
        for (int32_t i = s->t->n_leaves; i <= s->root; i++)
            s->unit[i] |= s->chain[i];
    }
    if (s->n_tail)
        say(s, ", then the other %d term%s", s->n_tail, s->n_tail == 1 ? "" : "s");
    return true;
}

static void say_fused(peel *s)
{
    const fprev_tree *t = s->t;
    int32_t n = 0, width = 0;
    bool running = true;
    for (int32_t i = t->n_leaves; i < t->n_nodes; i++) {
        int32_t inner = 0, leaves = 0;
        for (int32_t c = t->first[i]; c >= 0; c = t->next[c])
            *(c < t->n_leaves ? &leaves : &inner) += 1;
        n++;
        width = leaves > width ? leaves : width;
        running &= inner <= 1;
    }
    say(s, "%d fused addition%s of up to %d terms%s", n, n == 1 ? "" : "s", width,
        n == 1    ? ""
        : running ? " and the running sum"
                  : ", in a tree");
}

static void say_shape(peel *s)
{
    const fprev_tree *t = s->t;
    int32_t depth = 0, *height = calloc((size_t)t->n_nodes, sizeof *height);
    for (int32_t i = 0; height && i < t->n_nodes; i++) {
        int32_t p = t->parent[i];
        if (p >= 0 && height[p] < height[i] + 1)
            height[p] = height[i] + 1;
        depth = height[i];
    }
    free(height);
    say(s, "no simple pattern: %d additions, at most %d deep", t->n_nodes - t->n_leaves, depth);
}

/* The addition of these two, -1 if there is none. All additions are of two. */
static int32_t sum_of(const fprev_tree *t, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && t->parent[x] == t->parent[y] ? t->parent[x] : -1;
}

/* NumPy's order of a block, and of halves of halves down to terms or to blocks: the last addition,
 * -1 if the order is another. */
static int32_t block(const fprev_tree *t, int32_t begin, int32_t n)
{
    int32_t r[8], node = begin, done = n < 8 ? 1 : n - n % 8;
    if (n >= 8) {
        for (int k = 0; k < 8; k++) {
            r[k] = begin + k;
            for (int32_t i = k + 8; i < done; i += 8)
                r[k] = sum_of(t, r[k], begin + i);
        }
        for (int width = 1; width < 8; width *= 2)
            for (int k = 0; k < 8; k += 2 * width)
                r[k] = sum_of(t, r[k], r[k + width]);
        node = r[0];
    }
    for (int32_t i = done; i < n; i++)
        node = sum_of(t, node, begin + i);
    return node;
}

static int32_t halves(const fprev_tree *t, int32_t begin, int32_t n, bool blocks)
{
    if (n == 1)
        return begin;
    if (blocks && n <= 128)
        return block(t, begin, n);
    int32_t half = n / 2 - (blocks ? n / 2 % 8 : 0);
    int32_t x = halves(t, begin, half, blocks);
    return sum_of(t, x, halves(t, begin + half, n - half, blocks));
}

static bool is_halves(const fprev_tree *t, bool blocks)
{
    return halves(t, 0, t->n_leaves, blocks) == t->n_nodes - 1;
}

static void describe_tree(peel *s)
{
    char *start = s->text;
    const fprev_tree *t = s->t;
    if (t->n_leaves == 1) {
        say(s, "one term");
    } else if (fprev_has_fused_nodes(t)) {
        say_fused(s);
    } else if (t->n_leaves > 3 && is_halves(t, false)) {
        say(s, "pairwise: halves of halves");
    } else if (!say_levels(s)) {
        s->text = start;
        *start = 0;
        if (!is_halves(t, true))
            say_shape(s);
    }
    if (t->n_leaves > 8 && !fprev_has_fused_nodes(t) && is_halves(t, true))
        say(s, "%sNumPy's pairwise sum", s->text == start ? "" : ": ");
}

void fprev_describe(const fprev_tree *t, char *text, size_t size)
{
    size_t n = (size_t)t->n_nodes;
    peel s = {.t = t, .root = t->n_nodes - 1, .text = text, .end = text + size};
    s.unit = calloc(n, sizeof(bool));
    s.chain = calloc(n, sizeof(bool));
    *text = 0;
    if (s.unit && s.chain) {
        memset(s.unit, 1, (size_t)t->n_leaves * sizeof(bool));
        describe_tree(&s);
    }
    free(s.unit);
    free(s.chain);
}
