/* The rows of a small matrix against one anchor (anchor.h): the largest of some terms is a guess of
 * the largest of all. The kernels say what that was; if it is beyond the anchor, all is done again
 * with an anchor that fits. Terms far below the anchor make the bound coarse: such rows are left
 * uncertified.
 * Types: s d. */
#include "level2/few_rows.h"

#include "core/arith/anchor.h"

enum {
    N_SAMPLES = 4,
    ROOM = 3,     /* bits above the largest sample */
    FINISHED = 64 /* rows that the finish kernel takes */
};

/* Matrix and vector as the kernels read them, and the rows' sums h - anchor + l +- bound. */
typedef struct {
    const exb_real *a, *x;
    int64_t m, n, rs, cs;
    double h[EXB_FEW_ROWS], l[EXB_FEW_ROWS], peak[EXB_FEW_ROWS], anchor, bound;
} rows;

/* --- matrices whose columns are contiguous ---------------------------------- */

static double largest_of(const double *x, int64_t n)
{
    return exb_from_bits((uint64_t)exb_kernels_current()->d.peak(1, n, x));
}

static double sample_columns(rows *q)
{
    int64_t step = exb_most(q->n / N_SAMPLES, 1);
    memset(q->peak, 0, (size_t)exb_round_up(q->m, 8) * sizeof *q->peak);
    for (int64_t k = step / 2; k < q->n; k += step)
        exb_t_kernels()->column_peaks(q->m, q->a + k * q->cs, q->x[k], q->peak);
    return largest_of(q->peak, q->m);
}

/* Against 2^g; returns the largest term. */
static double sweep_columns(rows *q, int g)
{
    q->anchor = exb_anchor_sigma(g);
    q->bound = exb_anchor_bound(exb_anchor_unit(g), q->n, q->n);
    for (int64_t i = 0; i < exb_round_up(q->m, 8); i++) {
        q->h[i] = q->anchor;
        q->l[i] = q->peak[i] = 0;
    }
    exb_t_kernels()->anchored_sweep(q->m, q->n, q->a, q->cs, q->x, q->h, q->l, q->peak);
    return largest_of(q->peak, q->m);
}

/* --- and whose rows are ------------------------------------------------------ */

static double sample_rows(rows *q)
{
    double most = 0;
    for (int64_t i = 0; i < q->m; i += q->m - 1) /* the first and the last */
        most = fmax(most, exb_t_kernels()->largest(EXB_TERM_XY, q->n, q->a + i * q->rs, q->x));
    return most;
}

static double sweep_rows(rows *q, int g)
{
    exb_anchored group[EXB_ROW_GROUP];
    double most = 0, unit = exb_anchor_unit(g);
    q->anchor = 0;
    for (int64_t i = 0; i < q->m; i += EXB_ROW_GROUP) {
        int64_t first = exb_least(i, q->m - EXB_ROW_GROUP);
        exb_t_kernels()->anchored_rows(q->n, q->a + first * q->rs, q->rs, q->x, exb_anchor_sigma(g),
                                       group);
        for (int r = 0; r < EXB_ROW_GROUP; r++) {
            q->h[first + r] = group[r].sum; /* not finite if a term is not */
            q->l[first + r] = group[r].c;
            most = group[r].m > most ? group[r].m : most;
        }
        q->bound = exb_anchor_bound(unit, q->n, group[0].n_lane);
    }
    for (int64_t i = q->m; i % 8 != 0; i++)
        q->h[i] = q->l[i] = 0;
    return most;
}

/* --- both -------------------------------------------------------------------- */

static bool sum_rows(rows *q)
{
    bool by_columns = q->rs == 1;
    double most = by_columns ? sample_columns(q) : sample_rows(q);
    int g = exb_anchor_exponent(most) + ROOM;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (g > EXB_ANCHOR_MAX_G)
            return false;
        most = by_columns ? sweep_columns(q, g) : sweep_rows(q, g);
        if (most <= exb_pow2(g))
            return true;
        g = exb_anchor_exponent(most) + 1;
    }
    return false;
}

/* Rounds to r; returns how many rows are not certified. */
static int round_rows(const rows *q, double alpha, double beta, const exb_real *y, int64_t incy,
                      exb_real *r, uint64_t *uncertified)
{
    static const double no_bounds[FINISHED];
    double old[FINISHED];
    int count = 0;
    for (int64_t i = 0; i < q->m; i += FINISHED) {
        int n = (int)exb_least(q->m - i, FINISHED);
        exb_column k = {.h = q->h + i, .l = q->l + i, .row_bound = no_bounds};
        k.anchor = q->anchor;
        k.col_bound = q->bound;
        k.alpha = alpha;
        k.beta = beta;
        k.c = old;
        for (int v = 0; v < exb_round_up(n, 8) && beta != 0; v++)
            old[v] = v < n ? (double)y[(i + v) * incy] : 0;
        exb_real rounded[FINISHED];
        uncertified[i / 64] = exb_kernels_current()->EXB_PART.finish(n, &k, rounded);
        memcpy(r + i, rounded, (size_t)n * sizeof *r);
        count += __builtin_popcountll(uncertified[i / 64]);
    }
    return count;
}

static bool is_suitable(const exb_t(matrix) *a, double alpha, double beta)
{
    const exb_pattern *t = &a->pattern;
    const exb_view *v = &t->piece[0].view;
    const exb_method *method = exb_method_current();
    return exb_pattern_is_general(t) && t->n_rows >= EXB_ROW_GROUP && t->n_rows <= EXB_FEW_ROWS &&
           t->n_rows * t->n_cols <= EXB_FEW_ELEMENTS && t->n_cols <= 1 << EXB_ANCHOR_NU &&
           t->n_cols > 0 && v->drs == 0 && v->dcs == 0 && (v->rs == 1 || v->cs == 1) &&
           method->filter && method->engine == EXB_ENGINE_ANY &&
           (EXB_IS_S || exb_kernels_current()->has_fma) && fabs(alpha) <= DBL_MAX &&
           fabs(beta) <= DBL_MAX;
}

EXB_NOINLINE int exb_t(multiply_few_rows)(const exb_t(matrix) *a, double alpha, exb_t(vector) x,
                                          double beta, const exb_real *y, int64_t incy,
                                          exb_real r[EXB_FEW_ROWS],
                                          uint64_t uncertified[EXB_FEW_WORDS])
{
    exb_real buffer[1 << EXB_ANCHOR_NU];
    rows q;
    if (!is_suitable(a, alpha, beta))
        return -1;
    const exb_view *v = &a->pattern.piece[0].view;
    q.m = a->pattern.n_rows;
    q.n = a->pattern.n_cols;
    q.a = a->p + v->origin;
    q.rs = v->rs;
    q.cs = v->cs;
    q.x = exb_t(contiguous)(x.p, x.inc, 0, q.n, buffer);
    if (!sum_rows(&q))
        return -1;
    int count = round_rows(&q, alpha, beta, y, incy, r, uncertified);
    return count * 8 > q.m + 16 ? -1 : count;
}
