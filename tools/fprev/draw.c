/* Trees as text. */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

static void label(FILE *f, const fprev_tree *t, int32_t node)
{
    if (node < t->n_leaves)
        fprintf(f, "%" PRId32 "%s", node, t->mark[node] & FPREV_FUSED ? "*" : "");
    else
        fprintf(f, "+%s", t->mark[node] & FPREV_WIDE ? "~" : "");
}

/* Below each node its children, the last one with a corner; `bars` has a column for each
 * ancestor. */
static void draw_node(FILE *f, const fprev_tree *t, int32_t node, char *bars, size_t depth)
{
    for (size_t k = 0; k < depth; k++)
        fputs(k + 1 < depth ? (bars[k] ? "|  " : "   ") : (bars[k] ? "|- " : "`- "), f);
    label(f, t, node);
    fputc('\n', f);
    for (int32_t c = t->first[node]; c >= 0; c = t->next[c]) {
        bars[depth] = t->next[c] >= 0;
        draw_node(f, t, c, bars, depth + 1);
    }
}

void fprev_draw_ascii(FILE *f, const fprev_tree *t)
{
    char *bars = calloc((size_t)t->n_nodes + 1, 1);
    if (bars && t->n_nodes)
        draw_node(f, t, t->n_nodes - 1, bars, 0);
    free(bars);
}
