/* The rows of a small matrix against one anchor (anchor.h): the largest of some terms is a guess of
 * the largest of all. The kernels say what that was; if it is beyond the anchor, all is done again
 * with an anchor that fits. Terms far below the anchor make the bound coarse: such rows are left
 * uncertified. The parts of a complex matrix are rows of twice as many terms (panel.h).
 * Types: s d c z. */
#include "level2/few_rows.h"

#include "element/anchored.h"
#include "element/decide.h"
#include "level2/kernels/triangle.h"

enum { N_SAMPLES = 4 };

/* Matrix and vector as the kernels read them, and the rows' sums h - anchor + l +- bound. `of` is
 * the triangle of a matrix that has one, with lines of stride 1. m counts reals, as do strides;
 * x[k] is for part k of rows that are contiguous, x[0] for columns. */
typedef struct {
    const exb_t(matrix) *matrix;
    exb_t(vector) vector;
    const exb_real *a, *x[EXB_PARTS];
    int64_t m, n, rs, cs;
    bool conjugate, by_columns, is_triangle;
    exb_triangle of;
    double x_peak; /* of a triangle: the largest |x_j| */
    double *h, *l, anchor, bound;
    double *errors; /* a bound for each row, or NULL */
} rows;

/* No term is larger than what this returns, given the largest element times the x_j with it, as
 * computed: a product that underflows is below 2^g in any case. A signalling NaN among the elements
 * makes some processors' maximum forget those before it, which may be of rows that it is not in
 * itself; in its own it makes a correction NaN. */
static double bound_of_terms(const rows *q, double most)
{
    uint64_t carries = 0; /* of exponents that are those of Inf and NaN */
    for (int64_t i = 0; i < q->m; i++)
        carries |= (exb_bits(q->l[i]) << 1 >> 1) + ((uint64_t)1 << 52);
    return carries >> 63 == 0 ? most * (1 + 0x1p-51) : (double)INFINITY;
}

/* --- matrices whose columns are contiguous ---------------------------------- */

/* `most`, or the largest term of column k if that is more. */
static double with_column(const rows *q, int64_t k, double most)
{
    double peak = exb_from_bits((uint64_t)exb_t_kernels()->peak(1, q->m, q->a + k * q->cs));
    for (int part = 0; part < EXB_PARTS; part++) {
        double term = peak * fabs((double)q->x[0][EXB_PARTS * k + part]);
        most = term > most ? term : most;
    }
    return most;
}

static double sample_columns(const rows *q)
{
    int64_t step = exb_most(q->n / N_SAMPLES, 1), k = q->n;
    double most = 0;
    if (q->n >= 8 * N_SAMPLES) /* fewer columns are sooner summed up again */
        k = exb_p(place_of_largest)(EXB_PARTS * q->n, q->x[0]) / EXB_PARTS;
    if (k < q->n)
        most = with_column(q, k, most);
    for (k = step / 2; k < q->n; k += step)
        most = with_column(q, k, most);
    return most;
}

/* Against 2^g; returns the largest term. */
static double sweep_columns(rows *q, int g)
{
    q->anchor = exb_anchor_sigma(g);
    q->bound = exb_anchor_bound(exb_anchor_unit(g), EXB_PARTS * q->n, EXB_PARTS * q->n);
    for (int64_t i = 0; i < exb_round_up(q->m, 8); i++) {
        q->h[i] = q->anchor;
        q->l[i] = 0;
    }
    double most = exb_t_kernels()->anchored_sweep(exb_t(numbers)(q->conjugate), q->m, q->n, q->a,
                                                  q->cs, q->x[0], q->h, q->l, NULL);
    return bound_of_terms(q, most);
}

/* --- and whose rows are ------------------------------------------------------ */

/* Of the first and the last row, and two in between of many; Inf, which fits no anchor, if one
 * would not do for all of these. */
static double sample_rows(rows *q)
{
    enum { MANY = 128 };
    const double spread = 0x1p12;
    double most = 0, least = DBL_MAX;
    int64_t last = q->m / EXB_PARTS - 1, n_steps = last < MANY ? 1 : 3;
    for (int64_t i = 0; i <= n_steps; i++) {
        const exb_real *a = q->a + i * last / n_steps * q->rs;
        double row = 0;
        for (int k = 0; k < EXB_PARTS; k++) {
            double term = exb_t_kernels()->largest(EXB_TERM_XY, EXB_PARTS * q->n, a, q->x[k]);
            row = term > row ? term : row;
        }
        most = row > most ? row : most;
        least = row > 0 && row < least ? row : least;
    }
    return most > spread * least ? (double)INFINITY : most;
}

static double sweep_rows(rows *q, int g)
{
    int64_t n = EXB_PARTS * q->n, n_lane;
    double most = exb_t_kernels()->anchored_rows(
        q->m, n, q->a, q->rs, 0, q->x[0], EXB_IS_COMPLEX ? q->x[EXB_PARTS - 1] : NULL,
        exb_anchor_sigma(g), q->h, q->l, &n_lane); /* not finite if a term is not */
    q->anchor = 0;
    q->bound = exb_anchor_bound(exb_anchor_unit(g), n, n_lane);
    for (int64_t i = q->m; i % 8 != 0; i++)
        q->h[i] = q->l[i] = 0;
    return most;
}

/* --- floats ------------------------------------------------------------------- */

/* Floats are added up plainly. Each row's bound, which is 0 where all products are 0, takes the
 * place of its largest sum. */
#if EXB_IS_S
static bool sum_plainly(rows *q)
{
    if (q->is_triangle)
        return false;
    int64_t m = exb_round_up(q->m, 8);
    q->errors = q->l + m;
    memset(q->h, 0, (size_t)(3 * m) * sizeof *q->h);
    if (q->by_columns)
        exb_t_kernels()->plain_sweep(exb_t(numbers)(q->conjugate), q->m, q->n, q->a, q->cs, q->x[0],
                                     q->h, q->errors);
    else
        exb_t_kernels()->plain_rows(EXB_OF_REALS, q->m, EXB_PARTS * q->n, q->a, q->rs, 0, q->x[0],
                                    EXB_IS_COMPLEX ? q->x[EXB_PARTS - 1] : NULL, q->h, q->errors);
    for (int64_t i = 0; q->by_columns && i < m; i++)
        q->errors[i] = exb_plain_enclosure(q->h[i], q->errors[i], EXB_PARTS * q->n).e;
    q->anchor = 0;
    return true;
}
#else
static bool sum_plainly(rows *q)
{
    (void)q; /* products of doubles are not doubles */
    return false;
}
#endif

/* --- triangles ---------------------------------------------------------------- */

/* The largest |x_j| times the largest element of some lines. */
static double sample_triangle(rows *q)
{
    const exb_triangle *t = &q->of;
    int64_t step = exb_most(t->n / N_SAMPLES, 1), key = 0;
    for (int64_t k = step / 2; k < t->n; k += step) {
        int own = t->diagonal != EXB_DIAGONAL_NONE;
        int64_t begin = t->is_upper ? 0 : k + own, end = t->is_upper ? k + !own : t->n;
        key = exb_most(key,
                       exb_t_kernels()->peak(1, EXB_PARTS * (end - begin),
                                             q->a + exb_triangle_column(t, k) + EXB_PARTS * begin));
    }
    q->x_peak = exb_from_bits((uint64_t)exb_t_kernels()->peak(1, q->m, q->x[0]));
    return exb_from_bits((uint64_t)key) * q->x_peak;
}

static double sweep_triangle(rows *q, int g)
{
    q->anchor = exb_anchor_sigma(g);
    q->bound = exb_anchor_bound(exb_anchor_unit(g), q->m, q->m);
    double most = exb_t_kernels()->anchored_triangle(&q->of, q->a, q->x[0], q->anchor, q->h, q->l);
    return bound_of_terms(q, most * q->x_peak);
}

/* --- all ---------------------------------------------------------------------- */

static double sample_terms(rows *q)
{
    return q->is_triangle ? sample_triangle(q) : q->by_columns ? sample_columns(q) : sample_rows(q);
}

static double sweep_all(void *of, int g)
{
    rows *q = of;
    return q->is_triangle  ? sweep_triangle(q, g)
           : q->by_columns ? sweep_columns(q, g)
                           : sweep_rows(q, g);
}

static bool sum_rows(rows *q)
{
    if (sum_plainly(q))
        return true;
    int g = exb_anchor_guess(sample_terms(q));
    return exb_anchor_fit(&g, EXB_ANCHOR_ANY, sweep_all, q);
}

/* Part k of a product of *p and x. */
static bool is_zero_product(int k, const exb_real *p, exb_complex x)
{
    return (p[k] == 0 || x.re == 0) && (p[EXB_PARTS - 1 - k] == 0 || x.im == 0);
}

/* Part k of row i has no product that is not 0. */
static bool is_zero_row(const exb_t(matrix) *a, exb_t(vector) x, int64_t i, int k)
{
    const exb_pattern *t = &a->pattern;
    for (const exb_piece *p = t->piece; p < t->piece + t->n_pieces; p++) {
        exb_range r = exb_piece_columns(p, t->n_cols, i);
        const exb_view row = exb_view_from(p->view, i, r.begin);
        const exb_real *e = a->p + EXB_PARTS * row.origin;
        for (int64_t j = 0; j < r.end - r.begin; e += EXB_PARTS * (row.cs + j++ * row.dcs))
            if (!is_zero_product(k, e, exb_t(load)(exb_t(element)(x, r.begin + j))))
                return false;
    }
    if (t->diagonal == EXB_DIAGONAL_NONE)
        return true;
    const exb_real d[2] = {exb_t(diagonal_of)(a, i), 0};
    return is_zero_product(k, d, exb_t(load)(exb_t(element)(x, i)));
}

static void add_magnitudes(int m, const exb_real *a, exb_real *sum)
{
    for (int i = 0; i < m; i++)
        sum[i] += a[i] < 0 ? -a[i] : a[i];
}

/* Of many rows at once, whose columns are contiguous; in between those go that are none. */
static uint64_t find_zero_rows(const exb_t(matrix) *a, exb_t(vector) x, int64_t first, int m,
                               uint64_t rows)
{
    enum { AT_ONCE = 32 };
    exb_real of_re[EXB_DECIDED] = {0}, of_im[EXB_DECIDED] = {0};
    for (int64_t j = 0; j < a->pattern.n_cols && rows != 0; j++) {
        const exb_real *p = a->p + EXB_PARTS * exb_view_at(a->pattern.piece[0].view, first, j);
        exb_complex xj = exb_t(load)(exb_t(element)(x, j));
        if (xj.re != 0)
            add_magnitudes(m, p, of_re);
        if (xj.im != 0)
            add_magnitudes(m, p, of_im);
        for (int i = 0; (j % AT_ONCE == AT_ONCE - 1 || j + 1 == a->pattern.n_cols) && i < m; i++)
            if (!(of_re[i] == 0 && of_im[i ^ (EXB_PARTS - 1)] == 0))
                rows &= ~((uint64_t)1 << i);
    }
    return rows;
}

uint64_t exb_t(zero_rows)(const exb_t(matrix) *a, exb_t(vector) x, int64_t first, int m,
                          uint64_t rows)
{
    enum { MANY = 16 };
    const exb_view *v = &a->pattern.piece[0].view;
    uint64_t zero = 0;
    if (exb_pattern_is_general(&a->pattern) && v->rs == 1 && v->drs == 0 && v->dcs == 0 &&
        __builtin_popcountll(rows) >= MANY)
        return find_zero_rows(a, x, first, EXB_PARTS * m, rows);
    for (; rows; rows &= rows - 1) {
        int i = __builtin_ctzll(rows);
        if (is_zero_row(a, x, first + i / EXB_PARTS, i % EXB_PARTS))
            zero |= rows & -rows;
    }
    return zero;
}

/* The rows of those in `open` that seem to be zeros and are, to whose bounds e then is added. */
static bool know_zeros(const rows *q, exb_column *k, int64_t i, int n, uint64_t open, double *e)
{
    uint64_t seem = 0;
    for (int v = 0; v < n; v++)
        seem |= (uint64_t)(k->h[v] == q->anchor && k->l[v] == 0) << v;
    uint64_t zero =
        exb_t(zero_rows)(q->matrix, q->vector, i / EXB_PARTS, n / EXB_PARTS, seem & open);
    for (int v = 0; v < exb_round_up(n, 8); v++)
        e[v] = v < n && zero >> v & 1 ? 0 : k->e ? k->e[v] : q->bound;
    k->e = e;
    return zero != 0;
}

/* Rounds to r; returns how many parts of rows are not certified. */
static int round_rows(const rows *q, const exb_line *line, exb_t(vector) y, exb_real *r,
                      uint64_t *uncertified)
{
    double old[EXB_DECIDED], e[EXB_DECIDED];
    int count = 0;
    for (int64_t i = 0; i < q->m; i += EXB_DECIDED) {
        int n = (int)exb_least(q->m - i, EXB_DECIDED);
        exb_column k = {.h = q->h + i, .l = q->l + i};
        k.e = q->errors ? q->errors + i : NULL;
        k.anchor = q->anchor;
        k.col_bound = q->bound;
        if (!exb_is_zero(line->beta)) {
            const exb_real *c = exb_t(side_by_side)(y, i / EXB_PARTS, n / EXB_PARTS, r + i);
            for (int v = 0; v < exb_round_up(n, 8); v++)
                old[v] = v < n ? (double)c[v] : 0;
        }
        uint64_t open = exb_t(decide_column)(line, n, &k, old, r + i);
        if (open && know_zeros(q, &k, i, n, open, e))
            open = exb_t(decide_column)(line, n, &k, old, r + i);
        uncertified[i / 64] = exb_t(whole_elements)(open);
        count += __builtin_popcountll(uncertified[i / 64]);
    }
    return count;
}

bool exb_t(suits_few_rows)(void)
{
    const exb_method *method = exb_method_current();
    return method->filter && method->engine == EXB_ENGINE_ANY &&
           (EXB_IS_S || exb_kernels_current()->has_fma);
}

static bool is_few_rows(const exb_pattern *t)
{
    const int64_t most_columns = (1 << EXB_ANCHOR_NU) / (t->piece[0].view.rs == 1 ? 1 : EXB_PARTS);
    return exb_pattern_is_general(t) && t->n_rows >= EXB_ROW_GROUP &&
           EXB_PARTS * t->n_rows <= EXB_TRIANGLE_ROWS && EXB_PARTS * t->n_cols <= most_columns &&
           t->n_cols > 0;
}

_Static_assert(EXB_TRIANGLE_ROWS <= 1 << EXB_ANCHOR_NU, "a row is a lane");

/* A triangle, a symmetric or a Hermitian matrix without a limit of bands. Several threads share
 * large ones. */
static bool is_whole_triangle(const exb_pattern *t)
{
    const exb_piece *p = &t->piece[0];
    int64_t n = t->n_rows, edge = t->diagonal == EXB_DIAGONAL_NONE ? 0 : -1;
    bool is_lower = p->below >= n - 1 && p->above == edge,
         is_upper = p->above >= n - 1 && p->below == edge && t->n_pieces == 1;
    return n > 1 && EXB_PARTS * n <= EXB_TRIANGLE_ROWS && n == t->n_cols &&
           (is_lower || is_upper) &&
           (n <= EXB_FEW_SHARED ||
            exb_partition_count(EXB_PARTS * EXB_PARTS * (double)n * (double)n, 2) == 1);
}

static exb_triangle triangle_of(const exb_pattern *t)
{
    const exb_view *v = &t->piece[0].view;
    const exb_piece *last = &t->piece[t->n_pieces - 1];
    bool is_symmetric = t->n_pieces == 2, by_rows = v->rs == 1 && v->drs == 0;
    return (exb_triangle){.n = t->n_rows,
                          .lda = EXB_PARTS * (by_rows ? v->cs : v->rs),
                          .growth = EXB_PARTS * (by_rows ? v->dcs : v->drs),
                          .parts = EXB_PARTS,
                          .diagonal = t->diagonal,
                          .is_upper = exb_pattern_is_lower(t) != by_rows,
                          .by_rows = is_symmetric || by_rows,
                          .by_columns = is_symmetric || !by_rows,
                          .conjugate_rows = by_rows ? t->piece[0].conjugate : last->conjugate,
                          .conjugate_columns = by_rows ? last->conjugate : t->piece[0].conjugate};
}

/* The pattern as one of those that are done here, or false. */
static bool describe(const exb_t(matrix) *a, rows *q)
{
    const exb_pattern *t = &a->pattern;
    const exb_view *v = &t->piece[0].view;
    if ((v->rs != 1 || v->drs != 0) && (v->cs != 1 || v->dcs != 0))
        return false;
    q->is_triangle = is_whole_triangle(t);
    if (!q->is_triangle && (v->drs != 0 || v->dcs != 0 || !is_few_rows(t)))
        return false;
    q->errors = NULL;
    if (q->is_triangle)
        q->of = triangle_of(t);
    q->conjugate = t->piece[0].conjugate;
    q->by_columns = v->rs == 1;
    q->m = EXB_PARTS * t->n_rows;
    q->n = t->n_cols;
    q->a = a->p + EXB_PARTS * v->origin;
    q->rs = EXB_PARTS * v->rs;
    q->cs = EXB_PARTS * v->cs;
    return true;
}

/* buffer: for 2^NU reals. */
static void read_vector(rows *q, exb_t(vector) x, exb_real *buffer)
{
    q->x[0] = exb_t(side_by_side)(x, 0, q->n, buffer);
    for (int k = 0; EXB_IS_COMPLEX && !q->is_triangle && !q->by_columns && k < EXB_PARTS; k++) {
        exb_real *of_part = buffer + k * EXB_PARTS * q->n;
        exb_t(prepare_vector)(x, 0, q->n, q->conjugate, k, of_part);
        q->x[k] = of_part;
    }
}

EXB_NOINLINE int exb_t(multiply_few_rows)(const exb_t(matrix) *a, const exb_line *line,
                                          exb_t(vector) x, const exb_real *y, int64_t incy,
                                          double *room, exb_real *r,
                                          uint64_t uncertified[EXB_FEW_WORDS])
{
    exb_real buffer[1 << EXB_ANCHOR_NU];
    rows q;
    q.bound = 0; /* of floats each row has its own */
    q.matrix = a;
    q.vector = x;
    if (!exb_t(suits_few_rows)() || !describe(a, &q))
        return -1;
    q.h = room;
    q.l = q.h + exb_round_up(q.m, 8);
    read_vector(&q, x, buffer);
    if (!sum_rows(&q))
        return -1;
    int count = round_rows(&q, line, (exb_t(vector)){y, incy}, r, uncertified);
    return count * 8 > q.m + 64 ? -1 : count;
}
