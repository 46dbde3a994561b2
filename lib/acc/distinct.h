/* The distinct indices of an array, for index ranges that are much larger than the array. */
#pragma once

#include "acc/index.h"

/* slot[i], 0 <= i < n: the rank of index i among the n_slots distinct indices of the array;
 * bin[rank], n of them: the index of that rank. Indices are in 0 ... n_bins - 1, n > 0.
 * scratch: exb_distinct_scratch(n) bytes, aligned for int64_t. Time O(n log n_bins). */
int64_t exb_distinct(int64_t n, exb_index index, int64_t n_bins, int64_t *slot, int64_t *bin,
                     void *scratch);

EXB_INLINE int64_t exb_distinct_scratch(int64_t n)
{
    return n * 4 * (int64_t)sizeof(int64_t);
}
