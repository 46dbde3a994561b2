/* Substitution, x_i = RN((b_i - sum of t_ij x_j) / t_ii): the residual is exact, the
 * quotient is rounded once, the x_j are the rounded unknowns.
 *
 * Blocks of rows: what lies left of a block comes as enclosures from the panel kernels; inside
 * it the same for its halves, down to a few rows.
 * Types: s d c z. */
#include "level2/solve.h"

#include "level2/quotient_parts.h"

typedef struct {
    const exb_t(matrix) *a;
    bool unit;
    exb_real *x;
    int64_t incx;
    const exb_method *method;
} problem;

static exb_t(vector) known_unknowns(const problem *p)
{
    return (exb_t(vector)){p->x, p->incx};
}

static void solve_exactly(const problem *p, int64_t i, const bool *done, exb_real *x)
{
    exb_t(exact) r;
    exb_t(exact_zero)(&r);
    exb_t(pattern_row_exact)(p->a, i, known_unknowns(p), p->method, &r);
    for (int k = 0; k < EXB_PARTS; k++) {
        exb_superacc_negate(&r.part[k].acc);
        exb_superacc_add(&r.part[k].acc, p->x[EXB_PARTS * i * p->incx + k]);
    }
    for (int k = 0; k < EXB_PARTS; k++)
        if (!done[k])
            x[k] = p->unit ? exb_round_superacc(&r.part[k].acc)
                           : exb_t(divide_exact)(k, &r, exb_t(element_of)(p->a, i, i));
}

/* Unknown i, given the enclosures of its row's products, or NULL. */
static void finish_row(const void *ctx, int64_t i, const exb_t(value) *sum)
{
    const problem *p = ctx;
    exb_real *xi = p->x + EXB_PARTS * i * p->incx, x[EXB_PARTS];
    bool done[EXB_PARTS] = {false}, all_done = false;
    if (sum) {
        exb_t(value) r;
        for (int k = 0; k < EXB_PARTS; k++)
            r.part[k] =
                exb_enclosure_add(exb_enclosure_exact(xi[k]), exb_enclosure_negated(sum->part[k]));
        if (!p->unit)
            r = exb_t(divide)(&r, exb_t(element_of)(p->a, i, i));
        all_done = true;
        for (int k = 0; k < EXB_PARTS; k++) {
            done[k] = exb_round_enclosure(r.part[k], &x[k]);
            all_done = all_done && done[k];
        }
    }
    if (!all_done)
        solve_exactly(p, i, done, x);
    memcpy(xi, x, sizeof x);
}

EXB_NOINLINE void exb_t(solve)(const exb_t(matrix) *a, bool unit, exb_real *x, int64_t incx)
{
    enum { HEIGHT = EXB_TALL_ROWS / 2 };
    const exb_view *t = &a->pattern.piece[0].view;
    problem p = {a, unit, x, incx, exb_method_current()};
    int64_t n = a->pattern.n_rows;
    exb_t(value) v[HEIGHT];
    /* Long runs of columns, but long rows rather than many of them. */
    int height = exb_view_rows_are_contiguous(t) ? EXB_PANEL_ROWS : HEIGHT;
    for (int64_t first = 0; first < n; first += height) {
        int m = (int)exb_least(n - first, height);
        for (int i = 0; i < m; i++) {
            v[i] = exb_t(value_zero)();
            if (!p.method->filter)
                finish_row(&p, first + i, NULL);
        }
        if (p.method->filter)
            exb_t(filter_rows)(a, first, m, known_unknowns(&p), v, finish_row, &p);
    }
}
