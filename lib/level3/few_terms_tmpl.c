/* C = RN(C + alpha A B) with one, two or four terms an element.
 * Types: s d c z. */
#include "level2/update.h"
#include "level3/way.h"

#if EXB_IS_COMPLEX
bool exb_t(update_of_terms)(exb_t(output) *o)
{
    (void)o; /* their parts are no vectors in memory */
    return false;
}
#else
bool exb_t(update_of_terms)(exb_t(output) *o)
{
    const exb_t(product) *p = &o->product;
    const exb_t(elements) *a = &p->a.in_place, *b = &p->b.in_place;
    exb_t(rank_update) u = {.m = p->m, .n = p->n, .a = o->c, .is_sum = true};
    u.n_terms = (int)p->k;
    for (int l = 0; l < u.n_terms; l++)
        u.term[l] = (exb_t(rank1)){
            .alpha = o->alpha, .u = {a->p + l * a->ls, a->vs}, .w = {b->p + l * b->ls, b->vs}};
    exb_stats_count(p->stats, p->m * p->n, 0);
    exb_t(apply_update)(&u);
    return true;
}
#endif
