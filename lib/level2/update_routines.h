/* What the entries of the rank updates share. */
#ifndef EXB_UPDATE_ROUTINES_H
#define EXB_UPDATE_ROUTINES_H

#include "level2/update.h"

/* Row-major: the transpose is updated, with the vectors exchanged. */
EXB_INLINE void exb_t(transpose_term)(exb_t(rank1) *t)
{
    exb_t(rank1) s = *t;
    t->u = s.w;
    t->w = s.u;
    t->conjugate_u = s.conjugate_w;
    t->conjugate_w = s.conjugate_u;
}

/* p describes the update as written; by_rows: of row-major storage. In the default
 * floating-point environment. */
EXB_INLINE void exb_t(run_update)(exb_t(rank_update) *p, bool by_rows)
{
    if (by_rows) {
        int64_t m = p->m;
        p->m = p->n;
        p->n = m;
        p->a = exb_t(target_transposed)(&p->a);
        for (int t = 0; t < p->n_terms; t++)
            exb_t(transpose_term)(&p->term[t]);
    }
    exb_t(apply_update)(p);
}

#endif
