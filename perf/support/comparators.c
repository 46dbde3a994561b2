#include "comparators.h"

enum { GENERIC, AVX2, AVX512 };

static int best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return AVX2;
#endif
    return GENERIC;
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
    return of_isa[best()];
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
    return of_isa[best()];
}
