#include "comparators.h"

const comparators *comparators_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &comparators_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &comparators_avx2;
#endif
    return &comparators_generic;
}
