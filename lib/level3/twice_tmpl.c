/* A small block of a product against two anchors (chain.h), whose rows and columns are scaled as
 * those of chains are: thirteen operations a product. For elements that cancellation leaves below
 * 2^-40 of their vectors' norms: they are known to about 2^-120 of these. Where chains have packed
 * whole vectors these are taken from there; else those of the block are packed.
 * Types: s d. */
#include "level3/chain_work.h"
#include "level3/small_block.h"
#include "level3/strips.h"

#include "core/arith/enclosure.h"
#include "core/memory.h"

enum { ROWS = EXB_SUB_ROWS, COLUMNS = EXB_SUB_COLUMNS };

/* --- vectors ----------------------------------------------------------------- */

/* Vectors v0 ... v0 + n - 1 in strips of `width`, with their scales. */
static void pack_side(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t k, int width,
                      double *out, double *scale)
{
    double factor[ROWS], lost[ROWS];
    _Static_assert((int)COLUMNS <= (int)ROWS, "room for both");
    exb_t(chain_scales)(o, v0, n, k, (exb_chain_side){factor, scale, lost, NULL});
    exb_t(pack_strips)(o, v0, n, 0, k, (exb_strips){width, width * k, out, factor, lost});
}

void exb_t(pack_block)(const exb_t(product) *p, exb_block b, exb_small_space *space,
                       exb_packed *out)
{
    const exb_chain_kernel *kernel = exb_kernels_current()->anchored;
    size_t bytes = (size_t)((ROWS + COLUMNS) * p->k) * sizeof(double);
    double *memory = bytes <= exb_memory_limit() ? exb_memory_get(bytes) : NULL;
    *out = (exb_packed){kernel->rows, kernel->cols, p->k, p->k, memory, memory + ROWS * p->k};
    if (!memory)
        return;
    pack_side(&p->a, b.i0, b.m, p->k, out->rows, memory, space->row_scale);
    pack_side(&p->b, b.j0, b.n, p->k, out->cols, memory + ROWS * p->k, space->col_scale);
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

/* Strips i and j of the block, m x n of which are there. */
static void enclose_strips(const exb_packed *q, exb_block strips, exb_small_space *out)
{
    double anchor = exb_chain_second_anchor(q->k), bound = exb_chain_bound_twice(q->k);
    int64_t first = strips.j0 * ROWS + strips.i0;
    double *h = out->h + first, *l = out->l + first, *e = out->e + first;
    exb_kernels_current()->anchored->twice(q->k, q->a + strips.i0 * q->step,
                                           q->b + strips.j0 * q->step, anchor, h, l, e, ROWS);
    for (int64_t j = 0; j < strips.n; j++)
        for (int64_t i = j * ROWS; i < j * ROWS + strips.m; i++)
            enclose_sum(anchor, bound, h + i, l + i, e + i);
}

void exb_t(enclose_twice)(const exb_packed *q, exb_block b, const uint32_t *open,
                          exb_small_space *space)
{
    for (int64_t j = 0; j < b.n; j += q->cols)
        for (int64_t i = 0; i < b.m; i += q->rows) {
            exb_block strips = {i, j, exb_least(b.m - i, q->rows), exb_least(b.n - j, q->cols)};
            if (is_open(open, i, strips.m, j, strips.n))
                enclose_strips(q, strips, space);
        }
}

/* --- what is exact ----------------------------------------------------------- */

/* A scaled vector's elements are multiples of a power of two that is at least this; 0: nothing is
 * known. Each is of one larger than 2^-53 (of a float 2^-24) times its magnitude. */
static double unit_of(const exb_t(operand) *o, int64_t v, int64_t k, double scale)
{
    exb_real buffer[EXB_GATHER_TERMS];
    double least = DBL_MAX;
    for (int64_t l = 0; l < k; l += EXB_GATHER_TERMS) {
        int64_t nl = exb_least(k - l, EXB_GATHER_TERMS);
        exb_t(elements) x = exb_t(operand_at)(o, v, 1, l, nl, buffer);
        for (int64_t t = 0; t < nl; t++)
            least = exb_least_magnitude(least, x.p[t * x.ls]);
    }
    double unit = least / scale * (EXB_IS_S ? 0x1p-24 : 0x1p-53);
    return least == DBL_MAX ? 1 : unit >= 0x1p-500 ? unit : 0;
}

void exb_t(find_exact)(const exb_t(product) *p, const exb_enclosures *found, double *e)
{
    double row[ROWS], most = exb_chain_second_anchor(p->k) / 3 * 0x1p-51 * (double)p->k;
    for (int i = 0; i < found->m; i++)
        row[i] = unit_of(&p->a, found->i0 + i, p->k, found->row_scale[i]);
    for (int j = 0; j < found->n; j++) {
        double unit = unit_of(&p->b, found->j0 + j, p->k, found->col_scale[j]);
        for (int i = 0; i < found->m; i++)
            if (most <= 0x1p53 * (row[i] * unit) && e[j * ROWS + i] == exb_chain_bound_twice(p->k))
                e[j * ROWS + i] = 0;
    }
}
