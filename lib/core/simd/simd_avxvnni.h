/* The vocabulary of simd_parts.h for AVX-VNNI: two registers of 32 bytes. With EXB_EMULATED_DOT its
 * one instruction beyond AVX2 is written with those of AVX2. */
#pragma once

#include "core/simd/simd.h"

typedef __m256i exb_part;
typedef __m256 exb_part_f;
enum { EXB_PARTS = 2, EXB_DOT_STRIPS = 1, EXB_DOT_COLUMNS = 4 };
enum { EXB_DOT_PRODUCTS = 60 }; /* of bytes, in a cycle, by measurement */

#define p_op(name) _mm256_##name
#define p_bits(name) _mm256_##name##_si256

#ifndef EXB_EMULATED_DOT
#define EXB_OWN_DOT
EXB_INLINE exb_part p_dot(exb_part c, exb_part u, exb_part s)
{
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(c) : "x"(u), "x"(s));
    return c;
}
#endif

EXB_INLINE exb_part_f p_f_fma(exb_part_f a, exb_part_f b, exb_part_f c)
{
    return _mm256_fmadd_ps(a, b, c);
}

/* Integers from the low halves of the bits of eight doubles. */
EXB_INLINE exb_part p_low_halves(exb_v a, exb_v b)
{
    __m256 x = _mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(x), 0xd8);
}

EXB_INLINE void p_store_low_bytes(void *p, exb_part a)
{
    const exb_part first =
        _mm256_set_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 12, 8, 4, 0, -1, -1, -1, -1,
                        -1, -1, -1, -1, -1, -1, -1, -1, 12, 8, 4, 0);
    exb_part x = _mm256_shuffle_epi8(a, first);
    _mm_storel_epi64(p,
                     _mm_unpacklo_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
}

EXB_INLINE exb_part p_load_bytes(const int8_t *p)
{
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p));
}

/* The first or the last four integers as doubles. */
EXB_INLINE exb_v p_piece(exb_part a, int last)
{
    return _mm256_cvtepi32_pd(last ? _mm256_extracti128_si256(a, 1) : _mm256_castsi256_si128(a));
}

#include "core/simd/simd_parts.h"
