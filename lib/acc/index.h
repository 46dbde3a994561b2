/* Arrays of 32-bit or 64-bit indices, read a block at a time as 64-bit numbers. */
#pragma once

#include "core/arith/compiler.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const int32_t *narrow; /* one of the two */
    const int64_t *wide;
} exb_index;

/* The same, to be written. */
typedef struct {
    int32_t *narrow;
    int64_t *wide;
} exb_index_target;

EXB_INLINE int64_t exb_index_at(exb_index ix, int64_t i)
{
    return ix.narrow ? ix.narrow[i] : ix.wide[i];
}

EXB_INLINE bool exb_index_is_none(exb_index ix)
{
    return !ix.narrow && !ix.wide;
}

EXB_INLINE void exb_index_put(exb_index_target to, int64_t i, int64_t x)
{
    if (to.narrow)
        to.narrow[i] = (int32_t)x;
    else
        to.wide[i] = x;
}

EXB_INLINE bool exb_index_has_no_target(exb_index_target to)
{
    return !to.narrow && !to.wide;
}

/* Whether all of n indices are inside 0 ... n_bins - 1. */
EXB_INLINE bool exb_indices_are_inside(exb_index ix, int64_t n, int64_t n_bins)
{
    bool inside = true;
    for (int64_t i = 0; i < n && inside; i++)
        inside = exb_index_at(ix, i) >= 0 && exb_index_at(ix, i) < n_bins;
    return inside;
}

/* out = n indices from `begin` on; false if one is outside 0 ... n_bins - 1. Loops
 * without branches, which compilers vectorise. */
EXB_INLINE bool exb_index_block(exb_index ix, int64_t begin, int n, int64_t n_bins, int64_t *out)
{
    if (ix.narrow) {
        const int32_t *p = ix.narrow + begin;
        int32_t last = n_bins > INT32_MAX ? INT32_MAX : (int32_t)(n_bins - 1);
        int32_t outside = 0;
        for (int i = 0; i < n; i++) {
            outside |= (p[i] < 0) | (p[i] > last);
            out[i] = p[i];
        }
        return !outside;
    }
    const int64_t *p = ix.wide + begin;
    int64_t outside = 0;
    for (int i = 0; i < n; i++) {
        outside |= (p[i] < 0) | (p[i] >= n_bins);
        out[i] = p[i];
    }
    return !outside;
}
