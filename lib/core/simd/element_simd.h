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

#endif
