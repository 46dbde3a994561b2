/* Dot products that the work-items of a group share: each has a sum of its own (sums.h), and those
 * of a product are merged. */
#pragma once

#include "gpu/kernels/element_parts.h"
#include "gpu/kernels/sums.h"

/* What an item asks memory for while it adds up what came before: as many bytes of floats as of
 * doubles. */
enum { EXB_AHEAD = EXB_IS_S ? 8 : 4 };

typedef struct {
    exb_real a[EXB_AHEAD], x[EXB_AHEAD];
} exb_products;

EXB_INLINE exb_products exb_products_at(EXB_GLOBAL const exb_real *a, exb_i64 a_col,
                                        EXB_GLOBAL const exb_real *x, exb_i64 incx, exb_i64 j,
                                        int step)
{
    exb_products p;
    for (int t = 0; t < EXB_AHEAD; t++) {
        p.a[t] = a[(j + t * step) * a_col];
        p.x[t] = x[(j + t * step) * incx];
    }
    return p;
}

EXB_INLINE exb_sums exb_add_products(exb_sums v, exb_products p)
{
    for (int t = 0; t < EXB_AHEAD; t++)
        v = exb_sums_add_product(v, p.a[t], p.x[t]);
    return v;
}

/* Merges the sums of a row's lanes into lane 0's, in local memory. sums: 4 doubles an item,
 * `size` apart. All items of the group come here. */
EXB_INLINE void exb_merge_lanes(EXB_LOCAL double *sums, int size, int at, int step, int lane,
                                int lanes)
{
    for (int gap = 1; gap < lanes; gap *= 2) {
        exb_barrier();
        if (lane >= 0 && lane % (2 * gap) == 0 && lane + gap < lanes) {
            exb_sums a = exb_sums_load(sums + at, size);
            exb_sums b = exb_sums_load(sums + at + gap * step, size);
            exb_sums_store(sums + at, size, exb_sums_merge(a, b));
        }
    }
    exb_barrier();
}

/* The sum of a[j * a_col] x[j * incx] for j, j + lanes, ... below `to`. */
EXB_INLINE exb_sums exb_dot_of_lane(EXB_GLOBAL const exb_real *a, exb_i64 a_col,
                                    EXB_GLOBAL const exb_real *x, exb_i64 incx, exb_i64 j,
                                    exb_i64 to, int lanes)
{
    exb_sums v = exb_sums_zero();
    if (j + (EXB_AHEAD - 1) * lanes < to) {
        exb_products next = exb_products_at(a, a_col, x, incx, j, lanes);
        for (j += EXB_AHEAD * lanes; j + (EXB_AHEAD - 1) * lanes < to; j += EXB_AHEAD * lanes) {
            exb_products now = next;
            next = exb_products_at(a, a_col, x, incx, j, lanes);
            v = exb_add_products(v, now);
        }
        v = exb_add_products(v, next);
    }
    for (; j < to; j += lanes)
        v = exb_sums_add_product(v, a[j * a_col], x[j * incx]);
    return v;
}

/* The same for elements of parts, of which each has a sum. */
typedef struct {
    exb_sums part[EXB_PARTS];
} exb_dots;

EXB_INLINE void exb_dots_add_product(exb_dots *v, exb_element x, exb_element y)
{
    for (int k = 0; k < EXB_PARTS; k++)
        for (int q = 0; q < EXB_PARTS; q++)
            v->part[k] = exb_sums_add_product(v->part[k], exb_left_factor(x, k, q),
                                              exb_right_factor(y, k, q));
}

EXB_INLINE exb_dots exb_dots_of_lane(EXB_GLOBAL const exb_real *a, exb_i64 a_col, int a_conj,
                                     EXB_GLOBAL const exb_real *x, exb_i64 incx, int x_conj,
                                     exb_i64 j, exb_i64 to, int lanes)
{
    exb_dots v;
#if EXB_PARTS == 1
    v.part[0] = exb_dot_of_lane(a, a_col, x, incx, j, to, lanes);
#else
    for (int k = 0; k < EXB_PARTS; k++)
        v.part[k] = exb_sums_zero();
    for (; j < to; j += lanes)
        exb_dots_add_product(&v, exb_element_at(a, j * a_col, a_conj),
                             exb_element_at(x, j * incx, x_conj));
#endif
    return v;
}

/* exb_merge_lanes for each part: sums has 4 EXB_PARTS doubles an item. */
EXB_INLINE void exb_dots_merge(EXB_LOCAL double *sums, int size, int id, exb_dots v, int step,
                               int lane, int lanes)
{
    for (int k = 0; k < EXB_PARTS; k++)
        exb_sums_store(sums + 4 * k * size + id, size, v.part[k]);
    for (int k = 0; k < EXB_PARTS; k++)
        exb_merge_lanes(sums + 4 * k * size, size, id, step, lane, lanes);
}

/* Of sums of at most n products of elements a lane, merged. */
EXB_INLINE void exb_dots_enclosures(EXB_LOCAL const double *sums, int size, int id, exb_i64 n,
                                    exb_enclosure *v)
{
    for (int k = 0; k < EXB_PARTS; k++)
        v[k] = exb_sums_enclosure(exb_sums_load(sums + 4 * k * size + id, size),
                                  EXB_PARTS * n + EXB_LANE_MERGES);
}
