/* Where the elements of a matrix lie: element (i, j) is number
 *
 *   origin + i rs + i(i - 1)/2 drs + j cs + j(j - 1)/2 dcs
 *
 * of an array, counted in elements of its type. The quadratic terms are for packed
 * triangles, whose columns grow or shrink by one; every storage of BLAS is such a view:
 *
 *   storage, column-major          rs   cs         dcs   origin
 *   full, leading dimension lda    1    lda        0     0
 *   band, kl below, ku above       1    lda - 1    0     ku
 *   packed lower triangle          1    n - 1      -1    0
 *   packed upper triangle          1    1          1     0
 *
 * and row-major storage is the transposed view of the other triangle or of the band with
 * kl and ku exchanged. Which (i, j) are there is another matter (pattern.h); offsets of
 * those that are not are never used. */
#pragma once

#include "core/check/check.h"
#include "core/arith/compiler.h"
#include "core/partition.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t origin, rs, drs, cs, dcs;
} exb_view;

/* start + k step + k(k - 1)/2 growth. */
EXB_INLINE int64_t exb_progression(int64_t k, int64_t step, int64_t growth)
{
    return k * step + k * (k - 1) / 2 * growth;
}

EXB_INLINE int64_t exb_view_at(exb_view v, int64_t i, int64_t j)
{
    return v.origin + exb_progression(i, v.rs, v.drs) + exb_progression(j, v.cs, v.dcs);
}

/* The view whose (0, 0) is element (i, j). */
EXB_INLINE exb_view exb_view_from(exb_view v, int64_t i, int64_t j)
{
    return (exb_view){exb_view_at(v, i, j), v.rs + i * v.drs, v.drs, v.cs + j * v.dcs, v.dcs};
}

EXB_INLINE exb_view exb_view_transposed(exb_view v)
{
    return (exb_view){v.origin, v.cs, v.dcs, v.rs, v.drs};
}

EXB_INLINE exb_view exb_view_transposed_if(bool condition, exb_view v)
{
    return condition ? exb_view_transposed(v) : v;
}

/* Columns in reverse, n > 0 of them: the first step back is the last step forward. */
EXB_INLINE exb_view exb_view_columns_reversed(exb_view v, int64_t n)
{
    v.origin += exb_progression(n - 1, v.cs, v.dcs);
    v.cs = -(v.cs + (n - 2) * v.dcs);
    return v;
}

/* Rows and columns in reverse: turns an upper triangle into a lower one. */
EXB_INLINE exb_view exb_view_reversed(exb_view v, int64_t n)
{
    v = exb_view_transposed(exb_view_columns_reversed(v, n));
    return exb_view_transposed(exb_view_columns_reversed(v, n));
}

EXB_INLINE bool exb_view_rows_are_contiguous(const exb_view *v)
{
    return (v->cs == 1 || v->cs == -1) && v->dcs == 0;
}

EXB_INLINE exb_view exb_view_full(bool by_rows, int64_t lda)
{
    return exb_view_transposed_if(by_rows, (exb_view){0, 1, 0, lda, 0});
}

EXB_INLINE exb_view exb_view_band(bool by_rows, int64_t lda, int64_t kl, int64_t ku)
{
    return exb_view_transposed_if(by_rows, (exb_view){by_rows ? kl : ku, 1, 0, lda - 1, 0});
}

EXB_INLINE exb_view exb_view_packed(bool by_rows, int64_t n, bool is_lower)
{
    exb_view shrinking = {0, 1, 0, n - 1, -1}, growing = {0, 1, 0, 1, 1};
    return exb_view_transposed_if(by_rows, is_lower != by_rows ? shrinking : growing);
}

/* A triangle of order n, with k diagonals beside the main one if it is a band. */
EXB_INLINE exb_view exb_view_triangle(exb_storage storage, bool by_rows, bool is_lower, int64_t n,
                                      int64_t k, int64_t lda)
{
    if (storage == EXB_PACKED)
        return exb_view_packed(by_rows, n, is_lower);
    if (storage == EXB_BAND)
        return exb_view_band(by_rows, lda, is_lower ? k : 0, is_lower ? 0 : k);
    return exb_view_full(by_rows, lda);
}
