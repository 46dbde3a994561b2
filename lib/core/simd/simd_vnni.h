/* The vocabulary of simd_parts.h for AVX-512 with VNNI: one register of 64 bytes. The vectors of
 * doubles are those of simd_avx512.h. */
#pragma once

#include "core/simd/simd.h"

typedef __m512i exb_part;
typedef __m512 exb_part_f;
enum { EXB_PARTS = 1, EXB_DOT_STRIPS = 3, EXB_DOT_COLUMNS = 8 };
enum { EXB_DOT_PRODUCTS = 120 }; /* of bytes, in a cycle, by measurement */

#define p_op(name) _mm512_##name
#define p_bits(name) _mm512_##name##_si512

/* In assembler because GCC 12 copies every accumulator of a loop of intrinsics once more. */
#define EXB_OWN_DOT
EXB_INLINE exb_part p_dot(exb_part c, exb_part u, exb_part s)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(c) : "v"(u), "v"(s));
    return c;
}

EXB_INLINE exb_part_f p_f_fma(exb_part_f a, exb_part_f b, exb_part_f c)
{
    return _mm512_fmadd_ps(a, b, c);
}

/* Integers from the low halves of the bits of 16 doubles. */
EXB_INLINE exb_part p_low_halves(exb_v a, exb_v b)
{
    const __m512i index =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutex2var_epi32(_mm512_castpd_si512(a), index, _mm512_castpd_si512(b));
}

EXB_INLINE void p_store_low_bytes(void *p, exb_part a)
{
    _mm512_mask_cvtepi32_storeu_epi8(p, 0xffff, a);
}

EXB_INLINE exb_part p_load_bytes(const int8_t *p)
{
    return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
}

/* The first or the last eight integers as doubles. */
EXB_INLINE exb_v p_piece(exb_part a, int last)
{
    return _mm512_cvtepi32_pd(last ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a));
}

#include "core/simd/simd_parts.h"
