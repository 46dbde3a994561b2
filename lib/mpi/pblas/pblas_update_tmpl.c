/* Rank-k and rank-2k updates of a triangle, and those of vectors (k = 1, beta = 1):
 *
 *   C = alpha U U' + beta C,  C = alpha U V' + alpha V U' + beta C,
 *
 * with U = op(A), V = op(B) and ' the transpose or the conjugate transpose; then the second alpha
 * is conjugated. Each process has the rows of U and V that belong to its rows and to its columns of
 * C, in windows of as many as the workspace holds. Its part of the triangle in a window is cut into
 * rectangles, and elements of the diagonal if that is real. Types: s d c z. */
#include "level3/rows_entry.h"
#include "mpi/pblas/pblas_type.h"

typedef struct {
    exb_pblas_call *call;
    bool has_v, lower;
    int64_t k;
    exb_spread c;
    exb_spread rows, cols;        /* U, or [U V] and [V U] in a window */
    exb_range own_rows, own_cols; /* of C that they belong to */
    exb_windows row_windows, col_windows;
} job;

static exb_spread half_of(const exb_spread *s, int64_t k, bool second)
{
    exb_spread h = *s;
    h.layout.col = exb_axis_whole(k);
    if (second)
        h.data = exb_pblas_at(s, 0, k);
    return h;
}

/* Own rows before row i of C. */
static int64_t rows_before(const job *p, int64_t i)
{
    return exb_pblas_before(p->call, &p->c.layout.row, i);
}

static int64_t column_at(const job *p, int64_t j)
{
    return exb_pblas_index(p->call, &p->c.layout.col, j);
}

/* --- rectangles -------------------------------------------------------------- */

/* Own rows r and own columns c of C, none of them or all one element of a real diagonal. */
static void update_block(const job *p, exb_range r, exb_range c, bool is_diagonal)
{
    const exb_pblas_call *q = p->call;
    if (r.begin >= r.end || c.begin >= c.end)
        return;
    const exb_t(update) u = {q->conjugate,
                             p->has_v,
                             is_diagonal,
                             r.end - r.begin,
                             c.end - c.begin,
                             p->k,
                             q->alpha,
                             exb_pblas_at(&p->rows, r.begin - p->own_rows.begin, 0),
                             p->rows.col_stride,
                             exb_pblas_at(&p->cols, c.begin - p->own_cols.begin, 0),
                             p->cols.col_stride,
                             q->beta,
                             exb_pblas_at(&p->c, r.begin, c.begin),
                             p->c.col_stride};
    exb_entry(update_rectangle)(&u);
}

/* The part of the triangle in the own columns c and the own rows r, which has no other rows there:
 * the rows that all these columns have are a rectangle; the rest is two smaller parts. */
static void update_part(const job *p, exb_range r, exb_range c)
{
    if (r.begin >= r.end || c.begin >= c.end)
        return;
    int64_t first = column_at(p, c.begin), last = column_at(p, c.end - 1);
    int diagonal = p->call->conjugate ? 0 : 1;
    int64_t full =
        p->lower ? rows_before(p, last + 1 - diagonal) : rows_before(p, first + diagonal);
    exb_range all = p->lower ? (exb_range){exb_most(full, r.begin), r.end}
                             : (exb_range){r.begin, exb_least(full, r.end)};
    exb_range rest = p->lower ? (exb_range){r.begin, exb_least(full, r.end)}
                              : (exb_range){exb_most(full, r.begin), r.end};
    int64_t middle = c.begin + (c.end - c.begin) / 2;
    update_block(p, all, c, false);
    if (c.end - c.begin > 1) {
        update_part(p, rest, (exb_range){c.begin, middle});
        update_part(p, rest, (exb_range){middle, c.end});
    }
}

/* What the window of own_rows and own_cols has of the triangle. */
static void update_window(const job *p)
{
    exb_range r = p->own_rows, c = p->own_cols;
    update_part(p, r, c);
    for (int64_t j = c.begin; j < c.end && p->call->conjugate; j++) {
        int64_t column = column_at(p, j), i = rows_before(p, column);
        exb_range diagonal = exb_common(r, (exb_range){i, rows_before(p, column + 1)});
        update_block(p, diagonal, (exb_range){j, j + 1}, true);
    }
}

/* --- windows ----------------------------------------------------------------- */

/* These rows of U and V for an axis of C, in this order or the other. */
static void move_rows(exb_pblas_call *q, const job *p, const exb_spread *u, const exb_spread *v,
                      exb_range rows, exb_spread *to)
{
    exb_range terms = {0, p->k};
    to->col_stride = exb_most(exb_pblas_rows(q, to), 1);
    exb_spread first = half_of(to, p->k, false), second = half_of(to, p->k, p->has_v);
    exb_spread from = exb_pblas_cut(q, u, rows, terms);
    exb_pblas_move(q, &from, &first);
    if (p->has_v) {
        from = exb_pblas_cut(q, v, rows, terms);
        exb_pblas_move(q, &from, &second);
    }
}

static exb_range own_range(const job *p, const exb_axis *x, exb_range window)
{
    return (exb_range){exb_pblas_before(p->call, x, window.begin),
                       exb_pblas_before(p->call, x, window.end)};
}

/* All windows of columns that meet the triangle in these rows. */
static void update_columns(exb_pblas_call *q, job *p, exb_range rows, const exb_spread *u,
                           const exb_spread *v)
{
    const exb_axis *x = &p->c.layout.col;
    for (int64_t j = 0; j < x->n; j += p->col_windows.length) {
        exb_range cols = exb_pblas_window_at(&p->col_windows, j);
        if (p->lower ? rows.end <= cols.begin : cols.end <= rows.begin)
            continue;
        p->cols.layout.row = exb_axis_cut(*x, j, p->col_windows.length);
        p->own_cols = own_range(p, x, cols);
        if (p->k > 0)
            move_rows(q, p, p->has_v ? v : u, u, cols, &p->cols);
        update_window(p);
    }
}

static void update_triangle(exb_pblas_call *q, job *p, const exb_spread *u, const exb_spread *v)
{
    const exb_axis *x = &p->c.layout.row;
    for (int64_t i = 0; i < x->n; i += p->row_windows.length) {
        exb_range rows = exb_pblas_window_at(&p->row_windows, i);
        p->rows.layout.row = exb_axis_cut(*x, i, p->row_windows.length);
        p->own_rows = own_range(p, x, rows);
        if (p->k > 0)
            move_rows(q, p, u, v, rows, &p->rows);
        update_columns(q, p, rows, u, v);
    }
}

/* --- operands ---------------------------------------------------------------- */

/* U and V are n x k; V may be NULL. */
static void compute_update(exb_pblas_call *q, const exb_spread *u, const exb_spread *v,
                           exb_spread c)
{
    bool scales = exb_mpi_is_zero(q->alpha, q->conjugate && !v ? 1 : EXB_PARTS);
    int64_t k = scales ? 0 : u->layout.col.n, n_terms = v ? 2 * k : k;
    job p = {.call = q, .has_v = v, .lower = q->uplo == 'L', .k = k, .c = c};
    exb_windows along = exb_pblas_one_window(exb_axis_whole(n_terms));
    int64_t elements = exb_pblas_workspace() / 4;
    p.row_windows = exb_pblas_windows(c.layout.row, 2 * elements, n_terms);
    p.col_windows = exb_pblas_windows(c.layout.col, elements, n_terms);
    p.rows = exb_pblas_take_windows(q, p.row_windows, along, EXB_SIZE);
    p.cols = exb_pblas_take_windows(q, p.col_windows, along, EXB_SIZE);
    exb_pblas_plan(q, u);
    if (exb_pblas_ready(q))
        update_triangle(q, &p, u, v);
}

void driver(update)(exb_pblas_call *q)
{
    bool by_vectors = exb_pblas_has(q, EXB_X);
    bool has_v = exb_pblas_has(q, by_vectors ? EXB_Y : EXB_B);
    exb_spread u, v, c = exb_pblas_stored(q, by_vectors ? EXB_A : EXB_C, EXB_SIZE);
    if (by_vectors) {
        u = exb_pblas_column(q, EXB_X, EXB_SIZE);
        v = has_v ? exb_pblas_column(q, EXB_Y, EXB_SIZE) : u;
    } else {
        u = exb_pblas_op_of(exb_pblas_stored(q, EXB_A, EXB_SIZE), q->trans);
        v = has_v ? exb_pblas_op_of(exb_pblas_stored(q, EXB_B, EXB_SIZE), q->trans) : u;
    }
    compute_update(q, &u, has_v ? &v : NULL, c);
}
