/* Compiled for each vocabulary of tiles: TILE_CALLS names it. */
#if defined(EXB_EMULATED_TILES)
#include "core/simd/simd_amx_emulated.h"
#elif defined(TEST_UNSIGNED_TILES)
#include "simd_amx_unsigned.h"
#else
#include "core/simd/simd_amx.h"
#endif
#include "tile_calls.h"

#include <stdlib.h>

static void configure(const exb_tile_config *c)
{
    t_configure(c);
}

static void keep_config(exb_tile_config *c)
{
    t_keep_config(c);
}

static void release(void)
{
    t_release();
}

/* The statement X(n) for the tile n that is t. */
#define OF_TILE(t, X)                                                                              \
    switch (t) {                                                                                   \
        X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) default : abort();                                 \
    }

static void zero(int t)
{
#define ZERO(n)                                                                                    \
    case n:                                                                                        \
        t_zero(n);                                                                                 \
        break;
    OF_TILE(t, ZERO)
}

static void load(int t, const void *p, int64_t stride)
{
#define LOAD(n)                                                                                    \
    case n:                                                                                        \
        t_load(n, p, stride);                                                                      \
        break;
    OF_TILE(t, LOAD)
}

static void load_once(int t, const void *p, int64_t stride)
{
#define LOAD_ONCE(n)                                                                               \
    case n:                                                                                        \
        t_load_once(n, p, stride);                                                                 \
        break;
    OF_TILE(t, LOAD_ONCE)
}

static void store(int t, void *p, int64_t stride)
{
#define STORE(n)                                                                                   \
    case n:                                                                                        \
        t_store(n, p, stride);                                                                     \
        break;
    OF_TILE(t, STORE)
}

static void dot(int c, int s, int u)
{
#define DOT(i, j, k)                                                                               \
    if (c == i && s == j && u == k) {                                                              \
        t_dot(i, j, k);                                                                            \
        return;                                                                                    \
    }
    TILE_TRIPLES(DOT)
    abort();
}

const tile_calls TILE_CALLS = {configure, keep_config, release, zero, load, load_once, store, dot};
