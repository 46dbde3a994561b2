/* Dot products that the work-items of a group share: each has a sum of its own, a compensated one
 * (core/arith/compensated.h), of floats a plain one (plain_sum.h), and those of a product are
 * merged: the certified filter of gemv and trsv.
 *
 * Lane (s', c') is merged as the term p = s', r = c', and w' is added to w. With N at least the
 * number of additions on the way from any term to the result, merges included, the lemma in
 * compensated.h holds as it stands: each fl(q + r) errs by at most u|t|, each addition to a c
 * by at most u (1+u)^N times the sum W of |t| that went into it, of which there are at most N one
 * after the other, and the computed w is at least W (1-u)^N:
 *
 *   |exact - (s + c)| <= (N + 2) u w   for N <= 2^25.
 *
 * lossy: a product of doubles may have been too small for two_prod. */
#pragma once

#include "gpu/kernels/element_parts.h"
#include "gpu/kernels/plain_sum.h"

/* Merges of the lanes of a group, one after the other. */
enum { EXB_LANE_MERGES = 8 };

typedef struct {
    exb_comp v;
    double lossy; /* 0 or 1 */
} exb_sums;

EXB_INLINE exb_sums exb_sums_zero(void)
{
    exb_sums a;
    a.v.s = a.v.c = a.v.w = a.lossy = 0;
    return a;
}

EXB_INLINE exb_sums exb_sums_add_product(exb_sums a, double x, double y)
{
    a.v = exb_lane_add_product(a.v, x, y);
    if (!EXB_IS_S && exb_fabs(x * y) < EXB_PRODUCT_LEAST && x != 0 && y != 0)
        a.lossy = 1;
    return a;
}

EXB_INLINE exb_sums exb_sums_merge(exb_sums a, exb_sums b)
{
    a.v = exb_comp_add(a.v, b.v.s, b.v.c);
    a.v.w += b.v.w;
    a.lossy = a.lossy != 0 || b.lossy != 0 ? 1 : 0;
    return a;
}

/* After at most n additions one after the other, merges included; of more than 2^25 nothing is
 * known. */
EXB_INLINE exb_enclosure exb_sums_enclosure(exb_sums a, exb_i64 n)
{
    if (n > EXB_COMPENSATED_MOST)
        return exb_enclosure_unknown();
    return exb_compensated_enclosure(a.v.s, a.v.c, a.v.w, n, a.lossy == 0);
}

EXB_INLINE exb_sums exb_sums_of(double s, double c, double w, double lossy)
{
    exb_sums a;
    a.v.s = s;
    a.v.c = c;
    a.v.w = w;
    a.lossy = lossy;
    return a;
}

/* In arrays of doubles, `stride` apart, in local or in global memory. */
#define exb_sums_load(p, stride)                                                                   \
    exb_sums_of((p)[0], (p)[stride], (p)[2 * (stride)], (p)[3 * (stride)])

#define exb_sums_store(p, stride, a)                                                               \
    do {                                                                                           \
        exb_sums stored = a;                                                                       \
        (p)[0] = stored.v.s;                                                                       \
        (p)[stride] = stored.v.c;                                                                  \
        (p)[2 * (stride)] = stored.v.w;                                                            \
        (p)[3 * (stride)] = stored.lossy;                                                          \
    } while (0)

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

/* Merges the sums of a row's lanes into lane 0's, in local memory. sums: 4 EXB_PARTS doubles an
 * item, `size` apart; v: the item's. All items of the group come here. */
EXB_INLINE void exb_dots_merge(EXB_LOCAL double *sums, int size, int id, exb_dots v, int step,
                               int lane, int lanes)
{
    for (int k = 0; k < EXB_PARTS; k++)
        exb_sums_store(sums + 4 * k * size + id, size, v.part[k]);
    for (int k = 0; k < EXB_PARTS; k++, sums += 4 * size) {
        for (int gap = 1; gap < lanes; gap *= 2) {
            exb_barrier();
            if (lane >= 0 && lane % (2 * gap) == 0 && lane + gap < lanes) {
                exb_sums a = exb_sums_load(sums + id, size);
                exb_sums b = exb_sums_load(sums + id + gap * step, size);
                exb_sums_store(sums + id, size, exb_sums_merge(a, b));
            }
        }
        exb_barrier();
    }
}

/* Of sums of at most n products of elements a lane, merged. */
EXB_INLINE void exb_dots_enclosures(EXB_LOCAL const double *sums, int size, int id, exb_i64 n,
                                    exb_enclosure *v)
{
    for (int k = 0; k < EXB_PARTS; k++)
        v[k] = exb_sums_enclosure(exb_sums_load(sums + 4 * k * size + id, size),
                                  EXB_PARTS * n + EXB_LANE_MERGES);
}
