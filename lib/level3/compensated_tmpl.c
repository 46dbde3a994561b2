/* A small block of a product by compensated sums (compensated.h): for any data whose products are
 * in range, ties of exact sums included. Twelve operations a product; all of it lies on the
 * stack (48 KiB): no allocation that could fail.
 * Types: s d. */
#include "level3/product.h"

#include "core/arith/compensated.h"

enum { BLOCK = EXB_SMALL_BLOCK, PANEL = 48 };

/* compensated.h's bound holds for 2^25 terms. */
static const int64_t most_terms = (int64_t)1 << 25;

/* The packed operands and the sums; then, where the operands were, the enclosures, column by
 * column. */
typedef struct {
    union {
        struct {
            double a[PANEL * BLOCK], b[PANEL * BLOCK];
        };
        struct {
            double h[BLOCK * BLOCK], l[BLOCK * BLOCK], e[BLOCK * BLOCK];
        };
    };
    double s[BLOCK * BLOCK], c[BLOCK * BLOCK], w[BLOCK * BLOCK];
    double row_min[BLOCK], col_min[BLOCK]; /* least magnitudes that are not 0 */
} workspace;

/* Vectors v0 ... v0 + n - 1 of the operand, k elements from l0, in groups of `width`: group g at
 * out[g * width * k], element l of its vectors side by side, missing vectors 0. Updates the
 * least magnitudes other than 0. */
static void pack(double *out, int width, const exb_t(operand) * o, int64_t v0, int n, int64_t l0,
                 int k, double *least)
{
    exb_real buffer[PANEL];
    for (int v = 0; v < (n + width - 1) / width * width; v++) {
        double *to = out + (int64_t)(v / width) * width * k + v % width;
        exb_t(elements) x = {0};
        if (v < n)
            x = exb_t(operand_at)(o, v0 + v, 1, l0, k, buffer);
        for (int l = 0; l < k; l++) {
            double element = v < n ? (double)x.p[l * x.ls] : 0;
            to[l * width] = element;
            double m = fabs(element);
            if (v < n && m < least[v] && m > 0)
                least[v] = m;
        }
    }
}

/* Sums of tile (g, h) stand at its own place, tile_cols runs of tile_rows. */
static int64_t tile_offset(const exb_kernels *k, int g, int h)
{
    return ((int64_t)h * (BLOCK / k->tile_rows) + g) * k->tile_rows * k->tile_cols;
}

static void add_panel(const exb_t(product) * p, const exb_block *b, workspace *w, int64_t l0, int k)
{
    const exb_kernels *kn = exb_kernels_current();
    exb_tile_kernel *tile = EXB_IS_S ? kn->tile_exact : kn->tile;
    pack(w->a, kn->tile_rows, &p->a, b->i0, b->m, l0, k, w->row_min);
    pack(w->b, kn->tile_cols, &p->b, b->j0, b->n, l0, k, w->col_min);
    for (int h = 0; h * kn->tile_cols < b->n; h++)
        for (int g = 0; g * kn->tile_rows < b->m; g++) {
            int64_t at = tile_offset(kn, g, h);
            tile(k, w->a + (int64_t)g * kn->tile_rows * k, w->b + (int64_t)h * kn->tile_cols * k,
                 w->s + at, w->c + at, w->w + at);
        }
}

/* No product of row i and column j is below the range of two_prod. */
static bool products_exact(const workspace *w, int i, int j)
{
    return EXB_IS_S || w->row_min[i] * w->col_min[j] >= 0x1p-960;
}

/* An exact enclosure is one with e = 0; unknown ones have e = Inf. */
static void enclose(const exb_t(product) * p, const exb_block *b, workspace *w)
{
    const exb_kernels *kn = exb_kernels_current();
    for (int j = 0; j < b->n; j++)
        for (int i = 0; i < b->m; i++) {
            int64_t at = tile_offset(kn, i / kn->tile_rows, j / kn->tile_cols) +
                         (int64_t)(j % kn->tile_cols) * kn->tile_rows + i % kn->tile_rows;
            exb_enclosure v = exb_compensated_enclosure(w->s[at], w->c[at], w->w[at], p->k,
                                                        products_exact(w, i, j));
            int64_t to = (int64_t)j * BLOCK + i;
            w->h[to] = v.h;
            w->l[to] = v.l;
            w->e[to] = v.exact ? 0 : v.e + 0x1p-1020;
        }
}

static EXB_NOINLINE void compute(const exb_t(product) * p, exb_block *b, workspace *w)
{
    memset(w->s, 0, sizeof w->s);
    memset(w->c, 0, sizeof w->c);
    memset(w->w, 0, sizeof w->w);
    for (int i = 0; i < BLOCK; i++)
        w->row_min[i] = w->col_min[i] = DBL_MAX;
    for (int64_t l = 0; l < p->k; l += PANEL)
        add_panel(p, b, w, l, (int)(p->k - l < PANEL ? p->k - l : PANEL));
    enclose(p, b, w);
}

void exb_t(compensated_block)(const exb_t(product) * p, int64_t i0, int m, int64_t j0, int n,
                              void (*take)(void *context, const exb_block *block), void *context)
{
    workspace w;
    double one[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        one[i] = p->k <= most_terms ? 1 : 0;
    exb_block b = {.i0 = i0, .j0 = j0, .m = m, .n = n, .ld = BLOCK, .last = true};
    b.h = w.h;
    b.l = w.l;
    b.e = w.e;
    b.row_scale = b.col_scale = one;
    if (p->k <= most_terms)
        compute(p, &b, &w);
    take(context, &b);
}
