#include "unit_rate.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)

enum { STEPS = 200000, ROUNDS = 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Sixteen sums, more than are in flight at once. */
__attribute__((target("avx512f"))) static void dots_64(void)
{
    for (int i = 0; i < STEPS; i++)
        __asm__ volatile(".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
                         "vpdpbusd %%zmm30, %%zmm31, %%zmm\\r\n"
                         ".endr\n" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                               "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                               "xmm15");
}

__attribute__((target("avx2"))) static void dots_32(void)
{
    for (int i = 0; i < STEPS; i++)
        __asm__ volatile(".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,0,1\n"
                         "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm\\r\n"
                         ".endr\n" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                               "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13");
}

/* The library has asked for tiles when this runs after a product. */
static void tile_dots(void)
{
    static const struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } config = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
    __asm__ volatile("ldtilecfg %0" ::"m"(config));
    for (int i = 0; i < STEPS / 16; i++)
        __asm__ volatile(".irp r, 0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3\n"
                         "tdpbsud %%tmm6, %%tmm7, %%tmm\\r\n"
                         ".endr\n" ::);
    __asm__ volatile("tilerelease");
}

static double rate_of(void (*run)(void), double products)
{
    double best = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double since = now();
        run();
        double rate = products / (now() - since);
        best = rate > best ? rate : best;
    }
    return best;
}

double bench_unit_rate(const char *isa)
{
    if (strcmp(isa, "avx512vnni") == 0 || strcmp(isa, "avx512ifma") == 0)
        return rate_of(dots_64, 16.0 * STEPS * 64);
    if (strcmp(isa, "avxvnni") == 0)
        return rate_of(dots_32, 16.0 * STEPS * 32);
    if (strcmp(isa, "amx") == 0)
        return rate_of(tile_dots, 1.0 * STEPS * 16 * 16 * 64);
    return 0;
}

#else

double bench_unit_rate(const char *isa)
{
    (void)isa;
    return 0;
}

#endif
