/* The bits of a floating-point number and back: the one place that puns types,
 * and the one place that knows the field widths of the two formats. */
#pragma once

#include "core/arith/compiler.h"

#ifndef EXB_DEVICE

EXB_INLINE uint64_t exb_bits(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

EXB_INLINE double exb_from_bits(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

EXB_INLINE uint32_t exb_bits_f(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

EXB_INLINE float exb_from_bits_f(uint32_t b)
{
    float x;
    memcpy(&x, &b, sizeof x);
    return x;
}

#endif

#define EXB_CANONICAL_NAN 0x7ff8000000000000u
#define EXB_CANONICAL_NAN_F 0x7fc00000u

/* A finite double is (negative ? -1 : 1) * significand * 2^exp2 with
 * significand < 2^53 and -1074 <= exp2 <= 971. For Inf and NaN is_finite is
 * false and the other fields mean nothing. */
typedef struct {
    exb_u64 significand;
    int exp2;
    bool negative;
    bool is_finite;
} exb_decomposed;

EXB_INLINE exb_decomposed exb_split(double x)
{
    exb_u64 b = exb_bits(x);
    int field = (int)(b >> 52) & 0x7ff;
    exb_u64 fraction = b & 0xfffffffffffffu;
    exb_decomposed p;
    p.negative = b >> 63;
    p.is_finite = field != 0x7ff;
    p.significand = field ? fraction | 0x10000000000000u : fraction;
    p.exp2 = (field ? field : 1) - 1075;
    return p;
}

/* A binary format: n_bits of significand, the exponent of its smallest
 * positive number, and the encoding of +Inf. */
typedef struct {
    int n_bits;
    int min_exp2;
    exb_u64 infinity;
} exb_format;

EXB_INLINE exb_format exb_format_d(void)
{
    exb_format f = {53, -1074, 0x7ff0000000000000u};
    return f;
}

EXB_INLINE exb_format exb_format_s(void)
{
    exb_format f = {24, -149, 0x7f800000u};
    return f;
}

EXB_INLINE exb_format exb_format_h(void)
{
    exb_format f = {11, -24, 0x7c00u};
    return f;
}

/* Exponent of the top bit of the format's largest finite number. */
EXB_INLINE int exb_max_exponent(exb_format f)
{
    int top_field = (int)(f.infinity >> (f.n_bits - 1)) - 1;
    return top_field - 1 + f.min_exp2 + f.n_bits - 1;
}

/* Encoding of the magnitude significand * 2^exp2 where exp2 >= min_exp2 and
 * either exp2 == min_exp2 and significand <= 2^n_bits, or
 * 2^(n_bits-1) <= significand <= 2^n_bits. The implicit bit carries into the
 * exponent field by the addition, as does a significand of 2^n_bits, so normal
 * and subnormal numbers need no distinction. Too large becomes Inf; exp2 is at
 * most max_exponent + 1. */
EXB_INLINE exb_u64 exb_encode(exb_format f, exb_u64 significand, int exp2)
{
    exb_u64 b = ((exb_u64)(exp2 - f.min_exp2) << (f.n_bits - 1)) + significand;
    return b < f.infinity ? b : f.infinity;
}

/* The number whose magnitude has the encoding b of a format. */
EXB_INLINE double exb_signed_d(exb_u64 b, bool negative)
{
    return exb_from_bits(b | (exb_u64)negative << 63);
}

EXB_INLINE float exb_signed_s(exb_u64 b, bool negative)
{
    return exb_from_bits_f((exb_u32)b | (exb_u32)negative << 31);
}
