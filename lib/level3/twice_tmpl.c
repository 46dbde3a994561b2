/* A small block of a product against two anchors (chain.h), whose rows and columns are scaled as
 * those of chains are: thirteen operations a product. For elements that cancellation leaves below
 * 2^-40 of their vectors' norms: they are known to about 2^-120 of these. And the engine of such
 * blocks, for any product.
 * Types: s d. */
#include "level3/flow.h"

#include "core/arith/enclosure.h"
#include "core/memory.h"

enum { ROWS = EXB_SUB_ROWS, COLUMNS = EXB_SUB_COLUMNS };

/* Vectors v0 ... v0 + n - 1 in strips of `width`, with their scales. */
static void pack_side(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t k, int width,
                      double *out, double *scale)
{
    double factor[ROWS], lost[ROWS];
    _Static_assert((int)COLUMNS <= (int)ROWS, "room for both");
    exb_t(chain_scales)(o, v0, n, k, (exb_chain_side){factor, scale, lost, NULL});
    exb_t(pack_strips)(o, v0, n, 0, k, (exb_strips){width, width * k, out, factor, lost});
}

/* --- sums -------------------------------------------------------------------- */

/* The first two parts of a sum, in h and l, are joined exactly, their rest and the third, in e,
 * with one rounding; without an error there e becomes the bound. */
static inline void enclose_sum(double anchor, double bound, double *h, double *l, double *e)
{
    double rest, error;
    *h = exb_two_sum(*h - EXB_CHAIN_ANCHOR, *l - anchor, &rest);
    *l = exb_two_sum(rest, *e, &error);
    *e = error == 0 ? bound : exb_bound_up(bound + 0x1p-53 * exb_fabs(*l));
}

static bool is_open(const uint32_t *open, int64_t i, int64_t m, int64_t j, int64_t n)
{
    uint32_t any = 0;
    for (int64_t t = j; t < j + n; t++)
        any |= open[t];
    return any & (uint32_t)((((uint64_t)1 << m) - 1) << i);
}

/* The strips at rows i ... and columns j ... of the block, m x n of which are there. */
static void enclose_strips(int64_t k, const double *a, const double *b, exb_block strips,
                           exb_task_space *out)
{
    double anchor = exb_chain_second_anchor(k), bound = exb_chain_bound_twice(k);
    int64_t first = strips.j0 * ROWS + strips.i0;
    double *h = out->h + first, *l = out->l + first, *e = out->e + first;
    exb_kernels_current()->anchored->twice(k, a + strips.i0 * k, b + strips.j0 * k, anchor, h, l, e,
                                           ROWS);
    for (int64_t j = 0; j < strips.n; j++)
        for (int64_t i = j * ROWS; i < j * ROWS + strips.m; i++)
            enclose_sum(anchor, bound, h + i, l + i, e + i);
}

/* --- what is exact ----------------------------------------------------------- */

/* A scaled vector's elements are multiples of a power of two that is at least this; 0: nothing is
 * known. Each is of one larger than 2^-53 (of a float 2^-24) times its magnitude. */
static double unit_of(const exb_t(operand) *o, int64_t v, int64_t k, double scale)
{
    double least = exb_t(least_in_vector)(o, v, k);
    double unit = least / scale * (EXB_IS_S ? 0x1p-24 : 0x1p-53);
    return least == DBL_MAX ? 1 : unit >= 0x1p-500 ? unit : 0;
}

/* Sets e to 0 where the sum is known to be exact; of floats, where that is h alone. */
static void find_exact(const exb_t(product) *p, exb_block b, exb_task_space *s)
{
    double row[ROWS], most = exb_chain_second_anchor(p->k) / 3 * 0x1p-51 * (double)p->k;
    for (int i = 0; i < b.m; i++)
        row[i] = unit_of(&p->a, b.i0 + i, p->k, s->row_scale[i]);
    for (int j = 0; j < b.n; j++) {
        double unit = unit_of(&p->b, b.j0 + j, p->k, s->col_scale[j]);
        for (int i = 0, at = j * ROWS; i < b.m; i++, at++)
            if (most <= 0x1p53 * (row[i] * unit) && s->e[at] == exb_chain_bound_twice(p->k))
                s->e[at] = EXB_IS_S && s->l[at] != 0 ? DBL_MIN : 0;
    }
}

static EXB_NOINLINE void enclose_packed(const exb_t(product) *p, exb_block b, const uint32_t *open,
                                        double *memory, exb_task_space *space)
{
    const exb_chain_kernel *kernel = exb_kernels_current()->anchored;
    double *columns = memory + ROWS * p->k;
    pack_side(&p->a, b.i0, b.m, p->k, kernel->rows, memory, space->row_scale);
    pack_side(&p->b, b.j0, b.n, p->k, kernel->cols, columns, space->col_scale);
    for (int64_t j = 0; j < b.n; j += kernel->cols)
        for (int64_t i = 0; i < b.m; i += kernel->rows) {
            exb_block strips = {i, j, exb_least(b.m - i, kernel->rows),
                                exb_least(b.n - j, kernel->cols)};
            if (is_open(open, i, strips.m, j, strips.n))
                enclose_strips(p->k, memory, columns, strips, space);
        }
    find_exact(p, b, space);
}

exb_enclosures exb_t(enclose_twice)(const exb_t(product) *p, exb_block b, const uint32_t *open,
                                    exb_task_space *space)
{
    size_t bytes = (size_t)((ROWS + COLUMNS) * (p->k + 1)) * sizeof(double);
    bool fits = p->k <= EXB_CHAIN_TWICE_MOST && bytes <= exb_memory_limit();
    double *memory = fits && p->method->filter ? exb_memory_get(bytes) : NULL;
    if (memory)
        enclose_packed(p, b, open, memory, space);
    else
        memset(space, 0, sizeof *space); /* no scales: nothing is known */
    exb_memory_put(memory);
    return exb_enclosures_of(b, ROWS, space->h, space->l, space->e, space->row_scale,
                             space->col_scale);
}

/* --- the engine ------------------------------------------------------------ */

static void find_small_block(exb_t(task) *t)
{
    uint32_t open[COLUMNS];
    memset(open, 0xff, sizeof open);
    t->found = exb_t(enclose_twice)(t->flow->p, t->tile, open, t->space);
}

void exb_t(general_begin)(exb_t(flow) *f)
{
    const exb_t(product) *p = f->p;
    int64_t n_blocks = exb_count_tiles(p->m, p->n, ROWS, COLUMNS);
    f->pack = NULL;
    f->multiply = NULL;
    f->find = find_small_block;
    f->tile_rows = ROWS;
    f->tile_columns = COLUMNS;
    f->n_threads = exb_partition_count((double)p->m * (double)p->n * (double)(p->k + 1), n_blocks);
}
