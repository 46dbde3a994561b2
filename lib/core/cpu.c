#include "core/cpu.h"

#include <stdatomic.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* AVX2 is meant with FMA and F16C, AVX512 with F, DQ, VL and BW, each with what stands before it.
 * VECTOR_VNNI: scalar products of bytes in vectors of 32 bytes without AVX-512. PAIRS: of bfloat16
 * in those of 64. */
enum {
    ASKED = 1,
    AVX2 = 2,
    VECTOR_VNNI = 4,
    AVX512 = 8,
    VNNI = 16,
    TILES = 32,
    FROM_ZEN_3 = 64,
    PAIRS = 128
};

/* AMD's number of a family of processors, or 0. */
static unsigned amd_family(void)
{
    enum { AUTH = 0x68747541, EXTENDED = 15 };
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d) || b != AUTH || !__get_cpuid(1, &a, &b, &c, &d))
        return 0;
    unsigned family = a >> 8 & 15;
    return family == EXTENDED ? family + (a >> 20 & 255) : family;
}

/* Of the state that the operating system saves. */
static unsigned saved_state(void)
{
    enum { SAVES_STATE = 1 << 27 };
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & SAVES_STATE))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return a;
}

static bool has_all(unsigned word, unsigned bits)
{
    return (word & bits) == bits;
}

/* Programs that run others instruction by instruction deny tiles here and fail on them. Compilers'
 * __builtin_cpu_supports would do, if it were right in all their run-time libraries. */
static unsigned find_features(void)
{
    const unsigned avx_state = 6, avx512_state = 0xe6, tile_state = 3 << 17;
    const unsigned fma_f16c = 1 << 12 | 1 << 29, avx2 = 1 << 5,
                   avx512 = 1u << 31 | 1 << 30 | 3 << 16;
    const unsigned vnni = 1 << 11, vector_vnni = 1 << 4, pairs = 1 << 5, tiles_of_bytes = 3 << 24;
    unsigned a, b, c, d, state = saved_state(),
                         found = ASKED | (amd_family() >= 0x19 ? FROM_ZEN_3 : 0);
    if (!has_all(state, avx_state) || !__get_cpuid(1, &a, &b, &c, &d) || !has_all(c, fma_f16c) ||
        !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has_all(b, avx2))
        return found;
    found |= AVX2;
    if (has_all(state, avx512_state) && has_all(b, avx512))
        found |= AVX512 | (has_all(c, vnni) ? VNNI : 0);
    if (found & VNNI && has_all(state, tile_state) && has_all(d, tiles_of_bytes))
        found |= TILES;
    if (!__get_cpuid_count(7, 1, &a, &b, &c, &d))
        return found;
    found |= has_all(a, vector_vnni) ? VECTOR_VNNI : 0;
    found |= found & AVX512 && has_all(a, pairs) ? PAIRS : 0;
    return found;
}

/* Asked once: on virtual machines the instruction takes as long as a product of order 100. */
static bool cpu_has(unsigned feature)
{
    static _Atomic unsigned known;
    unsigned features = atomic_load_explicit(&known, memory_order_relaxed);
    if (!features) {
        features = find_features();
        atomic_store_explicit(&known, features, memory_order_relaxed);
    }
    return features & feature;
}

static bool has_vector_isa(const char *isa)
{
    static const struct {
        const char *isa;
        unsigned feature;
    } table[] = {
        {"avx2", AVX2},         {"avxvnni-emulated", AVX2}, {"amx-emulated-avx2", AVX2},
        {"avx512", AVX512},     {"avxvnni", VECTOR_VNNI},   {"avx512vnni", VNNI},
        {"amx-emulated", VNNI}, {"avx512bf16", PAIRS},      {"amx", TILES},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(isa, table[i].isa) == 0)
            return cpu_has(table[i].feature);
    return false;
}

#else

static bool has_vector_isa(const char *isa)
{
#if defined(__aarch64__)
    return strcmp(isa, "neon") == 0;
#else
    (void)isa;
    return false;
#endif
}

#endif

bool exb_cpu_has(const char *isa)
{
    return strcmp(isa, "generic") == 0 || has_vector_isa(isa);
}

int exb_cpu_operations(void)
{
#if defined(__x86_64__)
    return cpu_has(FROM_ZEN_3) ? 4 : 2;
#elif defined(__aarch64__)
    return 4;
#else
    return 2;
#endif
}
