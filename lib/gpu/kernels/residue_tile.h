/* Reading an operand of a product in tiles of EXB_TILE vectors by EXB_TILE terms: lines of memory
 * are used whole in whichever direction the numbers lie side by side. */
#ifndef EXB_RESIDUE_TILE_H
#define EXB_RESIDUE_TILE_H

#include "gpu/device.h"

#include "gpu/residue_table.h"

/* A cell is four consecutive terms of a vector of the tile; each belongs to one work-item. */
enum { TILE_STRIDE = EXB_TILE + 1, TILE_DOUBLES = EXB_TILE * TILE_STRIDE, QUADS = EXB_TILE / 4 };

/* Term l of vector v is x[v * vs + l * ls]; one of vs and ls is 1. Zeros beyond n and end. */
EXB_INLINE void residue_load_tile(EXB_GLOBAL const exb_real *x, exb_i64 vs, exb_i64 ls, exb_i64 v0,
                                  exb_i64 n, exb_i64 l0, exb_i64 end, EXB_LOCAL double *tile)
{
    exb_barrier(); /* the tile before it has been used */
    for (int t = exb_local_id(0); t < EXB_TILE * EXB_TILE; t += exb_local_size(0)) {
        int fast = t % EXB_TILE, slow = t / EXB_TILE;
        int v = vs == 1 ? fast : slow, l = vs == 1 ? slow : fast;
        bool inside = v0 + v < n && l0 + l < end;
        tile[v * TILE_STRIDE + l] = inside ? x[(v0 + v) * vs + (l0 + l) * ls] : 0;
    }
    exb_barrier();
}

EXB_INLINE EXB_LOCAL const double *residue_cell(EXB_LOCAL const double *tile, int cell)
{
    return tile + cell / QUADS * TILE_STRIDE + cell % QUADS * 4;
}

/* 2^e for |e| < 1022. */
EXB_INLINE double residue_pow2(int e)
{
    return exb_from_bits((exb_u64)(e + 1023) << 52);
}

/* x * 2^e for |e| <= 2100, in two steps: rounded once or twice where it is subnormal. */
EXB_INLINE double residue_scaled(double x, int e)
{
    int middle = e / 2;
    int most = middle > 1000 ? 1000 : middle < -1000 ? -1000 : middle;
    return x * residue_pow2(most) * residue_pow2(e - most);
}

#endif
