/* The vocabulary of simd_vnni.h for any x86-64: four registers of 16 bytes, no scalar product of
 * bytes and no FMA. */
#ifndef EXB_SIMD_SSE2_H
#define EXB_SIMD_SSE2_H

#include "core/simd/simd.h"

#include <emmintrin.h>

typedef __m128i exb_part;
typedef __m128 exb_part_f;
enum { EXB_PARTS = 4, EXB_DOT_QUADS = 1, EXB_DOT_STRIPS = 1, EXB_DOT_COLUMNS = 2 };
enum { EXB_DOT_PRODUCTS = 12 }; /* of bytes, in a cycle, by measurement */

EXB_INLINE exb_part p_set1(int32_t x)
{
    return _mm_set1_epi32(x);
}

EXB_INLINE exb_part p_load(const void *p)
{
    return _mm_loadu_si128(p);
}

EXB_INLINE void p_store(void *p, exb_part x)
{
    _mm_storeu_si128(p, x);
}

EXB_INLINE exb_part p_add(exb_part a, exb_part b)
{
    return _mm_add_epi32(a, b);
}

EXB_INLINE exb_part p_xor(exb_part a, exb_part b)
{
    return _mm_xor_si128(a, b);
}

/* Bytes 0 and 2, then 1 and 3, as integers of 16 bits: sums of two products are exact in 32. */
EXB_INLINE exb_part p_dot(exb_part c, exb_part u, exb_part s)
{
    exb_part even = _mm_madd_epi16(_mm_and_si128(u, _mm_set1_epi16(255)),
                                   _mm_srai_epi16(_mm_slli_epi16(s, 8), 8));
    exb_part odd = _mm_madd_epi16(_mm_srli_epi16(u, 8), _mm_srai_epi16(s, 8));
    return p_add(c, p_add(even, odd));
}

EXB_INLINE exb_part_f p_f_set1(float x)
{
    return _mm_set1_ps(x);
}

EXB_INLINE exb_part_f p_f_of_bits(exb_part x)
{
    return _mm_castsi128_ps(x);
}

EXB_INLINE exb_part p_of_bits(exb_part_f x)
{
    return _mm_castps_si128(x);
}

/* Rounded twice. That is enough for exb_reduce: all moduli and all v of residue.h have been tried
 * (reduce_without_fma in test/level3/residue_test.c). */
EXB_INLINE exb_part_f p_f_fma(exb_part_f a, exb_part_f b, exb_part_f c)
{
    return _mm_add_ps(_mm_mul_ps(a, b), c);
}

/* Integers from the low halves of the bits of four doubles. */
EXB_INLINE exb_part p_low_halves(exb_v a, exb_v b)
{
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castpd_ps(a), _mm_castpd_ps(b), 0x88));
}

EXB_INLINE exb_part p_low_bytes4(exb_part a, exb_part b, exb_part c, exb_part d)
{
    const exb_part low = _mm_set1_epi32(255);
    exb_part ab = _mm_or_si128(_mm_and_si128(a, low), _mm_slli_epi32(_mm_and_si128(b, low), 8));
    exb_part cd = _mm_or_si128(_mm_and_si128(c, low), _mm_slli_epi32(_mm_and_si128(d, low), 8));
    return _mm_or_si128(ab, _mm_slli_epi32(cd, 16));
}

EXB_INLINE void p_store_low_bytes(void *p, exb_part a)
{
    exb_part low = _mm_and_si128(a, _mm_set1_epi32(255)), pairs = _mm_packs_epi32(low, low);
    int32_t four = _mm_cvtsi128_si32(_mm_packus_epi16(pairs, pairs));
    memcpy(p, &four, sizeof four);
}

EXB_INLINE exb_part p_load_bytes(const int8_t *p)
{
    int32_t four;
    memcpy(&four, p, sizeof four);
    exb_part x = _mm_cvtsi32_si128(four), twice = _mm_unpacklo_epi8(x, x);
    return _mm_srai_epi32(_mm_unpacklo_epi16(twice, twice), 24);
}

EXB_INLINE exb_part p_wrap_bytes(exb_part a, int p)
{
    exb_part negative = _mm_cmpgt_epi8(_mm_setzero_si128(), a);
    return _mm_add_epi8(a, _mm_and_si128(negative, _mm_set1_epi8((char)p)));
}

EXB_INLINE exb_part p_plus_bytes(exb_part x, exb_part y, int p)
{
    const exb_part modulus = _mm_set1_epi8((char)p);
    exb_part over = _mm_cmpeq_epi8(_mm_max_epu8(y, _mm_sub_epi8(modulus, x)), y);
    return _mm_sub_epi8(_mm_add_epi8(x, y), _mm_and_si128(over, modulus));
}

EXB_INLINE exb_part p_minus_bytes(exb_part x, exb_part y, int p)
{
    exb_part not_under = _mm_cmpeq_epi8(_mm_max_epu8(x, y), x);
    return _mm_add_epi8(_mm_sub_epi8(x, y), _mm_andnot_si128(not_under, _mm_set1_epi8((char)p)));
}

/* As w_into_range of simd_vnni.h. */
EXB_INLINE exb_part p_into_range(exb_part z, exb_part s, int p)
{
    const exb_part modulus = _mm_set1_epi8((char)p);
    exb_part over = _mm_cmpgt_epi8(s, _mm_set1_epi8((char)(p / 2 - 1)));
    exb_part under = _mm_cmpgt_epi8(_mm_set1_epi8((char)(-(p / 2))), s);
    z = _mm_sub_epi8(z, _mm_and_si128(over, modulus));
    return _mm_add_epi8(z, _mm_and_si128(under, modulus));
}

EXB_INLINE exb_part p_plus_signed_bytes(exb_part x, exb_part y, int p)
{
    return p_into_range(_mm_add_epi8(x, y), _mm_adds_epi8(x, y), p);
}

EXB_INLINE exb_part p_minus_signed_bytes(exb_part x, exb_part y, int p)
{
    return p_into_range(_mm_sub_epi8(x, y), _mm_subs_epi8(x, y), p);
}

#define p_zip_low_8 _mm_unpacklo_epi8
#define p_zip_high_8 _mm_unpackhi_epi8
#define p_zip_low_16 _mm_unpacklo_epi16
#define p_zip_high_16 _mm_unpackhi_epi16
#define p_zip_low_32 _mm_unpacklo_epi32
#define p_zip_high_32 _mm_unpackhi_epi32
#define p_zip_low_64 _mm_unpacklo_epi64
#define p_zip_high_64 _mm_unpackhi_epi64

/* The first or the last two integers as doubles. */
EXB_INLINE exb_v p_piece(exb_part a, int last)
{
    return _mm_cvtepi32_pd(last ? _mm_unpackhi_epi64(a, a) : a);
}

#include "core/simd/simd_parts.h"

#endif
