/* Patterns times vectors: filter, certify, exact for blocks of rows. */
#include "level2/vector_product.h"

#include "core/thread.h"

static exb_t(panel)
    panel_from(const exb_t(coefficients) * a, const exb_piece *p, int64_t i, int64_t j)
{
    return (exb_t(panel)){a->p, exb_view_from(p->view, i, j), p->conjugate};
}

/* Columns of a piece in rows first ... first + m - 1, from `outer` on both sides outward, where
 * the sums hold outer already. */
static void widen(const exb_t(coefficients) * a, const exb_piece *p, int64_t first, int m,
                  exb_range outer, exb_range common, exb_t(vector) x, exb_t(value) * v)
{
    exb_range side[2] = {{common.begin, exb_least(outer.begin, common.end)},
                         {outer.end, common.end}};
    for (int k = 0; k < 2; k++) {
        if (side[k].begin >= side[k].end)
            continue;
        exb_t(panel) panel = panel_from(a, p, first, side[k].begin);
        exb_t(panel_filter)(m, side[k].end - side[k].begin, &panel,
                            exb_t(vector_from)(x, side[k].begin), v);
    }
}

static void filter_columns(const exb_t(coefficients) * a, const exb_piece *p, int64_t i,
                           int64_t begin, int64_t end, exb_t(vector) x, exb_t(value) * out)
{
    if (begin >= end)
        return;
    exb_t(panel) row = panel_from(a, p, i, begin);
    exb_t(row_filter)(end - begin, &row, exb_t(vector_from)(x, begin), out);
}

/* An element of the diagonal's part in row i: x_i, or a number times x_i. */
static double diagonal_factor(const exb_t(coefficients) * a, int64_t i)
{
    const exb_pattern *t = &a->pattern;
    if (t->diagonal == EXB_DIAGONAL_ONES)
        return 1;
    return a->p[EXB_PARTS * exb_view_at(t->diagonal_view, i, i)];
}

static void diagonal_filter(const exb_t(coefficients) * a, int64_t i, exb_t(vector) x,
                            exb_t(value) * out)
{
    double factor = diagonal_factor(a, i);
    for (int k = 0; k < EXB_PARTS; k++) {
        exb_enclosure v = exb_enclosure_exact(exb_t(element)(x, i)[k]);
        out->part[k] = exb_enclosure_add(out->part[k], exb_enclosure_affine(factor, v, 0, 0));
    }
}

static void filter_rest(const exb_t(coefficients) * a, int64_t i, const exb_range *done,
                        exb_t(vector) x, exb_t(value) * v)
{
    const exb_pattern *t = &a->pattern;
    for (int k = 0; k < t->n_pieces; k++) {
        exb_range row = exb_piece_columns(&t->piece[k], t->n_cols, i);
        filter_columns(a, &t->piece[k], i, row.begin, exb_least(done[k].begin, row.end), x, v);
        filter_columns(a, &t->piece[k], i, done[k].end, row.end, x, v);
    }
    if (t->diagonal != EXB_DIAGONAL_NONE)
        diagonal_filter(a, i, x, v);
}

/* A row that is contiguous is best read in one piece, alone unless the block is large or its
 * rows are complete. */
static bool is_worthwhile(const exb_piece *p, const exb_pattern *t, int64_t first, int m)
{
    return m >= EXB_PANEL_ROWS || !exb_view_rows_are_contiguous(&p->view) ||
           exb_piece_columns(p, t->n_cols, first).end ==
               exb_piece_columns(p, t->n_cols, first + m - 1).end;
}

/* All rows have the same columns, which the sums hold, and no diagonal beside them. */
static bool is_complete(const exb_pattern *t, int64_t first, int m, const exb_range *done)
{
    bool complete = t->diagonal == EXB_DIAGONAL_NONE;
    for (int k = 0; k < t->n_pieces; k++) {
        exb_range top = exb_piece_columns(&t->piece[k], t->n_cols, first);
        exb_range bottom = exb_piece_columns(&t->piece[k], t->n_cols, first + m - 1);
        complete = complete && top.begin == done[k].begin && bottom.begin == done[k].begin &&
                   top.end == done[k].end && bottom.end == done[k].end;
    }
    return complete;
}

/* A symmetric or Hermitian matrix without a limit of bands. */
static bool is_mirrored(const exb_pattern *t)
{
    return t->n_pieces == 2 && t->piece[0].below >= t->n_rows - 1;
}

/* Elements 0 ... n - 1 of a row below the diagonal, `step` and what it grows by apart, to both of
 * their places in a matrix of m rows: a row and a column. */
static void put_both(const exb_pattern *t, int64_t n, const exb_real *p, int64_t step,
                     int64_t growth, int64_t m, exb_real *row, exb_real *column)
{
    const exb_real sign[2] = {t->piece[0].conjugate ? -1 : 1, t->piece[1].conjugate ? -1 : 1};
    for (int64_t j = 0; j < n; j++) {
        exb_real *to[2] = {row + EXB_PARTS * m * j, column + EXB_PARTS * j};
        for (int k = 0; k < 2; k++) {
            to[k][0] = p[0];
            if (EXB_IS_COMPLEX)
                to[k][EXB_PARTS - 1] = sign[k] * p[EXB_PARTS - 1];
        }
        p += EXB_PARTS * (step + j * growth);
    }
}

/* Rows first ... first + m - 1 of the diagonal block of a mirrored matrix: it is written out in
 * full, so that its rows are not pieced together each by itself. The imaginary parts of a Hermitian
 * diagonal are zeros then; where these meet Inf nothing is decided, and the exact way has no
 * such terms. */
static EXB_NOINLINE void filter_mirrored_block(const exb_t(coefficients) * a, int64_t first, int m,
                                               exb_t(vector) x, exb_t(value) * v)
{
    const exb_pattern *t = &a->pattern;
    exb_real full[EXB_PARTS * EXB_PANEL_ROWS * EXB_PANEL_ROWS];
    for (int64_t i = 0; i < m; i++) {
        exb_view w = exb_view_from(t->piece[0].view, first + i, first);
        const exb_real *p = a->p + EXB_PARTS * w.origin;
        exb_real *row = full + EXB_PARTS * i, *column = full + EXB_PARTS * i * m;
        put_both(t, i + 1 + t->piece[0].above, p, w.cs, w.dcs, m, row, column);
        if (t->diagonal == EXB_DIAGONAL_REAL) {
            const exb_real real[2] = {(exb_real)diagonal_factor(a, first + i), 0};
            memcpy(row + EXB_PARTS * i * m, real, EXB_PARTS * sizeof *real);
        }
    }
    exb_t(panel) panel = {full, exb_view_full(false, m), false};
    exb_t(panel_filter)(m, m, &panel, exb_t(vector_from)(x, first), v);
}

/* Rows of a block, which is halved until little of its rows is left beside the columns that
 * all of them have: outer[k] are the columns of piece k that the sums hold already. Of a mirrored
 * matrix, unless rows are called for one by one, these never reach into the diagonal block. */
static void descend(const exb_t(coefficients) * a, int64_t first, int m, const exb_range *outer,
                    exb_t(vector) x, exb_t(value) * v, exb_t(row_action) * row, const void *ctx)
{
    enum { LEAF = 8 };
    const exb_pattern *t = &a->pattern;
    bool in_blocks = !row && is_mirrored(t);
    exb_range common[2];
    for (int k = 0; k < t->n_pieces; k++) {
        common[k] = exb_piece_common(&t->piece[k], t->n_cols, first, m);
        if (in_blocks && k == 0)
            common[k].end = first;
        if (common[k].begin >= common[k].end ||
            (!in_blocks && !is_worthwhile(&t->piece[k], t, first, m)))
            common[k] = outer[k];
        if (common[k].begin >= common[k].end) /* nothing yet: rows begin where they begin */
            common[k] = (exb_range){INT64_MAX, INT64_MAX};
        else
            widen(a, &t->piece[k], first, m, outer[k], common[k], x, v);
    }
    if (in_blocks && m <= EXB_PANEL_ROWS) {
        filter_mirrored_block(a, first, m, x, v);
        return;
    }
    if (!row && is_complete(t, first, m, common))
        return;
    if (m > LEAF) {
        int half = (m / 2 + LEAF - 1) / LEAF * LEAF;
        descend(a, first, half, common, x, v, row, ctx);
        descend(a, first + half, m - half, common, x, v + half, row, ctx);
        return;
    }
    for (int i = 0; i < m; i++) {
        filter_rest(a, first + i, common, x, &v[i]);
        if (row)
            row(ctx, first + i, &v[i]);
    }
}

void exb_t(filter_rows)(const exb_t(coefficients) * a, int64_t first, int m, exb_t(vector) x,
                        exb_t(value) * v, exb_t(row_action) * row, const void *ctx)
{
    const exb_range nothing[2] = {{INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MAX}};
    descend(a, first, m, nothing, x, v, row, ctx);
}

void exb_t(pattern_row_exact)(const exb_t(coefficients) * a, int64_t i, exb_t(vector) x,
                              const exb_method *method, exb_t(exact) * out)
{
    const exb_pattern *t = &a->pattern;
    for (int k = 0; k < t->n_pieces; k++) {
        exb_range row = exb_piece_columns(&t->piece[k], t->n_cols, i);
        if (row.begin >= row.end)
            continue;
        exb_t(panel) panel = panel_from(a, &t->piece[k], i, row.begin);
        exb_t(row_add_exact)(row.end - row.begin, &panel, exb_t(vector_from)(x, row.begin), method,
                             out);
    }
    for (int k = 0; t->diagonal != EXB_DIAGONAL_NONE && k < EXB_PARTS; k++)
        exb_superacc_add_product(&out->part[k].acc, diagonal_factor(a, i), exb_t(element)(x, i)[k]);
}

/* Rows begin ... end - 1; row i goes to y[EXB_PARTS * (i - begin) * incy]. */
typedef struct {
    const exb_t(coefficients) * a;
    bool is_scaled; /* false: the sums themselves; 1 + 0i times an infinite part is NaN */
    exb_complex alpha, beta;
    exb_t(vector) x;
    int64_t begin, end;
    exb_real *y;
    int64_t incy;
    const exb_method *method;
    int height; /* rows of a block */
} problem;

static void exact_parts(const problem *p, int64_t i, exb_complex old, const bool *done, exb_real *r)
{
    exb_t(exact) sum;
    exb_t(exact_zero)(&sum);
    exb_t(pattern_row_exact)(p->a, i, p->x, p->method, &sum);
    for (int k = 0; k < EXB_PARTS; k++)
        if (!done[k])
            r[k] = p->is_scaled ? exb_t(affine_exact)(k, p->alpha, &sum, p->beta, old)
                                : exb_round_superacc(&sum.part[k].acc);
}

static bool certified(const problem *p, int k, const exb_t(value) * v, exb_complex old, exb_real *r)
{
    return exb_round_enclosure(
        p->is_scaled ? exb_t(affine)(k, p->alpha, v, p->beta, old) : v->part[k], r);
}

/* Row i from what the filter knows of it, NULL for nothing. */
static void finish_row(const problem *p, int64_t i, const exb_t(value) * v)
{
    exb_real *y = p->y + EXB_PARTS * (i - p->begin) * p->incy;
    exb_complex old = {0, 0};
    exb_real r[EXB_PARTS];
    bool done[EXB_PARTS] = {false}, all_done = true;
    if (!exb_is_zero(p->beta))
        old = exb_t(load)(y);
    for (int k = 0; k < EXB_PARTS; k++) {
        done[k] = v && certified(p, k, v, old, &r[k]);
        all_done = all_done && done[k];
    }
    if (!all_done)
        exact_parts(p, i, old, done, r);
    memcpy(y, r, sizeof r);
}

/* Reals that the finish kernel takes at once, and their rows. */
enum { FINISHED = 64, FINISHED_ROWS = FINISHED / EXB_PARTS };

static bool is_real_and_finite(exb_complex a)
{
    return a.im == 0 && fabs(a.re) <= DBL_MAX;
}

/* The values of n rows and what stands in y, as the kernel takes them. An error of 0 would tell it
 * that the value is exact. */
static void lay_out(const problem *p, int64_t first, int n, const exb_t(value) * v,
                    double (*lane)[FINISHED])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < EXB_PARTS; k++) {
            const exb_enclosure *part = &v[i].part[k];
            int at = EXB_PARTS * i + k;
            lane[0][at] = part->h;
            lane[1][at] = part->l;
            lane[2][at] = part->exact ? 0 : part->e > DBL_MIN ? part->e : DBL_MIN;
            if (!exb_is_zero(p->beta))
                lane[3][at] = p->y[EXB_PARTS * (first + i - p->begin) * p->incy + k];
        }
    for (int at = EXB_PARTS * n; at % 8 != 0; at++)
        lane[0][at] = lane[1][at] = lane[2][at] = lane[3][at] = 0;
}

/* Rounds the parts of n rows to r; returns those that are left open, a bit each. */
static uint64_t round_rows(const problem *p, int64_t first, int n, const exb_t(value) * v,
                           exb_real *r)
{
    double lane[4][FINISHED];
    bool scaled = p->is_scaled;
    lay_out(p, first, n, v, lane);
    exb_column column = {.h = lane[0], .l = lane[1], .e = lane[2]};
    column.alpha = scaled ? p->alpha.re : 1;
    column.beta = scaled ? p->beta.re : 0;
    column.c = lane[3];
    uint64_t open = exb_kernels_current()->EXB_PART.finish(EXB_PARTS * n, &column, r);
    /* 0 times a part that is not finite counts, too. */
    const uint64_t even = 0x5555555555555555;
    return EXB_IS_COMPLEX ? open | (open & even) << 1 | (open >> 1 & even) : open;
}

/* n rows from what the filter knows of them: together, then one by one what that leaves. */
static void finish_rows(const problem *p, int64_t first, int n, const exb_t(value) * v)
{
    exb_real r[FINISHED];
    uint64_t open = ~(uint64_t)0;
    if (!p->is_scaled || (is_real_and_finite(p->alpha) && is_real_and_finite(p->beta)))
        open = round_rows(p, first, n, v, r);
    for (int i = 0; i < n; i++)
        if (open >> (EXB_PARTS * i) & 1)
            finish_row(p, first + i, &v[i]);
        else
            memcpy(p->y + EXB_PARTS * (first + i - p->begin) * p->incy, r + EXB_PARTS * i,
                   EXB_PARTS * sizeof *r);
}

static EXB_NOINLINE void row_block(void *ctx, int64_t block)
{
    const problem *p = ctx;
    int64_t first = p->begin + block * p->height;
    int m = (int)exb_least(p->height, p->end - first);
    exb_t(value) v[EXB_TALL_ROWS];
    for (int i = 0; i < m; i++) {
        v[i] = exb_t(value_zero)();
        if (!p->method->filter)
            finish_row(p, first + i, NULL);
    }
    if (!p->method->filter)
        return;
    exb_t(filter_rows)(p->a, first, m, p->x, v, NULL, NULL);
    for (int i = 0; i < m; i += FINISHED_ROWS)
        finish_rows(p, first + i, (int)exb_least(FINISHED_ROWS, m - i), v + i);
}

static double elements(const exb_pattern *t, int64_t n_rows)
{
    double width = 0;
    for (int k = 0; k < t->n_pieces; k++) {
        double diagonals = (double)t->piece[k].below + (double)t->piece[k].above + 1;
        width += diagonals < (double)t->n_cols ? diagonals : (double)t->n_cols;
    }
    return width * (double)n_rows;
}

/* Tall blocks, whose columns are read in long runs, if there are enough for all threads. */
static int block_height(const problem *p, double work)
{
    int64_t m = p->end - p->begin;
    int n_parts = exb_partition_count(work, (m + EXB_PANEL_ROWS - 1) / EXB_PANEL_ROWS);
    int64_t blocks = (m / n_parts + EXB_PANEL_ROWS - 1) / EXB_PANEL_ROWS;
    const int64_t most = EXB_TALL_ROWS / EXB_PANEL_ROWS;
    return EXB_PANEL_ROWS * (int)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

static void run(problem *p)
{
    double work = EXB_PARTS * EXB_PARTS * elements(&p->a->pattern, p->end - p->begin);
    p->height = block_height(p, work);
    int64_t n_blocks = (p->end - p->begin + p->height - 1) / p->height;
    exb_parallel_for(exb_partition_count(work, n_blocks), n_blocks, row_block, p);
}

/* alpha and beta are looked at here, inside the guard: under DAZ a subnormal alpha
 * would compare equal to 0. */
EXB_NOINLINE void exb_t(vector_product)(const exb_t(coefficients) * a, exb_complex alpha,
                                        exb_t(vector) x, exb_complex beta, exb_real *y,
                                        int64_t incy)
{
    static const exb_pattern nothing;
    exb_t(coefficients) empty = {nothing, NULL};
    int64_t n = a->pattern.n_rows;
    if (exb_is_zero(alpha) && exb_is_one(beta))
        return;
    if (exb_is_zero(alpha)) { /* an empty sum */
        a = &empty;
        alpha = (exb_complex){1, 0};
    }
    problem p = {a, true, alpha, beta, x, 0, n, y, incy, exb_method_current(), 0};
    run(&p);
}

/* Waves of rows from the last to the first, since row i needs the old x_0 ... x_i: as
 * many as a buffer on the stack holds. */
EXB_NOINLINE void exb_t(vector_product_in_place)(const exb_t(coefficients) * a, exb_real *x,
                                                 int64_t incx)
{
    enum { WAVE = 16 * EXB_PANEL_ROWS };
    exb_real buffer[EXB_PARTS * WAVE];
    problem p = {.a = a, .x = {x, incx}, .y = buffer, .incy = 1};
    p.method = exb_method_current();
    for (p.end = a->pattern.n_rows; p.end > 0; p.end = p.begin) {
        p.begin = p.end > WAVE ? p.end - WAVE : 0;
        run(&p);
        for (int64_t i = p.begin; i < p.end; i++)
            memcpy(x + EXB_PARTS * i * incx, buffer + EXB_PARTS * (i - p.begin),
                   EXB_PARTS * sizeof *x);
    }
}
