/* Trees as pictures. */
#include "report.h"
#include "tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

void fprev_draw_dot(FILE *f, const fprev_tree *t)
{
    fprintf(f, "digraph order {\n  rankdir=BT;\n  node [shape=circle, fontsize=10];\n");
    for (int32_t i = 0; i < t->n_nodes; i++) {
        fprintf(f, "  n%" PRId32 " [label=\"", i);
        label(f, t, i);
        fprintf(f, "\"%s];\n", i < t->n_leaves ? ", shape=box" : "");
        if (t->parent[i] >= 0)
            fprintf(f, "  n%" PRId32 " -> n%" PRId32 ";\n", i, t->parent[i]);
    }
    fprintf(f, "}\n");
}

/* Places in the drawing: leaves side by side from left to right, additions over the middle
 * of their outermost children, one row higher than the highest. */
typedef struct {
    double x;
    int32_t row;
} place;

static bool arrange(const fprev_tree *t, place *p)
{
    int32_t *order = malloc((size_t)t->n_leaves * sizeof *order);
    int32_t *begin = malloc((size_t)t->n_nodes * sizeof *begin);
    bool ok = order && begin;
    if (ok)
        fprev_tree_order(t, order, begin);
    for (int32_t i = 0; ok && i < t->n_nodes; i++) {
        p[i] = (place){i < t->n_leaves ? begin[i] : 0, 0};
        int32_t last = t->first[i];
        for (int32_t c = t->first[i]; c >= 0; last = c, c = t->next[c])
            p[i].row = p[c].row + 1 > p[i].row ? p[c].row + 1 : p[i].row;
        if (last >= 0)
            p[i].x = (p[t->first[i]].x + p[last].x) / 2;
    }
    free(order);
    free(begin);
    return ok;
}

static void svg_text(FILE *f, const char *s)
{
    for (; *s; s++) {
        if (*s == '<')
            fputs("&lt;", f);
        else if (*s == '&')
            fputs("&amp;", f);
        else
            fputc(*s, f);
    }
}

static void svg_node(FILE *f, const fprev_tree *t, const place *p, int32_t i, double x, double y,
                     double up_x, double up_y)
{
    if (t->parent[i] >= 0)
        fprintf(f, "<path d=\"M%.1f %.1fL%.1f %.1f\"/>\n", x, y, up_x, up_y);
    fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"9\" class=\"%s\"/>\n", x, y,
            p[i].row ? (t->mark[i] & FPREV_WIDE ? "wide" : "add")
                     : (t->mark[i] & FPREV_FUSED ? "fused" : "leaf"));
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\">", x, y + 3);
    label(f, t, i);
    fprintf(f, "</text>\n");
}

static void svg_style(FILE *f)
{
    fprintf(f, "<style>text{font:9px sans-serif;text-anchor:middle}path{stroke:#888}"
               "circle{stroke:#444;fill:#fff}.leaf{fill:#dbe9f6}.fused{fill:#f6d9b0}"
               ".wide{fill:#d5ecd4}.title{font-size:12px;text-anchor:start}</style>\n");
}

void fprev_draw_svg(FILE *f, const fprev_tree *t, const char *title)
{
    const double dx = 26, dy = 34, margin = 20, head = 24;
    place *p = malloc((size_t)t->n_nodes * sizeof *p);
    if (p && t->n_nodes && arrange(t, p)) {
        int32_t rows = p[t->n_nodes - 1].row;
        double bottom = margin + head + dy * rows;
        fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\">\n",
                2 * margin + dx * (t->n_leaves > 12 ? t->n_leaves - 1 : 12), bottom + margin);
        svg_style(f);
        fprintf(f, "<text x=\"%.0f\" y=\"%.0f\" class=\"title\">", margin - 9, margin);
        svg_text(f, title);
        fprintf(f, "</text>\n");
        for (int32_t i = t->n_nodes - 1; i >= 0; i--) { /* circles over the ends of lines */
            int32_t up = t->parent[i] < 0 ? i : t->parent[i];
            svg_node(f, t, p, i, margin + dx * p[i].x, bottom - dy * p[i].row,
                     margin + dx * p[up].x, bottom - dy * p[up].row);
        }
        fprintf(f, "</svg>\n");
    }
    free(p);
}
