/* The vocabulary of simd_vnni.h for AVX-VNNI: two registers of 32 bytes. With EXB_EMULATED_DOT its
 * one instruction beyond AVX2 is written with those of AVX2. */
#ifndef EXB_SIMD_AVXVNNI_H
#define EXB_SIMD_AVXVNNI_H

#include "core/simd/simd.h"

typedef __m256i exb_part;
typedef __m256 exb_part_f;
enum { EXB_PARTS = 2, EXB_DOT_QUADS = 1, EXB_DOT_STRIPS = 1, EXB_DOT_COLUMNS = 4 };
enum { EXB_DOT_PRODUCTS = 60 }; /* of bytes, in a cycle, by measurement */

EXB_INLINE exb_part p_set1(int32_t x)
{
    return _mm256_set1_epi32(x);
}

EXB_INLINE exb_part p_load(const void *p)
{
    return _mm256_loadu_si256(p);
}

EXB_INLINE void p_store(void *p, exb_part x)
{
    _mm256_storeu_si256(p, x);
}

EXB_INLINE exb_part p_add(exb_part a, exb_part b)
{
    return _mm256_add_epi32(a, b);
}

EXB_INLINE exb_part p_xor(exb_part a, exb_part b)
{
    return _mm256_xor_si256(a, b);
}

#ifdef EXB_EMULATED_DOT
/* Bytes 0 and 2, then 1 and 3, as integers of 16 bits: sums of two products are exact in 32. */
EXB_INLINE exb_part p_dot(exb_part c, exb_part u, exb_part s)
{
    exb_part even = _mm256_madd_epi16(_mm256_and_si256(u, _mm256_set1_epi16(255)),
                                      _mm256_srai_epi16(_mm256_slli_epi16(s, 8), 8));
    exb_part odd = _mm256_madd_epi16(_mm256_srli_epi16(u, 8), _mm256_srai_epi16(s, 8));
    return p_add(c, p_add(even, odd));
}
#else
EXB_INLINE exb_part p_dot(exb_part c, exb_part u, exb_part s)
{
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(c) : "x"(u), "x"(s));
    return c;
}
#endif

EXB_INLINE exb_part_f p_f_set1(float x)
{
    return _mm256_set1_ps(x);
}

EXB_INLINE exb_part_f p_f_of_bits(exb_part x)
{
    return _mm256_castsi256_ps(x);
}

EXB_INLINE exb_part p_of_bits(exb_part_f x)
{
    return _mm256_castps_si256(x);
}

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

EXB_INLINE exb_part p_low_bytes4(exb_part a, exb_part b, exb_part c, exb_part d)
{
    const exb_part low = _mm256_set1_epi32(255);
    exb_part ab =
        _mm256_or_si256(_mm256_and_si256(a, low), _mm256_slli_epi32(_mm256_and_si256(b, low), 8));
    exb_part cd =
        _mm256_or_si256(_mm256_and_si256(c, low), _mm256_slli_epi32(_mm256_and_si256(d, low), 8));
    return _mm256_or_si256(ab, _mm256_slli_epi32(cd, 16));
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

EXB_INLINE exb_part p_wrap_bytes(exb_part a, int p)
{
    exb_part negative = _mm256_cmpgt_epi8(_mm256_setzero_si256(), a);
    return _mm256_add_epi8(a, _mm256_and_si256(negative, _mm256_set1_epi8((char)p)));
}

EXB_INLINE exb_part p_plus_bytes(exb_part x, exb_part y, int p)
{
    const exb_part modulus = _mm256_set1_epi8((char)p);
    exb_part over = _mm256_cmpeq_epi8(_mm256_max_epu8(y, _mm256_sub_epi8(modulus, x)), y);
    return _mm256_sub_epi8(_mm256_add_epi8(x, y), _mm256_and_si256(over, modulus));
}

EXB_INLINE exb_part p_minus_bytes(exb_part x, exb_part y, int p)
{
    exb_part not_under = _mm256_cmpeq_epi8(_mm256_max_epu8(x, y), x);
    return _mm256_add_epi8(_mm256_sub_epi8(x, y),
                           _mm256_andnot_si256(not_under, _mm256_set1_epi8((char)p)));
}

/* As w_into_range of simd_vnni.h. */
EXB_INLINE exb_part p_into_range(exb_part z, exb_part s, int p)
{
    const exb_part modulus = _mm256_set1_epi8((char)p);
    exb_part over = _mm256_cmpgt_epi8(s, _mm256_set1_epi8((char)(p / 2 - 1)));
    exb_part under = _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(-(p / 2))), s);
    z = _mm256_sub_epi8(z, _mm256_and_si256(over, modulus));
    return _mm256_add_epi8(z, _mm256_and_si256(under, modulus));
}

EXB_INLINE exb_part p_plus_signed_bytes(exb_part x, exb_part y, int p)
{
    return p_into_range(_mm256_add_epi8(x, y), _mm256_adds_epi8(x, y), p);
}

EXB_INLINE exb_part p_minus_signed_bytes(exb_part x, exb_part y, int p)
{
    return p_into_range(_mm256_sub_epi8(x, y), _mm256_subs_epi8(x, y), p);
}

/* In each 128 bits. */
#define p_zip_low_8 _mm256_unpacklo_epi8
#define p_zip_high_8 _mm256_unpackhi_epi8
#define p_zip_low_16 _mm256_unpacklo_epi16
#define p_zip_high_16 _mm256_unpackhi_epi16
#define p_zip_low_32 _mm256_unpacklo_epi32
#define p_zip_high_32 _mm256_unpackhi_epi32
#define p_zip_low_64 _mm256_unpacklo_epi64
#define p_zip_high_64 _mm256_unpackhi_epi64

/* The first or the last four integers as doubles. */
EXB_INLINE exb_v p_piece(exb_part a, int last)
{
    return _mm256_cvtepi32_pd(last ? _mm256_extracti128_si256(a, 1) : _mm256_castsi256_si128(a));
}

#include "core/simd/simd_parts.h"

#endif
