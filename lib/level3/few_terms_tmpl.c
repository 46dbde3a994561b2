/* C = RN(C + alpha A B) with one, two or four terms an element: these take less than to scale and
 * pack A and B does. Of reals, since the parts of complex numbers are no vectors in memory.
 * Types: s d c z. */
#include "level3/few_terms.h"

#include "level2/update.h"

#if EXB_IS_COMPLEX
bool exb_t(few_terms)(exb_t(output) *o)
{
    (void)o;
    return false;
}
#else
static bool is_update(const exb_t(output) *o)
{
    const exb_t(product) *p = &o->product;
    bool has_few = p->k == 1 || p->k == 2 || p->k == 4;
    bool is_in_place = !p->a.gather && !p->b.gather && p->region == EXB_REGION_ALL;
    return has_few && is_in_place && p->method->filter && p->method->engine == EXB_ENGINE_ANY &&
           o->c.view.rs == 1 && o->beta.re == 1 && fabs(o->alpha.re) <= DBL_MAX;
}

bool exb_t(few_terms)(exb_t(output) *o)
{
    const exb_t(product) *p = &o->product;
    const exb_t(elements) *a = &p->a.in_place, *b = &p->b.in_place;
    if (!is_update(o))
        return false;
    exb_t(rank_update) u = {.m = p->m, .n = p->n, .a = o->c, .is_sum = true};
    u.n_terms = (int)p->k;
    for (int l = 0; l < u.n_terms; l++)
        u.term[l] = (exb_t(rank1)){
            .alpha = o->alpha, .u = {a->p + l * a->ls, a->vs}, .w = {b->p + l * b->ls, b->vs}};
    if (p->stats)
        p->stats->engine = "filter";
    exb_stats_count(p->stats, p->m * p->n, 0);
    exb_t(apply_update)(&u);
    return true;
}
#endif
