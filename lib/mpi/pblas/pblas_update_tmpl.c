/* Rank-k and rank-2k updates of a triangle, and those of vectors (k = 1, beta = 1):
 *
 *   C = alpha U U' + beta C,  C = alpha U V' + alpha V U' + beta C,
 *
 * with U = op(A), V = op(B) and ' the transpose or the conjugate transpose; then the second alpha
 * is conjugated. Each process has the rows of U and V that belong to its rows and to its columns of
 * C, in windows of as many as the workspace holds. Its part of the triangle in a window is cut into
 * rectangles. In syrk and syr2k each is a general product,
 * of U and U' or of [U V] and [V U]'. The other updates go to the serial routine for small blocks:
 * that of the rows and the columns of the block, one above the other, has the block in one corner.
 * So it treats Inf, NaN, the diagonal and the sign of zeros as it always does.
 * Types: s d c z. */
#include "mpi/pblas/pblas_type.h"

enum { BLOCK = 64, LEAST_BLOCK = 4 }; /* rows and columns of a corner */

typedef struct {
    exb_pblas_call *call;
    bool by_vectors, has_v, lower;
    int64_t k;
    exb_spread c;
    exb_spread rows, cols;        /* U, or [U V] and [V U] in a window */
    exb_range own_rows, own_cols; /* of C that they belong to */
    exb_windows row_windows, col_windows;
    exb_real *stack, *square; /* operands and result of a serial update of a block */
    int64_t block, stack_ld;
} job;

static exb_spread half_of(const exb_spread *s, int64_t k, bool second)
{
    exb_spread h = *s;
    h.layout.col = exb_axis_whole(k);
    if (second)
        h.data = exb_pblas_at(s, 0, k);
    return h;
}

static int part_of(const job *p, const exb_axis *x)
{
    return exb_team_part(&p->call->team, x, p->call->team.self);
}

/* Own rows before row i of C. */
static int64_t rows_before(const job *p, int64_t i)
{
    const exb_axis *x = &p->c.layout.row;
    return exb_axis_before(x, part_of(p, x), exb_least(i, x->n));
}

static int64_t column_at(const job *p, int64_t j)
{
    const exb_axis *x = &p->c.layout.col;
    return exb_axis_index(x, part_of(p, x), j);
}

/* Own row i of C in `rows`, own column j in `cols`. */
static exb_real *row_at(const job *p, int64_t i, int64_t l)
{
    return exb_pblas_at(&p->rows, i - p->own_rows.begin, l);
}

static exb_real *column_row_at(const job *p, int64_t j, int64_t l)
{
    return exb_pblas_at(&p->cols, j - p->own_cols.begin, l);
}

/* --- corners ----------------------------------------------------------------- */

/* The corner's operands: nc rows from column j, nr rows from row i, with the ones that come first
 * in the triangle on top. Those of columns are not conjugated. */
static void stack_rows(const job *p, exb_range r, exb_range c)
{
    int64_t nr = r.end - r.begin, nc = c.end - c.begin;
    int64_t at_rows = p->lower ? nc : 0, at_cols = p->lower ? 0 : nr;
    for (int64_t l = 0; l < (p->has_v ? 2 : 1) * p->k; l++) {
        exb_real *to = p->stack + l * p->stack_ld * EXB_PARTS;
        int64_t of_cols = p->has_v ? (l + p->k) % (2 * p->k) : l; /* cols has V first */
        serial(copy)(nr, row_at(p, r.begin, l), 1, to + at_rows * EXB_PARTS, 1);
        serial(copy)(nc, column_row_at(p, c.begin, of_cols), 1, to + at_cols * EXB_PARTS, 1);
    }
}

/* Copies the corner, or back. */
static void copy_corner(const job *p, exb_range r, exb_range c, bool back)
{
    int64_t nr = r.end - r.begin, nc = c.end - c.begin;
    exb_real *corner = p->square + (p->lower ? nc : nr * p->stack_ld) * EXB_PARTS;
    for (int64_t j = 0; j < nc; j++) {
        exb_real *own = exb_pblas_at(&p->c, r.begin, c.begin + j);
        exb_real *other = corner + j * p->stack_ld * EXB_PARTS;
        serial(copy)(nr, back ? other : own, 1, back ? own : other, 1);
    }
}

#if EXB_IS_COMPLEX
#define vector_update serial(her)
#define vectors_update serial(her2)
#else
#define vector_update serial(syr)
#define vectors_update serial(syr2)
#endif

static void serial_update(const job *p, int64_t n, exb_real *c, int64_t ldc)
{
    const exb_pblas_call *q = p->call;
    int uplo = p->lower ? EXBLAS_LOWER : EXBLAS_UPPER;
    const exb_real *u = p->stack, *v = p->stack + p->k * p->stack_ld * EXB_PARTS;
    if (p->by_vectors && p->has_v) {
        vectors_update(EXBLAS_COL_MAJOR, uplo, n, exb_pblas_scalar(q->alpha), u, 1, v, 1, c, ldc);
        return;
    }
    exb_real alpha = *(const exb_real *)q->alpha;
    if (p->by_vectors) {
        vector_update(EXBLAS_COL_MAJOR, uplo, n, alpha, u, 1, c, ldc);
        return;
    }
#if EXB_IS_COMPLEX
    exb_real beta = *(const exb_real *)q->beta;
    int64_t ld = p->stack_ld;
    if (p->has_v)
        serial(her2k)(EXBLAS_COL_MAJOR, uplo, EXBLAS_NO_TRANS, n, p->k, q->alpha, u, ld, v, ld,
                      beta, c, ldc);
    else
        serial(herk)(EXBLAS_COL_MAJOR, uplo, EXBLAS_NO_TRANS, n, p->k, alpha, u, ld, beta, c, ldc);
#endif
}

static void update_corner(const job *p, exb_range r, exb_range c)
{
    int64_t n = r.end - r.begin + c.end - c.begin;
    stack_rows(p, r, c);
    memset(p->square, 0, (size_t)(p->stack_ld * n) * EXB_SIZE);
    copy_corner(p, r, c, false);
    serial_update(p, n, p->square, p->stack_ld);
    copy_corner(p, r, c, true);
}

static void update_corners(const job *p, exb_range r, exb_range c)
{
    for (int64_t j = c.begin; j < c.end; j += p->block)
        for (int64_t i = r.begin; i < r.end; i += p->block)
            update_corner(p, (exb_range){i, exb_least(i + p->block, r.end)},
                          (exb_range){j, exb_least(j + p->block, c.end)});
}

/* The element of the diagonal in own row i and own column j. */
static void update_diagonal(const job *p, int64_t i, int64_t j)
{
    stack_rows(p, (exb_range){i, i + 1}, (exb_range){j, j});
    serial_update(p, 1, exb_pblas_at(&p->c, i, j), p->c.col_stride);
}

/* --- rectangles -------------------------------------------------------------- */

static void update_block(const job *p, exb_range r, exb_range c)
{
    if (r.begin >= r.end || c.begin >= c.end)
        return;
    if (p->stack) {
        update_corners(p, r, c);
        return;
    }
    serial(gemm)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_TRANS, r.end - r.begin, c.end - c.begin,
                 p->rows.layout.col.n, exb_pblas_scalar(p->call->alpha), row_at(p, r.begin, 0),
                 p->rows.col_stride, column_row_at(p, c.begin, 0), p->cols.col_stride,
                 exb_pblas_scalar(p->call->beta), exb_pblas_at(&p->c, r.begin, c.begin),
                 p->c.col_stride);
}

/* The part of the triangle in the own columns c and the own rows r, which has no other rows there:
 * the rows that all these columns have are a rectangle; the rest is two smaller parts. */
static void update_part(const job *p, exb_range r, exb_range c)
{
    if (r.begin >= r.end || c.begin >= c.end)
        return;
    int64_t first = column_at(p, c.begin), last = column_at(p, c.end - 1);
    int diagonal = p->stack ? 0 : 1; /* corners are without it */
    int64_t full =
        p->lower ? rows_before(p, last + 1 - diagonal) : rows_before(p, first + diagonal);
    exb_range all = p->lower ? (exb_range){exb_most(full, r.begin), r.end}
                             : (exb_range){r.begin, exb_least(full, r.end)};
    exb_range rest = p->lower ? (exb_range){r.begin, exb_least(full, r.end)}
                              : (exb_range){exb_most(full, r.begin), r.end};
    int64_t middle = c.begin + (c.end - c.begin) / 2;
    update_block(p, all, c);
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
    for (int64_t j = c.begin; j < c.end && p->stack; j++) {
        int64_t column = column_at(p, j), i = rows_before(p, column);
        if (i >= r.begin && i < r.end && rows_before(p, column + 1) > i)
            update_diagonal(p, i, j);
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
    int part = part_of(p, x);
    return (exb_range){exb_axis_before(x, part, window.begin),
                       exb_axis_before(x, part, window.end)};
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

/* Corners of as many rows and columns as a quarter of the workspace holds, of all terms. */
static void take_stack(exb_pblas_call *q, job *p)
{
    int64_t n_terms = p->rows.layout.col.n;
    p->block =
        exb_most(exb_least(exb_pblas_workspace() / 8 / exb_most(n_terms, 1), BLOCK), LEAST_BLOCK);
    p->stack_ld = 2 * p->block;
    size_t n = (size_t)(n_terms * p->stack_ld) * EXB_SIZE;
    size_t square = (size_t)(p->stack_ld * p->stack_ld) * EXB_SIZE;
    p->stack = exb_workspace_take(&q->work, n, n);
    p->square = exb_workspace_take(&q->work, square, square);
}

/* U and V are n x k; V may be NULL. */
static void compute_update(exb_pblas_call *q, const exb_spread *u, const exb_spread *v,
                           exb_spread c)
{
    bool scales = exb_pblas_is_zero(q->alpha, q->conjugate && !v ? 1 : EXB_PARTS);
    int64_t k = scales ? 0 : u->layout.col.n, n_terms = v ? 2 * k : k;
    job p = {.call = q,
             .by_vectors = exb_pblas_has(q, EXB_X),
             .has_v = v,
             .lower = q->uplo == 'L',
             .k = k,
             .c = c};
    exb_windows along = exb_pblas_one_window(exb_axis_whole(n_terms));
    int64_t elements = exb_pblas_workspace() / 8;
    p.row_windows = exb_pblas_windows(c.layout.row, 4 * elements, n_terms);
    p.col_windows = exb_pblas_windows(c.layout.col, 2 * elements, n_terms);
    p.rows = exb_pblas_take_windows(q, p.row_windows, along, EXB_SIZE);
    p.cols = exb_pblas_take_windows(q, p.col_windows, along, EXB_SIZE);
    exb_pblas_plan(q, u);
    if (q->conjugate || p.by_vectors)
        take_stack(q, &p);
    if (exb_pblas_ready(q))
        update_triangle(q, &p, u, v);
    exb_pblas_end(q);
}

void driver(update)(exb_pblas_call *q)
{
    static const exb_real one[EXB_PARTS] = {1};
    if (!exb_pblas_begin(q, false))
        return;
    bool by_vectors = exb_pblas_has(q, EXB_X);
    bool has_v = exb_pblas_has(q, by_vectors ? EXB_Y : EXB_B);
    exb_spread u, v, c = exb_pblas_stored(q, by_vectors ? EXB_A : EXB_C, EXB_SIZE);
    if (by_vectors) {
        q->beta = one;
        u = exb_pblas_column(q, EXB_X, EXB_SIZE);
        v = has_v ? exb_pblas_column(q, EXB_Y, EXB_SIZE) : u;
    } else {
        u = exb_pblas_op_of(exb_pblas_stored(q, EXB_A, EXB_SIZE), q->trans);
        v = has_v ? exb_pblas_op_of(exb_pblas_stored(q, EXB_B, EXB_SIZE), q->trans) : u;
    }
    compute_update(q, &u, has_v ? &v : NULL, c);
}
