/* The product of two real matrices, and what an engine finds out about it: enclosures of its
 * elements (flow.h). What becomes of them (alpha, beta, rounding, the parts of complex numbers, the
 * elements that are not certified) is left to the output (output.h). */
#pragma once

#include "core/method.h"
#include "element/column.h"
#include "element/runs.h"
#include "core/stats.h"
#include "level2/pattern.h"
#include "level3/operand.h"

/* A rectangle of the product. */
typedef struct {
    int64_t i0, j0, m, n;
} exb_block;

/* Enclosures of the elements of a tile, columns of ld elements: element (i, j) of the product is
 *
 *   row_scale[i] * col_scale[j] * (h - anchor + l +- e)   with h, l, e at index j * ld + i,
 *
 * where h - anchor is exact; if there is no array e it is exb_pair_bound of row_bound[i] and
 * col_bound[j]; e = 0 means that there is no error. All columns are readable up to the next
 * multiple of 8 rows. Scales are powers of two; a scale of 0 says that nothing is known.
 *
 * apart: unless 0, of every four columns the last two have the scales and bounds of the first, and
 * their numbers so much behind; in the arrays there are only those.
 *
 * open: what of real columns the engine has rounded to C itself, all but the elements whose bit is
 * set, bit i % 64 of open[j * exb_tile_words() + i / 64]; NULL: nothing. Enclosures are there only
 * where a bit is, in whole strips of `strip` rows, which divides 64; their bounds if there is one.
 */
typedef struct {
    int64_t i0, j0;
    int m, n, ld;
    double anchor;
    const double *h, *l, *e;
    const double *row_scale, *col_scale, *row_bound, *col_bound;
    const uint64_t *open;
    int strip;
    int64_t apart;
} exb_enclosures;

/* Of block b, without an anchor and with an error for each. */
static inline exb_enclosures exb_enclosures_of(exb_block b, int ld, const double *h,
                                               const double *l, const double *e,
                                               const double *row_scale, const double *col_scale)
{
    exb_enclosures t = {.i0 = b.i0, .j0 = b.j0, .m = (int)b.m, .n = (int)b.n, .ld = ld, .h = h};
    t.l = l;
    t.e = e;
    t.row_scale = row_scale;
    t.col_scale = col_scale;
    return t;
}

/* Sets of elements of a tile have so many words for each column, and EXB_TILE_WORDS in all. */
enum { EXB_TILE_WORDS = 64 };
#define EXB_FITS_TILE(m, n) (((m) + 63) / 64 * (n) <= EXB_TILE_WORDS)

static inline int exb_tile_words(const exb_enclosures *t)
{
    return (t->m + 63) / 64;
}

/* 0 <= n <= 64 */
static inline uint64_t exb_first_bits(int64_t n)
{
    return n > 0 ? ~(uint64_t)0 >> (64 - n) : 0;
}

/* Where a column's numbers are, which becomes the number of its scale. */
EXB_INLINE int64_t exb_begin_of(const exb_enclosures *t, int *column)
{
    int64_t behind = t->apart != 0 && (*column & 2) ? t->apart : 0;
    if (t->apart != 0)
        *column = *column / 4 * 2 + *column % 2;
    return (int64_t)*column * t->ld + behind;
}

EXB_INLINE exb_enclosure exb_enclosure_at(const exb_enclosures *t, int i, int column)
{
    int64_t at = exb_begin_of(t, &column) + i;
    double s = t->row_scale[i] * t->col_scale[column];
    if (!(s >= EXB_SCALE_LEAST && s <= EXB_SCALE_MOST))
        return exb_enclosure_unknown();
    double e = t->e ? t->e[at] : exb_pair_bound(t->row_bound[i], t->col_bound[column]);
    return (exb_enclosure){(t->h[at] - t->anchor) * s, t->l[at] * s, e * s, e == 0};
}

/* Rows i ... of a column, as kernels take them; alpha, beta and c are left alone. */
EXB_INLINE void exb_set_column(exb_column *k, const exb_enclosures *t, int i, int column)
{
    int64_t at = exb_begin_of(t, &column) + i;
    k->h = t->h + at;
    k->l = t->l + at;
    k->e = t->e ? t->e + at : NULL;
    k->row_bound = t->e ? NULL : t->row_bound + i;
    k->col_bound = t->e ? 0 : t->col_bound[column];
    k->row_scale = t->row_scale + i;
    k->col_scale = t->col_scale[column];
    k->anchor = t->anchor;
}

/* sum over l of a(i, l) b(l, j) for i < m, j < n, l < k. */
typedef struct {
    int64_t m, n, k;
    exb_p(operand) a, b;
    const exb_method *method;
    /* What of it is wanted: a region of a matrix whose elements are n_sums columns each. */
    exb_region region;
    int n_sums;
    bool is_apart;         /* of the terms' halves, P + Q is wanted and P - Q */
    exb_call_stats *stats; /* NULL: not wanted */
    /* Where results will go if they lie in columns, NULL if not: column j of the product at target
     * + j / n_sums * target_step, element_bytes for each row. If sign is not 0 an engine may write
     * an element of the product where it goes: sign times it, added to what is there if it `adds`,
     * rounded once. */
    char *target;
    int64_t target_step, element_bytes;
    int sign;
    bool adds;
} exb_p(product);

/* False if nothing of a rectangle is wanted. */
EXB_INLINE bool exb_p(product_wants)(const exb_p(product) *p, int64_t i0, int64_t m, int64_t j0,
                                     int64_t n)
{
    if (p->region == EXB_REGION_ALL)
        return true;
    int64_t j = j0 / p->n_sums, end = exb_tasks_of(j0 + n, p->n_sums);
    return exb_region_meets(p->region, i0, m, j, end - j);
}

/* True if all of a rectangle is wanted. */
EXB_INLINE bool exb_p(product_wants_all)(const exb_p(product) *p, int64_t i0, int64_t m, int64_t j0,
                                         int64_t n)
{
    if (p->region == EXB_REGION_ALL)
        return true;
    int64_t j = j0 / p->n_sums, last = (j0 + n - 1) / p->n_sums;
    return p->region == EXB_REGION_LOWER ? i0 >= last : i0 + m <= j + 1;
}

/* Element (i, j), and those that follow it in row i, as sums 0, 1, ... of terms. */
typedef struct {
    const exb_p(product) *p;
    int64_t i, j;
} exb_p(product_element);

exb_p(terms) exb_p(element_terms)(const exb_p(product_element) *e);
