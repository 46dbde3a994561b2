/* One step of a chain of FMAs (chain.h) in the lanes of a vector. */
#pragma once

#include "core/simd/simd.h"

/* One more product of a sum: of an anchored one, *low its corrections, if there is FMA. */
EXB_INLINE void v_chain_add(bool anchored, exb_v x, exb_v y, exb_v *sum, exb_v *low)
{
#if EXB_HAVE_FMA
    if (anchored) {
        exb_v next = v_fma(x, y, *sum);
        exb_v high = v_sub(next, *sum);
        *low = v_add(*low, v_fms(x, y, high));
        *sum = next;
        return;
    }
#else
    (void)low;
#endif
    *sum = anchored ? v_set1((double)NAN) : v_add_product(x, y, *sum);
}
