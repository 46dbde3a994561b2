/* x86-64's floating-point control register, bit by bit: all a caller can set and see. */
#pragma once

#if defined(__x86_64__)

enum { N_REGISTER_SETTINGS = 64, REGISTER_DEFAULT = 0x1f80 };

static inline unsigned register_get(void)
{
    unsigned m;
    __asm__ volatile("stmxcsr %0" : "=m"(m) : : "memory");
    return m;
}

static inline void register_set(unsigned m)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(m) : "memory");
}

/* Bits: rounding 2, FTZ, DAZ, traps unmasked, flags raised. */
static inline unsigned register_setting(int i)
{
    return (unsigned)(i & 3) << 13 | (i & 4 ? 0x8000u : 0) | (i & 8 ? 0x40u : 0) |
           (i & 16 ? 0 : 0x1f80u) | (i & 32 ? 0x3fu : 0);
}

/* Not so under emulators that know the rounding mode only. */
static inline int register_is_real(void)
{
    register_set(0xe07f); /* toward zero, FTZ, DAZ, all traps, all flags */
    unsigned found = register_get();
    register_set(REGISTER_DEFAULT);
    return found == 0xe07f;
}

#endif
