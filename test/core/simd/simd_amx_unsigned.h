/* The vocabulary of tiles without what Bochs 3.0 lacks. It has no sttilecfg: here no caller has
 * tiles in use. It takes the signed bytes of a product for unsigned ones: here the product is of
 * unsigned bytes, and what that has too much, 256 u for each negative s, is taken off in C. */
#pragma once

#include "core/simd/simd_amx.h"

#include <string.h>

/* Rows and bytes that are not configured are 0. */
static inline void take_off(int32_t c[16][16], uint8_t s[16][64], uint8_t u[16][64])
{
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 64; k++)
            for (int j = 0; s[i][k] >= 128 && j < 16; j++)
                c[i][j] = (int32_t)((uint32_t)c[i][j] - 256u * u[k / 4][4 * j + k % 4]);
}

#undef t_keep_config
#define t_keep_config(c) memset((c), 0, sizeof(exb_tile_config))
#undef t_dot
#define t_dot(c, s, u)                                                                             \
    do {                                                                                           \
        int32_t sums[16][16] = {{0}};                                                              \
        uint8_t s_bytes[16][64] = {{0}}, u_bytes[16][64] = {{0}};                                  \
        __asm__ volatile("tdpbuud %%tmm" #u ", %%tmm" #s ", %%tmm" #c : : : "memory");             \
        t_store(c, sums, 64);                                                                      \
        t_store(s, s_bytes, 64);                                                                   \
        t_store(u, u_bytes, 64);                                                                   \
        take_off(sums, s_bytes, u_bytes);                                                          \
        t_load(c, sums, 64);                                                                       \
    } while (0)
