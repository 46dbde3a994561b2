/* Blocks of unknowns of trsm, EXB_TRSM_GROUP right-hand sides at a time: row by row, by a kernel of
 * chains; what that leaves open by compensated sums, and at last each unknown by itself.
 * Types: s d c z. */
#include "level3/trsm_system.h"

#include "core/arith/compensated.h"
#include "core/memory.h"
#include "core/thread.h"
#include "element/decide.h"
#include "level3/chain.h"
#include "level3/kernels/sides.h"

_Static_assert(2 * EXB_TRSM_BLOCK <= EXB_CHAIN_SHORT_RUN, "sides: one run of that bound");

bool exb_t(solve_unknown)(const exb_t(system) *q, int64_t i, int64_t v, const exb_t(divisor) *d,
                          const exb_t(value) *sum, bool sum_is_best)
{
    exb_real *x = exb_t(unknown)(q, i, v);
    const exb_t(pattern_row) row = {&q->t, {exb_t(unknown)(q, 0, v), q->xl}, i};
    exb_t(question) unknown = {.form = EXB_OF_QUOTIENT};
    unknown.line = exb_t(line)(q->alpha, (exb_complex){0, 0});
    unknown.c = exb_t(load)(x);
    unknown.divisor = q->unit ? NULL : d;
    unknown.terms = exb_t(pattern_terms)(&row);
    unknown.method = q->method;
    if (sum && !exb_t(decide_known)(&unknown, sum->part, x))
        return true;
    exb_t(decide)(&unknown, sum && sum_is_best ? sum->part : NULL, x);
    return false;
}

void exb_t(solve_alone)(const exb_t(system) *q, exb_range rows, exb_range sides)
{
    for (int64_t i = rows.begin; i < rows.end; i++) {
        exb_t(divisor) d = exb_t(divisor_at)(q, i);
        for (int64_t v = sides.begin; v < sides.end; v++)
            exb_t(solve_unknown)(q, i, v, &d, NULL, false);
    }
}

/* Unknowns begin ... end - 1; of reals as the kernel takes them (exb_side_rows): coefficients and
 * divisors. */
typedef struct {
    const exb_t(system) *q;
    int64_t begin, end;
    bool has_kernel;
#if !EXB_IS_COMPLEX
    exb_real t[EXB_TRSM_BLOCK * (EXB_TRSM_BLOCK - 1) / 2];
    double divisor[EXB_TRSM_BLOCK], inverse[EXB_TRSM_BLOCK];
#endif
} block;

/* A group of sides: the block's unknowns so far, part by part, and the sums of a row. */
typedef struct {
    int64_t v0;
    int nv;
    exb_real *x;
    exb_real t[EXB_PARTS][EXB_PARTS * EXB_TRSM_BLOCK]; /* the row's coefficients */
    double peak[EXB_TRSM_GROUP];                       /* most |x|, with imaginary alpha |b|, too */
    double s[EXB_PARTS][EXB_ROWS], c[EXB_PARTS][EXB_ROWS], w[EXB_PARTS][EXB_ROWS];
} group;

/* --- rows by compensated sums ------------------------------------------------------ */

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
        exb_t_kernels()->sweep(EXB_OF_REALS, g->nv, n, g->x, EXB_TRSM_GROUP, g->t[k], g->s[k],
                               g->c[k], g->w[k]);
    return EXB_IS_S || n == 0 || least_product(g, n) >= EXB_PRODUCT_LEAST;
}

/* Where part k of what is kept of row i begins; -1 if nothing is. */
static int64_t kept_at(const block *b, int64_t i, const group *g, int k)
{
    const exb_kept_sums *kept = &b->q->kept;
    return b->begin > 0 && kept->h ? exb_kept_at(kept, i, k) + g->v0 : -1;
}

/* The products of row i with a side: those of the block, and those that were kept. */
static exb_t(value) sum_of(const block *b, int64_t i, const group *g, int v, bool exact_terms)
{
    const exb_kept_sums *kept = &b->q->kept;
    int64_t n = EXB_PARTS * (i - b->begin);
    exb_t(value) sum;
    for (int k = 0; k < EXB_PARTS; k++) {
        sum.part[k] = exb_compensated_enclosure(g->s[k][v], g->c[k][v], g->w[k][v], n, exact_terms);
        int64_t at = kept_at(b, i, g, k) + v;
        if (at >= v)
            sum.part[k] =
                exb_enclosure_add(sum.part[k], (exb_enclosure){kept->h[at], kept->l[at],
                                                               kept->e[at], kept->e[at] == 0});
    }
    return sum;
}

static void note_unknown(const block *b, int64_t i, group *g, int v)
{
    const exb_real *x = exb_t(unknown)(b->q, i, g->v0 + v);
    for (int k = 0; k < EXB_PARTS; k++)
        g->x[(EXB_PARTS * (i - b->begin) + k) * EXB_TRSM_GROUP + v] = x[k];
}

/* Open sides of row i one by one; returns how many of them its sums do not certify. */
static EXB_NOINLINE int solve_open(const block *b, int64_t i, group *g, uint64_t open)
{
    const exb_t(system) *q = b->q;
    bool filter = q->method->filter, exact_terms = false;
    int n_uncertified = 0;
    exb_t(divisor) d = exb_t(divisor_at)(q, i);
    if (filter) {
        load_coefficients(b, i, g);
        exact_terms = sum_row(b, i, g);
    }
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

/* --- rows by kernels --------------------------------------------------------------- */

static bool suits_kernels(const exb_t(system) *q)
{
    return fabs(q->alpha.re) <= DBL_MAX && fabs(q->alpha.im) <= DBL_MAX && q->method->filter &&
           (EXB_IS_S || exb_kernels_current()->has_fma);
}

static void note_peaks(int row, group *g)
{
    const exb_real *x = g->x + EXB_PARTS * row * EXB_TRSM_GROUP;
    for (int k = 0; k < EXB_PARTS && row >= 0; k++, x += EXB_TRSM_GROUP)
        exb_t_kernels()->column_peaks(g->nv, x, 1, g->peak);
}

#if EXB_IS_COMPLEX
static void prepare_block(block *b)
{
    (void)b; /* a kernel takes a row */
}

static exb_sides sides_of(const block *b, int64_t i, const group *g, int k)
{
    const exb_t(system) *q = b->q;
    int64_t at = kept_at(b, i, g, k), n_known = i - b->begin + (q->alpha.im != 0);
    exb_sides s = {.n_terms = (int)(EXB_PARTS * n_known), .unit = q->unit};
    s.ld = EXB_TRSM_GROUP;
    s.peak = g->peak;
    s.alpha = q->alpha.re;
    if (at >= 0) {
        s.h = q->kept.h + at;
        s.l = q->kept.l + at;
        s.e = q->kept.e + at;
    }
    return s;
}

/* The other part of alpha b are products with the right-hand side, which stands where the unknown
 * will: two terms more, of which one is 0. */
static void add_imaginary_alpha(const block *b, int row, group *g)
{
    exb_real im = (exb_real)b->q->alpha.im;
    const exb_real of_re[] = {0, im}, of_im[] = {-im, 0};
    memcpy(g->t[0] + EXB_PARTS * row, of_re, sizeof of_re);
    memcpy(g->t[1] + EXB_PARTS * row, of_im, sizeof of_im);
    note_peaks(row, g);
}

/* Returns the sides that stay open. */
static uint64_t solve_row(const block *b, int row, group *g)
{
    int64_t i = b->begin + row;
    exb_real *x = g->x + EXB_PARTS * row * EXB_TRSM_GROUP;
    exb_complex d = {1, 0};
    exb_complex_sides k = {.part = {sides_of(b, i, g, 0), sides_of(b, i, g, 1)}};
    if (!b->q->unit)
        d = exb_t(element_of)(&b->q->t, i, i);
    k.re = d.re;
    k.im = d.im;
    if (!exb_is_divided_by(d.re, d.im))
        return exb_first_bits(g->nv);
    load_coefficients(b, i, g);
    if (b->q->alpha.im != 0)
        add_imaginary_alpha(b, row, g);
    return exb_t_kernels()->solve_complex_sides(g->nv, &k, g->t[0], g->t[1], g->x, x,
                                                x + EXB_TRSM_GROUP);
}

/* Rows of the block from `begin` on, up to the first that leaves sides open, which is returned. */
static int solve_block_rows(const block *b, int begin, group *g, uint64_t *open)
{
    int row = begin;
    for (; row < b->end - b->begin; row++) {
        note_peaks(row - 1, g);
        *open = solve_row(b, row, g);
        if (*open)
            break;
    }
    return row;
}
#else
static bool is_divisor(double d)
{
    return fabs(d) >= EXB_DIVISOR_LEAST && fabs(d) <= EXB_DIVISOR_MOST;
}

static void prepare_block(block *b)
{
    const exb_t(system) *q = b->q;
    const exb_view *view = &q->t.pattern.piece[0].view; /* of full storage */
    const exb_real *row = q->t.p + exb_view_at(*view, b->begin, b->begin);
    exb_real *t = b->t;
    for (int64_t i = 0; b->has_kernel && i < b->end - b->begin; i++, row += view->rs) {
        const exb_real *from = row;
        for (int64_t j = 0; j < i; j++, from += view->cs)
            *t++ = *from;
        b->divisor[i] = q->unit ? 1 : *from;
        b->inverse[i] = 1 / b->divisor[i];
    }
}

/* The same; a divisor that is not for the kernel leaves all sides open. */
static int solve_block_rows(const block *b, int begin, group *g, uint64_t *open)
{
    const exb_t(system) *q = b->q;
    int n = (int)(b->end - b->begin);
    int64_t at = kept_at(b, b->begin, g, 0);
    exb_side_rows k = {.n = begin, .n_sides = g->nv, .unit = q->unit, .alpha = q->alpha.re};
    while (k.n < n && is_divisor(b->divisor[k.n]))
        k.n++;
    k.divisor = b->divisor;
    k.inverse = b->inverse;
    if (at >= 0) {
        k.h = q->kept.h + at;
        k.l = q->kept.l + at;
        k.e = q->kept.e + at;
        k.kept_ld = q->kept.ld;
    }
    k.peak = g->peak;
    int end = exb_t_kernels()->solve_sides(&k, begin, b->t, g->x, open);
    if (end < n && end == k.n) {
        *open = exb_first_bits(g->nv);
        note_peaks(end - 2, g); /* which the kernel does before a row that it sees */
    }
    return end;
}
#endif

/* Right-hand sides of the block to where unknowns go; a few at a time, each of which may lie in a
 * row. */
static void load_block(const block *b, group *g)
{
    enum { AT_ONCE = 8 };
    const exb_t(system) *q = b->q;
    for (int v = 0; v < g->nv; v += AT_ONCE) {
        const exb_real *from = exb_t(unknown)(q, b->begin, g->v0 + v);
        exb_real *to = g->x + v;
        int64_t at[AT_ONCE]; /* whole vectors, whose lanes are alike */
        for (int l = 0; l < AT_ONCE; l++)
            at[l] = EXB_PARTS * exb_least(l, g->nv - v - 1) * q->xv;
        for (int64_t i = b->begin; i < b->end; i++, from += EXB_PARTS * q->xl)
            for (int k = 0; k < EXB_PARTS; k++, to += EXB_TRSM_GROUP)
                for (int l = 0; l < AT_ONCE; l++)
                    to[l] = from[at[l] + k];
    }
}

/* Rows begin ... end - 1 of the block's unknowns to where they are kept, `wanted` sides of them. */
static void keep_unknowns(const block *b, int begin, int end, const group *g, uint64_t wanted)
{
    const exb_t(system) *q = b->q;
    const exb_real *known = g->x + EXB_PARTS * begin * EXB_TRSM_GROUP;
    for (; wanted; wanted &= wanted - 1) {
        int v = __builtin_ctzll(wanted);
        const exb_real *from = known + v;
        exb_real *x = exb_t(unknown)(q, b->begin + begin, g->v0 + v);
        for (int row = begin; row < end; row++, x += EXB_PARTS * q->xl)
            for (int k = 0; k < EXB_PARTS; k++, from += EXB_TRSM_GROUP)
                x[k] = *from;
    }
}

/* Returns how many unknowns the first filter that was asked did not certify. */
static int64_t solve_group_rows(const block *b, group *g)
{
    int64_t n_open = 0;
    int n = (int)(b->end - b->begin);
    for (int row = 0; !b->has_kernel && row < n; row++)
        n_open += solve_open(b, b->begin + row, g, exb_first_bits(g->nv));
    if (!b->has_kernel)
        return n_open;
    load_block(b, g);
    for (int begin = 0, end; begin < n; begin = end + 1) {
        uint64_t open = 0;
        end = solve_block_rows(b, begin, g, &open);
        keep_unknowns(b, begin, end, g, exb_first_bits(g->nv));
        if (end == n)
            break;
        keep_unknowns(b, end, end + 1, g, exb_first_bits(g->nv) & ~open);
        n_open += __builtin_popcountll(open);
        solve_open(b, b->begin + end, g, open);
    }
    return n_open;
}

/* With room for the unknowns. */
static void solve_in(const block *b, int64_t v0, exb_real *x)
{
    const exb_t(system) *q = b->q;
    group g;
    g.v0 = v0;
    g.nv = (int)exb_least(q->n_sides - v0, EXB_TRSM_GROUP);
    g.x = x;
    memset(g.peak, 0, sizeof g.peak);
    int64_t n_uncertified = solve_group_rows(b, &g);
    exb_stats_count(q->stats, (b->end - b->begin) * g.nv, n_uncertified);
}

enum { FEW = 10, UNKNOWN = EXB_PARTS * EXB_TRSM_GROUP /* numbers of all sides */ };

static EXB_NOINLINE void solve_few(const block *b, int64_t v0)
{
    exb_real x[FEW * UNKNOWN];
    solve_in(b, v0, x);
}

/* So many unknowns would take too much of a small stack. */
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
    else
        exb_t(solve_alone)(b->q, (exb_range){b->begin, b->end},
                           (exb_range){v0, exb_least(v0 + EXB_TRSM_GROUP, b->q->n_sides)});
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
    b.has_kernel = suits_kernels(q);
    prepare_block(&b);
    if (n_groups == 1)
        solve_group(&b, 0);
    else
        exb_parallel_for(exb_partition_count(work, n_groups), n_groups, solve_group, &b);
}
