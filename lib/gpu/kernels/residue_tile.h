/* Reading an operand of a product in tiles of EXB_TILE vectors by EXB_TILE terms: lines of memory
 * are used whole in whichever direction the numbers lie side by side. */
#pragma once

#include "gpu/device.h"

#include "gpu/residue_table.h"

/* A cell is four consecutive terms of a vector of the tile; each belongs to one work-item. */
enum { TILE_STRIDE = EXB_TILE + 1, TILE_DOUBLES = EXB_TILE * TILE_STRIDE, QUADS = EXB_TILE / 4 };

/* A tile as lines of numbers that lie side by side in memory: `near` numbers of a line are there,
 * `far` lines, `stride` apart. */
typedef struct {
    EXB_GLOBAL const exb_real *x;
    exb_i64 near, far, stride;
    int near_step, far_step; /* in local memory */
} residue_lines;

EXB_INLINE exb_real residue_of_line(const residue_lines *t, int near, int far)
{
    return near < t->near && far < t->far ? t->x[far * t->stride + near] : (exb_real)0;
}

enum { TILE_ROUNDS = 4, TILE_GROUP = EXB_TILE * EXB_TILE / TILE_ROUNDS };

/* By any number of work-items; by the usual one with all its loads on the way at once. */
EXB_INLINE void residue_copy_lines(const residue_lines *t, EXB_LOCAL double *tile)
{
    int size = exb_local_size(0), id = exb_local_id(0);
    int across = size < EXB_TILE ? size : EXB_TILE, down = size / across;
    if (size == TILE_GROUP) {
        exb_real v[TILE_ROUNDS];
        int near = id % EXB_TILE, far = id / EXB_TILE;
        for (int s = 0; s < TILE_ROUNDS; s++)
            v[s] = residue_of_line(t, near, far + s * (EXB_TILE / TILE_ROUNDS));
        for (int s = 0; s < TILE_ROUNDS; s++)
            tile[(far + s * (EXB_TILE / TILE_ROUNDS)) * t->far_step + near * t->near_step] = v[s];
        return;
    }
    for (int far = id / across; far < EXB_TILE && id < across * down; far += down)
        for (int near = id % across; near < EXB_TILE; near += across)
            tile[far * t->far_step + near * t->near_step] = residue_of_line(t, near, far);
}

/* Term l of vector v is x[v * vs + l * ls]; one of vs and ls is 1. Zeros beyond n and end. */
EXB_INLINE void residue_load_tile(EXB_GLOBAL const exb_real *x, exb_i64 vs, exb_i64 ls, exb_i64 v0,
                                  exb_i64 n, exb_i64 l0, exb_i64 end, EXB_LOCAL double *tile)
{
    residue_lines t;
    t.x = x + (v0 * vs + l0 * ls);
    t.near = vs == 1 ? n - v0 : end - l0;
    t.far = vs == 1 ? end - l0 : n - v0;
    t.stride = vs == 1 ? ls : vs;
    t.near_step = vs == 1 ? TILE_STRIDE : 1;
    t.far_step = vs == 1 ? 1 : TILE_STRIDE;
    exb_barrier(); /* the tile before it has been used */
    residue_copy_lines(&t, tile);
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
