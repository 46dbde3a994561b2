/* The vocabulary of tiles (core/simd/simd_amx.h) as functions, whose numbers of tiles are
 * arguments. */
#pragma once

#include "core/simd/tile_state.h"

typedef struct {
    void (*configure)(const exb_tile_config *);
    void (*keep_config)(exb_tile_config *);
    void (*release)(void);
    void (*zero)(int t);
    void (*load)(int t, const void *p, int64_t stride);
    void (*load_once)(int t, const void *p, int64_t stride);
    void (*store)(int t, void *p, int64_t stride);
    void (*dot)(int c, int s, int u); /* for the triples there are */
} tile_calls;

/* Each tile in each place, and those of the kernel. */
#define TILE_TRIPLES(f)                                                                            \
    f(0, 1, 2) f(1, 2, 3) f(2, 3, 4) f(3, 4, 5) f(4, 5, 6) f(5, 6, 7) f(6, 7, 0) f(7, 0, 1)        \
        f(0, 4, 6) f(1, 4, 7) f(2, 5, 6) f(3, 5, 7)

/* On the processor's tiles, on these without what Bochs 3.0 lacks, in C. */
extern const tile_calls tile_calls_amx, tile_calls_unsigned, tile_calls_emulated;
