/* Loads of a template's element type into vectors of doubles. */
#pragma once

#include "core/simd/simd.h"
#include "core/type.h"

#include <float.h>

EXB_INLINE exb_v v_load_real(const exb_real *p)
{
#if EXB_IS_S
    return v_load_s(p);
#else
    return v_load(p);
#endif
}

EXB_INLINE exb_v v_set1_real(exb_real x)
{
#if EXB_IS_S
    return v_set1_s(x);
#else
    return v_set1(x);
#endif
}

/* Lanes in which a and b round to the same number, which NaN is not; those of a go to p. */
EXB_INLINE unsigned v_same_real(exb_v a, exb_v b, exb_real *p)
{
#if EXB_IS_S
    return v_same_s(a, b, p) & v_equal(a, a); /* two NaN may have the same bits */
#else
    v_store(p, a);
    return v_equal(a, b);
#endif
}

/* n <= EXB_LANES elements, the other lanes 0. */
EXB_INLINE exb_v v_load_few_real(const exb_real *p, int64_t n)
{
#if EXB_IS_S
    return v_load_few_s(p, n);
#else
    return v_load_few(p, n);
#endif
}

/* A vector, or the n elements that are left. */
EXB_INLINE exb_v v_load_up_to_real(const exb_real *p, int64_t n)
{
    return n < EXB_LANES ? v_load_few_real(p, n) : v_load_real(p);
}

/* Lanes of which the least is the least |x_i| that is not 0, DBL_MAX if there is none; a NaN may be
 * dropped. */
EXB_INLINE exb_v v_least_magnitudes(int64_t n, const exb_real *x)
{
    exb_v m[2] = {v_set1(DBL_MAX), v_set1(DBL_MAX)};
    int64_t i = 0;
    for (; i + 2 * EXB_LANES <= n; i += 2 * EXB_LANES)
        for (int j = 0; j < 2; j++)
            m[j] = v_min_nonzero(m[j], v_load_real(x + i + j * EXB_LANES));
    for (; i < n; i += EXB_LANES)
        m[0] = v_min_nonzero(m[0], v_load_up_to_real(x + i, n - i));
    return v_min_nonzero(m[0], m[1]);
}

/* Lane i from p[i] for begin <= i < end, the others 0 and not read. */
EXB_INLINE exb_v v_load_between_real(const exb_real *p, int64_t begin, int64_t end)
{
#if EXB_IS_S
    return v_load_between_s(p, begin, end);
#else
    return v_load_between(p, begin, end);
#endif
}

#if EXB_IS_S
#define v_each_real(f) v_each_s(f)
#else
#define v_each_real(f) v_each(f)
#endif

/* Lane i from p[at[i]], from p[index[at[i]]], from p[index[i]]: each address is computed and used
 * before the next, for lack of registers. */
EXB_INLINE exb_v v_load_at_real(const exb_real *p, const int64_t *at)
{
#define LANE(i) p[at[i]]
    return v_each_real(LANE);
#undef LANE
}

EXB_INLINE exb_v v_load_via_real(const exb_real *p, const int32_t *index, const int64_t *at)
{
#define LANE(i) p[index[at[i]]]
    return v_each_real(LANE);
#undef LANE
}

EXB_INLINE exb_v v_gather_real(const exb_real *p, const int32_t *index)
{
#define LANE(i) p[index[i]]
    return v_each_real(LANE);
#undef LANE
}

/* Vectors of the element type itself, and what v_add_product says of these. */
#if EXB_IS_S
typedef exb_floats exb_reals;
#define r_add_product v_add_product_f
#else
typedef exb_v exb_reals;
#define r_add_product v_add_product
#endif
enum { EXB_REALS = sizeof(exb_reals) / sizeof(exb_real) };
typedef int64_t exb_real_bits __attribute__((vector_size(sizeof(exb_reals))));

EXB_INLINE exb_reals r_abs(exb_reals a)
{
    const exb_reals zero = {0};
    return (exb_reals)((exb_real_bits)a & ~(exb_real_bits)-zero);
}

EXB_INLINE exb_reals r_load(const exb_real *p)
{
    exb_reals v;
    memcpy(&v, p, sizeof v);
    return v;
}
