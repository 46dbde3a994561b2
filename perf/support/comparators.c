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

static const struct {
    const comparators *methods;
    const plain_loops *plain;
} of_width[] = {
    {&comparators_generic, &plain_generic},
#if defined(__x86_64__)
    {&comparators_avx2, &plain_avx2},
    {&comparators_avx512, &plain_avx512},
#endif
};

const comparators *comparators_best(void)
{
    return of_width[comparators_width()].methods;
}

const plain_loops *plain_best(void)
{
    return of_width[comparators_width()].plain;
}
