/* The caller's floating-point environment. Everything here computes in round to
 * nearest without FTZ and DAZ and with exceptions masked; the caller's settings
 * and exception flags are as they were on return.
 *
 *   EXB_GUARDED(call of a function that computes);
 *
 * or, around several, with an exb_fpenv of one's own, exb_fpenv_enter and exb_fpenv_leave.
 * Arithmetic in the same function could be moved across enter and leave by a
 * compiler, so the arithmetic belongs in functions that are not inlined
 * (EXB_NOINLINE drivers and kernels called through the table). Reading the
 * control word costs 1 to 5 ns and writing it about 10, so it is only written
 * if it differs. */
#pragma once

#include "core/arith/compiler.h"

#include <stdint.h>

#if defined(__x86_64__)

#include <xmmintrin.h>

typedef unsigned exb_fpenv; /* MXCSR */

enum {
    EXB_MXCSR_DEFAULT = 0x1f80, /* nearest, all exceptions masked, no FTZ, no DAZ, no flags */
    EXB_MXCSR_FLAGS = 0x3f,
    EXB_MXCSR_FLUSH = 0x8040 /* FTZ and DAZ */
};

EXB_INLINE unsigned exb_mxcsr(void)
{
    unsigned m;
    __asm__ volatile("stmxcsr %0" : "=m"(m) : : "memory");
    return m;
}

EXB_INLINE void exb_set_mxcsr(unsigned m)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(m) : "memory");
}

EXB_INLINE void exb_fpenv_enter(exb_fpenv *env)
{
    *env = exb_mxcsr();
    if (EXB_UNLIKELY((*env & ~(unsigned)EXB_MXCSR_FLAGS) != EXB_MXCSR_DEFAULT))
        exb_set_mxcsr(EXB_MXCSR_DEFAULT | (*env & EXB_MXCSR_FLAGS));
}

EXB_INLINE void exb_fpenv_leave(const exb_fpenv *env)
{
    if (exb_mxcsr() != *env)
        exb_set_mxcsr(*env);
}

/* As enter, but subnormal operands and results count as zero: for kernels whose bounds allow for
 * that, since arithmetic on them can cost a hundred cycles. */
EXB_INLINE void exb_fpenv_enter_flushing(exb_fpenv *env)
{
    *env = exb_mxcsr();
    exb_set_mxcsr(EXB_MXCSR_DEFAULT | EXB_MXCSR_FLUSH | (*env & EXB_MXCSR_FLAGS));
}

#elif defined(__aarch64__)

typedef struct {
    uint64_t fpcr, fpsr;
} exb_fpenv;

EXB_INLINE uint64_t exb_fpcr(void)
{
    uint64_t r;
    __asm__ volatile("mrs %0, fpcr" : "=r"(r) : : "memory");
    return r;
}

EXB_INLINE uint64_t exb_fpsr(void)
{
    uint64_t r;
    __asm__ volatile("mrs %0, fpsr" : "=r"(r) : : "memory");
    return r;
}

EXB_INLINE void exb_set_fpcr(uint64_t r)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(r) : "memory");
}

EXB_INLINE void exb_fpenv_enter(exb_fpenv *env)
{
    env->fpcr = exb_fpcr();
    env->fpsr = exb_fpsr();
    if (EXB_UNLIKELY(env->fpcr != 0)) /* 0: nearest, no flush to zero, no default NaN, no traps */
        exb_set_fpcr(0);
}

EXB_INLINE void exb_fpenv_enter_flushing(exb_fpenv *env)
{
    const uint64_t flush = (uint64_t)1 << 24;
    env->fpcr = exb_fpcr();
    env->fpsr = exb_fpsr();
    exb_set_fpcr(flush);
}

EXB_INLINE void exb_fpenv_leave(const exb_fpenv *env)
{
    if (exb_fpcr() != env->fpcr)
        exb_set_fpcr(env->fpcr);
    if (exb_fpsr() != env->fpsr)
        __asm__ volatile("msr fpsr, %0" : : "r"(env->fpsr) : "memory");
}

#else /* no flush-to-zero mode to think of: C's own functions do */

#include <fenv.h>

typedef fenv_t exb_fpenv;

EXB_INLINE void exb_fpenv_enter(exb_fpenv *env)
{
    feholdexcept(env);
    fesetround(FE_TONEAREST);
}

EXB_INLINE void exb_fpenv_enter_flushing(exb_fpenv *env)
{
    exb_fpenv_enter(env);
}

EXB_INLINE void exb_fpenv_leave(const exb_fpenv *env)
{
    fesetenv(env);
}

#endif

#define EXB_GUARDED(...)                                                                           \
    do {                                                                                           \
        exb_fpenv exb_env;                                                                         \
        exb_fpenv_enter(&exb_env);                                                                 \
        __VA_ARGS__;                                                                               \
        exb_fpenv_leave(&exb_env);                                                                 \
    } while (0)
