#include "core/cpu.h"

#include <stdatomic.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

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

/* Tiles of bytes, and that the operating system saves their configuration and their data. Programs
 * that run others instruction by instruction deny them here and fail on them. */
static bool has_tiles(void)
{
    enum { TILES = 1 << 24, OF_BYTES = 1 << 25, SAVES_STATE = 1 << 27, SAVED = 3 << 17 };
    unsigned a, b, c, d, state;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & SAVES_STATE))
        return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & (TILES | OF_BYTES)) != (TILES | OF_BYTES))
        return false;
    __asm__ volatile("xgetbv" : "=a"(state), "=d"(d) : "c"(0));
    return (state & SAVED) == SAVED;
}

/* Scalar products of bytes in vectors of 32 bytes without AVX-512. */
static bool has_vector_vnni(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1 << 4);
}

static bool has_vector_isa(const char *isa)
{
    __builtin_cpu_init(); /* constructors may run before the compiler's own */
    if (strcmp(isa, "avx2") == 0 || strcmp(isa, "avxvnni-emulated") == 0 ||
        strcmp(isa, "amx-emulated-avx2") == 0)
        return has_avx2();
    if (strcmp(isa, "avxvnni") == 0)
        return has_avx2() && has_vector_vnni();
    if (strcmp(isa, "avx512") == 0)
        return has_avx512();
    if (strcmp(isa, "avx512vnni") == 0 || strcmp(isa, "amx-emulated") == 0)
        return has_vnni();
    if (strcmp(isa, "amx") == 0)
        return has_vnni() && has_tiles();
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

#if defined(__x86_64__)
static unsigned find_amd_family(void)
{
    enum { AUTH = 0x68747541, EXTENDED = 15 };
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d) || b != AUTH || !__get_cpuid(1, &a, &b, &c, &d))
        return 0;
    unsigned family = a >> 8 & 15;
    return family == EXTENDED ? family + (a >> 20 & 255) : family;
}

/* AMD's number of a family of processors; 0 for other makers. Asked once: on virtual machines the
 * instruction takes as long as a product of order 100. */
static unsigned amd_family(void)
{
    enum { UNKNOWN = -1 };
    static _Atomic int known = UNKNOWN;
    int family = atomic_load_explicit(&known, memory_order_relaxed);
    if (family == UNKNOWN) {
        family = (int)find_amd_family();
        atomic_store_explicit(&known, family, memory_order_relaxed);
    }
    return (unsigned)family;
}

enum { ZEN_3_AND_4 = 0x19 };

bool exb_cpu_halves_vectors(void)
{
    return amd_family() == ZEN_3_AND_4 && has_avx512();
}

int exb_cpu_operations(void)
{
    return amd_family() >= ZEN_3_AND_4 ? 4 : 2;
}

#else

bool exb_cpu_halves_vectors(void)
{
    return false;
}

int exb_cpu_operations(void)
{
#if defined(__aarch64__)
    return 4;
#else
    return 2;
#endif
}

#endif
