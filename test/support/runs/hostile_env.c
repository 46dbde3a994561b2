#include "hostile_env.h"

#include <fenv.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef struct {
    const char *name;
    int rounding;
    bool flush; /* subnormal results and operands to zero */
    int raised; /* flags found set by the call */
} environment;

static const environment environments[] = {
    {"default", FE_TONEAREST, false, 0},
    {"FTZ, DAZ", FE_TONEAREST, true, 0},
    {"upward", FE_UPWARD, false, FE_DIVBYZERO},
    {"downward", FE_DOWNWARD, false, 0},
    {"toward zero", FE_TOWARDZERO, false, FE_INEXACT},
    {"upward, FTZ, DAZ", FE_UPWARD, true, FE_INVALID | FE_UNDERFLOW},
};

/* All that a caller can observe, flush modes included where there are any. */
typedef struct {
    int rounding, flags;
    uint64_t control;
} snapshot;

static _Thread_local snapshot entered;

#if defined(__SSE2__)
static uint64_t read_control(void)
{
    return _mm_getcsr();
}

static void set_flush(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040u); /* FTZ is bit 15, DAZ bit 6 */
}
#elif defined(__aarch64__)
static uint64_t read_control(void)
{
    uint64_t fpcr, fpsr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("mrs %0, fpsr" : "=r"(fpsr));
    return fpcr | fpsr << 32;
}

static void set_flush(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr | 1u << 24)); /* FZ */
}
#else /* no flush mode, or none that this test knows */
static uint64_t read_control(void)
{
    return 0;
}

static void set_flush(void) {}
#endif

static snapshot take_snapshot(void)
{
    return (snapshot){fegetround(), fetestexcept(FE_ALL_EXCEPT), read_control()};
}

int hostile_env_count(void)
{
    return (int)(sizeof environments / sizeof *environments);
}

const char *hostile_env_name(int index)
{
    return environments[index].name;
}

void hostile_env_enter(int index)
{
    const environment *e = &environments[index];
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(e->rounding);
    feraiseexcept(e->raised);
    if (e->flush)
        set_flush();
    entered = take_snapshot();
}

bool hostile_env_leave(void)
{
    snapshot left = take_snapshot();
    fesetenv(FE_DFL_ENV);
#if defined(__SSE2__)
    _mm_setcsr(0x1f80); /* Windows' fesetenv leaves it as it is */
#endif
    return left.rounding == entered.rounding && left.flags == entered.flags &&
           left.control == entered.control;
}

void hostile_env_unmask_traps(void)
{
#if defined(__GLIBC__)
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    entered = take_snapshot();
#endif
}
