/* Blocks of unknowns of trsm, EXB_TRSM_GROUP right-hand sides at a time, whose compensated sums run
 * in parallel: row by row, what a vector kernel does not certify by itself.
 * Types: s d c z. */
#include "level3/trsm_system.h"

#include "core/arith/compensated.h"
#include "core/thread.h"

typedef struct {
    const exb_t(system) *q;
    int64_t begin, end; /* unknowns */
} block;

/* A group of sides: the block's unknowns so far, part by part, and the sums of a row. */
typedef struct {
    int64_t v0;
    int nv;
    exb_real x[EXB_TRSM_BLOCK * EXB_PARTS * EXB_TRSM_GROUP];
    double least[EXB_TRSM_GROUP]; /* least magnitudes other than 0 of the unknowns */
    double s[EXB_PARTS][EXB_ROWS], c[EXB_PARTS][EXB_ROWS], w[EXB_PARTS][EXB_ROWS];
} group;

/* What the known parts of a side are multiplied by: (re, -im) ... for the real part of the
 * sum, (im, re) ... for the imaginary one. Returns the least magnitude other than 0. */
static double coefficients(const block *b, int64_t i,
                           exb_real out[EXB_PARTS][EXB_PARTS * EXB_TRSM_BLOCK])
{
    double least = DBL_MAX;
    for (int64_t j = b->begin; j < i; j++) {
        int64_t at = EXB_PARTS * (j - b->begin);
        exb_complex t = exb_t(element_of)(&b->q->t, i, j);
        out[0][at] = (exb_real)t.re;
        if (EXB_IS_COMPLEX) {
            out[0][at + EXB_PARTS - 1] = (exb_real)-t.im;
            out[EXB_PARTS - 1][at] = (exb_real)t.im;
            out[EXB_PARTS - 1][at + 1] = (exb_real)t.re;
        }
        least = exb_least_magnitude(exb_least_magnitude(least, t.re), t.im);
    }
    return least;
}

static double sum_row(const block *b, int64_t i, group *g)
{
    exb_real t[EXB_PARTS][EXB_PARTS * EXB_TRSM_BLOCK];
    double least = coefficients(b, i, t);
    memset(g->s, 0, sizeof g->s);
    memset(g->c, 0, sizeof g->c);
    memset(g->w, 0, sizeof g->w);
    for (int k = 0; k < EXB_PARTS; k++)
        exb_t_kernels()->sweep(g->nv, EXB_PARTS * (i - b->begin), g->x, EXB_TRSM_GROUP, t[k],
                               g->s[k], g->c[k], g->w[k]);
    return least;
}

/* The products of row i with a side: those of the block, and those that were kept. */
static exb_t(value) sum_of(const block *b, int64_t i, const group *g, int v, double least)
{
    const exb_kept_sums *kept = &b->q->kept;
    int64_t n = EXB_PARTS * (i - b->begin);
    bool exact_terms = EXB_IS_S || n == 0 || least * g->least[v] >= EXB_PRODUCT_LEAST;
    exb_t(value) sum;
    for (int k = 0; k < EXB_PARTS; k++) {
        sum.part[k] = exb_compensated_enclosure(g->s[k][v], g->c[k][v], g->w[k][v], n, exact_terms);
        if (b->begin > 0 && kept->h) {
            int64_t at = (EXB_PARTS * i + k) * kept->ld + g->v0 + v;
            sum.part[k] = exb_enclosure_add(sum.part[k], exb_kept_enclosure(kept, at));
        }
    }
    return sum;
}

static void note_unknown(const block *b, int64_t i, group *g, int v)
{
    const exb_real *x = exb_t(unknown)(b->q, i, g->v0 + v);
    for (int k = 0; k < EXB_PARTS; k++) {
        g->x[(EXB_PARTS * (i - b->begin) + k) * EXB_TRSM_GROUP + v] = x[k];
        g->least[v] = exb_least_magnitude(g->least[v], x[k]);
    }
}

/* Row i of all sides at once; returns those that are not certified. Of reals only. */
#if EXB_IS_COMPLEX
static uint64_t finish_row(const block *b, int64_t i, group *g, double least)
{
    (void)b, (void)i, (void)g, (void)least;
    return ~(uint64_t)0;
}
#else
static uint64_t finish_row(const block *b, int64_t i, group *g, double least)
{
    const exb_t(system) *q = b->q;
    double sides[EXB_TRSM_GROUP] = {0}, least_unknown = DBL_MAX,
           d = q->unit ? 1 : exb_t(element_of)(&q->t, i, i).re;
    exb_real x[EXB_TRSM_GROUP];
    if (!(fabs(d) >= EXB_DIVISOR_LEAST && fabs(d) <= EXB_DIVISOR_MOST &&
          fabs(q->alpha.re) <= DBL_MAX))
        return ~(uint64_t)0;
    for (int v = 0; v < g->nv; v++) {
        sides[v] = *exb_t(unknown)(q, i, g->v0 + v);
        least_unknown = exb_least_magnitude(least_unknown, g->least[v]);
    }
    exb_unknowns k = {.n_terms = i - b->begin, .unit = q->unit, .alpha = q->alpha.re, .divisor = d};
    k.exact_terms = EXB_IS_S || i == b->begin || least * least_unknown >= EXB_PRODUCT_LEAST;
    k.s = g->s[0];
    k.c = g->c[0];
    k.w = g->w[0];
    k.b = sides;
    if (b->begin > 0 && q->kept.h) {
        int64_t at = i * q->kept.ld + g->v0;
        k.h = q->kept.h + at;
        k.l = q->kept.l + at;
        k.e = q->kept.e + at;
    }
    uint64_t uncertified = exb_t_kernels()->solve(g->nv, &k, x);
    for (int v = 0; v < g->nv; v++)
        if (!(uncertified >> v & 1)) {
            *exb_t(unknown)(q, i, g->v0 + v) = x[v];
            note_unknown(b, i, g, v);
        }
    return uncertified;
}
#endif

/* Row i of a group; returns how many unknowns the filter did not certify. */
static int solve_row(const block *b, int64_t i, group *g)
{
    const exb_t(system) *q = b->q;
    bool filter = q->method->filter;
    double least = filter ? sum_row(b, i, g) : 0;
    uint64_t uncertified = filter ? finish_row(b, i, g, least) : ~(uint64_t)0;
    int n_uncertified = 0;
    exb_t(divisor) d = exb_t(divisor_at)(q, i);
    for (int v = 0; v < g->nv; v++) {
        exb_t(value) sum;
        if (!(uncertified >> v & 1))
            continue;
        if (filter)
            sum = sum_of(b, i, g, v, least);
        if (!exb_t(solve_unknown)(q, i, g->v0 + v, &d, filter ? &sum : NULL, b->begin == 0))
            n_uncertified++;
        note_unknown(b, i, g, v);
    }
    return filter ? n_uncertified : 0; /* a filter that was not asked counts none */
}

static EXB_NOINLINE void solve_group(void *ctx, int64_t t)
{
    const block *b = ctx;
    const exb_t(system) *q = b->q;
    int64_t n_uncertified = 0;
    group g;
    g.v0 = t * EXB_TRSM_GROUP;
    g.nv = (int)exb_least(q->n_sides - g.v0, EXB_TRSM_GROUP);
    for (int v = 0; v < g.nv; v++)
        g.least[v] = DBL_MAX;
    for (int64_t i = b->begin; i < b->end; i++)
        n_uncertified += solve_row(b, i, &g);
    exb_stats_count(q->stats, (b->end - b->begin) * g.nv, n_uncertified);
}

void exb_t(solve_block)(const exb_t(system) *q, int64_t begin, int64_t end)
{
    block b = {q, begin, end};
    int64_t n_groups = exb_tasks_of(q->n_sides, EXB_TRSM_GROUP);
    double work = (double)(end - begin) * (double)(end - begin + 16) * (double)q->n_sides;
    exb_parallel_for(exb_partition_count(work, n_groups), n_groups, solve_group, &b);
}
