/* How work is split over threads. The split never shows in a result.
 *
 *   n = 10, 3 ranges:   range 0 [0, 4)   range 1 [4, 7)   range 2 [7, 10)
 */
#pragma once

#include "core/arith/compiler.h"

enum { EXB_MOST_RANGES = 256 };

typedef struct {
    int64_t begin, end;
} exb_range;

EXB_INLINE int64_t exb_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

EXB_INLINE int64_t exb_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* How far the first of n elements in BLAS's order is from the first in memory: a negative increment
 * walks backwards from the far end. */
EXB_INLINE int64_t exb_first(int64_t n, int64_t inc)
{
    return inc < 0 && n > 0 ? (1 - n) * inc : 0;
}

/* What both have; empty ranges may have end < begin. */
EXB_INLINE exb_range exb_common(exb_range a, exb_range b)
{
    return (exb_range){exb_most(a.begin, b.begin), exb_least(a.end, b.end)};
}

/* Number of tasks of `unit` things each, the last one perhaps of fewer. */
EXB_INLINE int64_t exb_tasks_of(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

/* The next multiple of unit that is not below n. */
EXB_INLINE int64_t exb_round_up(int64_t n, int64_t unit)
{
    return exb_tasks_of(n, unit) * unit;
}

/* Range i of n things in equal ranges: the first n % n_ranges are one longer. */
exb_range exb_partition_range(int64_t n, int n_ranges, int i);

/* Number of ranges for `work` elementary operations (a whole number), at most `most`: as many as
 * there are threads, each with at least the grain's worth of work. */
int exb_partition_count(double work, int64_t most);

/* For tests: least work for a thread; 0 restores the default. With 1 even
 * short vectors are split. */
void exb_partition_set_grain(int64_t n);
