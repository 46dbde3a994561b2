/* The vocabulary of simd_vnni.h for Advanced SIMD with I8MM: four registers of 16 bytes. */
#ifndef EXB_SIMD_I8MM_H
#define EXB_SIMD_I8MM_H

#include "core/simd/simd.h"

typedef int32x4_t exb_part;
typedef float32x4_t exb_part_f;
enum { EXB_PARTS = 4, EXB_DOT_QUADS = 2, EXB_DOT_PRODUCTS = 120 };

#define p_s8 vreinterpretq_s8_s32
#define p_u8 vreinterpretq_u8_s32
#define p_of_s8 vreinterpretq_s32_s8
#define p_of_u8 vreinterpretq_s32_u8

EXB_INLINE exb_part p_set1(int32_t x)
{
    return vdupq_n_s32(x);
}

EXB_INLINE exb_part p_load(const void *p)
{
    return p_of_u8(vld1q_u8(p));
}

EXB_INLINE void p_store(void *p, exb_part x)
{
    vst1q_u8(p, p_u8(x));
}

EXB_INLINE exb_part p_add(exb_part a, exb_part b)
{
    return vaddq_s32(a, b);
}

EXB_INLINE exb_part p_xor(exb_part a, exb_part b)
{
    return veorq_s32(a, b);
}

EXB_INLINE exb_part p_dot(exb_part c, exb_part u, exb_part s)
{
    return vusdotq_s32(c, p_u8(u), p_s8(s));
}

EXB_INLINE exb_part_f p_f_set1(float x)
{
    return vdupq_n_f32(x);
}

EXB_INLINE exb_part_f p_f_of_bits(exb_part x)
{
    return vreinterpretq_f32_s32(x);
}

EXB_INLINE exb_part p_of_bits(exb_part_f x)
{
    return vreinterpretq_s32_f32(x);
}

EXB_INLINE exb_part_f p_f_fma(exb_part_f a, exb_part_f b, exb_part_f c)
{
    return vfmaq_f32(c, a, b);
}

/* Integers from the low halves of the bits of four doubles. */
EXB_INLINE exb_part p_low_halves(exb_v a, exb_v b)
{
    return vuzp1q_s32(vreinterpretq_s32_f64(a), vreinterpretq_s32_f64(b));
}

/* Byte 4 i + t is the low byte of element i of vector t: shifts that keep the bytes below. */
EXB_INLINE exb_part p_low_bytes4(exb_part a, exb_part b, exb_part c, exb_part d)
{
    return vsliq_n_s32(vsliq_n_s32(vsliq_n_s32(a, b, 8), c, 16), d, 24);
}

EXB_INLINE void p_store_low_bytes(void *p, exb_part a)
{
    int8x8_t x = vmovn_s16(vcombine_s16(vmovn_s32(a), vmovn_s32(a)));
    vst1_lane_s32(p, vreinterpret_s32_s8(x), 0);
}

EXB_INLINE exb_part p_load_bytes(const int8_t *p)
{
    int32_t four;
    memcpy(&four, p, sizeof four);
    return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four)))));
}

EXB_INLINE exb_part p_wrap_bytes(exb_part a, int p)
{
    uint8x16_t negative = vcltzq_s8(p_s8(a));
    return p_of_u8(vaddq_u8(p_u8(a), vandq_u8(negative, vdupq_n_u8((uint8_t)p))));
}

EXB_INLINE exb_part p_plus_bytes(exb_part x, exb_part y, int p)
{
    const uint8x16_t modulus = vdupq_n_u8((uint8_t)p);
    uint8x16_t over = vcgeq_u8(p_u8(y), vsubq_u8(modulus, p_u8(x)));
    return p_of_u8(vsubq_u8(vaddq_u8(p_u8(x), p_u8(y)), vandq_u8(over, modulus)));
}

EXB_INLINE exb_part p_minus_bytes(exb_part x, exb_part y, int p)
{
    uint8x16_t under = vcltq_u8(p_u8(x), p_u8(y));
    return p_of_u8(vaddq_u8(vsubq_u8(p_u8(x), p_u8(y)), vandq_u8(under, vdupq_n_u8((uint8_t)p))));
}

/* As w_into_range of simd_vnni.h. */
EXB_INLINE exb_part p_into_range(int8x16_t z, int8x16_t s, int p)
{
    const uint8x16_t modulus = vdupq_n_u8((uint8_t)p);
    uint8x16_t over = vcgeq_s8(s, vdupq_n_s8((int8_t)(p / 2)));
    uint8x16_t under = vcltq_s8(s, vdupq_n_s8((int8_t)(-(p / 2))));
    uint8x16_t y = vsubq_u8(vreinterpretq_u8_s8(z), vandq_u8(over, modulus));
    return p_of_u8(vaddq_u8(y, vandq_u8(under, modulus)));
}

EXB_INLINE exb_part p_plus_signed_bytes(exb_part x, exb_part y, int p)
{
    return p_into_range(vaddq_s8(p_s8(x), p_s8(y)), vqaddq_s8(p_s8(x), p_s8(y)), p);
}

EXB_INLINE exb_part p_minus_signed_bytes(exb_part x, exb_part y, int p)
{
    return p_into_range(vsubq_s8(p_s8(x), p_s8(y)), vqsubq_s8(p_s8(x), p_s8(y)), p);
}

#define p_zip_low_8(a, b) p_of_s8(vzip1q_s8(p_s8(a), p_s8(b)))
#define p_zip_high_8(a, b) p_of_s8(vzip2q_s8(p_s8(a), p_s8(b)))
#define p_s16 vreinterpretq_s16_s32
#define p_zip_low_16(a, b) vreinterpretq_s32_s16(vzip1q_s16(p_s16(a), p_s16(b)))
#define p_zip_high_16(a, b) vreinterpretq_s32_s16(vzip2q_s16(p_s16(a), p_s16(b)))
#define p_zip_low_32 vzip1q_s32
#define p_zip_high_32 vzip2q_s32
#define p_s64 vreinterpretq_s64_s32
#define p_zip_low_64(a, b) vreinterpretq_s32_s64(vzip1q_s64(p_s64(a), p_s64(b)))
#define p_zip_high_64(a, b) vreinterpretq_s32_s64(vzip2q_s64(p_s64(a), p_s64(b)))

/* The first or the last two integers as doubles. */
EXB_INLINE exb_v p_piece(exb_part a, int last)
{
    return vcvtq_f64_s64(vmovl_s32(last ? vget_high_s32(a) : vget_low_s32(a)));
}

#include "core/simd/simd_parts.h"

#endif
