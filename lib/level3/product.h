/* The product of two real matrices, as enclosures of its elements. Engines compute blocks of it;
 * what becomes of a block (alpha, beta, rounding, the parts of complex numbers, the
 * elements that were not decided) is the output's affair (output.h). */
#ifndef EXB_PRODUCT_H
#define EXB_PRODUCT_H

#include "core/method.h"
#include "observe/stats.h"
#include "level3/operand.h"

/* A block of results, columns of ld elements: element (i, j) of the product is
 *
 *   row_scale[i] * col_scale[j] * (h - anchor + l +- e)   with h, l, e at index j * ld + i,
 *
 * where h - anchor is exact; if there is no array e it is the larger of row_bound[i] and
 * col_bound[j]; e = 0 means that there is no error. All columns are readable up to the next
 * multiple of 8 rows. Scales are powers of two; a scale of 0 says that nothing is known. `last`:
 * no other filter could decide what this one leaves open. */
typedef struct {
    int64_t i0, j0;
    int m, n, ld;
    bool last;
    double anchor;
    const double *h, *l, *e;
    const double *row_scale, *col_scale, *row_bound, *col_bound;
    struct exb_deferred *deferred; /* where open elements may be put aside, or NULL */
    bool usual_rows;               /* set by the output */
} exb_block;

/* What a block has at most: groups of 64 rows (or fewer) of one column. */
enum { EXB_BLOCK_WORDS = 64 };
#define EXB_FITS_BLOCK(m, n) (((m) + 63) / 64 * (n) <= EXB_BLOCK_WORDS)

/* The enclosure of one element of a block. */
EXB_INLINE exb_enclosure exb_block_enclosure(const exb_block *b, int i, int column)
{
    double s = b->row_scale[i] * b->col_scale[column];
    if (!(s >= 0x1p-800 && s <= 0x1p800))
        return exb_enclosure_unknown();
    int64_t at = (int64_t)column * b->ld + i;
    double e = b->e ? b->e[at] : __builtin_fmax(b->row_bound[i], b->col_bound[column]);
    return (exb_enclosure){(b->h[at] - b->anchor) * s, b->l[at] * s, e * s, e == 0};
}

/* sum over l of a(i, l) b(l, j) for i < m, j < n, l < k. */
typedef struct exb_p(product)
{
    int64_t m, n, k;
    exb_p(operand) a, b;
    const exb_method *method;
    /* Takes a block; called from many threads, once for each element that is wanted. */
    void (*take)(void *output, const exb_block *block);
    /* Computes one element of the output that was put aside from the operands of `from`, which are
     * those of this product, perhaps copied. From any thread. */
    void (*close)(void *output, const struct exb_p(product) * from, int64_t i, int64_t j);
    /* False if no element of the block is wanted. NULL: all are. */
    bool (*wanted)(const void *output, int64_t i0, int64_t m, int64_t j0, int64_t n);
    void *output;
    exb_call_stats *stats; /* NULL: not wanted */
}
exb_p(product);

/* All blocks, with as many threads as pay off, in the default floating-point environment. */
void exb_p(product_run)(const exb_p(product) * p);

/* A block of at most EXB_SMALL_BLOCK rows and columns by compensated sums, for any data; given to
 * `take` with the context. */
enum { EXB_SMALL_BLOCK = 32 };
void exb_p(compensated_block)(const exb_p(product) * p, int64_t i0, int m, int64_t j0, int n,
                              void (*take)(void *context, const exb_block *block), void *context);

/* One element: an enclosure by the vector filter, and exactly, added to a PRODUCT window. */
exb_enclosure exb_p(element_filter)(const exb_p(product) * p, int64_t i, int64_t j);
void exb_p(element_exact)(const exb_p(product) * p, int64_t i, int64_t j, exb_superacc *acc);

#endif
