/* Kernels of chains of products (chain.h), and what they are told. */
#pragma once

#include "core/kernels.h"

/* Packed panels of k > 0 products: n_strips strips of rows, a[t * a_step + l * rows + i] of strip
 * t, and one of columns, b[l * cols + j]. While the first strips go by, ahead[0] ... ahead[cols k -
 * 1] are asked for, the columns that come next; or b, if none do. */
typedef struct {
    int64_t n_strips, k;
    const double *a;
    int64_t a_step;
    const double *b, *ahead;
} exb_chain_panels;

/* What sums against an anchor become: element (i, j) of C, at c[j * ldc + i], is sign s(i, j), or
 * that and what is there if it `adds`; s(i, j) is row_scale[i] * col_scale[j] times S -
 * EXB_CHAIN_ANCHOR + L, which may be off by `bound`. sign is 1 or -1, scales are usual ones. If it
 * `resumes` sums go on from where they are. */
typedef struct {
    double *c;
    int64_t ldc;
    const double *row_scale, *col_scale;
    double sign, bound;
    bool adds, resumes;
} exb_chain_ending;

/* n_strips x rows x cols sums of products, element (i, j) of strip t at s[j * ld + t * rows + i].
 * Plain: one FMA each (without FMA for products that are exact); anchored, with the corrections
 * added to l: chain.h; NULL without FMA. Sums start at 0, anchored ones at EXB_CHAIN_ANCHOR, or, to
 * `resume`, where they are.
 *
 * `end`: anchored sums with their last products, rounded to C. Bit i of open[t * cols + j] is set
 * if element (i, j) of strip t is not certified: it keeps what is there, and the sums of its column
 * are stored.
 *
 * `twice`: sums of one strip against two anchors from the start, S from EXB_CHAIN_ANCHOR, M from
 * `anchor` and L from 0. */
struct exb_chain_kernel {
    int rows, cols;
    void (*run)(const exb_chain_panels *p, bool resume, double *s, double *l, int64_t ld);
    void (*end)(const exb_chain_panels *p, const exb_chain_ending *q, double *s, double *l,
                int64_t ld, uint64_t *open);
    void (*twice)(int64_t k, const double *a, const double *b, double anchor, double *s, double *m,
                  double *l, int64_t ld);
};
