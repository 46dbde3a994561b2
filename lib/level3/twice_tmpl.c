/* A small block of a product against two anchors (chain.h), whose rows and columns are scaled as
 * those of chains are: thirteen operations a product. For elements that cancellation leaves below
 * 2^-40 of their vectors' norms: they are known to about 2^-120 of these. Its 25 KiB of sums lie on
 * the stack, the rest in the space that it is given. Types: s d. */
#include "level3/chain_work.h"
#include "level3/small_block.h"
#include "level3/strips.h"

#include "core/arith/enclosure.h"

enum { BLOCK = EXB_SMALL_BLOCK };
_Static_assert(EXB_CHAIN_TILE_COLUMNS + EXB_CHAIN_MOST_COLS <= BLOCK,
               "whole strips of columns fit");

typedef struct {
    double s[BLOCK * BLOCK], m[BLOCK * BLOCK], l[BLOCK * BLOCK];
    double factor[2][BLOCK], scale[2][BLOCK], lost[2][BLOCK]; /* of rows, of columns */
} sums;

static void scale_side(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t k, int side, sums *w)
{
    exb_chain_side to = {w->factor[side], w->scale[side], w->lost[side], NULL};
    exb_t(chain_scales)(o, v0, n, k, to);
}

static void pack_side(const exb_t(operand) *o, int64_t v0, int64_t n, int64_t l0, int k, int width,
                      double *out, int side, sums *w)
{
    exb_strips to = {width, (int64_t)width * k, out, w->factor[side], w->lost[side]};
    exb_t(pack_strips)(o, v0, n, l0, k, to);
}

static void add_panel(const exb_t(product) *p, exb_block b, int64_t l0, int k,
                      exb_small_space *packed, sums *w)
{
    const exb_kernels *kn = exb_kernels_current();
    pack_side(&p->a, b.i0, b.m, l0, k, kn->tile_rows, packed->a, 0, w);
    pack_side(&p->b, b.j0, b.n, l0, k, kn->tile_cols, packed->b, 1, w);
    for (int h = 0; h * kn->tile_cols < b.n; h++)
        for (int g = 0; g * kn->tile_rows < b.m; g++) {
            int64_t at = exb_small_tile_at(kn, g, h);
            kn->tile_twice(k, packed->a + (int64_t)g * kn->tile_rows * k,
                           packed->b + (int64_t)h * kn->tile_cols * k, w->s + at, w->m + at,
                           w->l + at);
        }
}

/* The first two parts of element `at` are joined exactly, their rest and the third with one
 * rounding; without an error there e is the bound. */
static inline void enclose_sum(const sums *w, int64_t at, double anchor, double bound, int64_t to,
                               exb_small_space *out)
{
    double rest, error;
    out->h[to] = exb_two_sum(w->s[at] - EXB_CHAIN_ANCHOR, w->m[at] - anchor, &rest);
    out->l[to] = exb_two_sum(rest, w->l[at], &error);
    out->e[to] = error == 0 ? bound : exb_bound_up(bound + 0x1p-53 * exb_fabs(out->l[to]));
}

static void enclose_sums(int64_t k, exb_block b, const sums *w, exb_small_space *out)
{
    const exb_kernels *kn = exb_kernels_current();
    double anchor = exb_chain_second_anchor(k), bound = exb_chain_bound_twice(k);
    for (int j = 0; j < b.n; j++)
        for (int i = 0; i < b.m; i++)
            enclose_sum(w, exb_small_sum_at(kn, i, j), anchor, bound, (int64_t)j * BLOCK + i, out);
}

static EXB_NOINLINE void add_products(const exb_t(product) *p, exb_block b, exb_small_space *space)
{
    sums w;
    double anchor = exb_chain_second_anchor(p->k);
    for (int i = 0; i < BLOCK * BLOCK; i++) {
        w.s[i] = EXB_CHAIN_ANCHOR;
        w.m[i] = anchor;
        w.l[i] = 0;
    }
    scale_side(&p->a, b.i0, b.m, p->k, 0, &w);
    scale_side(&p->b, b.j0, b.n, p->k, 1, &w);
    for (int64_t l = 0; l < p->k; l += EXB_SMALL_PANEL)
        add_panel(p, b, l, (int)exb_least(p->k - l, EXB_SMALL_PANEL), space, &w);
    enclose_sums(p->k, b, &w, space);
    memcpy(space->row_scale, w.scale[0], (size_t)b.m * sizeof(double));
    memcpy(space->col_scale, w.scale[1], (size_t)b.n * sizeof(double));
}

static exb_enclosures describe(exb_block b, const exb_small_space *space)
{
    return (exb_enclosures){.i0 = b.i0,
                            .j0 = b.j0,
                            .m = (int)b.m,
                            .n = (int)b.n,
                            .ld = BLOCK,
                            .h = space->h,
                            .l = space->l,
                            .e = space->e,
                            .row_scale = space->row_scale,
                            .col_scale = space->col_scale};
}

exb_enclosures exb_t(enclose_block_twice)(const exb_t(product) *p, exb_block b,
                                          exb_small_space *space)
{
    add_products(p, b, space);
    return describe(b, space);
}

/* --- from packed vectors ---------------------------------------------------- */

static bool is_open(const uint32_t *open, int64_t i, int64_t m, int64_t j, int64_t n)
{
    uint32_t any = 0;
    for (int64_t t = j; t < j + n; t++)
        any |= open[t];
    return any & (uint32_t)((((uint64_t)1 << m) - 1) << i);
}

/* Strips i and j of the block, m x n of which are there. */
static void enclose_strips(int64_t k, exb_block strips, const double *a, const double *b, sums *w,
                           exb_small_space *out)
{
    double anchor = exb_chain_second_anchor(k), bound = exb_chain_bound_twice(k);
    int64_t first = strips.j0 * BLOCK + strips.i0;
    double *s = w->s + first, *m = w->m + first, *l = w->l + first;
    exb_kernels_current()->anchored->twice(k, a, b, anchor, s, m, l, BLOCK);
    for (int64_t j = 0; j < strips.n; j++)
        for (int64_t i = 0; i < strips.m; i++)
            enclose_sum(w, first + j * BLOCK + i, anchor, bound, first + j * BLOCK + i, out);
}

exb_enclosures exb_t(enclose_packed_twice)(const exb_enclosures *found, int64_t k, exb_block b,
                                           const uint32_t *open, exb_small_space *space)
{
    const exb_packed *q = found->packed;
    int64_t row = b.i0 - found->i0, column = b.j0 - found->j0;
    sums w;
    for (int64_t j = 0; j < b.n; j += q->cols)
        for (int64_t i = 0; i < b.m; i += q->rows) {
            exb_block strips = {i, j, exb_least(b.m - i, q->rows), exb_least(b.n - j, q->cols)};
            if (is_open(open, i, strips.m, j, strips.n))
                enclose_strips(k, strips, q->a + (row + i) * q->terms,
                               q->b + (column + j) * q->terms, &w, space);
        }
    exb_enclosures anew = describe(b, space);
    anew.row_scale = found->row_scale + row;
    anew.col_scale = found->col_scale + column;
    return anew;
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

void exb_t(find_exact)(const exb_t(product) *p, exb_enclosures *found, exb_small_space *space)
{
    double row[BLOCK], most = exb_chain_second_anchor(p->k) / 3 * 0x1p-51 * (double)p->k;
    for (int i = 0; i < found->m; i++)
        row[i] = unit_of(&p->a, found->i0 + i, p->k, found->row_scale[i]);
    for (int j = 0; j < found->n; j++) {
        double unit = unit_of(&p->b, found->j0 + j, p->k, found->col_scale[j]);
        for (int i = 0; i < found->m; i++)
            if (most <= 0x1p53 * (row[i] * unit) &&
                space->e[j * BLOCK + i] == exb_chain_bound_twice(p->k))
                space->e[j * BLOCK + i] = 0;
    }
}
