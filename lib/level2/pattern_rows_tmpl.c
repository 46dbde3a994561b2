/* Rows of patterns times vectors: the columns that all rows of a block have go through the panel
 * kernels, what is beside them through the halves of the block and, in the end, row by row.
 * Types: s d c z. */
#include "level2/pattern_rows.h"

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
