/* The vector vocabulary for AVX2 with FMA: four lanes, sixteen registers. */
#include <immintrin.h>

typedef __m256d exb_v;
typedef int64_t exb_mask __attribute__((vector_size(32))); /* of a lane all bits or none */
enum { EXB_LANES = 4, EXB_UNROLL = 2 };
enum { EXB_PAIR_VECTORS = 2, EXB_PAIR_COLS = 3, EXB_CHAIN_VECTORS = 3, EXB_CHAIN_COLS = 4 };

#define EXB_STATIC_ROUNDING 0

EXB_INLINE exb_v v_set1(double x)
{
    return _mm256_set1_pd(x);
}

EXB_INLINE unsigned v_bits(exb_mask m)
{
    return (unsigned)_mm256_movemask_pd((exb_v)m);
}

#define EXB_OWN_ABS /* an instruction of numbers, not of integers */
EXB_INLINE exb_v v_abs(exb_v a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

#include "core/simd/simd_lanes.h"

#define EXB_OWN_SET1_S /* a load that broadcasts, as that of doubles */
EXB_INLINE exb_v v_set1_s(float x)
{
    return _mm256_cvtps_pd(_mm_set1_ps(x));
}

EXB_INLINE exb_v v_load_s(const float *p)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
}

#define EXB_OWN_FLOATS
typedef __m256 exb_floats;
EXB_INLINE exb_floats v_set1_f(const uint32_t *p)
{
    float x;
    memcpy(&x, p, sizeof x);
    return _mm256_set1_ps(x);
}

EXB_INLINE exb_v v_half_f(exb_floats a, int half)
{
    return _mm256_cvtps_pd(half ? _mm256_extractf128_ps(a, 1) : _mm256_castps256_ps128(a));
}

EXB_INLINE exb_floats v_add_product_f(exb_floats a, exb_floats b, exb_floats c)
{
    return _mm256_fmadd_ps(a, b, c);
}

#define EXB_OWN_HALF
EXB_INLINE exb_v v_load_half(bool is_bf16, const uint16_t *p)
{
    __m128i x = _mm_loadl_epi64((const void *)p);
    __m128i high = _mm_unpacklo_epi16(_mm_setzero_si128(), x);
    return _mm256_cvtps_pd(is_bf16 ? _mm_castsi128_ps(high) : _mm_cvtph_ps(x));
}

EXB_INLINE exb_v v_load_between(const double *p, int64_t begin, int64_t end)
{
    __m256i lane = _mm256_set_epi64x(3, 2, 1, 0);
    __m256i from = _mm256_cmpgt_epi64(lane, _mm256_set1_epi64x(begin - 1));
    return _mm256_maskload_pd(
        p, _mm256_and_si256(from, _mm256_cmpgt_epi64(_mm256_set1_epi64x(end), lane)));
}

EXB_INLINE exb_v v_load_between_s(const float *p, int64_t begin, int64_t end)
{
    __m128i lane = _mm_set_epi32(3, 2, 1, 0);
    __m128i from = _mm_cmpgt_epi32(lane, _mm_set1_epi32((int)begin - 1));
    return _mm256_cvtps_pd(
        _mm_maskload_ps(p, _mm_and_si128(from, _mm_cmpgt_epi32(_mm_set1_epi32((int)end), lane))));
}

#define v_each(f) _mm256_set_pd(f(3), f(2), f(1), f(0))
#define v_each_s(f) _mm256_cvtps_pd(_mm_set_ps(f(3), f(2), f(1), f(0)))

EXB_INLINE exb_v v_swap(exb_v a, int half)
{
    return half == 2 ? _mm256_permute2f128_pd(a, a, 1) : _mm256_permute_pd(a, 5);
}

EXB_INLINE void v_transpose(exb_v *a)
{
    exb_v even[2] = {_mm256_unpacklo_pd(a[0], a[1]), _mm256_unpacklo_pd(a[2], a[3])};
    exb_v odd[2] = {_mm256_unpackhi_pd(a[0], a[1]), _mm256_unpackhi_pd(a[2], a[3])};
    a[0] = _mm256_permute2f128_pd(even[0], even[1], 0x20);
    a[1] = _mm256_permute2f128_pd(odd[0], odd[1], 0x20);
    a[2] = _mm256_permute2f128_pd(even[0], even[1], 0x31);
    a[3] = _mm256_permute2f128_pd(odd[0], odd[1], 0x31);
}

EXB_INLINE unsigned v_same_s(exb_v a, exb_v b, float *p)
{
    __m128 x = _mm256_cvtpd_ps(a), y = _mm256_cvtpd_ps(b);
    _mm_storeu_ps(p, x);
    __m128i same = _mm_cmpeq_epi32(_mm_castps_si128(x), _mm_castps_si128(y));
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(same));
}

EXB_INLINE unsigned v_outside(exb_v a, double lo, double hi)
{
    exb_v m = v_abs(a);
    exb_v below = _mm256_cmp_pd(m, v_set1(lo), _CMP_NGE_UQ);
    exb_v above = _mm256_cmp_pd(m, v_set1(hi), _CMP_NLE_UQ);
    return (unsigned)_mm256_movemask_pd(_mm256_or_pd(below, above));
}

EXB_INLINE exb_v v_zero_lanes(exb_v a, unsigned mask)
{
    __m256i bit = _mm256_set_epi64x(8, 4, 2, 1);
    __m256i hit = _mm256_and_si256(_mm256_set1_epi64x(mask), bit);
    return _mm256_andnot_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(hit, bit)), a);
}

EXB_INLINE exb_v v_max_abs(exb_v m, exb_v a)
{
    return _mm256_max_pd(v_abs(a), m); /* m, the second, if one is NaN */
}

/* Halves of a lane as integers, which any unit compares: negative numbers are negative. As a
 * statement of its own, since GCC 12 keeps m in memory if it sees integers in it. */
#define EXB_SEES_FALLS 0
EXB_INLINE exb_v v_max_upper(exb_v m, exb_v a)
{
    __asm__("vpmaxsd %1, %0, %0" : "+x"(m) : "x"(a));
    return m;
}

EXB_INLINE exb_v v_min_nonzero(exb_v m, exb_v a)
{
    __m256d nonzero = _mm256_cmp_pd(a, v_set1(0), _CMP_NEQ_OQ);
    return _mm256_blendv_pd(m, _mm256_min_pd(m, v_abs(a)), nonzero);
}

EXB_INLINE exb_v v_fma(exb_v a, exb_v b, exb_v c)
{
    return _mm256_fmadd_pd(a, b, c);
}

EXB_INLINE exb_v v_fms(exb_v a, exb_v b, exb_v c)
{
    return _mm256_fmsub_pd(a, b, c);
}

EXB_INLINE exb_v v_keep(exb_v a)
{
    __asm__("" : "+x"(a));
    return a;
}
