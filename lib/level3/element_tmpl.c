/* The terms of single elements of a product: of those that an engine could not decide.
 * Types: s d. */
#include "element/runs.h"
#include "level3/product.h"

/* The terms of an element: those that both vectors have; at most one of the operands tells. */
static int terms_of(const exb_t(product) *p, int64_t i, int64_t j, exb_range runs[2])
{
    if (p->k == 0) /* whatever the operands have */
        return 0;
    if (p->a.runs)
        return p->a.runs(p->a.source, i, runs);
    if (p->b.runs)
        return p->b.runs(p->b.source, j, runs);
    runs[0] = (exb_range){0, p->k};
    return 1;
}

/* A strided row in order, fetched well ahead: every element is a line of its own. */
static void copy_row(exb_real *out, int64_t n, const exb_real *x, int64_t step)
{
    enum { AHEAD = 24 };
    for (int64_t l = 0; l < n; l++) {
        __builtin_prefetch(x + exb_least(l + AHEAD, n - 1) * step);
        out[l] = x[l * step];
    }
}

/* Terms t of the scalar product of row i and column j: what lies in place, but for strided rows, or
 * as many as there is room for. Elements of complex operands are gathered in pairs, of which a run
 * may want one. Returns where the terms end. */
static int64_t pair_terms(const exb_t(product) *p, int64_t i, int64_t j, exb_range t,
                          exb_t(run_space) *space, exb_t(reduction) *run)
{
    bool gathers = p->a.gather || p->b.gather, is_strided = !gathers && p->a.in_place.ls != 1;
    int64_t most = gathers ? EXB_GATHER_TERMS : is_strided ? EXB_RUN : p->k;
    int64_t l = gathers ? t.begin & ~(int64_t)1 : t.begin, n = exb_least(most, p->k - l);
    exb_t(elements) a = exb_t(operand_at)(&p->a, i, 1, l, n, space->x);
    exb_t(elements) b = exb_t(operand_at)(&p->b, j, 1, l, n, space->y);
    int64_t end = exb_least(l + n, t.end);
    if (is_strided) {
        copy_row(space->x, end - l, a.p, a.ls);
        a = (exb_t(elements)){space->x, 0, 1};
    }
    *run = exb_t(dot_of)(end - t.begin, a.p + (t.begin - l) * a.ls, a.ls,
                         b.p + (t.begin - l) * b.ls, b.ls);
    return end;
}

static bool next_run(const void *of, int k, int64_t *at, exb_t(run_space) *space,
                     exb_t(reduction) *run)
{
    const exb_t(product_element) *e = of;
    exb_range runs[2];
    int n = terms_of(e->p, e->i, e->j + k, runs), r = 0;
    while (r < n && runs[r].end <= exb_most(*at, runs[r].begin))
        r++;
    if (r == n)
        return false;
    exb_range t = {exb_most(*at, runs[r].begin), runs[r].end};
    *at = pair_terms(e->p, e->i, e->j + k, t, space, run);
    return true;
}

exb_t(terms) exb_t(element_terms)(const exb_t(product_element) *e)
{
    return (exb_t(terms)){next_run, e};
}
