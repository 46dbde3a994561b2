/* The vocabulary of integers of 52 bits for AVX-512 with IFMA: fixed-point sums of the residue
 * engine. Vectors of bytes and of doubles are those of simd_vnni.h.
 *
 *   exb_i                8 integers of 64 bits
 *   i_madd_low(c, a, b)  c + the low 52 bits of a b, 0 <= a, b < 2^52; i_madd_high: the high 52
 */
#ifndef EXB_SIMD_IFMA_H
#define EXB_SIMD_IFMA_H

#include "core/simd/simd_vnni.h"

typedef __m512i exb_i;

EXB_INLINE exb_i i_zero(void)
{
    return _mm512_setzero_si512();
}

EXB_INLINE exb_i i_set1(uint64_t x)
{
    return _mm512_set1_epi64((int64_t)x);
}

EXB_INLINE exb_i i_add(exb_i a, exb_i b)
{
    return _mm512_add_epi64(a, b);
}

EXB_INLINE exb_i i_madd_low(exb_i c, exb_i a, exb_i b)
{
    return _mm512_madd52lo_epu64(c, a, b);
}

EXB_INLINE exb_i i_madd_high(exb_i c, exb_i a, exb_i b)
{
    return _mm512_madd52hi_epu64(c, a, b);
}

/* The low 52 bits, and what is above them. */
EXB_INLINE exb_i i_low_52(exb_i a)
{
    return _mm512_and_si512(a, i_set1(((uint64_t)1 << 52) - 1));
}

EXB_INLINE exb_i i_above_52(exb_i a)
{
    return _mm512_srli_epi64(a, 52);
}

/* The even and the odd ones of 16 integers of 32 bits, not negative. */
EXB_INLINE exb_i i_even(exb_w a)
{
    return _mm512_and_si512(a, i_set1(0xffffffff));
}

EXB_INLINE exb_i i_odd(exb_w a)
{
    return _mm512_srli_epi64(a, 32);
}

/* The low 52 bits with their sign, times 2^12: at most 52 significant bits, exact. */
EXB_INLINE exb_v v_of_signed_52(exb_i a)
{
    return _mm512_cvtepi64_pd(_mm512_slli_epi64(a, 12));
}

/* Of integers below 2^53 in magnitude. */
EXB_INLINE exb_v v_of_integer(exb_i a)
{
    return _mm512_cvtepi64_pd(a);
}

/* even[0], odd[0], even[1], ...: the first and the last eight. */
EXB_INLINE exb_v v_zip_low(exb_v even, exb_v odd)
{
    return _mm512_permutex2var_pd(even, _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), odd);
}

EXB_INLINE exb_v v_zip_high(exb_v even, exb_v odd)
{
    return _mm512_permutex2var_pd(even, _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4), odd);
}

#endif
