/* Blocks of unknowns of trsm, EXB_TRSM_GROUP right-hand sides at a time, whose compensated sums run
 * in parallel: row by row, what a vector kernel does not certify by itself.
 * Types: s d c z. */
#include "level3/trsm_system.h"

#include "core/arith/compensated.h"
#include "core/memory.h"
#include "core/thread.h"
#include "level3/kernels/sides.h"

/* Unknowns begin ... end - 1; of reals as the kernel takes them (exb_side_rows): coefficients,
 * divisors, and the first row that is not for it, or end - begin. */
typedef struct {
    const exb_t(system) *q;
    int64_t begin, end;
#if !EXB_IS_COMPLEX
    bool has_kernel;
    exb_real t[EXB_TRSM_BLOCK * (EXB_TRSM_BLOCK - 1) / 2];
    double divisor[EXB_TRSM_BLOCK], inverse[EXB_TRSM_BLOCK];
#endif
} block;

/* A group of sides: the block's unknowns so far, part by part, and the sums of a row. */
typedef struct {
    int64_t v0;
    int nv;
    exb_real *x;
    exb_real t[EXB_PARTS][EXB_PARTS * EXB_TRSM_BLOCK];         /* the row's coefficients */
    double b[EXB_PARTS][EXB_TRSM_GROUP], peak[EXB_TRSM_GROUP]; /* right-hand sides; most |x| */
    double s[EXB_PARTS][EXB_ROWS], c[EXB_PARTS][EXB_ROWS], w[EXB_PARTS][EXB_ROWS];
} group;

/* What the known parts of a side are multiplied by: (re, -im) ... for the real part of the
 * sum, (im, re) ... for the imaginary one. */
static void load_coefficients(const block *b, int64_t i, group *g)
{
    const exb_piece *piece = &b->q->t.pattern.piece[0]; /* of full storage */
    const exb_real *t = b->q->t.p + EXB_PARTS * exb_view_at(piece->view, i, b->begin);
    int64_t n = EXB_PARTS * (i - b->begin), step = EXB_PARTS * piece->view.cs;
    for (int64_t at = 0; at < n; at += EXB_PARTS, t += step) {
        g->t[0][at] = t[0];
        if (EXB_IS_COMPLEX) {
            exb_real im = piece->conjugate ? -t[EXB_PARTS - 1] : t[EXB_PARTS - 1];
            g->t[0][at + EXB_PARTS - 1] = -im;
            g->t[EXB_PARTS - 1][at] = im;
            g->t[EXB_PARTS - 1][at + 1] = t[0];
        }
    }
}

/* The least product of a coefficient and an unknown of n parts that is not 0, or less. */
static double least_product(const group *g, int64_t n)
{
    double least = exb_t_kernels()->least(n, g->t[0]), least_unknown = DBL_MAX;
    for (int64_t j = 0; j < n; j++)
        least_unknown =
            fmin(least_unknown, exb_t_kernels()->least(g->nv, g->x + j * EXB_TRSM_GROUP));
    return least * least_unknown;
}

/* Compensated sums of row i; returns whether all products are exact but for their rounding. */
static bool sum_row(const block *b, int64_t i, group *g)
{
    int64_t n = EXB_PARTS * (i - b->begin);
    memset(g->s, 0, sizeof g->s);
    memset(g->c, 0, sizeof g->c);
    memset(g->w, 0, sizeof g->w);
    for (int k = 0; k < EXB_PARTS; k++)
        exb_t_kernels()->sweep(g->nv, n, g->x, EXB_TRSM_GROUP, g->t[k], g->s[k], g->c[k], g->w[k]);
    return EXB_IS_S || n == 0 || least_product(g, n) >= EXB_PRODUCT_LEAST;
}

/* The products of row i with a side: those of the block, and those that were kept. */
static exb_t(value) sum_of(const block *b, int64_t i, const group *g, int v, bool exact_terms)
{
    const exb_kept_sums *kept = &b->q->kept;
    int64_t n = EXB_PARTS * (i - b->begin);
    exb_t(value) sum;
    for (int k = 0; k < EXB_PARTS; k++) {
        sum.part[k] = exb_compensated_enclosure(g->s[k][v], g->c[k][v], g->w[k][v], n, exact_terms);
        if (b->begin > 0 && kept->h) {
            int64_t at = exb_kept_at(kept, i, k) + g->v0 + v;
            sum.part[k] = exb_enclosure_add(sum.part[k], exb_kept_enclosure(kept, at));
        }
    }
    return sum;
}

static void note_unknown(const block *b, int64_t i, group *g, int v)
{
    const exb_real *x = exb_t(unknown)(b->q, i, g->v0 + v);
    for (int k = 0; k < EXB_PARTS; k++)
        g->x[(EXB_PARTS * (i - b->begin) + k) * EXB_TRSM_GROUP + v] = x[k];
}

/* Rows of all sides at once: open sides of row i are solved, and those that stay open returned. */

static void load_sides(const block *b, int64_t i, group *g)
{
    const exb_t(system) *q = b->q;
    const exb_real *x = exb_t(unknown)(q, i, g->v0);
    if (!EXB_IS_COMPLEX && q->xv == 1) {
        for (int v = 0; v < g->nv; v++)
            g->b[0][v] = x[v];
        return;
    }
    for (int v = 0; v < g->nv; v++, x += EXB_PARTS * q->xv)
        for (int k = 0; k < EXB_PARTS; k++)
            g->b[k][v] = x[k];
}

/* r has the parts of the sides, EXB_TRSM_GROUP each. */
static void store_unknowns(const block *b, int64_t i, group *g, const exb_real *r, uint64_t open)
{
    const exb_t(system) *q = b->q;
    exb_real *x = exb_t(unknown)(q, i, g->v0);
    exb_real *known = g->x + EXB_PARTS * (i - b->begin) * EXB_TRSM_GROUP;
    for (int v = 0; v < g->nv; v++, x += EXB_PARTS * q->xv)
        for (int k = 0; k < EXB_PARTS && !(open >> v & 1); k++)
            x[k] = known[k * EXB_TRSM_GROUP + v] = r[k * EXB_TRSM_GROUP + v];
}

/* Where part k of what is kept of row i begins; -1 if nothing is. */
static int64_t kept_at(const block *b, int64_t i, const group *g, int k)
{
    const exb_kept_sums *kept = &b->q->kept;
    return b->begin > 0 && kept->h ? exb_kept_at(kept, i, k) + g->v0 : -1;
}

/* Part k of the sides of row i, without their divisor. */
static exb_sides sides_of(const block *b, int64_t i, const group *g, int k)
{
    const exb_t(system) *q = b->q;
    int64_t at = kept_at(b, i, g, k);
    exb_sides s = {.n_terms = (int)(EXB_PARTS * (i - b->begin)), .unit = q->unit};
    s.ld = EXB_TRSM_GROUP;
    s.b = g->b[k];
    s.peak = g->peak;
    s.sign = q->alpha.re;
    if (at >= 0) {
        s.h = q->kept.h + at;
        s.l = q->kept.l + at;
        s.e = q->kept.e + at;
    }
    return s;
}

static bool is_divisor(double d)
{
    return fabs(d) >= EXB_DIVISOR_LEAST && fabs(d) <= EXB_DIVISOR_MOST;
}

#if EXB_IS_COMPLEX
static uint64_t call_kernel(const block *b, int64_t i, group *g, exb_complex d, exb_real *r)
{
    exb_t(divisor) divisor = exb_t(divisor_of)(d);
    exb_complex_sides k = {.part = {sides_of(b, i, g, 0), sides_of(b, i, g, 1)}};
    k.re = d.re;
    k.im = d.im;
    k.square = divisor.square.h;
    k.low = divisor.square.l;
    k.inverse = 1 / k.square;
    if (!is_divisor(k.square) || !(divisor.square.e <= 0x1p-103 * k.square))
        return ~(uint64_t)0;
    return exb_t_kernels()->solve_complex_sides(g->nv, &k, g->t[0], g->t[1], g->x, r,
                                                r + EXB_TRSM_GROUP);
}

static uint64_t finish_row(const block *b, int64_t i, group *g, uint64_t open, bool exact_terms)
{
    (void)b, (void)i, (void)g, (void)exact_terms; /* no kernel takes compensated sums */
    return open;
}
#else
static uint64_t finish_row(const block *b, int64_t i, group *g, uint64_t open, bool exact_terms)
{
    const exb_t(system) *q = b->q;
    exb_real x[EXB_TRSM_GROUP];
    double d = q->unit ? 1 : exb_t(element_of)(&q->t, i, i).re;
    if (!is_divisor(d) || !(fabs(q->alpha.re) <= DBL_MAX))
        return open;
    load_sides(b, i, g);
    exb_sides sides = sides_of(b, i, g, 0);
    exb_unknowns k = {.n_terms = i - b->begin, .unit = q->unit, .alpha = q->alpha.re, .divisor = d};
    k.exact_terms = exact_terms;
    k.s = g->s[0];
    k.c = g->c[0];
    k.w = g->w[0];
    k.h = sides.h;
    k.l = sides.l;
    k.e = sides.e;
    k.b = sides.b;
    uint64_t uncertified = exb_t_kernels()->solve(g->nv, &k, x);
    store_unknowns(b, i, g, x, ~open | uncertified);
    return open & uncertified;
}
#endif

/* What no kernel solved of row i; returns how many unknowns. */
static int solve_singly(const block *b, int64_t i, group *g, uint64_t open, bool exact_terms)
{
    const exb_t(system) *q = b->q;
    bool filter = q->method->filter;
    int n_uncertified = 0;
    exb_t(divisor) d = exb_t(divisor_at)(q, i);
    for (int v = 0; v < g->nv; v++) {
        exb_t(value) sum;
        if (!(open >> v & 1))
            continue;
        if (filter)
            sum = sum_of(b, i, g, v, exact_terms);
        if (!exb_t(solve_unknown)(q, i, g->v0 + v, &d, filter ? &sum : NULL, b->begin == 0))
            n_uncertified++;
        note_unknown(b, i, g, v);
    }
    return filter ? n_uncertified : 0; /* a filter that was not asked counts none */
}

/* Sides of row i that stay open after a kernel: the same from compensated sums, then one by one;
 * returns how many went one by one. */
static EXB_NOINLINE int solve_open(const block *b, int64_t i, group *g, uint64_t open)
{
    bool filter = b->q->method->filter, exact_terms = false;
    if (filter) {
        load_coefficients(b, i, g);
        exact_terms = sum_row(b, i, g);
        open = finish_row(b, i, g, open, exact_terms);
    }
    return open ? solve_singly(b, i, g, open, exact_terms) : 0;
}

/* Kernels know one rounding of b. */
static bool suits_kernels(const exb_t(system) *q)
{
    return fabs(q->alpha.re) == 1 && q->alpha.im == 0 && q->method->filter &&
           (EXB_IS_S || exb_kernels_current()->has_fma);
}

static uint64_t all_sides(const group *g)
{
    return ~(uint64_t)0 >> (64 - g->nv);
}

static int64_t solve_rows_plainly(const block *b, group *g)
{
    int64_t n_uncertified = 0;
    for (int64_t i = b->begin; i < b->end; i++)
        n_uncertified += solve_open(b, i, g, all_sides(g));
    return n_uncertified;
}

#if EXB_IS_COMPLEX
static void prepare_block(block *b)
{
    (void)b; /* a kernel takes a row */
}

static void note_peaks(const block *b, int64_t i, group *g)
{
    const exb_real *x = g->x + EXB_PARTS * (i - b->begin) * EXB_TRSM_GROUP;
    for (int k = 0; k < EXB_PARTS; k++, x += EXB_TRSM_GROUP)
        exb_t_kernels()->column_peaks(g->nv, x, 1, g->peak);
}

/* Returns how many unknowns the first filter that was asked did not certify. */
static int64_t solve_group_rows(const block *b, group *g)
{
    const exb_t(system) *q = b->q;
    const exb_complex one = {1, 0};
    exb_real r[EXB_PARTS * EXB_TRSM_GROUP];
    int64_t n_open = 0;
    if (!suits_kernels(q))
        return solve_rows_plainly(b, g);
    for (int64_t i = b->begin; i < b->end; i++) {
        load_coefficients(b, i, g);
        load_sides(b, i, g);
        exb_complex d = q->unit ? one : exb_t(element_of)(&q->t, i, i);
        uint64_t open = all_sides(g) & call_kernel(b, i, g, d, r);
        store_unknowns(b, i, g, r, open);
        n_open += __builtin_popcountll(open);
        if (open)
            solve_open(b, i, g, open);
        note_peaks(b, i, g);
    }
    return n_open;
}
#else
static void prepare_block(block *b)
{
    const exb_t(system) *q = b->q;
    const exb_view *view = &q->t.pattern.piece[0].view; /* of full storage */
    const exb_real *row = q->t.p + exb_view_at(*view, b->begin, b->begin);
    exb_real *t = b->t;
    b->has_kernel = suits_kernels(q);
    for (int64_t i = 0; b->has_kernel && i < b->end - b->begin; i++, row += view->rs) {
        const exb_real *from = row;
        for (int64_t j = 0; j < i; j++, from += view->cs)
            *t++ = *from;
        b->divisor[i] = q->unit ? 1 : *from;
        b->inverse[i] = 1 / b->divisor[i];
    }
}

/* Row i of unknowns to where they are kept, `wanted` sides of it. */
static void keep_unknowns(const block *b, int64_t i, const group *g, uint64_t wanted)
{
    const exb_t(system) *q = b->q;
    exb_real *x = exb_t(unknown)(q, i, g->v0);
    const exb_real *known = g->x + (i - b->begin) * EXB_TRSM_GROUP;
    if (q->xv == 1 && wanted == all_sides(g))
        memcpy(x, known, (size_t)g->nv * sizeof *x);
    else
        for (; wanted; wanted &= wanted - 1) {
            int v = __builtin_ctzll(wanted);
            x[v * q->xv] = known[v];
        }
}

/* Right-hand sides of the block to where unknowns go; a few at a time, each of which may lie in a
 * row. */
static void load_block(const block *b, group *g)
{
    enum { AT_ONCE = 8 };
    const exb_t(system) *q = b->q;
    const exb_real *x = exb_t(unknown)(q, b->begin, g->v0);
    for (int v = 0; v < g->nv; v += AT_ONCE) {
        const exb_real *from = x + v * q->xv;
        exb_real *to = g->x + v;
        int n = (int)exb_least(g->nv - v, AT_ONCE);
        for (int64_t i = b->begin; i < b->end; i++, from += q->xl, to += EXB_TRSM_GROUP) {
            if (n == AT_ONCE)
                for (int l = 0; l < AT_ONCE; l++)
                    to[l] = from[l * q->xv];
            else
                for (int l = 0; l < AT_ONCE; l++) /* whole vectors, whose lanes are alike */
                    to[l] = from[(l < n ? l : n - 1) * q->xv];
        }
    }
}

static void store_rows(const block *b, int64_t begin, int64_t end, const group *g)
{
    for (int64_t i = begin; i < end; i++)
        keep_unknowns(b, i, g, all_sides(g));
}

/* The first row from `begin` on whose divisor is not for the kernel. */
static int kernel_end(const block *b, int begin)
{
    int i = begin;
    while (i < b->end - b->begin && is_divisor(b->divisor[i]))
        i++;
    return i;
}

static exb_side_rows rows_of(const block *b, group *g)
{
    exb_sides first = sides_of(b, b->begin, g, 0);
    exb_side_rows k = {.n_sides = g->nv, .unit = b->q->unit, .sign = b->q->alpha.re};
    k.divisor = b->divisor;
    k.inverse = b->inverse;
    k.h = first.h;
    k.l = first.l;
    k.e = first.e;
    k.kept_ld = b->q->kept.ld;
    k.peak = g->peak;
    return k;
}

/* A row that the kernel does not see is one before which it does not note the last but one. */
static void note_peaks(int row, group *g)
{
    if (row >= 0)
        exb_t_kernels()->column_peaks(g->nv, g->x + row * EXB_TRSM_GROUP, 1, g->peak);
}

/* Returns how many unknowns the first filter that was asked did not certify. */
static int64_t solve_group_rows(const block *b, group *g)
{
    int64_t n_open = 0;
    if (!b->has_kernel)
        return solve_rows_plainly(b, g);
    exb_side_rows k = rows_of(b, g);
    load_block(b, g);
    for (int begin = 0, end; begin < b->end - b->begin; begin = end + 1) {
        uint64_t open = 0;
        k.n = kernel_end(b, begin);
        end = exb_t_kernels()->solve_sides(&k, begin, b->t, g->x, &open);
        store_rows(b, b->begin + begin, b->begin + end, g);
        if (end == b->end - b->begin)
            break;
        if (end == k.n) {
            open = all_sides(g);
            note_peaks(end - 2, g);
        }
        keep_unknowns(b, b->begin + end, g, all_sides(g) & ~open);
        n_open += __builtin_popcountll(open);
        solve_open(b, b->begin + end, g, open);
    }
    return n_open;
}
#endif

/* With room for the unknowns. */
static void solve_in(const block *b, int64_t v0, exb_real *x)
{
    const exb_t(system) *q = b->q;
    group g;
    g.v0 = v0;
    g.nv = (int)exb_least(q->n_sides - v0, EXB_TRSM_GROUP);
    g.x = x;
    for (int64_t v = 0; v < exb_round_up(g.nv, 8); v++) {
        g.peak[v] = 0;
        for (int k = 0; k < EXB_PARTS; k++)
            g.b[k][v] = 0;
    }
    for (int64_t i = 0; g.nv % 8 != 0 && i < EXB_PARTS * (b->end - b->begin); i++)
        for (int v = g.nv; v % 8 != 0; v++) /* kernels read whole vectors */
            g.x[i * EXB_TRSM_GROUP + v] = 0;
    int64_t n_uncertified = solve_group_rows(b, &g);
    exb_stats_count(q->stats, (b->end - b->begin) * g.nv, n_uncertified);
}

enum { FEW = 10, UNKNOWN = EXB_PARTS * EXB_TRSM_GROUP /* numbers of all sides */ };

static EXB_NOINLINE void solve_few(const block *b, int64_t v0)
{
    exb_real x[FEW * UNKNOWN];
    solve_in(b, v0, x);
}

/* So many unknowns would take too much of a small stack. Without memory each is by itself. */
static void solve_group(void *ctx, int64_t t)
{
    const block *b = ctx;
    int64_t v0 = t * EXB_TRSM_GROUP;
    if (b->end - b->begin <= FEW) {
        solve_few(b, v0);
        return;
    }
    exb_real *x = exb_memory_get(EXB_TRSM_BLOCK * UNKNOWN * sizeof *x);
    if (x)
        solve_in(b, v0, x);
    for (int64_t i = b->begin; !x && i < b->end; i++) {
        exb_t(divisor) d = exb_t(divisor_at)(b->q, i);
        for (int64_t v = v0; v < exb_least(v0 + EXB_TRSM_GROUP, b->q->n_sides); v++)
            exb_t(solve_unknown)(b->q, i, v, &d, NULL, false);
    }
    exb_memory_put(x);
}

void exb_t(solve_block)(const exb_t(system) *q, int64_t begin, int64_t end)
{
    block b; /* whose arrays prepare_block fills */
    int64_t n_groups = exb_tasks_of(q->n_sides, EXB_TRSM_GROUP);
    double work = (double)(end - begin) * (double)(end - begin + 16) * (double)q->n_sides;
    b.q = q;
    b.begin = begin;
    b.end = end;
    prepare_block(&b);
    if (n_groups == 1)
        solve_group(&b, 0);
    else
        exb_parallel_for(exb_partition_count(work, n_groups), n_groups, solve_group, &b);
}
