/* Bit patterns of numbers, for tests that compare bits and build numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TEST_CANONICAL_NAN 0x7ff8000000000000u

/* Float, double, bfloat16, IEEE half. */
typedef enum { FORMAT_S, FORMAT_D, FORMAT_B, FORMAT_H } number_format;

static inline uint64_t bits_of(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static inline double from_bits(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static inline bool same_bits(double a, double b)
{
    return bits_of(a) == bits_of(b);
}

/* 2^exp2 for -1074 <= exp2 <= 1023, without a library call. */
static inline double power_of_two(int exp2)
{
    if (exp2 < -1022)
        return from_bits((uint64_t)1 << (exp2 + 1074));
    return from_bits((uint64_t)(exp2 + 1023) << 52);
}
