/* Loads of a template's element type into vectors of doubles. */
#ifndef EXB_ELEMENT_SIMD_H
#define EXB_ELEMENT_SIMD_H

#include "core/simd/simd.h"
#include "core/type.h"

EXB_INLINE exb_v v_load_real(const exb_real *p)
{
#if EXB_IS_S
    return v_load_s(p);
#else
    return v_load(p);
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

#endif
