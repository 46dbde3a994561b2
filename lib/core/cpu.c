#include "core/cpu.h"

#include <string.h>

#if defined(__x86_64__)

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

static bool has_vnni(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512vnni");
}

static bool has_vector_isa(const char *isa)
{
    __builtin_cpu_init(); /* constructors may run before the compiler's own */
    if (strcmp(isa, "avx2") == 0)
        return has_avx2();
    if (strcmp(isa, "avx512") == 0)
        return has_avx512();
    if (strcmp(isa, "avx512vnni") == 0)
        return has_vnni();
    if (strcmp(isa, "avx512ifma") == 0)
        return has_vnni() && __builtin_cpu_supports("avx512ifma");
    return false;
}

#elif defined(__aarch64__)

static bool has_vector_isa(const char *isa)
{
    return strcmp(isa, "neon") == 0;
}

#else

static bool has_vector_isa(const char *isa)
{
    (void)isa;
    return false;
}

#endif

bool exb_cpu_has(const char *isa)
{
    return strcmp(isa, "generic") == 0 || has_vector_isa(isa);
}
