/* Expansions of a work-item: n_terms doubles that absorb numbers exactly; what is left after the
 * last term is the residue, which goes to a long accumulator (core/simd/expansion_simd.h has the
 * lemma and the sources). EXB_TERMS (0: none) and EXB_EARLY_EXIT come from the build. */
#ifndef EXB_GPU_EXPANSION_H
#define EXB_GPU_EXPANSION_H

#include "gpu/device.h"

#ifndef EXB_TERMS
#define EXB_TERMS 4
#endif
#ifndef EXB_EARLY_EXIT
#define EXB_EARLY_EXIT 0
#endif

typedef struct {
    double term[EXB_TERMS > 0 ? EXB_TERMS : 1];
} exb_expansion;

EXB_INLINE void exb_expansion_clear(exb_expansion *e)
{
    for (int i = 0; i < EXB_TERMS; i++)
        e->term[i] = 0;
}

/* Adds x; returns the residue. */
EXB_INLINE double exb_expansion_add(exb_expansion *e, double x)
{
#pragma unroll
    for (int i = 0; i < EXB_TERMS; i++) {
        e->term[i] = exb_two_sum(e->term[i], x, &x);
        if (EXB_EARLY_EXIT && x == 0)
            break;
    }
    return x;
}

#endif
