/* Rows of patterns times vectors: the columns that all rows of a block have go through the panel
 * kernels, what is beside them through the halves of the block and, in the end, row by row.
 * Types: s d c z. */
#include "level2/pattern_rows.h"

/* Rows of a matrix times x: v[0] belongs to row `first`. */
typedef struct {
    const exb_t(matrix) *a;
    exb_t(vector) x;
    int64_t first;
    exb_t(value) *v;
    exb_t(row_action) *row;   /* or NULL */
    exb_t(rows_action) *rows; /* or NULL */
    const void *ctx;
    bool in_blocks; /* its diagonal blocks are written out in full */
} job;

static exb_t(value) *value_of(const job *q, int64_t i)
{
    return q->v + (i - q->first);
}

/* Sums from which something is to be taken away are negated before and after it is added. */
static void negate_sums(bool is_wanted, int m, exb_t(value) *v)
{
    for (int i = 0; i < m && is_wanted; i++)
        v[i].part[0] = exb_enclosure_negated(v[i].part[0]);
}

static bool is_negated(const exb_t(panel) *a)
{
    return !EXB_IS_COMPLEX && a->conjugate;
}

/* Adds columns begin ... end - 1 of piece k to the sums of rows i ... i + m - 1. */
static void add_panel(const job *q, int k, int64_t i, int m, int64_t begin, int64_t end)
{
    if (begin >= end)
        return;
    exb_t(panel) panel = exb_t(panel_from)(q->a, k, i, begin);
    negate_sums(is_negated(&panel), m, value_of(q, i));
    exb_t(panel_filter)(m, end - begin, &panel, exb_t(vector_from)(q->x, begin), value_of(q, i));
    negate_sums(is_negated(&panel), m, value_of(q, i));
}

/* From the columns that the sums hold, outer, to what they shall hold, on both sides outward. */
static void widen_sums(const job *q, int k, int64_t i, int m, exb_range outer, exb_range common)
{
    add_panel(q, k, i, m, common.begin, exb_least(outer.begin, common.end));
    add_panel(q, k, i, m, outer.end, common.end);
}

static void add_diagonal(const exb_t(matrix) *a, int64_t i, exb_t(vector) x, exb_t(value) *out)
{
    double factor = exb_t(diagonal_of)(a, i);
    for (int k = 0; k < EXB_PARTS; k++) {
        exb_enclosure v = exb_enclosure_exact(exb_t(element)(x, i)[k]);
        out->part[k] = exb_enclosure_add(out->part[k], exb_affine_of(factor, v, 0, 0));
    }
}

/* What row i has beside the columns that are done. */
static void add_rest(const job *q, int64_t i, const exb_range *done)
{
    const exb_pattern *t = &q->a->pattern;
    for (int k = 0; k < t->n_pieces; k++) {
        exb_range row = exb_piece_columns(&t->piece[k], t->n_cols, i);
        add_panel(q, k, i, 1, row.begin, exb_least(done[k].begin, row.end));
        add_panel(q, k, i, 1, done[k].end, row.end);
    }
    if (t->diagonal != EXB_DIAGONAL_NONE)
        add_diagonal(q->a, i, q->x, value_of(q, i));
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

/* A lower triangle of complex numbers, or a symmetric, Hermitian or skew-symmetric matrix, without
 * a limit of bands. Blocks of real triangles would take 6 KiB more stack than there is. */
static bool has_square_blocks(const exb_pattern *t)
{
    const exb_piece *p = &t->piece[0];
    bool is_lower = EXB_IS_COMPLEX && t->n_pieces == 1 && t->n_rows == t->n_cols && p->above <= 0;
    return (t->n_pieces == 2 || is_lower) && p->below >= t->n_rows - 1;
}

/* Elements 0 ... n - 1 of a row below the diagonal, `step` and what it grows by apart, to all of
 * their places in a matrix of m rows: a row and, if that is mirrored, a column. */
static void put_row(const exb_pattern *t, int64_t n, const exb_real *p, int64_t step,
                    int64_t growth, int64_t m, exb_real *row, exb_real *column)
{
    const exb_real sign[2] = {t->piece[0].conjugate ? -1 : 1,
                              t->n_pieces == 2 && t->piece[1].conjugate ? -1 : 1};
    for (int64_t j = 0; j < n; j++) {
        exb_real *to[2] = {row + EXB_PARTS * m * j, column + EXB_PARTS * j};
        for (int k = 0; k < t->n_pieces; k++) {
            to[k][0] = EXB_IS_COMPLEX ? p[0] : sign[k] * p[0];
            if (EXB_IS_COMPLEX)
                to[k][EXB_PARTS - 1] = sign[k] * p[EXB_PARTS - 1];
        }
        p += EXB_PARTS * (step + j * growth);
    }
}

/* Rows first ... first + m - 1 of a diagonal block: it is written out in full, so that its rows are
 * not pieced together each by itself. Above the diagonal of a triangle, on a skew-symmetric one and
 * in the imaginary parts of a Hermitian one are zeros then; where these meet Inf nothing is
 * certified, and the exact way has no such terms. */
static EXB_NOINLINE void add_square_block(const job *q, int64_t first, int m)
{
    const exb_t(matrix) *a = q->a;
    const exb_pattern *t = &a->pattern;
    exb_real full[EXB_PARTS * EXB_PANEL_ROWS * EXB_PANEL_ROWS];
    if (t->n_pieces == 1)
        memset(full, 0, (size_t)(EXB_PARTS * m * m) * sizeof *full);
    for (int64_t i = 0; i < m; i++) {
        exb_view w = exb_view_from(t->piece[0].view, first + i, first);
        const exb_real *p = a->p + EXB_PARTS * w.origin;
        exb_real *row = full + EXB_PARTS * i, *column = full + EXB_PARTS * i * m;
        put_row(t, i + 1 + t->piece[0].above, p, w.cs, w.dcs, m, row, column);
        if (t->piece[0].above < 0) {
            bool is_known = t->diagonal != EXB_DIAGONAL_NONE;
            const exb_real real[2] = {is_known ? exb_t(diagonal_of)(a, first + i) : 0, 0};
            memcpy(row + EXB_PARTS * i * m, real, EXB_PARTS * sizeof *real);
        }
    }
    exb_t(panel) panel = {full, exb_view_full(false, m), false};
    exb_t(panel_filter)(m, m, &panel, exb_t(vector_from)(q->x, first), value_of(q, first));
}

/* Adds to rows i ... i + m - 1 the columns that all of them have, but for those that the sums hold
 * already, outer[k] of piece k; common[k]: what they hold then. Of a matrix that is written
 * out in blocks, these never reach into the diagonal block. */
static void add_common(const job *q, int64_t i, int m, const exb_range *outer, exb_range *common)
{
    const exb_pattern *t = &q->a->pattern;
    for (int k = 0; k < t->n_pieces; k++) {
        common[k] = exb_piece_common(&t->piece[k], t->n_cols, i, m);
        if (q->in_blocks && k == 0)
            common[k].end = i;
        if (common[k].begin >= common[k].end ||
            (!q->in_blocks && !q->rows && !is_worthwhile(&t->piece[k], t, i, m)))
            common[k] = outer[k];
        if (common[k].begin >= common[k].end) /* nothing yet: rows begin where they begin */
            common[k] = (exb_range){INT64_MAX, INT64_MAX};
        else
            widen_sums(q, k, i, m, outer[k], common[k]);
    }
}

/* Rows of a block, which is halved until little of its rows is left beside the columns that all of
 * them have. Rows 64 ... 95 of a lower triangle, LEAF = 8:
 *
 *   columns     0 ... 64  65 ... 72  73 ... 80  81 ... 88  89 ... 95
 *   64 ... 71   A         r
 *   72 ... 79   A         C          r
 *   80 ... 87   A         B          B          r
 *   88 ... 95   A         B          B          D          r
 *
 * A: all 32 rows; B: the second half; C and D: the second quarter of each half; r: the up to seven
 * elements that a row has by itself, one panel each. They come in the order A, r, C, r, B, r, D, r:
 * the sums are complete row after row, and a solve may set x_i when it is called for row i. */
static void add_rows(const job *q, int64_t i, int m, const exb_range *outer)
{
    enum { LEAF = 8 };
    exb_range common[2];
    add_common(q, i, m, outer, common);
    if (q->in_blocks && m <= EXB_PANEL_ROWS) {
        add_square_block(q, i, m);
        return;
    }
    if (!q->row && is_complete(&q->a->pattern, i, m, common))
        return;
    if (q->rows && m <= EXB_SOLVE_ROWS && q->rows(q->ctx, i, m, value_of(q, i)))
        return;
    if (m > LEAF) {
        int half = (int)exb_round_up(m / 2, LEAF);
        add_rows(q, i, half, common);
        add_rows(q, i + half, m - half, common);
        return;
    }
    for (int64_t r = i; r < i + m; r++) {
        add_rest(q, r, common);
        if (q->row)
            q->row(q->ctx, r, value_of(q, r));
    }
}

void exb_t(filter_rows)(const exb_t(matrix) *a, int64_t first, int m, exb_t(vector) x,
                        exb_t(value) *v, exb_t(row_action) *row, exb_t(rows_action) *rows,
                        const void *ctx)
{
    const exb_range nothing[2] = {{INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MAX}};
    job q = {a, x, first, v, row, rows, ctx, !row && has_square_blocks(&a->pattern)};
    add_rows(&q, first, m, nothing);
}

/* The pieces' columns, counted one piece after the other, and then the diagonal. */
static bool next_run(const void *of, int part, int64_t *at, exb_p(run_space) *space,
                     exb_p(reduction) *run)
{
    const exb_t(pattern_row) *q = of;
    const exb_pattern *t = &q->a->pattern;
    int64_t before = 0;
    for (int k = 0; k < t->n_pieces; k++) {
        exb_range row = exb_piece_columns(&t->piece[k], t->n_cols, q->i);
        int64_t n = exb_most(row.end - row.begin, 0), from = *at - before;
        if (from < n) {
            exb_t(panel) panel = exb_t(panel_from)(q->a, k, q->i, row.begin + from);
            exb_t(vector) x = exb_t(vector_from)(q->x, row.begin + from);
            *at += exb_t(panel_run)(n - from, &panel, x, part, space, run);
            return true;
        }
        before += n;
    }
    if (*at > before || t->diagonal == EXB_DIAGONAL_NONE)
        return false;
    (*at)++;
    space->x[0] = exb_t(diagonal_of)(q->a, q->i);
    *run = (exb_p(reduction)){EXB_TERM_XY, 1, space->x, 1, exb_t(element)(q->x, q->i) + part, 1};
    return true;
}

exb_p(terms) exb_t(pattern_terms)(const exb_t(pattern_row) *row)
{
    return (exb_p(terms)){next_run, row};
}
