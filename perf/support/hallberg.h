/* The carry-free fixed-point number of Hallberg and Adcroft ("An order-invariant
 * real-to-integer conversion sum", Parallel Computing 40 (2014)), to compare with: N signed
 * words a_i of M bits, the number is the sum of a_i 2^(M (i - N / 2)). Words are added
 * without carries, up to 2^(63 - M) - 1 times, and carried when the sum is read. */
#pragma once

#include <stdint.h>

enum { HALLBERG_N = 10, HALLBERG_M = 38 };

typedef struct {
    int64_t a[HALLBERG_N];
} hallberg;

/* 2^e, -1022 <= e <= 1023. */
static inline double hallberg_power(int e)
{
    uint64_t b = (uint64_t)(e + 1023) << 52;
    double x;
    __builtin_memcpy(&x, &b, sizeof x);
    return x;
}

/* s += x. Every step is exact: the whole part of the scaled rest is taken off. Bits below
 * the last word are lost. */
static inline void hallberg_add(hallberg *s, double x)
{
    for (int i = HALLBERG_N - 1; i >= 0; i--) {
        double unit = hallberg_power(HALLBERG_M * (i - HALLBERG_N / 2));
        int64_t whole = (int64_t)(x * hallberg_power(-HALLBERG_M * (i - HALLBERG_N / 2)));
        s->a[i] += whole;
        x -= (double)whole * unit;
    }
}

/* After carrying, rounded word by word from the lowest. */
static inline double hallberg_value(const hallberg *s)
{
    int64_t carry = 0;
    double x = 0;
    for (int i = 0; i < HALLBERG_N; i++) {
        int64_t a = s->a[i] + carry;
        carry = a / ((int64_t)1 << HALLBERG_M);
        x += (double)(a - carry * ((int64_t)1 << HALLBERG_M)) *
             hallberg_power(HALLBERG_M * (i - HALLBERG_N / 2));
    }
    return x + (double)carry * hallberg_power(HALLBERG_M * (HALLBERG_N - HALLBERG_N / 2));
}
