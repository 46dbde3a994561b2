/* The vocabulary of simd_amx.h in C, on the tiles of exb_tiles_of_thread. What a processor does not
 * allow ends the program here too. */
#pragma once

#include "core/arith/compiler.h"
#include "core/simd/tile_state.h"

EXB_INLINE void t_require(bool is_allowed)
{
    if (!is_allowed)
        __builtin_trap();
}

EXB_INLINE void t_configure(const exb_tile_config *c)
{
    exb_tiles *e = exb_tiles_of_thread();
    t_require(c->palette == 1 && c->start_row == 0);
    for (int t = 0; t < EXB_TILES; t++)
        t_require(c->rows[t] <= EXB_TILE_ROWS && c->row_bytes[t] <= EXB_TILE_BYTES);
    e->config = *c;
    memset(e->tile, 0, sizeof e->tile);
}

EXB_INLINE void t_keep_config(exb_tile_config *c)
{
    *c = exb_tiles_of_thread()->config;
}

EXB_INLINE void t_release(void)
{
    exb_tiles *e = exb_tiles_of_thread();
    memset(&e->config, 0, sizeof e->config);
    memset(e->tile, 0, sizeof e->tile);
}

/* A tile that is configured, its rows: of fours of bytes (others can only be zeroed). */
EXB_INLINE uint8_t (*t_rows(exb_tiles *e, int t))[EXB_TILE_BYTES]
{
    t_require(e->config.palette == 1 && e->config.rows[t] > 0 && e->config.row_bytes[t] > 0 &&
              e->config.row_bytes[t] % 4 == 0);
    return e->tile[t];
}

EXB_INLINE void t_zero(int t)
{
    memset(t_rows(exb_tiles_of_thread(), t), 0, sizeof(exb_tiles_of_thread()->tile[t]));
}

EXB_INLINE void t_load(int t, const void *p, int64_t stride)
{
    exb_tiles *e = exb_tiles_of_thread();
    t_zero(t);
    for (int i = 0; i < e->config.rows[t]; i++)
        memcpy(e->tile[t][i], (const uint8_t *)p + i * stride, e->config.row_bytes[t]);
}

EXB_INLINE void t_load_once(int t, const void *p, int64_t stride)
{
    t_load(t, p, stride);
}

EXB_INLINE void t_store(int t, void *p, int64_t stride)
{
    exb_tiles *e = exb_tiles_of_thread();
    uint8_t(*row)[EXB_TILE_BYTES] = t_rows(e, t);
    for (int i = 0; i < e->config.rows[t]; i++)
        memcpy((uint8_t *)p + i * stride, row[i], e->config.row_bytes[t]);
}

/* One row of sums: those of four terms for each column at a time. */
EXB_INLINE void t_dot_row(int n_quads, const uint8_t *s, uint8_t (*u)[EXB_TILE_BYTES], uint8_t *c)
{
    uint32_t sum[EXB_TILE_BYTES / 4]; /* wraps around */
    memcpy(sum, c, sizeof sum);
    for (int q = 0; q < n_quads; q++)
        for (int j = 0; j < EXB_TILE_BYTES / 4; j++)
            for (int t = 0; t < 4; t++)
                sum[j] += (uint32_t)((int8_t)s[4 * q + t] * (int)u[q][4 * j + t]);
    memcpy(c, sum, sizeof sum);
}

EXB_INLINE void t_dot(int c, int s, int u)
{
    exb_tiles *e = exb_tiles_of_thread();
    const exb_tile_config *k = &e->config;
    t_rows(e, c);
    t_rows(e, s);
    t_require(k->rows[c] == k->rows[s] && k->row_bytes[c] == k->row_bytes[u] &&
              k->row_bytes[s] == 4 * k->rows[u] && c != s && c != u && s != u);
    for (int i = 0; i < k->rows[c]; i++)
        t_dot_row(k->rows[u], e->tile[s][i], t_rows(e, u), e->tile[c][i]);
    e->n_products++;
}
