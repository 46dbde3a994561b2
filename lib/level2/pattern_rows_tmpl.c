/* Rows of patterns times vectors: the columns that all rows of a block have go through the panel
 * kernels where they lie, what is beside them through the halves of the block and, in the end,
 * written out in full.
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
    int leaf; /* most rows whose sums are completed by elements that are written out in full */
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
    LEAF = 8,
    FEW_COLUMNS = 64, /* of bands, for whose sake no panel of their rows is begun */
    FULL_ELEMENTS = 2048 / EXB_PARTS
};

/* Adds columns of rows i ... i + m - 1, m <= EXB_PANEL_ROWS, written out in full. */
static EXB_NOINLINE void add_in_full(const job *q, int64_t i, int m, exb_range columns)
{
    exb_real full[EXB_PARTS * FULL_ELEMENTS];
    exb_t(panel) panel = {full, exb_view_full(false, m), false};
    for (int64_t j = columns.begin, n; j < columns.end; j += n) {
        n = exb_least(FULL_ELEMENTS / m, columns.end - j);
        exb_t(write_in_full)(q->a, (exb_range){i, i + m}, (exb_range){j, j + n}, false, full);
        exb_t(panel_filter)(m, n, &panel, exb_t(vector_from)(q->x, j), value_of(q, i));
    }
}

/* What rows i ... i + m - 1 have beside the columns that the sums hold, done[k] of piece k; of a
 * solve what is left of them. */
static void add_rest(const job *q, int64_t i, int m, const exb_range *done)
{
    exb_range all = exb_t(columns_of_rows)(&q->a->pattern, i, m);
    for (int k = 0; k < q->a->pattern.n_pieces; k++)
        if (done[k].begin < done[k].end) { /* pieces come from left to right */
            add_in_full(q, i, m, (exb_range){all.begin, done[k].begin});
            all.begin = done[k].end;
        }
    add_in_full(q, i, m, (exb_range){all.begin, q->solve ? i : all.end});
}

/* Adds to rows i ... i + m - 1 the columns that all of them have, but for those that the sums hold
 * already, outer[k] of piece k; common[k]: what they hold then. */
static void add_common(const job *q, int64_t i, int m, const exb_range *outer, exb_range *common)
{
    const exb_pattern *t = &q->a->pattern;
    for (int k = 0; k < t->n_pieces; k++) {
        common[k] = exb_piece_common(&t->piece[k], t->n_cols, i, m);
        if (t->piece[k].above == 0) /* the diagonal goes with what is right of it */
            common[k].end = exb_least(common[k].end, i);
        int64_t few = t->piece[k].below < t->n_rows - 1 ? FEW_COLUMNS : LEAF;
        bool is_narrow = outer[k].begin >= outer[k].end && common[k].end - common[k].begin < few;
        if (common[k].begin >= common[k].end || is_narrow) /* none, or not worth a panel */
            common[k] = (exb_range){INT64_MAX, INT64_MAX};
        else
            widen_sums(q, k, i, m, outer[k], common[k]);
    }
}

/* Rows of a block, which is halved until little of its rows is left beside the columns that all of
 * them have. Rows 128 ... 383 of a lower triangle, q->leaf = 64:
 *
 *   columns      0 ... 128  129 ... 192  193 ... 256  257 ... 320  321 ... 383
 *   128 ... 191  A          r
 *   192 ... 255  A          C            r
 *   256 ... 319  A          B            B            r
 *   320 ... 383  A          B            B            D            r
 *
 * A: all 256 rows; B: the second half; C and D: the second quarter of each half; r: triangles that
 * are written out in full. They come in the order A, r, C, r, B, r, D, r; a solve stops before its
 * own triangles, and knows all that comes before. */
static void add_rows(const job *q, int64_t i, int m, const exb_range *outer)
{
    exb_range common[2];
    add_common(q, i, m, outer, common);
    if (m > q->leaf) {
        int half = (int)exb_round_up(m / 2, LEAF);
        add_rows(q, i, half, common);
        add_rows(q, i + half, m - half, common);
        return;
    }
    add_rest(q, i, m, common);
    if (q->solve)
        q->solve(q->ctx, i, m, value_of(q, i));
}

/* Few zeros stand beside a band that is written out in full then. */
static int leaf_of(const exb_pattern *t, bool is_solve)
{
    bool is_band = t->piece[0].below < t->n_rows - 1;
    if (is_solve)
        return EXB_SOLVE_ROWS / EXB_PARTS / (is_band ? 2 : 1);
    return (int)exb_least(EXB_PANEL_ROWS, exb_most(exb_pattern_width(t), LEAF));
}

void exb_t(filter_rows)(const exb_t(matrix) *a, int64_t first, int m, exb_t(vector) x,
                        exb_t(value) *v, exb_t(rows_action) *solve, const void *ctx)
{
    const exb_range nothing[2] = {{INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MAX}};
    job q = {a, x, first, v, solve, ctx, leaf_of(&a->pattern, solve != NULL)};
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
