/* A small block of a product by compensated sums (compensated.h): for any data whose products are
 * in range, ties of exact sums included. Twelve operations a product. Its 25 KiB of sums lie on the
 * stack, the rest in the space that it is given: no allocation that could fail. And the engine of
 * such blocks, for any product.
 * Types: s d. */
#include "level3/engine.h"

#include "core/arith/compensated.h"

enum { BLOCK = EXB_SMALL_BLOCK };

/* compensated.h's bound holds for 2^25 terms. */
static const int64_t most_terms = (int64_t)1 << 25;

typedef struct {
    double s[BLOCK * BLOCK], c[BLOCK * BLOCK], w[BLOCK * BLOCK];
    double row_min[BLOCK], col_min[BLOCK]; /* least magnitudes that are not 0 */
} sums;

/* Vectors v0 ... v0 + n - 1 of the operand, k elements from l0, in groups of `width`: group g at
 * out[g * width * k], element l of its vectors side by side, missing vectors 0. Updates the
 * least magnitudes other than 0. */
static void pack_vectors(double *out, int width, const exb_t(operand) *o, int64_t v0, int64_t n,
                         int64_t l0, int k, double *least)
{
    exb_real buffer[EXB_SMALL_PANEL];
    for (int v = 0; v < exb_round_up(n, width); v++) {
        double *to = out + (int64_t)(v / width) * width * k + v % width;
        exb_t(elements) x = {0};
        if (v < n)
            x = exb_t(operand_at)(o, v0 + v, 1, l0, k, buffer);
        for (int l = 0; l < k; l++) {
            double element = v < n ? (double)x.p[l * x.ls] : 0;
            to[l * width] = element;
            if (v < n)
                least[v] = exb_least_magnitude(least[v], element);
        }
    }
}

static void add_panel(const exb_t(product) *p, exb_block b, int64_t l0, int k,
                      exb_small_space *packed, sums *w)
{
    const exb_kernels *kn = exb_kernels_current();
    exb_tile_kernel *tile = EXB_IS_S ? kn->tile_exact : kn->tile;
    pack_vectors(packed->a, kn->tile_rows, &p->a, b.i0, b.m, l0, k, w->row_min);
    pack_vectors(packed->b, kn->tile_cols, &p->b, b.j0, b.n, l0, k, w->col_min);
    for (int h = 0; h * kn->tile_cols < b.n; h++)
        for (int g = 0; g * kn->tile_rows < b.m; g++) {
            int64_t at = exb_small_tile_at(kn, g, h);
            tile(k, packed->a + (int64_t)g * kn->tile_rows * k,
                 packed->b + (int64_t)h * kn->tile_cols * k, w->s + at, w->c + at, w->w + at);
        }
}

/* No product of row i and column j is below the range of two_prod. */
static bool products_exact(const sums *w, int i, int j)
{
    return EXB_IS_S || w->row_min[i] * w->col_min[j] >= EXB_PRODUCT_LEAST;
}

/* An exact enclosure is one with e = 0; unknown ones have e = Inf. */
static void enclose_sums(const exb_t(product) *p, exb_block b, const sums *w, exb_small_space *out)
{
    const exb_kernels *kn = exb_kernels_current();
    for (int j = 0; j < b.n; j++)
        for (int i = 0; i < b.m; i++) {
            int64_t at = exb_small_sum_at(kn, i, j);
            exb_enclosure v = exb_compensated_enclosure(w->s[at], w->c[at], w->w[at], p->k,
                                                        products_exact(w, i, j));
            int64_t to = (int64_t)j * BLOCK + i;
            out->h[to] = v.h;
            out->l[to] = v.l;
            out->e[to] = v.exact ? 0 : v.e + EXB_UNDERFLOW_LOSS;
        }
}

static EXB_NOINLINE void add_products(const exb_t(product) *p, exb_block b, exb_small_space *space)
{
    sums w;
    memset(w.s, 0, sizeof w.s);
    memset(w.c, 0, sizeof w.c);
    memset(w.w, 0, sizeof w.w);
    for (int i = 0; i < BLOCK; i++)
        w.row_min[i] = w.col_min[i] = DBL_MAX;
    for (int64_t l = 0; l < p->k; l += EXB_SMALL_PANEL)
        add_panel(p, b, l, (int)exb_least(p->k - l, EXB_SMALL_PANEL), space, &w);
    enclose_sums(p, b, &w, space);
}

/* `scale`: 0 where nothing is known. */
static exb_enclosures describe_block(exb_block b, const exb_small_space *space, const double *scale)
{
    return (exb_enclosures){.i0 = b.i0,
                            .j0 = b.j0,
                            .m = (int)b.m,
                            .n = (int)b.n,
                            .ld = BLOCK,
                            .h = space->h,
                            .l = space->l,
                            .e = space->e,
                            .row_scale = scale,
                            .col_scale = scale};
}

static const double zeros[BLOCK];

exb_enclosures exb_t(enclose_small_block)(const exb_t(product) *p, exb_block b,
                                          exb_small_space *space)
{
    static const double ones[BLOCK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    if (p->k > most_terms)
        return describe_block(b, space, zeros);
    add_products(p, b, space);
    return describe_block(b, space, ones);
}

/* --- the engine ------------------------------------------------------------ */

static void prepare_block(exb_t(flow) *f)
{
    f->n_tasks = exb_tasks_of(f->p->m, BLOCK) * exb_tasks_of(f->p->n, BLOCK);
}

static bool find_small_block(exb_t(task) *t)
{
    const exb_t(product) *p = t->flow->p;
    int64_t n_row_blocks = exb_tasks_of(p->m, BLOCK);
    int64_t i = t->number % n_row_blocks * BLOCK, j = t->number / n_row_blocks * BLOCK;
    if (t->tile.n > 0)
        return false;
    t->tile = (exb_block){i, j, exb_least(p->m - i, BLOCK), exb_least(p->n - j, BLOCK)};
    if (!exb_t(product_wants)(p, i, t->tile.m, j, t->tile.n))
        return false;
    t->found = p->method->filter ? exb_t(enclose_small_block)(p, t->tile, &t->space.small)
                                 : describe_block(t->tile, &t->space.small, zeros);
    return true;
}

void exb_t(general_begin)(exb_t(flow) *f)
{
    static const exb_t(engine) general = {prepare_block, find_small_block};
    const exb_t(product) *p = f->p;
    int64_t n_blocks = exb_tasks_of(p->m, BLOCK) * exb_tasks_of(p->n, BLOCK);
    f->engine = &general;
    f->n_threads = exb_partition_count((double)p->m * (double)p->n * (double)(p->k + 1), n_blocks);
    if (p->stats)
        p->stats->engine = "general";
}
