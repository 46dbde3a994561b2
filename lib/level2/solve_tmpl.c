/* Substitution, x_i = RN((b_i - sum of t_ij x_j) / t_ii): the residual is exact, the
 * quotient is rounded once, the x_j are the rounded unknowns.
 *
 * Blocks of rows: what lies left of a block comes as enclosures from the panel kernels; inside
 * it the same for its halves, down to a few rows. Whole triangles of reals are copied when
 * EXB_SOLVE_ROWS rows are left, and a kernel solves them.
 * Types: s d c z. */
#include "level2/solve.h"

#include "core/memory.h"
#include "element/decide.h"
#include "level2/kernels/solve_rows.h"
#include "core/stats.h"

typedef struct {
    const exb_t(matrix) *a;
    bool unit;
    exb_real *x;
    int64_t incx;
    const exb_method *method;
    exb_call_stats *stats;
    exb_real *triangle; /* room for a copy of a block, if there is any */
} problem;

static exb_t(vector) known_unknowns(const problem *p)
{
    return (exb_t(vector)){p->x, p->incx};
}

/* Unknown i from all of its row's terms. */
static EXB_NOINLINE void finish_row(const problem *p, int64_t i)
{
    const exb_t(pattern_row) row = {p->a, known_unknowns(p), i};
    exb_real *x = p->x + EXB_PARTS * i * p->incx;
    exb_t(question) q = {.form = EXB_OF_QUOTIENT, .line = exb_t(line_of_sums)()};
    exb_t(divisor) d;
    if (!p->unit) {
        d = exb_t(divisor_of)(exb_t(element_of)(p->a, i, i));
        q.divisor = &d;
    }
    q.c = exb_t(load)(x);
    q.terms = exb_t(pattern_terms)(&row);
    q.method = p->method;
    if (exb_t(decide)(&q, NULL, x) == EXB_EXACTLY)
        exb_stats_count(p->stats, 0, 1);
}

static void finish_rows(const problem *p, int64_t first, int m)
{
    for (int i = 0; i < m; i++)
        finish_row(p, first + i);
}

/* Blocks of up to COPIED_ON_STACK reals in a column are copied to the stack, larger ones to memory.
 * Columns are no power of two apart: rows go to all sets of a cache. */
enum { COPIED_ON_STACK = 32, COPY_GAP = 8 };

/* Contiguous columns are read where they lie, unless there is a limit of bands. */
static bool is_in_place(const exb_pattern *t)
{
    const exb_piece *p = &t->piece[0];
    return p->view.rs == 1 && p->view.drs == 0 && p->view.dcs == 0 && p->below >= t->n_rows - 1 &&
           !p->conjugate;
}

static size_t copied_bytes(const exb_pattern *t, int64_t n)
{
    bool on_stack =
        EXB_PARTS * n <= COPIED_ON_STACK || is_in_place(t) || t->piece[0].below < t->n_rows - 1;
    return on_stack ? 0
                    : (EXB_SOLVE_ROWS + COPY_GAP) * EXB_SOLVE_ROWS / EXB_PARTS * sizeof(exb_real);
}

/* The strict lower triangle of m rows, in place or copied to t. */
static const exb_real *triangle_of(const exb_t(matrix) *a, int64_t first, int m, exb_real *t,
                                   int64_t *ld)
{
    exb_view v = exb_view_from(a->pattern.piece[0].view, first, first);
    int64_t below = a->pattern.piece[0].below;
    const exb_real *p = a->p + EXB_PARTS * v.origin;
    exb_real sign = a->pattern.piece[0].conjugate ? -1 : 1;
    if (is_in_place(&a->pattern)) {
        *ld = EXB_PARTS * v.cs;
        return p;
    }
    *ld = (EXB_PARTS * m <= COPIED_ON_STACK ? COPIED_ON_STACK : EXB_SOLVE_ROWS) + COPY_GAP;
    for (int64_t i = 1; i < m; i++) {
        int64_t begin = exb_most(0, i - below); /* of a band; beside it there are zeros */
        const exb_real *at = p + EXB_PARTS * (exb_progression(i, v.rs, v.drs) + begin * v.cs);
        exb_real *to = t + EXB_PARTS * i;
        for (int64_t j = 0; j < begin; j++, to += *ld)
            memset(to, 0, EXB_PARTS * sizeof *to);
        for (int64_t j = begin; j < i; j++, to += *ld) {
            to[0] = at[0];
            if (EXB_IS_COMPLEX)
                to[EXB_PARTS - 1] = sign * at[EXB_PARTS - 1];
            at += EXB_PARTS * (v.cs + j * v.dcs);
        }
    }
    return t;
}

/* False if a divisor is out of range. */
static bool copy_divisors(const problem *p, int64_t first, const exb_rows *k)
{
    bool in_range = true;
    for (int i = 0; i < k->n && (EXB_IS_COMPLEX || !k->unit); i++) {
        exb_complex d = {1, 0};
        if (!k->unit)
            d = exb_t(element_of)(p->a, first + i, first + i);
#if EXB_IS_COMPLEX
        k->divisor[2 * i] = k->divisor[2 * i + 1] = d.re;
        k->inverse[2 * i] = d.im;
        k->inverse[2 * i + 1] = -d.im;
        in_range = in_range && exb_is_divided_by(d.re, d.im);
#else
        k->divisor[i] = d.re;
        k->inverse[i] = 1 / d.re;
        in_range = in_range && fabs(d.re) >= EXB_DIVISOR_LEAST && fabs(d.re) <= EXB_DIVISOR_MOST;
#endif
    }
    return in_range;
}

static void start_rows(const problem *p, int64_t first, const exb_t(value) *v, const exb_rows *k)
{
    int n = EXB_PARTS * k->n;
    for (int i = 0; i < n; i++) {
        const exb_enclosure *left = &v[i / EXB_PARTS].part[i % EXB_PARTS];
        double error, b = p->x[exb_t(offset_of_part)(EXB_PARTS * first + i, p->incx)];
        k->s[i] = exb_two_sum(b, -left->h, &error);
        k->c[i] = error - left->l;
        k->w[i] = fabs(k->c[i]);
        k->e[i] = left->e;
    }
    for (int64_t i = n; i < exb_round_up(n, 8); i++) {
        k->s[i] = k->divisor[i] = k->inverse[i] = 1; /* nothing underflows, which takes its time */
        k->c[i] = k->w[i] = k->e[i] = 0;
    }
}

static EXB_NOINLINE void solve_rows(const void *ctx, int64_t first, int m, const exb_t(value) *v)
{
    const problem *p = ctx;
    double divisor[EXB_SOLVE_ROWS], inverse[EXB_SOLVE_ROWS], e[EXB_SOLVE_ROWS];
    double s[EXB_SOLVE_ROWS], c[EXB_SOLVE_ROWS], w[EXB_SOLVE_ROWS];
    exb_rows k = {m, p->unit, EXB_IS_COMPLEX, 0, NULL, divisor, inverse, e, s, c, w};
    exb_real few[(COPIED_ON_STACK + COPY_GAP) * COPIED_ON_STACK / EXB_PARTS];
    exb_real x[EXB_SOLVE_ROWS], *to = p->x + EXB_PARTS * first * p->incx;
    bool is_small = EXB_PARTS * m <= COPIED_ON_STACK;
    bool has_room = is_small || p->triangle || is_in_place(&p->a->pattern);
    if (!has_room || !copy_divisors(p, first, &k)) {
        finish_rows(p, first, m);
        return;
    }
    k.t = triangle_of(p->a, first, m, is_small ? few : p->triangle, &k.ld);
    start_rows(p, first, v, &k);
    for (int begin = 0, end; begin < m; begin = end + 1) {
        end = exb_t_kernels()->solve_rows(&k, begin, x);
        for (int64_t i = EXB_PARTS * begin; i < EXB_PARTS * end; i++)
            to[exb_t(offset_of_part)(i, p->incx)] = x[i];
        if (end == m)
            break;
        finish_row(p, first + end);
        memcpy(x + EXB_PARTS * end, to + EXB_PARTS * end * p->incx, EXB_PARTS * sizeof *x);
    }
}

/* Blocks of `height` rows, whose values go to v. */
static void solve_blocks(const problem *p, exb_range rows, int height, exb_t(value) *v)
{
    for (int64_t first = rows.begin; first < rows.end; first += height) {
        int m = (int)exb_least(rows.end - first, height);
        for (int i = 0; i < m; i++)
            v[i] = exb_t(value_zero)();
        if (p->method->filter)
            exb_t(filter_rows)(p->a, first, m, known_unknowns(p), v, solve_rows, p);
        else
            finish_rows(p, first, m);
    }
}

/* Long runs of columns, but long rows rather than many of them. Without memory less at a time. */
EXB_NOINLINE void exb_t(solve)(const exb_t(matrix) *a, bool unit, exb_range rows, exb_real *x,
                               int64_t incx)
{
    enum { ON_STACK = 128 / EXB_PARTS };
    const exb_view *t = &a->pattern.piece[0].view;
    problem p = {a, unit, x, incx, exb_method_current(), exb_stats_current_call(), NULL};
    int64_t most = exb_view_rows_are_contiguous(t) ? EXB_PANEL_ROWS : EXB_TALL_ROWS / 2,
            height = exb_least(most, rows.end - rows.begin);
    exb_t(value) few[ON_STACK];
    size_t copied = copied_bytes(&a->pattern, rows.end - rows.begin),
           bytes = height > ON_STACK ? (size_t)height * sizeof *few : 0;
    void *many = copied + bytes > 0 ? exb_memory_get(copied + bytes) : NULL;
    p.triangle = copied > 0 ? many : NULL;
    exb_t(value) *v = many && bytes > 0 ? (void *)((char *)many + copied) : few;
    solve_blocks(&p, rows, (int)(v == few ? exb_least(height, ON_STACK) : height), v);
    exb_memory_put(many);
}
