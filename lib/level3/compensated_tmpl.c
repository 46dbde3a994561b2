/* A small block of a product by compensated sums (compensated.h): for any data whose products are
 * in range, ties of exact sums included. Twelve operations a product, and no allocation that could
 * fail. And the engine of such blocks, for any product.
 * Types: s d. */
#include "level3/flow.h"

#include "core/arith/compensated.h"

enum { ROWS = EXB_SUB_ROWS, COLUMNS = EXB_SUB_COLUMNS, MOST_TILE_COLS = 4, PANEL = 16 };

/* Terms that are packed at once, and the least magnitudes that are not 0 of rows and columns. */
typedef struct {
    _Alignas(64) double a[PANEL * ROWS], b[PANEL * COLUMNS];
    double row_least[ROWS], col_least[COLUMNS];
} panel;

/* Vectors v0 ... v0 + n - 1 of the operand, k elements from l0, in groups of `width`: group g at
 * out[g * width * k], element l of its vectors side by side, missing vectors 0. */
static void pack_vectors(double *out, int width, const exb_t(operand) *o, int64_t v0, int64_t n,
                         int64_t l0, int k, double *least)
{
    exb_real buffer[PANEL];
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

/* Sums of tile (g, h) of a block stand at a place of their own, tile_cols runs of tile_rows. */
static int64_t tile_at(const exb_kernels *kn, int g, int h)
{
    return (int64_t)h * kn->tile_cols * ROWS + (int64_t)g * kn->tile_rows * kn->tile_cols;
}

static void add_panel(const exb_t(product) *p, exb_block b, int64_t l0, int k, panel *w,
                      exb_small_space *sum)
{
    const exb_kernels *kn = exb_kernels_current();
    exb_tile_kernel *tile = EXB_IS_S ? kn->tile_exact : kn->tile;
    pack_vectors(w->a, kn->tile_rows, &p->a, b.i0, b.m, l0, k, w->row_least);
    pack_vectors(w->b, kn->tile_cols, &p->b, b.j0, b.n, l0, k, w->col_least);
    for (int h = 0; h * kn->tile_cols < b.n; h++)
        for (int g = 0; g * kn->tile_rows < b.m; g++) {
            int64_t at = tile_at(kn, g, h);
            tile(k, w->a + (int64_t)g * kn->tile_rows * k, w->b + (int64_t)h * kn->tile_cols * k,
                 sum->h + at, sum->l + at, sum->e + at);
        }
}

/* An exact enclosure is one with e = 0; unknown ones have e = Inf. No product is below the range of
 * two_prod if that of the least elements is not. */
static void enclose_sums(const panel *w, exb_block b, int64_t k, exb_small_space *out)
{
    const exb_kernels *kn = exb_kernels_current();
    double sum[3][MOST_TILE_COLS * ROWS];
    for (int j = 0; j < b.n; j++) {
        int64_t first = (int64_t)j / kn->tile_cols * kn->tile_cols * ROWS;
        double *const from[3] = {out->h + first, out->l + first, out->e + first};
        for (int t = 0; j % kn->tile_cols == 0 && t < 3; t++)
            memcpy(sum[t], from[t], (size_t)kn->tile_cols * ROWS * sizeof(double));
        for (int i = 0; i < b.m; i++) {
            int64_t at = tile_at(kn, i / kn->tile_rows, 0) + j % kn->tile_cols * kn->tile_rows +
                         i % kn->tile_rows;
            bool exact = EXB_IS_S || w->row_least[i] * w->col_least[j] >= EXB_PRODUCT_LEAST;
            exb_enclosure v =
                exb_compensated_enclosure(sum[0][at], sum[1][at], sum[2][at], k, exact);
            int64_t to = (int64_t)j * ROWS + i;
            out->h[to] = v.h;
            out->l[to] = v.l;
            out->e[to] = v.exact ? 0 : v.e + EXB_UNDERFLOW_LOSS;
        }
    }
}

static EXB_NOINLINE void add_products(const exb_t(product) *p, exb_block b, exb_small_space *space)
{
    panel w;
    memset(space->h, 0, sizeof space->h);
    memset(space->l, 0, sizeof space->l);
    memset(space->e, 0, sizeof space->e);
    for (int i = 0; i < ROWS; i++)
        w.row_least[i] = DBL_MAX;
    for (int j = 0; j < COLUMNS; j++)
        w.col_least[j] = DBL_MAX;
    for (int64_t l = 0; l < p->k; l += PANEL)
        add_panel(p, b, l, (int)exb_least(p->k - l, PANEL), &w, space);
    enclose_sums(&w, b, p->k, space);
}

/* A scale of 0 where nothing is known. */
static void set_scales(double scale, exb_small_space *space)
{
    for (int i = 0; i < ROWS; i++)
        space->row_scale[i] = scale;
    for (int j = 0; j < COLUMNS; j++)
        space->col_scale[j] = scale;
}

void exb_t(enclose_compensated)(const exb_t(product) *p, exb_block b, exb_small_space *space)
{
    bool is_known = p->method->filter && p->k <= EXB_COMPENSATED_MOST;
    set_scales(is_known, space);
    if (is_known)
        add_products(p, b, space);
}

/* --- the engine ------------------------------------------------------------ */

static void prepare_block(exb_t(flow) *f)
{
    exb_t(offer_tiles)(f, exb_tasks_of(f->p->m, ROWS) * exb_tasks_of(f->p->n, COLUMNS));
}

static bool find_small_block(exb_t(task) *t)
{
    const exb_t(product) *p = t->flow->p;
    int64_t number, n_row_blocks = exb_tasks_of(p->m, ROWS);
    do {
        if ((number = exb_t(take_tile)(t->flow)) < 0)
            return false;
        int64_t i = number % n_row_blocks * ROWS, j = number / n_row_blocks * COLUMNS;
        t->tile = (exb_block){i, j, exb_least(p->m - i, ROWS), exb_least(p->n - j, COLUMNS)};
    } while (!exb_t(product_wants)(p, t->tile.i0, t->tile.m, t->tile.j0, t->tile.n));
    exb_t(enclose_compensated)(p, t->tile, &t->space->small);
    t->found = exb_small_enclosures(t->tile, &t->space->small);
    return true;
}

void exb_t(general_begin)(exb_t(flow) *f)
{
    static const exb_t(engine) general = {prepare_block, find_small_block};
    const exb_t(product) *p = f->p;
    int64_t n_blocks = exb_tasks_of(p->m, ROWS) * exb_tasks_of(p->n, COLUMNS);
    f->engine = &general;
    f->n_threads = exb_partition_count((double)p->m * (double)p->n * (double)(p->k + 1), n_blocks);
}
