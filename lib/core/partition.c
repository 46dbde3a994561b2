#include "core/partition.h"

#include "core/thread.h"

#include <stdatomic.h>

/* Waking a thread costs some ten microseconds, as much as a filter takes for
 * some 3e4 elements; a thread should have several times that to do. */
static const int64_t default_grain = 100000;
static _Atomic int64_t grain = default_grain;

void exb_partition_set_grain(int64_t n)
{
    atomic_store(&grain, n > 0 ? n : default_grain);
}

exb_range exb_partition_range(int64_t n, int n_ranges, int i)
{
    if (n_ranges == 1) /* divisions take as long as short vectors */
        return (exb_range){0, n};
    int64_t base = n / n_ranges, longer = n % n_ranges;
    int64_t begin = base * i + (i < longer ? i : longer);
    return (exb_range){begin, begin + base + (i < longer)};
}

int exb_partition_count(double work, int64_t most)
{
    /* In integers: a division here could raise the inexact flag or trap. */
    int64_t g = atomic_load_explicit(&grain, memory_order_relaxed);
    int64_t n_grains = (work < 0x1p62 ? (int64_t)work : INT64_MAX) / g;
    if (n_grains < 2)
        return 1;
    int64_t n = exb_thread_count();
    if (n > most)
        n = most;
    if (n > n_grains)
        n = n_grains;
    return n < 1 ? 1 : (int)n;
}
