/* The tile kernel of gemm (kernels.h): EXB_LANES x EXB_TILE_COLS compensated sums in
 * registers, 3 registers a column; the rows of a panel are one vector. */
#include "core/simd/compensated_simd.h"
#include "level3/chain.h"
#include "core/kernels/tile.h"
#include "core/partition.h"

EXB_INLINE void tile(bool exact_products, int64_t k, const double *a, const double *b, double *s,
                     double *c, double *w)
{
    exb_vcomp acc[EXB_TILE_COLS];
    for (int j = 0; j < EXB_TILE_COLS; j++)
        acc[j] = v_comp_load(s + j * EXB_LANES, c + j * EXB_LANES, w + j * EXB_LANES);
    for (int64_t l = 0; l < k; l++) {
        exb_v column = v_load(a + l * EXB_LANES);
        for (int j = 0; j < EXB_TILE_COLS; j++) {
            exb_v x = v_set1(b[l * EXB_TILE_COLS + j]);
            acc[j] = exact_products ? v_comp_add(acc[j], v_mul(column, x))
                                    : v_comp_add_product(acc[j], column, x);
        }
    }
    for (int j = 0; j < EXB_TILE_COLS; j++)
        v_comp_store(acc[j], s + j * EXB_LANES, c + j * EXB_LANES, w + j * EXB_LANES);
}

void exb_isa(tile_products)(int64_t k, const double *a, const double *b, double *s, double *c,
                            double *w)
{
    tile(false, k, a, b, s, c, w);
}

void exb_isa(tile_exact)(int64_t k, const double *a, const double *b, double *s, double *c,
                         double *w)
{
    tile(true, k, a, b, s, c, w);
}

/* Tiles of sums: one chain of FMAs each, or one anchored pair (chain.h). The anchored pair's L is
 * added up in runs, so that its own rounding errors stay those of a short sum. */
/* a b + c in one rounding where FMA is there; else ab must be exact. */
EXB_INLINE exb_v multiply_add(exb_v a, exb_v b, exb_v c)
{
#if EXB_HAVE_FMA
    return v_fma(a, b, c);
#else
    return v_add(v_mul(a, b), c);
#endif
}

/* One run of at most EXB_CHAIN_SHORT_RUN products. */
EXB_INLINE void plain_run(int64_t k, const double *a, const double *b, bool resume, double *s,
                          int64_t ld)
{
    exb_v sum[EXB_CHAIN_COLS][EXB_CHAIN_VECTORS];
#pragma GCC unroll 8
    for (int j = 0; j < EXB_CHAIN_COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < EXB_CHAIN_VECTORS; i++)
            sum[j][i] = v_zero();
    for (int64_t t = 0; t < k; t++, a += EXB_CHAIN_ROWS, b += EXB_CHAIN_COLS) {
        exb_v x[EXB_CHAIN_VECTORS];
#pragma GCC unroll 8
        for (int i = 0; i < EXB_CHAIN_VECTORS; i++)
            x[i] = v_load(a + i * EXB_LANES);
#pragma GCC unroll 8
        for (int j = 0; j < EXB_CHAIN_COLS; j++) {
            exb_v y = v_set1(b[j]);
#pragma GCC unroll 8
            for (int i = 0; i < EXB_CHAIN_VECTORS; i++)
                sum[j][i] = multiply_add(x[i], y, sum[j][i]);
        }
    }
#pragma GCC unroll 8
    for (int j = 0; j < EXB_CHAIN_COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < EXB_CHAIN_VECTORS; i++) {
            double *to = s + j * ld + i * EXB_LANES;
            v_store(to, resume ? v_add(v_load(to), sum[j][i]) : sum[j][i]);
        }
}

void exb_isa(chain_plain)(int64_t k, const double *a, const double *b, bool resume, double *s,
                          double *l, int64_t ld)
{
    (void)l;
    for (int64_t t = 0; t < k; t += EXB_CHAIN_SHORT_RUN)
        plain_run(exb_least(k - t, EXB_CHAIN_SHORT_RUN), a + t * EXB_CHAIN_ROWS,
                  b + t * EXB_CHAIN_COLS, resume || t > 0, s, ld);
}

#if EXB_HAVE_FMA
/* x y to a sum against two anchors (chain.h). Half of the additions are the units' of products. */
EXB_INLINE exb_vcomp add_twice(exb_vcomp a, exb_v x, exb_v y)
{
    exb_v r, p = v_two_prod(x, y, &r), s = v_add(a.s, p);
    exb_v e = v_sub(p, v_sub(s, a.s)), m = v_add(a.c, e);
    exb_v lost = v_sub_by_fma(e, v_sub_by_fma(m, a.c)), next = v_add(m, r);
    lost = v_add(lost, v_sub_by_fma(r, v_sub_by_fma(next, m)));
    return (exb_vcomp){s, next, v_add(a.w, lost)};
}

void exb_isa(tile_twice)(int64_t k, const double *a, const double *b, double *s, double *m,
                         double *low)
{
    exb_vcomp acc[EXB_TILE_COLS];
    for (int j = 0; j < EXB_TILE_COLS; j++)
        acc[j] = v_comp_load(s + j * EXB_LANES, m + j * EXB_LANES, low + j * EXB_LANES);
    for (int64_t l = 0; l < k; l++) {
        exb_v column = v_load(a + l * EXB_LANES);
        for (int j = 0; j < EXB_TILE_COLS; j++)
            acc[j] = add_twice(acc[j], column, v_set1(b[l * EXB_TILE_COLS + j]));
    }
    for (int j = 0; j < EXB_TILE_COLS; j++)
        v_comp_store(acc[j], s + j * EXB_LANES, m + j * EXB_LANES, low + j * EXB_LANES);
}

/* One run of at most EXB_CHAIN_RUN products. */
EXB_INLINE void anchored_run(int64_t k, const double *a, const double *b, bool resume, double *s,
                             double *l, int64_t ld)
{
    exb_v sum[EXB_PAIR_COLS][EXB_PAIR_VECTORS], low[EXB_PAIR_COLS][EXB_PAIR_VECTORS];
#pragma GCC unroll 8
    for (int j = 0; j < EXB_PAIR_COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < EXB_PAIR_VECTORS; i++) {
            sum[j][i] = resume ? v_load(s + j * ld + i * EXB_LANES) : v_set1(EXB_CHAIN_ANCHOR);
            low[j][i] = v_zero();
        }
    for (int64_t t = 0; t < k; t++, a += EXB_PAIR_ROWS, b += EXB_PAIR_COLS) {
        exb_v x[EXB_PAIR_VECTORS];
#pragma GCC unroll 8
        for (int i = 0; i < EXB_PAIR_VECTORS; i++)
            x[i] = v_load(a + i * EXB_LANES);
#pragma GCC unroll 8
        for (int j = 0; j < EXB_PAIR_COLS; j++) {
            exb_v y = v_set1(b[j]);
#pragma GCC unroll 8
            for (int i = 0; i < EXB_PAIR_VECTORS; i++) {
                exb_v next = v_fma(x[i], y, sum[j][i]);
                exb_v high = v_sub(next, sum[j][i]);
                sum[j][i] = next;
                low[j][i] = v_add(low[j][i], v_fms(x[i], y, high));
            }
        }
    }
#pragma GCC unroll 8
    for (int j = 0; j < EXB_PAIR_COLS; j++)
#pragma GCC unroll 8
        for (int i = 0; i < EXB_PAIR_VECTORS; i++) {
            double *to = l + j * ld + i * EXB_LANES;
            v_store(s + j * ld + i * EXB_LANES, sum[j][i]);
            v_store(to, resume ? v_add(v_load(to), low[j][i]) : low[j][i]);
        }
}

void exb_isa(chain_anchored)(int64_t k, const double *a, const double *b, bool resume, double *s,
                             double *l, int64_t ld)
{
    for (int64_t t = 0; t < k; t += EXB_CHAIN_RUN)
        anchored_run(exb_least(k - t, EXB_CHAIN_RUN), a + t * EXB_PAIR_ROWS, b + t * EXB_PAIR_COLS,
                     resume || t > 0, s, l, ld);
}
#endif
