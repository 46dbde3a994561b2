/* trsm: substitution for many right-hand sides, every unknown RN((alpha b - sum of t x) / t_ii):
 * the residual is exact, the quotient is rounded once, the x are the rounded unknowns.
 *
 * Both triangles, sides and layouts are one system: a lower triangle, read from its end if it is an
 * upper one, and right-hand sides with a step between unknowns and one between sides. The unknowns
 * are halved: once the first half is known its products with the rows of the second come
 * from the engines of gemm, as enclosures that are kept until those rows are solved. Blocks of
 * at most BLOCK rows are solved for GROUP right-hand sides at a time, whose compensated sums run in
 * parallel. */
#include "entry.h"

#include "core/compensated.h"
#include "core/memory.h"
#include "core/thread.h"
#include "level2/panel.h"
#include "level2/quotient_parts.h"
#include "level3/call.h"
#include "level3/triangle.h"

enum { BLOCK = 64, GROUP = EXB_ROWS / EXB_PARTS };

/* Sums of row parts, [unknown][part][side], as h, l, e; e = 0: exact. */
typedef struct {
    double *h, *l, *e;
    int64_t ld;
} kept_sums;

/* Unknown i of side v is x[EXB_PARTS * (i xl + v xv)]. */
typedef struct {
    exb_t(stored) t; /* without its diagonal */
    bool unit;
    int64_t n, n_sides, xl, xv;
    exb_real *x;
    exb_complex alpha;
    const exb_method *method;
    exb_call_stats *stats;
    kept_sums kept; /* h = NULL: none */
} system;

static exb_real *unknown(const system *q, int64_t i, int64_t v)
{
    return q->x + EXB_PARTS * (i * q->xl + v * q->xv);
}

static exb_complex coefficient(const system *q, int64_t i, int64_t j)
{
    const exb_piece *piece = &q->t.pattern.piece[0];
    exb_complex d = exb_t(load)(q->t.p + EXB_PARTS * exb_view_at(piece->view, i, j));
    return piece->conjugate ? (exb_complex){d.re, -d.im} : d;
}

/* --- one unknown ---------------------------------------------------------- */

static exb_t(panel) row_of(const system *q, int64_t i)
{
    const exb_piece *piece = &q->t.pattern.piece[0];
    return (exb_t(panel)){q->t.p, exb_view_from(piece->view, i, 0), piece->conjugate};
}

static bool round_parts(const exb_t(value) * v, exb_real *x)
{
    bool decided = true;
    for (int k = 0; k < EXB_PARTS; k++)
        decided = exb_round_enclosure(v->part[k], &x[k]) && decided;
    return decided;
}

/* From enclosures of the row's products. */
static bool finish_filtered(const system *q, int64_t i, const exb_t(value) * sum, exb_real *x)
{
    const exb_complex none = {0, 0};
    exb_t(value) b, r;
    for (int k = 0; k < EXB_PARTS; k++)
        b.part[k] = exb_enclosure_exact(x[k]);
    for (int k = 0; k < EXB_PARTS; k++)
        r.part[k] = exb_enclosure_add(exb_t(affine)(k, q->alpha, &b, none, none),
                                      exb_enclosure_negated(sum->part[k]));
    if (!q->unit)
        r = exb_t(divide)(&r, coefficient(q, i, i));
    exb_real rounded[EXB_PARTS];
    if (!round_parts(&r, rounded))
        return false;
    memcpy(x, rounded, sizeof rounded);
    return true;
}

static void add_right_side(const system *q, exb_t(exact) * r, const exb_real *b)
{
    exb_superacc_add_product(&r->part[0].acc, q->alpha.re, b[0]);
    if (EXB_IS_COMPLEX) {
        const int im = EXB_PARTS - 1;
        exb_superacc_add_product(&r->part[0].acc, -q->alpha.im, b[im]);
        exb_superacc_add_product(&r->part[im].acc, q->alpha.re, b[im]);
        exb_superacc_add_product(&r->part[im].acc, q->alpha.im, b[0]);
    }
}

static EXB_NOINLINE void finish_exact(const system *q, int64_t i, exb_t(vector) known, exb_real *x)
{
    exb_t(exact) r;
    exb_t(exact_zero)(&r);
    exb_t(panel) row = row_of(q, i);
    if (i > 0)
        exb_t(row_add_exact)(i, &row, known, q->method, &r);
    for (int k = 0; k < EXB_PARTS; k++)
        exb_superacc_negate(&r.part[k].acc);
    add_right_side(q, &r, x);
    for (int k = 0; k < EXB_PARTS; k++)
        x[k] = q->unit ? exb_round_superacc(&r.part[k].acc)
                       : exb_t(divide_exact)(k, &r, coefficient(q, i, i));
}

/* Undecided, or sum = NULL: the whole row by itself. sum_is_best: no other filter knows more. */
static void finish(const system *q, int64_t i, int64_t v, const exb_t(value) * sum,
                   bool sum_is_best)
{
    exb_real *x = unknown(q, i, v);
    exb_t(vector) known = {unknown(q, 0, v), q->xl};
    if (sum && finish_filtered(q, i, sum, x))
        return;
    if (q->method->filter && !sum_is_best && i > 0) {
        exb_t(value) whole = exb_t(value_zero)();
        exb_t(panel) row = row_of(q, i);
        exb_t(row_filter)(i, &row, known, &whole);
        if (finish_filtered(q, i, &whole, x))
            return;
    }
    finish_exact(q, i, known, x);
}

/* --- a block of unknowns -------------------------------------------------- */

typedef struct {
    const system *q;
    int64_t begin, end; /* unknowns */
} block;

/* A group of sides: the block's unknowns so far, part by part, and the sums of a row. */
typedef struct {
    int64_t v0;
    int nv;
    exb_real x[BLOCK * EXB_PARTS * GROUP];
    double least[GROUP]; /* least magnitudes other than 0 of the unknowns */
    double s[EXB_PARTS][EXB_ROWS], c[EXB_PARTS][EXB_ROWS], w[EXB_PARTS][EXB_ROWS];
} group;

/* What the known parts of a side are multiplied by: (re, -im) ... for the real part of the
 * sum, (im, re) ... for the imaginary one. Returns the least magnitude other than 0. */
static double coefficients(const block *b, int64_t i, exb_real out[EXB_PARTS][EXB_PARTS * BLOCK])
{
    double least = DBL_MAX;
    for (int64_t j = b->begin; j < i; j++) {
        int64_t at = EXB_PARTS * (j - b->begin);
        exb_complex t = coefficient(b->q, i, j);
        out[0][at] = (exb_real)t.re;
        if (EXB_IS_COMPLEX) {
            out[0][at + EXB_PARTS - 1] = (exb_real)-t.im;
            out[EXB_PARTS - 1][at] = (exb_real)t.im;
            out[EXB_PARTS - 1][at + 1] = (exb_real)t.re;
        }
        least = t.re != 0 && fabs(t.re) < least ? fabs(t.re) : least;
        least = t.im != 0 && fabs(t.im) < least ? fabs(t.im) : least;
    }
    return least;
}

static double sum_row(const block *b, int64_t i, group *g)
{
    exb_real t[EXB_PARTS][EXB_PARTS * BLOCK];
    double least = coefficients(b, i, t);
    memset(g->s, 0, sizeof g->s);
    memset(g->c, 0, sizeof g->c);
    memset(g->w, 0, sizeof g->w);
    for (int k = 0; k < EXB_PARTS; k++)
        exb_t_kernels()->sweep(g->nv, EXB_PARTS * (i - b->begin), g->x, GROUP, t[k], g->s[k],
                               g->c[k], g->w[k]);
    return least;
}

/* The products of row i with a side: those of the block, and those that were kept. */
static exb_t(value) sum_of(const block *b, int64_t i, const group *g, int v, double least)
{
    const kept_sums *kept = &b->q->kept;
    int64_t n = EXB_PARTS * (i - b->begin);
    bool exact_terms = EXB_IS_S || n == 0 || least * g->least[v] >= 0x1p-960;
    exb_t(value) sum;
    for (int k = 0; k < EXB_PARTS; k++) {
        sum.part[k] = exb_compensated_enclosure(g->s[k][v], g->c[k][v], g->w[k][v], n, exact_terms);
        if (b->begin > 0 && kept->h) {
            int64_t at = (EXB_PARTS * i + k) * kept->ld + g->v0 + v;
            exb_enclosure before = {kept->h[at], kept->l[at], kept->e[at], kept->e[at] == 0};
            sum.part[k] = exb_enclosure_add(sum.part[k], before);
        }
    }
    return sum;
}

static void note_unknown(const block *b, int64_t i, group *g, int v)
{
    const exb_real *x = unknown(b->q, i, g->v0 + v);
    for (int k = 0; k < EXB_PARTS; k++) {
        double m = fabs((double)x[k]);
        g->x[(EXB_PARTS * (i - b->begin) + k) * GROUP + v] = x[k];
        g->least[v] = m < g->least[v] && m > 0 ? m : g->least[v];
    }
}

/* Row i of all sides at once; returns those that are still open. Of reals only. */
#if EXB_IS_COMPLEX
static uint64_t finish_row(const block *b, int64_t i, group *g, double least)
{
    (void)b, (void)i, (void)g, (void)least;
    return ~(uint64_t)0;
}
#else
static uint64_t finish_row(const block *b, int64_t i, group *g, double least)
{
    const system *q = b->q;
    double sides[GROUP] = {0}, least_unknown = DBL_MAX, d = q->unit ? 1 : coefficient(q, i, i).re;
    exb_real x[GROUP];
    if (!(fabs(d) >= 0x1p-900 && fabs(d) <= 0x1p900 && fabs(q->alpha.re) <= DBL_MAX))
        return ~(uint64_t)0;
    for (int v = 0; v < g->nv; v++) {
        sides[v] = *unknown(q, i, g->v0 + v);
        least_unknown = g->least[v] < least_unknown ? g->least[v] : least_unknown;
    }
    exb_unknowns k = {.n_terms = i - b->begin, .unit = q->unit, .alpha = q->alpha.re, .divisor = d};
    k.exact_terms = EXB_IS_S || i == b->begin || least * least_unknown >= 0x1p-960;
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
    uint64_t open = exb_t_kernels()->solve(g->nv, &k, x);
    for (int v = 0; v < g->nv; v++)
        if (!(open >> v & 1)) {
            *unknown(q, i, g->v0 + v) = x[v];
            note_unknown(b, i, g, v);
        }
    return open;
}
#endif

static EXB_NOINLINE void solve_group(void *ctx, int64_t t)
{
    const block *b = ctx;
    const system *q = b->q;
    int64_t left = q->n_sides - t * GROUP;
    group g;
    g.v0 = t * GROUP;
    g.nv = left < GROUP ? (int)left : GROUP;
    for (int v = 0; v < g.nv; v++)
        g.least[v] = DBL_MAX;
    for (int64_t i = b->begin; i < b->end; i++) {
        double least = q->method->filter ? sum_row(b, i, &g) : 0;
        uint64_t open = q->method->filter ? finish_row(b, i, &g, least) : ~(uint64_t)0;
        for (int v = 0; v < g.nv; v++) {
            exb_t(value) sum;
            if (!(open >> v & 1))
                continue;
            if (q->method->filter)
                sum = sum_of(b, i, &g, v, least);
            finish(q, i, g.v0 + v, q->method->filter ? &sum : NULL, b->begin == 0);
            note_unknown(b, i, &g, v);
        }
    }
}

static void solve_block(const system *q, int64_t begin, int64_t end)
{
    block b = {q, begin, end};
    int64_t n_groups = (q->n_sides + GROUP - 1) / GROUP;
    double work = (double)(end - begin) * (double)(end - begin + 16) * (double)q->n_sides;
    exb_parallel_for(exb_partition_count(work, n_groups), n_groups, solve_group, &b);
}

/* --- everything ----------------------------------------------------------- */

typedef struct {
    kept_sums kept;
    int64_t first; /* part of an unknown to which the product's column 0 belongs */
    bool adds;
} keeper;

/* Sides are the rows of the product, so that they are contiguous in both places. */
static void keep(void *output, const exb_block *b)
{
    const keeper *k = output;
    for (int j = 0; j < b->n; j++)
        for (int i = 0; i < b->m; i++) {
            int64_t at = (k->first + b->j0 + j) * k->kept.ld + b->i0 + i;
            exb_enclosure v = exb_block_enclosure(b, i, j);
            if (k->adds) {
                exb_enclosure old = {k->kept.h[at], k->kept.l[at], k->kept.e[at],
                                     k->kept.e[at] == 0};
                v = exb_enclosure_add(old, v);
            }
            k->kept.h[at] = v.h;
            k->kept.l[at] = v.l;
            k->kept.e[at] = v.exact ? 0 : v.e + 0x1p-1020;
        }
}

/* The products of unknowns begin ... middle - 1 with rows middle ... end - 1. */
static void multiply(const system *q, int64_t begin, int64_t middle, int64_t end)
{
    const exb_piece *piece = &q->t.pattern.piece[0];
    exb_view x = {begin * q->xl, q->xv, 0, q->xl, 0};
    int64_t k = middle - begin;
    exb_t(source) sides = exb_t(source_of)(exb_t(stored_general)(q->x, x, q->n_sides, k, false));
    exb_t(source) rows = exb_t(source_of)(exb_t(stored_general)(
        q->t.p, exb_view_from(piece->view, middle, begin), end - middle, k, piece->conjugate));
    rows.role = EXB_AS_COLUMNS;
    rows.n_sums = EXB_PARTS;
    keeper to = {q->kept, EXB_PARTS * middle, begin > 0};
    exb_p(product) p = {.m = q->n_sides, .n = EXB_PARTS * (end - middle), .k = EXB_PARTS * k};
    p.a = exb_t(operand_of)(&sides);
    p.b = exb_t(operand_of)(&rows);
    p.method = q->method;
    p.take = keep;
    p.output = &to;
    p.stats = q->stats;
    exb_p(product_run)(&p);
}

static void solve_range(const system *q, int64_t begin, int64_t end)
{
    if (end - begin <= BLOCK) {
        solve_block(q, begin, end);
        return;
    }
    int64_t middle = begin + ((end - begin) / 2 + BLOCK - 1) / BLOCK * BLOCK;
    solve_range(q, begin, middle);
    if (q->kept.h)
        multiply(q, begin, middle, end);
    solve_range(q, middle, end);
}

/* Without the kept sums every row is by itself. */
static void solve_plainly(const system *q)
{
    for (int64_t v = 0; v < q->n_sides; v++)
        for (int64_t i = 0; i < q->n; i++)
            finish(q, i, v, NULL, false);
}

/* As many sides at once as the workspace holds sums of. */
static void solve(const system *all)
{
    int64_t n_sums = 3 * EXB_PARTS * all->n, ld;
    if (all->n <= BLOCK) {
        solve_range(all, 0, all->n);
        return;
    }
    int64_t most = (int64_t)(exb_memory_limit() / sizeof(double)) / n_sums;
    int64_t width = most > GROUP ? most / GROUP * GROUP : GROUP;
    width = width < all->n_sides ? width : all->n_sides;
    ld = (width + 7) / 8 * 8; /* whole vectors */
    double *memory =
        all->method->filter ? exb_memory_get((size_t)(n_sums * ld) * sizeof(double)) : NULL;
    if (!memory) {
        solve_plainly(all);
        return;
    }
    for (int64_t v = 0; v < all->n_sides; v += width) {
        system part = *all;
        int64_t plane = EXB_PARTS * all->n * ld;
        part.x = unknown(all, 0, v);
        part.n_sides = all->n_sides - v < width ? all->n_sides - v : width;
        part.kept = (kept_sums){memory, memory + plane, memory + 2 * plane, ld};
        solve_range(&part, 0, part.n);
    }
    exb_memory_put(memory);
}

typedef struct {
    system q;
    const exb_real *alpha;
} problem;

static void set_to_zero(const system *q)
{
    for (int64_t v = 0; v < q->n_sides; v++)
        for (int64_t i = 0; i < q->n; i++)
            memset(unknown(q, i, v), 0, EXB_PARTS * sizeof(exb_real));
}

static void compute(void *ctx, exb_call_stats *stats)
{
    problem *p = ctx;
    p->q.alpha = exb_t(scalar_at)(p->alpha, false);
    p->q.method = exb_method_current();
    p->q.stats = stats;
    if (exb_is_zero(p->q.alpha))
        set_to_zero(&p->q);
    else
        solve(&p->q);
}

void exb_entry(trsm)(const exb_site *site, int layout, int side, int uplo, int transa, int diag,
                     int64_t m, int64_t n, exb_scalar alpha, const exb_real *a, int64_t lda,
                     exb_real *b, int64_t ldb)
{
    if (exb_rejected(site,
                     exb_check_trsm(site, layout, side, uplo, transa, diag, m, n, lda, ldb)) ||
        m == 0 || n == 0)
        return;
    bool by_rows = layout == EXB_ROW_MAJOR, left = side == EXB_LEFT;
    exb_triangle t = exb_triangle_of(by_rows, left, uplo, transa, lda, left ? m : n);
    problem p = {.alpha = exb_t(parts_of)(&alpha)};
    p.q.unit = diag == EXB_UNIT;
    p.q.n = t.n;
    p.q.n_sides = left ? n : m;
    p.q.xl = left == by_rows ? ldb : 1;
    p.q.xv = left == by_rows ? 1 : ldb;
    p.q.x = b;
    if (!t.lower) { /* from its end */
        t.view = exb_view_reversed(t.view, t.n);
        t.lower = true;
        p.q.x = b + EXB_PARTS * (t.n - 1) * p.q.xl;
        p.q.xl = -p.q.xl;
    }
    p.q.t = (exb_t(stored)){a, exb_triangle_pattern(&t, true, EXB_IS_COMPLEX)};
    exb_t(call_guarded)(site, compute, &p);
}
