/* What the vocabularies of simd_vnni.h without EVEX instructions share: registers of 16 or 32 bytes
 * in the same text. Before it is included, exb_part and exb_part_f are the types of a register, and
 *
 *   p_op(name)     the intrinsic of this name and width: _mm_name, _mm256_name
 *   p_bits(name)   that which takes the whole register: _mm_name_si128, _mm256_name_si256 */
#pragma once

/* p_dot without an instruction for it. Bytes 0 and 2, then 1 and 3, as integers of 16 bits: sums of
 * two products are exact in 32. */
EXB_INLINE exb_part p_dot_in_halves(exb_part c, exb_part u, exb_part s)
{
    exb_part even = p_op(madd_epi16)(p_bits(and)(u, p_op(set1_epi16)(255)),
                                     p_op(srai_epi16)(p_op(slli_epi16)(s, 8), 8));
    exb_part odd = p_op(madd_epi16)(p_op(srli_epi16)(u, 8), p_op(srai_epi16)(s, 8));
    return p_op(add_epi32)(c, p_op(add_epi32)(even, odd));
}

EXB_INLINE exb_part p_low_bytes4(exb_part a, exb_part b, exb_part c, exb_part d)
{
    const exb_part low = p_op(set1_epi32)(255);
    exb_part ab = p_bits(or)(p_bits(and)(a, low), p_op(slli_epi32)(p_bits(and)(b, low), 8));
    exb_part cd = p_bits(or)(p_bits(and)(c, low), p_op(slli_epi32)(p_bits(and)(d, low), 8));
    return p_bits(or)(ab, p_op(slli_epi32)(cd, 16));
}

EXB_INLINE exb_part p_wrap_bytes(exb_part a, int p)
{
    exb_part negative = p_op(cmpgt_epi8)(p_bits(setzero)(), a);
    return p_op(add_epi8)(a, p_bits(and)(negative, p_op(set1_epi8)((char)p)));
}

EXB_INLINE exb_part p_plus_bytes(exb_part x, exb_part y, int p)
{
    const exb_part modulus = p_op(set1_epi8)((char)p);
    exb_part over = p_op(cmpeq_epi8)(p_op(max_epu8)(y, p_op(sub_epi8)(modulus, x)), y);
    return p_op(sub_epi8)(p_op(add_epi8)(x, y), p_bits(and)(over, modulus));
}

EXB_INLINE exb_part p_minus_bytes(exb_part x, exb_part y, int p)
{
    exb_part not_under = p_op(cmpeq_epi8)(p_op(max_epu8)(x, y), x);
    return p_op(add_epi8)(p_op(sub_epi8)(x, y),
                          p_bits(andnot)(not_under, p_op(set1_epi8)((char)p)));
}

/* As w_into_range of simd_vnni.h. */
EXB_INLINE exb_part p_into_range(exb_part z, exb_part s, int p)
{
    const exb_part modulus = p_op(set1_epi8)((char)p);
    exb_part over = p_op(cmpgt_epi8)(s, p_op(set1_epi8)((char)(p / 2 - 1)));
    exb_part under = p_op(cmpgt_epi8)(p_op(set1_epi8)((char)(-(p / 2))), s);
    z = p_op(sub_epi8)(z, p_bits(and)(over, modulus));
    return p_op(add_epi8)(z, p_bits(and)(under, modulus));
}

EXB_INLINE exb_part p_combine_signed(bool plus, exb_part x, exb_part y, int p)
{
    return plus ? p_into_range(p_op(add_epi8)(x, y), p_op(adds_epi8)(x, y), p)
                : p_into_range(p_op(sub_epi8)(x, y), p_op(subs_epi8)(x, y), p);
}

/* In each 128 bits. */
#define p_zip_low_8 p_op(unpacklo_epi8)
#define p_zip_high_8 p_op(unpackhi_epi8)
#define p_zip_low_16 p_op(unpacklo_epi16)
#define p_zip_high_16 p_op(unpackhi_epi16)
#define p_zip_low_32 p_op(unpacklo_epi32)
#define p_zip_high_32 p_op(unpackhi_epi32)
#define p_zip_low_64 p_op(unpacklo_epi64)
#define p_zip_high_64 p_op(unpackhi_epi64)
