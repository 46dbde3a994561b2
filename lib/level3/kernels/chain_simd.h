/* One step of a chain of FMAs (chain.h) in the lanes of a vector. */
#ifndef EXB_CHAIN_SIMD_H
#define EXB_CHAIN_SIMD_H

#include "core/simd/element_simd.h"

/* One more product of a sum: of doubles an anchored one, *low its corrections. */
EXB_INLINE void v_chain_add(exb_v x, exb_v y, exb_v *sum, exb_v *low)
{
#if EXB_IS_S
    (void)low;
#if EXB_HAVE_FMA
    *sum = v_fma(x, y, *sum);
#else
    *sum = v_add(v_mul(x, y), *sum);
#endif
#elif EXB_HAVE_FMA
    exb_v next = v_fma(x, y, *sum);
    exb_v high = v_sub(next, *sum);
    *sum = next;
    *low = v_add(*low, v_fms(x, y, high));
#else
    (void)x, (void)y, (void)low;
    *sum = v_set1((double)NAN); /* not called */
#endif
}

#endif
