/* The vocabulary of simd_parts.h for any x86-64: four registers of 16 bytes, no scalar product of
 * bytes and no FMA. */
#pragma once

#include "core/simd/simd.h"

#include <emmintrin.h>

typedef __m128i exb_part;
typedef __m128 exb_part_f;
enum { EXB_PARTS = 4, EXB_DOT_STRIPS = 1, EXB_DOT_COLUMNS = 2 };
enum { EXB_DOT_PRODUCTS = 12 }; /* of bytes, in a cycle, by measurement */

#define p_op(name) _mm_##name
#define p_bits(name) _mm_##name##_si128

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

/* The first or the last two integers as doubles. */
EXB_INLINE exb_v p_piece(exb_part a, int last)
{
    return _mm_cvtepi32_pd(last ? _mm_unpackhi_epi64(a, a) : a);
}

#include "core/simd/simd_parts.h"
