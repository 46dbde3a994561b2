/* The vocabulary of bytes and 32-bit integers for AVX-512 with VNNI: what the residue
 * engine says to a processor. The vectors of doubles are those of simd_avx512.h.
 *
 *   exb_w            16 integers of 32 bits, or 64 bytes
 *   w_dot(c, u, s)   c + the scalar products of four unsigned and four signed bytes
 *   w_low_bytes4     the low bytes of four vectors of integers, side by side per element
 */
#pragma once

#include "core/simd/simd.h"

typedef __m512i exb_w;
typedef __m512 exb_f; /* 16 floats */
enum {
    EXB_DOT_STRIPS = 3,
    EXB_DOT_COLUMNS = 8,   /* of a product, in registers at once */
    EXB_DOT_PRODUCTS = 120 /* of bytes, in a cycle, by measurement */
};

EXB_INLINE exb_w w_zero(void)
{
    return _mm512_setzero_si512();
}

EXB_INLINE exb_w w_set1(int32_t x)
{
    return _mm512_set1_epi32(x);
}

EXB_INLINE exb_w w_load(const void *p)
{
    return _mm512_loadu_si512(p);
}

EXB_INLINE void w_store(void *p, exb_w x)
{
    _mm512_storeu_si512(p, x);
}

/* In assembler because GCC 12 copies every accumulator of a loop of intrinsics once more. */
EXB_INLINE exb_w w_dot(exb_w c, exb_w u, exb_w s)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(c) : "v"(u), "v"(s));
    return c;
}

EXB_INLINE exb_w w_add(exb_w a, exb_w b)
{
    return _mm512_add_epi32(a, b);
}

EXB_INLINE exb_w w_xor(exb_w a, exb_w b)
{
    return _mm512_xor_si512(a, b);
}

EXB_INLINE exb_f f_set1(float x)
{
    return _mm512_set1_ps(x);
}

/* The bits as floats, and back. */
EXB_INLINE exb_f f_of_bits(exb_w x)
{
    return _mm512_castsi512_ps(x);
}

EXB_INLINE exb_w w_of_bits(exb_f x)
{
    return _mm512_castps_si512(x);
}

EXB_INLINE exb_f f_fma(exb_f a, exb_f b, exb_f c)
{
    return _mm512_fmadd_ps(a, b, c);
}

/* Integers from the low halves of the bits of 16 doubles. */
EXB_INLINE exb_w w_low_halves(const exb_v *x)
{
    const __m512i index =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutex2var_epi32(_mm512_castpd_si512(x[0]), index, _mm512_castpd_si512(x[1]));
}

/* Byte 4 i + t is the low byte of element i of vector t. */
EXB_INLINE exb_w w_low_bytes4(exb_w a, exb_w b, exb_w c, exb_w d)
{
    /* a | b << 8 in 16 bits, then the same with c, d, then both in 32 bits. */
    exb_w low = _mm512_mask_blend_epi8(0x2222222222222222, a, _mm512_slli_epi32(b, 8));
    exb_w high = _mm512_mask_blend_epi8(0x2222222222222222, c, _mm512_slli_epi32(d, 8));
    return _mm512_mask_blend_epi16(0xaaaaaaaa, low, _mm512_slli_epi32(high, 16));
}

/* Sixteen vectors of 16 integers, rows and columns changed, in place: in groups of 32, 64, 128 and
 * 256 bits. */
EXB_INLINE void w_transpose16(exb_w *x)
{
    exb_w y[16];
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        y[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
    }
    /* x[4 i + t], 128-bit lane j: element 4 j + t of vectors 4 i ... 4 i + 3. */
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
        x[i] = _mm512_unpacklo_epi64(y[i], y[i + 2]);
        x[i + 1] = _mm512_unpackhi_epi64(y[i], y[i + 2]);
        x[i + 2] = _mm512_unpacklo_epi64(y[i + 1], y[i + 3]);
        x[i + 3] = _mm512_unpackhi_epi64(y[i + 1], y[i + 3]);
    }
#pragma GCC unroll 4
    for (int t = 0; t < 4; t++) {
        exb_w even_low = _mm512_shuffle_i32x4(x[t], x[4 + t], 0x88);
        exb_w odd_low = _mm512_shuffle_i32x4(x[t], x[4 + t], 0xdd);
        exb_w even_high = _mm512_shuffle_i32x4(x[8 + t], x[12 + t], 0x88);
        exb_w odd_high = _mm512_shuffle_i32x4(x[8 + t], x[12 + t], 0xdd);
        x[t] = _mm512_shuffle_i32x4(even_low, even_high, 0x88);
        x[8 + t] = _mm512_shuffle_i32x4(even_low, even_high, 0xdd);
        x[4 + t] = _mm512_shuffle_i32x4(odd_low, odd_high, 0x88);
        x[12 + t] = _mm512_shuffle_i32x4(odd_low, odd_high, 0xdd);
    }
}

/* The low bytes of 16 integers, to memory. */
EXB_INLINE void w_store_low_bytes(void *p, exb_w a)
{
    _mm512_mask_cvtepi32_storeu_epi8(p, 0xffff, a);
}

/* 16 signed bytes as integers. */
EXB_INLINE exb_w w_load_bytes(const int8_t *p)
{
    return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
}

/* Negative bytes + p. */
EXB_INLINE exb_w w_wrap_bytes(exb_w a, int p)
{
    __mmask64 negative = _mm512_movepi8_mask(a);
    return _mm512_mask_add_epi8(a, negative, a, _mm512_set1_epi8((char)p));
}

/* The first n < 64 bytes, others 0; and to memory. */
EXB_INLINE exb_w w_load_first(const void *p, int64_t n)
{
    return _mm512_maskz_loadu_epi8(((uint64_t)1 << n) - 1, p);
}

EXB_INLINE void w_store_first(void *p, int64_t n, exb_w x)
{
    _mm512_mask_storeu_epi8(p, ((uint64_t)1 << n) - 1, x);
}

/* x + y or x - y modulo p of bytes in [0, p). */
EXB_INLINE exb_w w_combine(bool plus, exb_w x, exb_w y, int p)
{
    const exb_w modulus = _mm512_set1_epi8((char)p);
    exb_w z = plus ? _mm512_add_epi8(x, y) : _mm512_sub_epi8(x, y);
    return plus ? _mm512_mask_sub_epi8(z, _mm512_cmpge_epu8_mask(y, _mm512_sub_epi8(modulus, x)), z,
                                       modulus)
                : _mm512_mask_add_epi8(z, _mm512_cmplt_epu8_mask(x, y), z, modulus);
}

/* z = x +- y modulo 256 of bytes of magnitude <= p / 2 + 1 with signs, s the same saturated: less p
 * from p / 2 on, plus p below -(p / 2), which the ends of the range are beyond for p = 255. What
 * was at most p + 2 in magnitude is at most p / 2 + 1. */
EXB_INLINE exb_w w_into_range(exb_w z, exb_w s, int p)
{
    const exb_w modulus = _mm512_set1_epi8((char)p);
    __mmask64 over = _mm512_cmpge_epi8_mask(s, _mm512_set1_epi8((char)(p / 2)));
    __mmask64 under = _mm512_cmplt_epi8_mask(s, _mm512_set1_epi8((char)(-(p / 2))));
    return _mm512_mask_add_epi8(_mm512_mask_sub_epi8(z, over, z, modulus), under, z, modulus);
}

EXB_INLINE exb_w w_combine_signed(bool plus, exb_w x, exb_w y, int p)
{
    return plus ? w_into_range(_mm512_add_epi8(x, y), _mm512_adds_epi8(x, y), p)
                : w_into_range(_mm512_sub_epi8(x, y), _mm512_subs_epi8(x, y), p);
}

/* Four vectors of 64 bytes to 64 groups of four: out[t], 128-bit lane j, holds those of elements
 * 16 j + 4 t ... 16 j + 4 t + 3. */
EXB_INLINE void w_interleave4(exb_w a, exb_w b, exb_w c, exb_w d, exb_w out[4])
{
    exb_w ab0 = _mm512_unpacklo_epi8(a, b), ab1 = _mm512_unpackhi_epi8(a, b);
    exb_w cd0 = _mm512_unpacklo_epi8(c, d), cd1 = _mm512_unpackhi_epi8(c, d);
    out[0] = _mm512_unpacklo_epi16(ab0, cd0);
    out[1] = _mm512_unpackhi_epi16(ab0, cd0);
    out[2] = _mm512_unpacklo_epi16(ab1, cd1);
    out[3] = _mm512_unpackhi_epi16(ab1, cd1);
}

/* Piece 0, 1 ...: EXB_LANES of the integers as doubles. */
EXB_INLINE exb_v w_piece(exb_w a, int piece)
{
    return _mm512_cvtepi32_pd(piece ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a));
}

/* Four doubles each to p and q. */
EXB_INLINE void v_store_halves(double *p, double *q, exb_v a)
{
    _mm256_storeu_pd(p, _mm512_castpd512_pd256(a));
    _mm256_storeu_pd(q, _mm512_extractf64x4_pd(a, 1));
}

/* Of 16 numbers for vector `at` of w_interleave4: to their elements of the 64 at p. */
EXB_INLINE void v_store_piece(double *p, int64_t at, int piece, exb_v x)
{
    p += 32 * piece + 4 * at;
    v_store_halves(p, p + 16, x);
}
