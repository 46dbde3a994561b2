#include "comparators.h"

#include <exblas/exblas.h>
#include <stdbool.h>
#include <string.h>

static int find_width(void)
{
#if defined(__x86_64__)
    const char *isa = exblas_info("isa");
    bool is_narrow = strcmp(isa, "avx2") == 0 || strcmp(isa, "avxvnni") == 0;
    if (strcmp(isa, "generic") == 0)
        return 0;
    if (!is_narrow && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return 2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 1;
#endif
    return 0;
}

/* Asked for in loops that are timed. */
int comparators_width(void)
{
    static int width = -1;
    if (width < 0)
        width = find_width();
    return width;
}

const comparators *comparators_best(void)
{
    static const comparators *const of_isa[] = {
        &comparators_generic,
#if defined(__x86_64__)
        &comparators_avx2,
        &comparators_avx512,
#endif
    };
    return of_isa[comparators_width()];
}

const plain_loops *plain_best(void)
{
    static const plain_loops *const of_isa[] = {
        &plain_generic,
#if defined(__x86_64__)
        &plain_avx2,
        &plain_avx512,
#endif
    };
    return of_isa[comparators_width()];
}
