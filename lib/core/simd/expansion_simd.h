/* Floating-point expansions: an unevaluated sum of 2 to 8 doubles (here: of
 * vectors of doubles, one expansion a lane) that absorbs numbers exactly.
 * Adding x sends it through the terms by two_sum; what is left after the last term is
 * the residue, which the caller gives to a long accumulator. With early exit
 * the chain ends as soon as nothing is left in any lane.
 *
 * The sum of the terms and the residues is exact as long as no term overflows.
 * Source: Shewchuk, Discrete Comput. Geom. 18 (1997), GROW-EXPANSION; Collange,
 * Defour, Graillat, Iakymchuk, Parallel Computing 49 (2015), section 3. */
#pragma once

#include "core/simd/simd.h"

enum { EXB_EXPANSION_MAX = 8 /* terms */ };

/* Adds x to term[0 .. n_terms); returns the residue. n_terms and early_exit are
 * constants where this is inlined, and the terms live in registers. */
EXB_INLINE exb_v exb_expansion_add(exb_v *term, int n_terms, bool early_exit, exb_v x)
{
    for (int i = 0; i < n_terms; i++) {
        term[i] = v_two_sum(term[i], x, &x);
        if (early_exit && i + 1 < n_terms && !v_any_nonzero(x))
            break;
    }
    return x;
}
