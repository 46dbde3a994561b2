/* The vector vocabulary: what kernels say, and all they say, to a processor.
 *
 *   exb_v                  EXB_LANES doubles
 *   EXB_UNROLL             vectors of two anchored sums each that registers have room for
 *   EXB_CHAIN_VECTORS, EXB_CHAIN_COLS   vectors of rows and columns of a tile of C with one
 *                          register for each vector of its elements
 *   EXB_PAIR_VECTORS, EXB_PAIR_COLS   the same with two registers each and two temporaries
 *   v_zero() v_set1(x) v_set1_s(x)   broadcast, of a double and of a float
 *   v_load(p) v_store(p,v) EXB_LANES doubles, any alignment
 *   v_load_s(p)            EXB_LANES floats, converted (exact)
 *   v_load_half(is_bf16, p)   the same of bfloat16 or half
 *   v_load_few(p, n) v_load_few_s(p, n)   n <= EXB_LANES of them, and zeros; reads no more
 *   v_load_between(p, begin, end)   lane i from p[i] where begin <= i < end, and zeros
 *   v_load_between_s(p, begin, end)   the same of floats
 *   v_same_s(a, b, p)      bit i set: a_i and b_i round to the same float; those of a go to p
 *   v_each(f) v_each_s(f)  macros: lane i is f(i), a double, a float in memory
 *   v_first(a) v_first_s(a)   lane 0, as double and rounded to float
 *   v_swap(a, half)        lane i ^ half in lane i; half, a constant: 1, 2 or 4 below EXB_LANES
 *   v_transpose(a)         lane j of a[i] and lane i of a[j] change places, of EXB_LANES vectors
 *   v_add v_sub v_mul v_div   one rounding
 *   v_abs(a)
 *   v_power(a)             the power of two in [a/2, a], 0 where a < DBL_MIN, Inf of Inf; a >= 0
 *   v_two_prod(a, b, &e)   eft.h's two_prod in each lane
 *   v_any_nonzero(a)       some lane is not zero (NaN counts)
 *   v_outside(a, lo, hi)   bit i set: not lo <= |a_i| <= hi (NaN counts)
 *   v_equal(a, b)          bit i set: a_i == b_i (not for NaN)
 *   v_at_least(a, b)       bit i set: a_i >= b_i (not for NaN)
 *   v_zero_lanes(a, mask)  lanes whose bit is set become 0
 *   v_max_abs(m, a)        the larger of m and |a|, m >= 0; m if a is a quiet NaN
 *   v_max_upper(m, a)      the larger of m and a, m >= 0, in the upper 32 bits of a lane, of which
 *                          v_at_most(m) makes a number that is no less, nor below 2^-1000
 *                          (products with subnormal ones take a hundred cycles); of Inf and NaN
 *                          DBL_MAX. Where EXB_SEES_FALLS is 1, of m and |a|, to all bits
 *   v_min_nonzero(m, a)    the smaller of m and |a|, m >= 0; m if a is 0 or NaN
 *   v_fma v_fms(a, b, c)   ab + c, ab - c, one rounding; only where EXB_HAVE_FMA
 *   v_keep(a)              a, held in a register from here on
 *   exb_floats             2 EXB_LANES floats
 *   v_set1_f(p)            broadcast, of 32 bits
 *   v_half_f(a, half)      the first or the last EXB_LANES, converted
 *   v_add_product_f(a, b, c)   ab + c, one rounding where EXB_HAVE_FMA, one or two elsewhere
 *   exb_add_pairs(a, b, c)   the same of pairs of bfloat16, a rounding for each product, numbers
 *                          below 2^-126 as 0; only where EXB_HAVE_PAIRS
 *
 * A file may define EXB_UNGUARDED. Where EXB_STATIC_ROUNDING is 1 its instructions then round to
 * nearest whatever the caller's environment says, and raise no flags, but FTZ and DAZ hold:
 *
 *   v_drops_subnormals()   DAZ does; false without static rounding
 *
 * One header per instruction set defines these; everything that follows from
 * them or is the same for several stands here. All functions are static inline: no out-of-line copy
 * compiled for a newer processor can be linked into code for an older one. */
#pragma once

#include "core/arith/eft.h"
#include "core/arith/half.h"

#include <stdint.h>
#include <string.h>

#if defined(EXB_ISA_generic)
#include "core/simd/simd_generic.h"
#elif defined(EXB_ISA_avx2)
#include "core/simd/simd_avx2.h"
#elif defined(EXB_ISA_avx512)
#include "core/simd/simd_avx512.h"
#elif defined(EXB_ISA_neon)
#include "core/simd/simd_neon.h"
#else
#error "compile this file through the table of instruction sets in lib/meson.build"
#endif

EXB_INLINE double v_first(exb_v a)
{
    return a[0];
}

#if !EXB_STATIC_ROUNDING
EXB_INLINE bool v_drops_subnormals(void)
{
    return false;
}

#ifndef EXB_OWN_SET1_S
EXB_INLINE exb_v v_set1_s(float x)
{
    return v_set1(x);
}
#endif

EXB_INLINE float v_first_s(exb_v a)
{
    return (float)v_first(a);
}

EXB_INLINE exb_v v_add(exb_v a, exb_v b)
{
    return a + b;
}

EXB_INLINE exb_v v_sub(exb_v a, exb_v b)
{
    return a - b;
}

EXB_INLINE exb_v v_mul(exb_v a, exb_v b)
{
    return a * b;
}

EXB_INLINE exb_v v_div(exb_v a, exb_v b)
{
    return a / b;
}
#endif

#ifndef EXB_OWN_FLOATS
typedef float exb_floats __attribute__((vector_size(8 * EXB_LANES)));
typedef uint32_t exb_bits_of_floats __attribute__((vector_size(8 * EXB_LANES)));
EXB_INLINE exb_floats v_set1_f(const uint32_t *p)
{
    return (exb_floats)(*p - (exb_bits_of_floats){0});
}

EXB_INLINE exb_v v_half_f(exb_floats a, int half)
{
    float x[2 * EXB_LANES];
    memcpy(x, &a, sizeof x);
    return v_load_s(x + half * EXB_LANES);
}

EXB_INLINE exb_floats v_add_product_f(exb_floats a, exb_floats b, exb_floats c)
{
    for (int i = 0; i < 2 * EXB_LANES; i++)
        c[i] = EXB_HAVE_FMA ? __builtin_fmaf(a[i], b[i], c[i]) : a[i] * b[i] + c[i];
    return c;
}
#endif

#ifndef EXB_OWN_HALF
EXB_INLINE exb_v v_load_half(bool is_bf16, const uint16_t *p)
{
    float x[EXB_LANES];
    for (int i = 0; i < EXB_LANES; i++)
        x[i] = exb_widen_half(is_bf16 ? EXB_BF16 : EXB_F16, p[i]);
    return v_load_s(x);
}
#endif

#ifndef EXB_SEES_FALLS
#define EXB_SEES_FALLS 1
EXB_INLINE exb_v v_max_upper(exb_v m, exb_v a)
{
    return v_max_abs(m, a);
}
#endif

EXB_INLINE exb_v v_at_most(exb_v m)
{
    exb_mask most = (exb_mask)v_max_upper(m, v_set1(0x1p-1000)) | UINT32_MAX;
    return v_min_nonzero(v_set1(DBL_MAX), (exb_v)most);
}

EXB_INLINE exb_v v_zero(void)
{
    return v_set1(0);
}

EXB_INLINE exb_v v_load_few(const double *p, int64_t n)
{
    return v_load_between(p, 0, n);
}

EXB_INLINE exb_v v_load_few_s(const float *p, int64_t n)
{
    return v_load_between_s(p, 0, n);
}

EXB_INLINE bool v_any_nonzero(exb_v a)
{
    return v_equal(a, v_zero()) != (1u << EXB_LANES) - 1;
}

#if EXB_HAVE_FMA
EXB_INLINE exb_v v_two_prod(exb_v a, exb_v b, exb_v *err)
{
    exb_v p = v_mul(a, b);
    *err = v_fms(a, b, p);
    return p;
}
#endif

EXB_INLINE bool v_all_at_least(exb_v a, exb_v b)
{
    return v_at_least(a, b) == (1u << EXB_LANES) - 1;
}

/* ab + c, with an FMA where there is one: rounded once in any case if ab is a double. */
EXB_INLINE exb_v v_add_product(exb_v a, exb_v b, exb_v c)
{
#if EXB_HAVE_FMA
    return v_fma(a, b, c);
#else
    return v_add(v_mul(a, b), c);
#endif
}

/* a + b and a - b by the units of products, which idle while sums are added up on a processor that
 * has units for additions alone. */
EXB_INLINE exb_v v_add_by_fma(exb_v a, exb_v b)
{
#if EXB_HAVE_FMA
    return v_fma(a, v_set1(1), b);
#else
    return v_add(a, b);
#endif
}

EXB_INLINE exb_v v_sub_by_fma(exb_v a, exb_v b)
{
#if EXB_HAVE_FMA
    return v_fms(a, v_set1(1), b);
#else
    return v_sub(a, b);
#endif
}

/* two_sum in each lane. */
EXB_INLINE exb_v v_two_sum(exb_v a, exb_v b, exb_v *err)
{
    exb_v s = v_add(a, b);
    exb_v z = v_sub(s, a);
    *err = v_add(v_sub(a, v_sub(s, z)), v_sub(b, z));
    return s;
}

/* The same for |a| >= |b| or a = 0. */
EXB_INLINE exb_v v_fast_two_sum(exb_v a, exb_v b, exb_v *err)
{
    exb_v s = v_add(a, b);
    *err = v_sub(b, v_sub(s, a));
    return s;
}

/* The lanes added up, by halves: each takes part in log2(EXB_LANES) additions. */
EXB_INLINE double v_sum(exb_v a)
{
    for (int half = EXB_LANES / 2; half > 0; half /= 2)
        a = v_add(a, v_swap(a, half));
    return v_first(a);
}

/* The same of a[0], a[1], ..., EXB_LANES vectors, in turn. */
EXB_INLINE exb_v v_sums(exb_v *a)
{
    v_transpose(a);
    for (int half = EXB_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            a[i] = v_add(a[i], a[i + half]);
    return a[0];
}

/* The largest of lanes that are not negative; may drop a NaN. */
EXB_INLINE double v_largest(exb_v m)
{
    for (int half = EXB_LANES / 2; half > 0; half /= 2)
        m = v_max_abs(m, v_swap(m, half));
    return v_first(m);
}

/* The least of lanes that are not negative, and not 0; may drop a NaN. */
EXB_INLINE double v_least(exb_v m)
{
    for (int half = EXB_LANES / 2; half > 0; half /= 2)
        m = v_min_nonzero(m, v_swap(m, half));
    return v_first(m);
}

/* Name of a function compiled once per instruction set: exb_isa(f) is exb_f_avx2. */
#define exb_isa(name) EXB_PASTE4(exb_, name, _, EXB_ISA)
