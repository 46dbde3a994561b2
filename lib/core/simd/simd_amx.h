/* The vocabulary of tiles for AMX. A tile has 16 rows of 64 bytes; t is its number, a literal.
 *
 *   t_configure(c), t_keep_config(c)   from and to an exb_tile_config; configuring zeroes all tiles
 *   t_release()                        tiles are not in use any more
 *   t_zero(t)
 *   t_load(t, p, stride)               rows are stride bytes apart
 *   t_load_once(t, p, stride)          the same of what is not needed again soon
 *   t_store(t, p, stride)
 *   t_dot(c, s, u)                     c[i][j] += s[i] u[j] in 32 bits: s[i] a row of 64 signed
 *                                      bytes, u[j] column j of fours of unsigned bytes
 *
 * In assembler: the compiler's own ldtilecfg reads but eight bytes for the compiler (GCC 12), and
 * its loads are not ordered after stores. */
#pragma once

#include "core/simd/tile_state.h"

#define t_configure(c) __asm__ volatile("ldtilecfg %0" : : "m"(*(c)) : "memory")
#define t_keep_config(c) __asm__ volatile("sttilecfg %0" : "=m"(*(c)))
#define t_release() __asm__ volatile("tilerelease" : : : "memory")
#define t_zero(t) __asm__ volatile("tilezero %%tmm" #t : : : "memory")
#define t_load(t, p, stride)                                                                       \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t                                               \
                     :                                                                             \
                     : "r"((const void *)(p)), "r"((int64_t)(stride))                              \
                     : "memory")
#define t_load_once(t, p, stride)                                                                  \
    __asm__ volatile("tileloaddt1 (%0,%1,1), %%tmm" #t                                             \
                     :                                                                             \
                     : "r"((const void *)(p)), "r"((int64_t)(stride))                              \
                     : "memory")
#define t_store(t, p, stride)                                                                      \
    __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)"                                           \
                     :                                                                             \
                     : "r"((void *)(p)), "r"((int64_t)(stride))                                    \
                     : "memory")
#define t_dot(c, s, u) __asm__ volatile("tdpbsud %%tmm" #u ", %%tmm" #s ", %%tmm" #c : : : "memory")
