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
    exb_t(rows_action) *solve; /* or NULL */
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
        add_panel(q, k, i, 1, exb_most(done[k].end, row.begin), row.end);
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

/* n elements of a line, `step` and what it grows by apart, to others `to_step` apart. */
static void put_line(bool negate, int64_t n, const exb_real *p, int64_t step, int64_t growth,
                     exb_real *to, int64_t to_step)
{
    const exb_real sign = negate ? -1 : 1;
    if (!negate && step == 1 && growth == 0 && to_step == 1) {
        memcpy(to, p, (size_t)(EXB_PARTS * n) * sizeof *p);
        return;
    }
    for (int64_t j = 0; j < n; j++) {
        to[0] = EXB_IS_COMPLEX ? p[0] : sign * p[0];
        if (EXB_IS_COMPLEX)
            to[EXB_PARTS - 1] = sign * p[EXB_PARTS - 1];
        p += EXB_PARTS * (step + j * growth);
        to += EXB_PARTS * to_step;
    }
}

/* Piece k, line by line: its columns or its rows, whichever are contiguous. rs, cs: steps from row
 * to row and from column to column. */
static void put_piece(const exb_t(matrix) *a, int k, exb_range rows, exb_range columns, int64_t rs,
                      int64_t cs, exb_real *full)
{
    exb_piece t = a->pattern.piece[k]; /* its rows are the lines */
    bool by_columns = t.view.rs == 1;
    exb_range lines = by_columns ? columns : rows, across = by_columns ? rows : columns;
    if (by_columns)
        t = (exb_piece){exb_view_transposed(t.view), t.above, t.below, t.conjugate};
    for (int64_t i = lines.begin; i < lines.end; i++) {
        exb_range line = exb_piece_columns(&t, across.end, i);
        int64_t j = exb_most(line.begin, across.begin);
        exb_view w = exb_view_from(t.view, i, j);
        int64_t row = by_columns ? j - across.begin : i - lines.begin,
                column = by_columns ? i - lines.begin : j - across.begin;
        if (j < line.end)
            put_line(t.conjugate, line.end - j, a->p + EXB_PARTS * w.origin, w.cs, w.dcs,
                     full + EXB_PARTS * (row * rs + column * cs), by_columns ? rs : cs);
    }
}

exb_range exb_t(columns_of_rows)(const exb_pattern *t, int64_t first, int64_t m)
{
    exb_range all = {INT64_MAX, 0};
    if (t->diagonal != EXB_DIAGONAL_NONE)
        all = (exb_range){first, first + m};
    for (int k = 0; k < t->n_pieces; k++) {
        all.begin = exb_least(all.begin, exb_piece_columns(&t->piece[k], t->n_cols, first).begin);
        all.end = exb_most(all.end, exb_piece_columns(&t->piece[k], t->n_cols, first + m - 1).end);
    }
    return all;
}

void exb_t(write_in_full)(const exb_t(matrix) *a, exb_range rows, exb_range columns, bool by_rows,
                          exb_real *full)
{
    int64_t m = rows.end - rows.begin, n = columns.end - columns.begin;
    int64_t rs = by_rows ? n : 1, cs = by_rows ? 1 : m;
    memset(full, 0, (size_t)(EXB_PARTS * m * n) * sizeof *full);
    for (int k = 0; k < a->pattern.n_pieces; k++)
        put_piece(a, k, rows, columns, rs, cs, full);
    for (int64_t i = exb_most(rows.begin, columns.begin);
         a->pattern.diagonal != EXB_DIAGONAL_NONE && i < exb_least(rows.end, columns.end); i++)
        full[EXB_PARTS * ((i - rows.begin) * rs + (i - columns.begin) * cs)] =
            exb_t(diagonal_of)(a, i);
}

enum {
    WIDE_ROWS = 32 / EXB_PARTS, /* of a wide band at once, with their corner */
    BAND_BLOCK = 32,
    BAND_ELEMENTS = 4 * 512 / EXB_PARTS
};

/* Rows are not pieced together each by itself where a block is written out in full. */
static void add_in_full(const job *q, int64_t first, int m, exb_range columns, exb_real *full)
{
    int64_t n = columns.end - columns.begin;
    if (n <= 0)
        return;
    exb_t(write_in_full)(q->a, (exb_range){first, first + m}, columns, false, full);
    exb_t(panel) panel = {full, exb_view_full(false, m), false};
    exb_t(panel_filter)(m, n, &panel, exb_t(vector_from)(q->x, columns.begin), value_of(q, first));
}

/* On the diagonal. */
static EXB_NOINLINE void add_square_block(const job *q, int64_t first, int m)
{
    exb_real full[EXB_PARTS * EXB_PANEL_ROWS * EXB_PANEL_ROWS];
    add_in_full(q, first, m, (exb_range){first, first + m}, full);
}

/* Of a narrow band, or of the corner of a wide one. */
static EXB_NOINLINE void add_columns(const job *q, int64_t first, int m, exb_range columns)
{
    exb_real full[EXB_PARTS * BAND_ELEMENTS];
    _Static_assert((int)BAND_ELEMENTS >= WIDE_ROWS * WIDE_ROWS, "room for corners");
    add_in_full(q, first, m, columns, full);
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
            (!q->in_blocks && !q->solve && !is_worthwhile(&t->piece[k], t, i, m)))
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
 * elements that a row has by itself, one panel each. They come in the order A, r, C, r, B, r, D, r;
 * a solve stops at smaller blocks, and knows all that comes before. */
static void add_rows(const job *q, int64_t i, int m, const exb_range *outer)
{
    enum { LEAF = 8 };
    exb_range common[2];
    add_common(q, i, m, outer, common);
    if (q->in_blocks && m <= EXB_PANEL_ROWS) {
        add_square_block(q, i, m);
        return;
    }
    bool is_band = q->a->pattern.piece[0].below < q->a->pattern.n_rows - 1;
    if (q->solve && EXB_PARTS * m <= EXB_SOLVE_ROWS && (!is_band || m <= WIDE_ROWS)) {
        int64_t end = common[0].begin; /* left of it all rows of a wide band have elements */
        if (is_band && i > 0)
            add_columns(q, i, m,
                        (exb_range){exb_piece_columns(&q->a->pattern.piece[0], end, i).begin, end});
        q->solve(q->ctx, i, m, value_of(q, i));
        return;
    }
    if (!q->solve && is_complete(&q->a->pattern, i, m, common))
        return;
    if (m > LEAF) {
        int half = (int)exb_round_up(m / 2, LEAF);
        add_rows(q, i, half, common);
        add_rows(q, i + half, m - half, common);
        return;
    }
    for (int64_t r = i; r < i + m; r++)
        add_rest(q, r, common);
}

/* Rows of a narrow band; of a solve what lies left of them. */
static void add_band(const job *q, int64_t first, int m)
{
    exb_range columns = exb_t(columns_of_rows)(&q->a->pattern, first, m);
    if (q->solve) /* of a diagonal matrix rows begin behind the diagonal */
        columns = (exb_range){exb_least(columns.begin, first), first};
    add_columns(q, first, m, columns);
    if (q->solve)
        q->solve(q->ctx, first, m, value_of(q, first));
}

/* How many rows at once, of products with few zeros beside the band; 0: the pattern is no narrow
 * band. */
static int band_block(const exb_pattern *t, bool is_solve)
{
    int64_t width = exb_pattern_width(t);
    for (int m = is_solve ? BAND_BLOCK / EXB_PARTS : BAND_BLOCK; m >= 8 && width < t->n_cols;
         m /= 2)
        if (m * (width + m - 1) <= BAND_ELEMENTS && (is_solve || m < width + 8))
            return m;
    return 0;
}

void exb_t(filter_rows)(const exb_t(matrix) *a, int64_t first, int m, exb_t(vector) x,
                        exb_t(value) *v, exb_t(rows_action) *solve, const void *ctx)
{
    const exb_range nothing[2] = {{INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MAX}};
    job q = {a, x, first, v, solve, ctx, !solve && has_square_blocks(&a->pattern)};
    int step = band_block(&a->pattern, solve != NULL);
    for (int i = 0; i < m && step > 0; i += step)
        add_band(&q, first + i, (int)exb_least(step, m - i));
    if (step == 0)
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
