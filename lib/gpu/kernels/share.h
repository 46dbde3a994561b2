/* A work-item's share of an exact sum: an expansion of EXB_TERMS doubles that absorb numbers
 * exactly (core/simd/expansion_simd.h has the lemma and the sources), whose residues go to a long
 * accumulator in local memory, which it may share with other work-items. Options: EXB_IS_S,
 * EXB_TERMS (0: the accumulator alone). */
#pragma once

#include "gpu/kernels/accumulate.h"

#ifndef EXB_TERMS
#define EXB_TERMS 0
#endif

/* Numbers that an expansion cannot hold exactly go to the accumulator directly, so that no input is
 * special: terms above 2^960 (at most 2^53 of the others keep below overflow), and products of
 * doubles where two_prod is not exact. */
typedef struct {
    double term[EXB_TERMS > 0 ? EXB_TERMS : 1];
    EXB_LOCAL exb_i64 *word;
    int stride;
    exb_u32 special;
} exb_share;

EXB_INLINE exb_share exb_share_of(EXB_LOCAL exb_i64 *word, int stride)
{
    exb_share s;
    for (int i = 0; i < EXB_TERMS; i++)
        s.term[i] = 0;
    s.word = word;
    s.stride = stride;
    s.special = 0;
    return s;
}

EXB_INLINE void exb_share_spill(exb_share *s, double x)
{
    if (x != 0)
        s->special |= exb_local_add(s->word, s->stride, x);
}

/* Adds x to the expansion; returns the residue. */
EXB_INLINE double exb_share_absorb(exb_share *s, double x)
{
#pragma unroll
    for (int i = 0; i < EXB_TERMS; i++) {
        s->term[i] = exb_two_sum(s->term[i], x, &x);
        if (x == 0)
            break;
    }
    return x;
}

EXB_INLINE void exb_share_add(exb_share *s, double x)
{
    exb_share_spill(s,
                    EXB_TERMS > 0 && exb_fabs(x) <= EXB_PRODUCT_MOST ? exb_share_absorb(s, x) : x);
}

EXB_INLINE void exb_share_add_product(exb_share *s, double x, double y)
{
    double r, p = exb_two_prod(x, y, &r);
    if (EXB_IS_S) {
        exb_share_add(s, x * y);
    } else if (EXB_TERMS > 0 && exb_product_in_range(p)) {
        exb_share_add(s, p);
        exb_share_add(s, r);
    } else if (!(x == 0 && exb_fabs(y) <= DBL_MAX) && !(y == 0 && exb_fabs(x) <= DBL_MAX)) {
        s->special |= exb_local_add_product(s->word, s->stride, x, y);
    }
}

/* Nothing stays in the share. */
EXB_INLINE void exb_share_end(exb_share *s)
{
    for (int j = 0; j < EXB_TERMS; j++)
        exb_share_spill(s, s->term[j]);
    exb_local_add_special(s->word, s->stride, s->special);
}
