/* The vector vocabulary for AVX-512 F, DQ: eight lanes, thirty-two registers. */
#include <immintrin.h>

/* Arithmetic by the control register or, for a file that defines EXB_UNGUARDED, by the instruction:
 * to nearest, and no flag is raised. (FTZ and DAZ hold in any case.) */
#ifdef EXB_UNGUARDED
#define v_op(name, ...)                                                                            \
    _mm512_##name##_round_pd(__VA_ARGS__, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#if defined(__clang__) /* which leaves {sae} out, and takes a predicate that signals */
#define v_compare(a, b, how)                                                                       \
    __extension__({                                                                                \
        __mmask8 lanes;                                                                            \
        __asm__("vcmppd %3, %{sae%}, %2, %1, %0" : "=k"(lanes) : "v"(a), "v"(b), "i"(how));        \
        lanes;                                                                                     \
    })
#else
#define v_compare(a, b, how) _mm512_cmp_round_pd_mask(a, b, how, _MM_FROUND_NO_EXC)
#endif
#define v_range(a, b, which) _mm512_range_round_pd(a, b, which, _MM_FROUND_NO_EXC)
#define v_widen(x) _mm512_cvt_roundps_pd(x, _MM_FROUND_NO_EXC)
#define v_narrow(x) _mm512_cvt_roundpd_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#else
#define v_op(name, ...) _mm512_##name##_pd(__VA_ARGS__)
#define v_compare(a, b, how) _mm512_cmp_pd_mask(a, b, how)
#define v_range(a, b, which) _mm512_range_pd(a, b, which)
#define v_widen(x) _mm512_cvtps_pd(x)
#define v_narrow(x) _mm512_cvtpd_ps(x)
#endif

#define EXB_STATIC_ROUNDING 1

/* DAZ holds. The number is not the compiler's to know. */
EXB_INLINE bool v_drops_subnormals(void)
{
    __m256i tiny = _mm256_set1_epi32(1);
    __asm__("" : "+v"(tiny));
    __m512i bits = _mm512_castpd_si512(v_widen(_mm256_castsi256_ps(tiny)));
    return _mm_cvtsi128_si64(_mm512_castsi512_si128(bits)) == 0;
}

typedef __m512d exb_v;
typedef int64_t exb_mask __attribute__((vector_size(64)));
enum { EXB_LANES = 8, EXB_UNROLL = 4 };
enum { EXB_PAIR_VECTORS = 2, EXB_PAIR_COLS = 6, EXB_CHAIN_VECTORS = 3, EXB_CHAIN_COLS = 8 };

EXB_INLINE exb_v v_set1(double x)
{
    return _mm512_set1_pd(x);
}

#include "core/simd/simd_lanes.h"

EXB_INLINE exb_v v_set1_s(float x)
{
    return v_widen(_mm256_set1_ps(x));
}

EXB_INLINE exb_v v_load_s(const float *p)
{
    return v_widen(_mm256_loadu_ps(p));
}

#define EXB_OWN_FLOATS
typedef __m512 exb_floats;
EXB_INLINE exb_floats v_set1_f(const uint32_t *p)
{
    return _mm512_castsi512_ps(_mm512_set1_epi32((int)*p));
}

EXB_INLINE exb_v v_half_f(exb_floats a, int half)
{
    return v_widen(half ? _mm512_extractf32x8_ps(a, 1) : _mm512_castps512_ps256(a));
}

EXB_INLINE exb_floats v_add_product_f(exb_floats a, exb_floats b, exb_floats c)
{
    return _mm512_fmadd_ps(a, b, c);
}

#ifdef __AVX512BF16__
#define EXB_HAVE_PAIRS
EXB_INLINE exb_floats exb_add_pairs(exb_floats a, exb_floats b, exb_floats c)
{
    return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}
#endif

#define EXB_OWN_HALF
EXB_INLINE exb_v v_load_half(bool is_bf16, const uint16_t *p)
{
    __m128i x = _mm_loadu_si128((const void *)p);
    const __m256i twice = _mm256_set_epi16(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    __m256i high = _mm256_maskz_permutexvar_epi16(0xaaaa, twice, _mm256_castsi128_si256(x));
    return v_widen(is_bf16 ? _mm256_castsi256_ps(high) : _mm256_maskz_cvtph_ps(0xff, x));
}

EXB_INLINE exb_v v_load_between(const double *p, int64_t begin, int64_t end)
{
    return _mm512_maskz_loadu_pd((__mmask8)((1u << end) - (1u << begin)), p);
}

EXB_INLINE exb_v v_load_between_s(const float *p, int64_t begin, int64_t end)
{
    return v_widen(_mm256_maskz_loadu_ps((__mmask8)((1u << end) - (1u << begin)), p));
}

/* Two at a time: with _mm512_set_pd GCC 12 computes all addresses first, for which it lacks
 * registers. */
#define v_each_two(f, i) _mm_loadh_pd(_mm_load_sd(&f(i)), &f(i + 1))
#define v_each_four(f, i)                                                                          \
    _mm256_insertf128_pd(_mm256_castpd128_pd256(v_each_two(f, i)), v_each_two(f, i + 2), 1)
#define v_each(f)                                                                                  \
    _mm512_insertf64x4(_mm512_castpd256_pd512(v_each_four(f, 0)), v_each_four(f, 4), 1)
#define v_each_s(f) v_widen(_mm256_set_ps(f(7), f(6), f(5), f(4), f(3), f(2), f(1), f(0)))

/* The bits of a mask, by the instruction that clears all others. GCC 12, short of registers (with
 * -fsanitize=undefined), has kept a mask in one byte of memory and loaded eight. */
EXB_INLINE unsigned v_bits(__mmask8 m)
{
    unsigned bits;
    __asm__("kmovb %1, %0" : "=r"(bits) : "k"(m));
    return bits;
}

EXB_INLINE float v_first_s(exb_v a)
{
    return _mm_cvtss_f32(_mm256_castps256_ps128(v_narrow(a)));
}

EXB_INLINE exb_v v_swap(exb_v a, int half)
{
    return half == 4   ? _mm512_shuffle_f64x2(a, a, 0x4e)
           : half == 2 ? _mm512_permutex_pd(a, 0x4e)
                       : _mm512_permute_pd(a, 0x55);
}

/* Blocks of 2 x 2 numbers, then of 2 x 2 pairs of these, first and second halves apart. */
EXB_INLINE void v_transpose(exb_v *a)
{
    exb_v pair[8];
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        pair[i] = _mm512_unpacklo_pd(a[i], a[i + 1]);
        pair[i + 1] = _mm512_unpackhi_pd(a[i], a[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        exb_v low = _mm512_shuffle_f64x2(pair[i], pair[i + 2], 0x88);
        exb_v high = _mm512_shuffle_f64x2(pair[i], pair[i + 2], 0xdd);
        exb_v low_end = _mm512_shuffle_f64x2(pair[i + 4], pair[i + 6], 0x88);
        exb_v high_end = _mm512_shuffle_f64x2(pair[i + 4], pair[i + 6], 0xdd);
        a[i] = _mm512_shuffle_f64x2(low, low_end, 0x88);
        a[i + 4] = _mm512_shuffle_f64x2(low, low_end, 0xdd);
        a[i + 2] = _mm512_shuffle_f64x2(high, high_end, 0x88);
        a[i + 6] = _mm512_shuffle_f64x2(high, high_end, 0xdd);
    }
}

EXB_INLINE unsigned v_same_s(exb_v a, exb_v b, float *p)
{
    __m256 x = v_narrow(a), y = v_narrow(b);
    _mm256_storeu_ps(p, x);
    return v_bits(_mm256_cmpeq_epi32_mask(_mm256_castps_si256(x), _mm256_castps_si256(y)));
}

EXB_INLINE exb_v v_add(exb_v a, exb_v b)
{
    return v_op(add, a, b);
}

EXB_INLINE exb_v v_sub(exb_v a, exb_v b)
{
    return v_op(sub, a, b);
}

EXB_INLINE exb_v v_mul(exb_v a, exb_v b)
{
    return v_op(mul, a, b);
}

EXB_INLINE exb_v v_div(exb_v a, exb_v b)
{
    return v_op(div, a, b);
}

EXB_INLINE unsigned v_outside(exb_v a, double lo, double hi)
{
    exb_v m = v_abs(a);
    return v_bits(v_compare(m, v_set1(lo), _CMP_NGE_UQ) | v_compare(m, v_set1(hi), _CMP_NLE_UQ));
}

EXB_INLINE unsigned v_equal(exb_v a, exb_v b)
{
    return v_bits(v_compare(a, b, _CMP_EQ_OQ));
}

EXB_INLINE unsigned v_at_least(exb_v a, exb_v b)
{
    return v_bits(v_compare(a, b, _CMP_GE_OQ));
}

EXB_INLINE exb_v v_zero_lanes(exb_v a, unsigned mask)
{
    return _mm512_mask_mov_pd(a, (__mmask8)mask, v_set1(0));
}

/* One instruction: imm 0x3 takes the larger magnitude; both are made positive by
 * sign control 2, so m stays a magnitude. */
EXB_INLINE exb_v v_max_abs(exb_v m, exb_v a)
{
    return v_range(m, a, 0xb);
}

EXB_INLINE exb_v v_min_nonzero(exb_v m, exb_v a)
{
    __m512i bits = _mm512_castpd_si512(v_abs(a)), least = _mm512_castpd_si512(m);
    __mmask8 nonzero = _mm512_test_epi64_mask(bits, bits);
    return _mm512_castsi512_pd(_mm512_mask_min_epu64(least, nonzero, least, bits));
}

EXB_INLINE exb_v v_fma(exb_v a, exb_v b, exb_v c)
{
    return v_op(fmadd, a, b, c);
}

EXB_INLINE exb_v v_fms(exb_v a, exb_v b, exb_v c)
{
    return v_op(fmsub, a, b, c);
}

EXB_INLINE exb_v v_keep(exb_v a)
{
    __asm__("" : "+v"(a));
    return a;
}
