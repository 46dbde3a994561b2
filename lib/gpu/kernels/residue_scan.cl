/* Scaling of the residue engine: norms of the vectors of an operand, and the powers of two that
 * bring them to sqrt(P / 2) (level3/residue_operands_tmpl.c has the bounds). Options: EXB_IS_S. */
#include "gpu/kernels/residue_tile.h"

/* One pass over an operand: top[v] = the largest high word of |x| of vector v, which starts at 0;
 * partial[chunk][v] = the sum of squares. Groups: tiles of vectors, chunks of terms. */
EXB_KERNEL void residue_measure(EXB_PLACE(const exb_real, x), exb_i64 vs, exb_i64 ls, exb_i64 n,
                                exb_i64 k, exb_i64 chunk, EXB_PLACE(exb_u32, top),
                                EXB_PLACE(double, partial))
{
    EXB_LOCAL_ARRAY(double, tile, TILE_DOUBLES);
    EXB_LOCAL_ARRAY(exb_u32, most, EXB_TILE_CELLS);
    EXB_LOCAL_ARRAY(double, sum, EXB_TILE_CELLS);
    exb_i64 v0 = (exb_i64)exb_group_id(0) * EXB_TILE, l0 = (exb_i64)exb_group_id(1) * chunk;
    exb_i64 end = l0 + chunk < k ? l0 + chunk : k;
    for (int c = exb_local_id(0); c < EXB_TILE_CELLS; c += exb_local_size(0)) {
        most[c] = 0;
        sum[c] = 0;
    }
    for (exb_i64 l = l0; l < end; l += EXB_TILE) {
        residue_load_tile(x, vs, ls, v0, n, l, end, tile);
        for (int c = exb_local_id(0); c < EXB_TILE_CELLS; c += exb_local_size(0))
            for (int t = 0; t < 4; t++) {
                double y = residue_cell(tile, c)[t];
                exb_u32 high = (exb_u32)(exb_bits(y) >> 32) & 0x7fffffff;
                most[c] = high > most[c] ? high : most[c];
                sum[c] = exb_fma(y, y, sum[c]);
            }
    }
    exb_barrier();
    for (int v = exb_local_id(0); v < EXB_TILE; v += exb_local_size(0)) {
        double all = 0;
        exb_u32 high = 0;
        for (int q = 0; q < QUADS; q++) {
            all += sum[v * QUADS + q];
            high = most[v * QUADS + q] > high ? most[v * QUADS + q] : high;
        }
        if (v0 + v < n) {
            exb_atomic_max_global_u32(top + v0 + v, high);
            partial[(exb_i64)exb_group_id(1) * n + v0 + v] = all;
        }
    }
}

/* The exponent e of the largest magnitude, 2^e <= x < 2^(e + 1), or less for subnormal numbers. */
EXB_INLINE int residue_exponent(exb_u32 top)
{
    return (int)(top >> 20) - 1023;
}

/* Squares of numbers up to 2^(e + 1) do not overflow, nor do sums of 2^24 of them; those that
 * underflow are together below 2^24 2^-1074, against a sum of 2^(2 e) at least. */
EXB_INLINE bool residue_can_square(int e)
{
    return e > -450 && e < 490;
}

/* The sum of squares of x / 2^e, by itself: for vectors that are out of the range of squares. */
EXB_INLINE double residue_scaled_squares(EXB_GLOBAL const exb_real *x, exb_i64 ls, exb_i64 k, int e)
{
    double sum = 0;
    for (exb_i64 l = 0; l < k; l++) {
        double y = residue_scaled(x[l * ls], -e);
        sum = exb_fma(y, y, sum);
    }
    return sum;
}

/* Of each vector: norms[0][v] = the 2-norm, norms[1][v] = a bound on the magnitudes, 2^-20 above
 * the largest, both of x / 2^e. */
EXB_KERNEL void residue_join_norms(EXB_PLACE(const exb_real, x), exb_i64 vs, exb_i64 ls, exb_i64 n,
                                   exb_i64 k, int n_chunks, EXB_PLACE(const exb_u32, top),
                                   EXB_PLACE(const double, partial), EXB_PLACE(double, norms))
{
    exb_i64 v = exb_global_id(0);
    if (v >= n)
        return;
    int e = residue_exponent(top[v]);
    double sum = 0;
    for (int c = 0; c < n_chunks; c++)
        sum += partial[c * n + v];
    /* Of a vector of zeros e is -1023, too: it stays 0. */
    double two = residue_can_square(e) ? exb_sqrt(sum) * residue_pow2(-e)
                                       : exb_sqrt(residue_scaled_squares(x + v * vs, ls, k, e));
    norms[v] = two;
    norms[n + v] = residue_scaled(exb_from_bits(((exb_u64)top[v] + 1) << 32), -e);
}

/* The exponent of mu for a vector of 2-norm two * 2^e. */
EXB_INLINE int residue_scale_exp2(double log2_p, double two, int e)
{
    return two > 0 ? (int)floor((log2_p - 1) / 2 - 0.01 - log2(two)) - e : 0;
}

/* What was left out is 0 so far, or Inf if nothing is known of the vector. */
EXB_KERNEL void residue_scale(exb_i64 n, EXB_PLACE(const exb_u32, top),
                              EXB_PLACE(const double, norms),
                              EXB_CONSTANTS(exb_residue_table, table), EXB_PLACE(exb_side, side))
{
    exb_i64 v = exb_global_id(0);
    if (v >= n)
        return;
    double two = norms[v], inf = norms[n + v];
    int e = residue_exponent(top[v]);
    bool fits = e < 1024 && two <= DBL_MAX;
    int mu = fits ? residue_scale_exp2(table->log2_p, two, e) : 0;
    fits = fits && mu > -900 && mu < 900;
    side[v].factor = fits ? residue_pow2(mu) : 0;
    side[v].scale = fits ? residue_pow2(-mu) : 0;
    side[v].inf = fits ? residue_scaled(inf, mu + e) : (double)INFINITY;
    side[v].two = fits ? residue_scaled(two, mu + e) : (double)INFINITY;
    side[v].lost_1 = side[v].lost_2 = fits ? 0 : (double)INFINITY;
}
