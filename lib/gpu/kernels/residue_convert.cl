/* Numbers to residues: a' = rint(a mu), its residues modulo N numbers as signed bytes, and norms of
 * delta = a mu - a'. Options: EXB_IS_S. */
#include "gpu/kernels/residue_tile.h"

#define RESIDUE_MAGIC 0x1.8p52

/* y = sum_d 2^(44 d) digit[d] + delta, returned, |delta| <= 1/2, n_digits digits that are integers.
 * From the top: each digit is the rest rounded to its weight, by one FMA that rounds once to an
 * integer; the rest of it is a multiple of ulp(y), at most 2^43 units: exact. */
EXB_INLINE double residue_split(double y, int n_digits, double *digit)
{
    digit[2] = digit[1] = 0;
    if (n_digits == 3) {
        digit[2] = exb_fma(y, 0x1p-88, RESIDUE_MAGIC) - RESIDUE_MAGIC;
        y = exb_fma(digit[2], -0x1p88, y);
    }
    digit[1] = exb_fma(y, 0x1p-44, RESIDUE_MAGIC) - RESIDUE_MAGIC;
    y = exb_fma(digit[1], -0x1p44, y);
    digit[0] = (y + RESIDUE_MAGIC) - RESIDUE_MAGIC;
    return y - digit[0];
}

/* The lowest byte of v mod p in [-127, 127], v as RESIDUE_MAGIC + v: the low words of that and of
 * RESIDUE_MAGIC + rint(v / p) are v and the quotient modulo 2^32, and as exb_residue_of shows the
 * remainder fits a signed byte. */
EXB_INLINE exb_u32 residue_byte(double v_magic, double inverse, exb_u32 p)
{
    double q_magic = exb_fma(v_magic - RESIDUE_MAGIC, inverse, RESIDUE_MAGIC);
    return ((exb_u32)exb_bits(v_magic) - p * (exb_u32)exb_bits(q_magic)) & 255;
}

/* Residues of the four terms of a cell, those of modulus i at out[i * plane]. The weighted sum of
 * the digits is an integer below 2^51, so that it and RESIDUE_MAGIC add exactly: weights are below
 * 128, the lower digits at most 2^43, and the third, of numbers below 2^118, is below 2^31. */
EXB_INLINE void residue_write(EXB_GLOBAL const exb_residue_table *table, int side, int n_moduli,
                              int n_digits, double digit[4][EXB_PARTS_MAX], EXB_GLOBAL exb_u32 *out,
                              exb_i64 plane)
{
    EXB_GLOBAL const exb_table_modulus *m = table->modulus;
    for (int i = 0; i < n_moduli; i++, m++, out += plane) {
        double w0 = m->weight[side][0], w1 = m->weight[side][1];
        double v[4];
        for (int t = 0; t < 4; t++)
            v[t] = exb_fma(digit[t][1], w1, exb_fma(digit[t][0], w0, RESIDUE_MAGIC));
        if (n_digits == 3)
            for (int t = 0; t < 4; t++)
                v[t] = exb_fma(digit[t][2], m->weight[side][2], v[t]);
        exb_u32 bytes = 0, p = (exb_u32)m->p;
        for (int t = 0; t < 4; t++)
            bytes |= residue_byte(v[t], m->inverse, p) << (8 * t);
        *out = bytes;
    }
}

/* Terms l_begin to l_end of vectors v_begin to v_begin + n_out, of which those below n are there;
 * to residues of which those of term l of vector v modulo p_i are at out[i * plane + (v - v_begin)
 * * stride + l - l_begin], padded with zeros to a multiple of EXB_TERMS_ALIGN terms. Of each vector
 * and chunk of terms, partial[0][chunk][v] = the sum of |delta|, partial[1][chunk][v] that of
 * delta^2, n_chunks of them in all. plane and stride in units of four bytes. Groups: tiles of
 * vectors, chunks. */
EXB_KERNEL void residue_convert(EXB_PLACE(const exb_real, x), exb_i64 vs, exb_i64 ls, exb_i64 n,
                                exb_i64 v_begin, exb_i64 n_out, exb_i64 l_begin, exb_i64 l_end,
                                exb_i64 chunk, int n_chunks, EXB_PLACE(const exb_side, sides),
                                EXB_CONSTANTS(exb_residue_table, table), int side, int n_moduli,
                                int n_digits, EXB_PLACE(exb_u32, out), exb_i64 plane,
                                exb_i64 stride, EXB_PLACE(double, partial))
{
    EXB_LOCAL_ARRAY(double, tile, TILE_DOUBLES);
    EXB_LOCAL_ARRAY(double, lost_1, EXB_TILE_CELLS);
    EXB_LOCAL_ARRAY(double, lost_2, EXB_TILE_CELLS);
    exb_i64 first = (exb_i64)exb_group_id(0) * EXB_TILE, v0 = v_begin + first;
    exb_i64 l0 = l_begin + (exb_i64)exb_group_id(1) * chunk;
    exb_i64 end = l_begin + 4 * stride < l0 + chunk ? l_begin + 4 * stride : l0 + chunk;
    for (int c = exb_local_id(0); c < EXB_TILE_CELLS; c += exb_local_size(0))
        lost_1[c] = lost_2[c] = 0;
    for (exb_i64 l = l0; l < end; l += EXB_TILE) {
        residue_load_tile(x, vs, ls, v0, n, l, l_end, tile);
        for (int c = exb_local_id(0); c < EXB_TILE_CELLS; c += exb_local_size(0)) {
            double digit[4][EXB_PARTS_MAX];
            exb_i64 v = v0 + c / QUADS;
            double mu = v < n ? sides[v].factor : 0;
            for (int t = 0; t < 4; t++) {
                double a = residue_cell(tile, c)[t], y = mu != 0 ? a * mu : 0;
                double delta = residue_split(y, n_digits, digit[t]);
                /* A product that is subnormal may have lost bits. */
                double lost = mu < 1 && a != 0 && exb_fabs(y) < DBL_MIN ? EXB_RESIDUE_LOST : 0;
                lost_1[c] += exb_fabs(delta) + lost;
                lost_2[c] = exb_fma(delta, delta, lost_2[c]);
            }
            if (first + c / QUADS < n_out)
                residue_write(table, side, n_moduli, n_digits, digit,
                              out + (first + c / QUADS) * stride + (l - l_begin) / 4 + c % QUADS,
                              plane);
        }
    }
    exb_barrier();
    exb_i64 part_of = exb_group_id(1);
    for (int v = exb_local_id(0); v < EXB_TILE; v += exb_local_size(0)) {
        double one = 0, two = 0;
        for (int q = 0; q < QUADS; q++) {
            one += lost_1[v * QUADS + q];
            two += lost_2[v * QUADS + q];
        }
        if (first + v < n_out && v0 + v < n && l0 < l_end) {
            partial[part_of * n + v0 + v] = one;
            partial[(n_chunks + part_of) * n + v0 + v] = two;
        }
    }
}

/* What was left out of vectors v_begin to v_end. Squares that underflow take less than
 * k 2^-1074 off a sum, and what may have been lost below the normal range is below k 2^-1074 too:
 * 2^-500 covers both. */
EXB_KERNEL void residue_close(exb_i64 n, exb_i64 v_begin, exb_i64 v_end, int n_chunks,
                              EXB_PLACE(const double, partial), EXB_PLACE(exb_side, sides))
{
    exb_i64 v = v_begin + exb_global_id(0);
    if (v >= v_end || sides[v].scale == 0)
        return;
    double one = 0, two = 0;
    for (int c = 0; c < n_chunks; c++) {
        one += partial[c * n + v];
        two += partial[(n_chunks + c) * n + v];
    }
    sides[v].lost_1 = one;
    sides[v].lost_2 = one != 0 ? exb_sqrt(two) + 0x1p-500 : 0;
}

/* The sums of each plane become their residues, so that another panel of terms can be added.
 * Work-items: elements of all planes. */
EXB_KERNEL void residue_fold(exb_i64 plane, int n_planes, EXB_CONSTANTS(exb_residue_table, table),
                             EXB_PLACE(int, sums))
{
    exb_i64 t = exb_global_id(0);
    if (t >= plane * n_planes)
        return;
    EXB_GLOBAL const exb_table_modulus *m = &table->modulus[t / plane];
    sums[t] = (int)exb_residue_of(sums[t], m->p, m->inverse);
}
