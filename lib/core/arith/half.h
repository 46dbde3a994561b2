/* Numbers of 16 bits, by their encodings: bfloat16, which is the upper half of a float, and IEEE
 * half. Every one is a float, and so is every midpoint of two neighbours. */
#pragma once

#include "core/arith/bits.h"

typedef enum { EXB_BF16, EXB_F16 } exb_half_kind;

EXB_INLINE float exb_widen_bf16(uint16_t b)
{
    return exb_from_bits_f((uint32_t)b << 16);
}

/* Subnormal numbers are added to 2^-14 and that is taken off again: no float is subnormal. Without
 * branches, so that compilers vectorise loops. */
EXB_INLINE float exb_widen_f16(uint16_t b)
{
    const uint32_t rebias = (127 - 15) << 23;
    uint32_t m = (uint32_t)(b & 0x7fff) << 13;
    uint32_t special = -(uint32_t)(m >= 31u << 23), subnormal = -(uint32_t)(m < 1u << 23);
    uint32_t normal = m + rebias + (special & rebias);
    uint32_t tiny = exb_bits_f(exb_from_bits_f(m + rebias + (1 << 23)) - 0x1p-14f);
    uint32_t magnitude = (subnormal & tiny) | (~subnormal & normal);
    return exb_from_bits_f(magnitude | (uint32_t)(b & 0x8000) << 16);
}

/* RN(x), of any NaN the canonical one. In the default environment, as what follows. */
EXB_INLINE uint16_t exb_narrow_bf16(float x)
{
    uint32_t b = exb_bits_f(x), rounded = (b + 0x7fff + (b >> 16 & 1)) >> 16;
    return (uint16_t)(x != x ? 0x7fc0 : rounded);
}

#define EXB_F16_NORMAL 0x38800000u   /* 2^-14 */
#define EXB_F16_OVERFLOW 0x477ff000u /* 65520, the midpoint between the largest number and 2^16 */

/* Below 2^-14 the sum with 1/2 is a multiple of 2^-24, the unit of subnormal numbers. */
EXB_INLINE uint16_t exb_narrow_f16(float x)
{
    uint32_t b = exb_bits_f(x), a = b & 0x7fffffff;
    uint32_t tiny = exb_bits_f(exb_from_bits_f(a) + 0.5f) - (126u << 23);
    uint32_t normal = (a - ((127 - 15) << 23) + 0xfff + (a >> 13 & 1)) >> 13;
    uint32_t finite = a < EXB_F16_NORMAL ? tiny : normal;
    uint32_t rounded = (a < EXB_F16_OVERFLOW ? finite : 0x7c00) | (b >> 16 & 0x8000);
    return (uint16_t)(x != x ? 0x7e00 : rounded);
}

/* x, no NaN, lies in the middle between two neighbours, or where Inf begins. */
EXB_INLINE bool exb_is_midpoint_bf16(float x)
{
    return (exb_bits_f(x) & 0xffff) == 0x8000;
}

EXB_INLINE bool exb_is_midpoint_f16(float x)
{
    uint32_t a = exb_bits_f(x) & 0x7fffffff;
    float m = exb_from_bits_f(a), rest = m - ((m + 0.5f) - 0.5f);
    bool tiny = rest == 0x1p-25f || rest == -0x1p-25f;
    bool normal = (a & 0x1fff) == 0x1000 && a <= EXB_F16_OVERFLOW;
    return a < EXB_F16_NORMAL ? tiny : normal;
}

/* f, which a number was rounded to, or its neighbour on the side where the number lies, by the sign
 * of their difference. */
EXB_INLINE float exb_beside(float f, int side)
{
    uint32_t b = exb_bits_f(f);
    return side == 0 ? f : exb_from_bits_f((side > 0) == (f > 0) ? b + 1 : b - 1);
}

/* RN(x) of a double, by way of floats as in half/half_end.c. */
EXB_INLINE uint16_t exb_narrow_bf16_d(double x)
{
    float f = (float)x;
    return exb_narrow_bf16(exb_is_midpoint_bf16(f) ? exb_beside(f, (x > f) - (x < f)) : f);
}

EXB_INLINE float exb_widen_half(exb_half_kind kind, uint16_t b)
{
    return kind == EXB_BF16 ? exb_widen_bf16(b) : exb_widen_f16(b);
}

EXB_INLINE uint16_t exb_narrow_half(exb_half_kind kind, float x)
{
    return kind == EXB_BF16 ? exb_narrow_bf16(x) : exb_narrow_f16(x);
}
