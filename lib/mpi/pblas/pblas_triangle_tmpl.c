/* Products and systems with a triangular matrix. With A on the right B^T is what is multiplied or
 * solved for, by op(A)^T: so there is a triangle T and a matrix of independent columns, the sides.
 * Each process gets a share of the sides whole, as many at once as the workspace holds, and the
 * rows of T, panel by panel, in an order in which a row of the result is not needed any more when
 * it is written. A single vector is one side, on the first process; or, if processes have whole
 * rows of T, each finds the unknowns of its rows in turn. Types: s d c z. */
#include "mpi/pblas/pblas_type.h"

#include "level3/rows_entry.h"

enum { LEAST = 8 }; /* rows of a panel, and sides, however long they are */

typedef struct {
    exb_pblas_call *call;
    bool is_vector, is_lower, in_turn;
    exb_spread t, b; /* T and the sides as they are stored */
    int64_t order, n_sides;
    int64_t height, width; /* rows of a panel, sides that a process has at once */
    exb_spread panel, sides;
    exb_real *product; /* of a panel */
} job;

/* --- operands ----------------------------------------------------------------- */

static void set_operands(job *p, exb_spread b, bool left)
{
    exb_pblas_call *q = p->call;
    exb_spread a = exb_pblas_stored(q, EXB_A, EXB_SIZE);
    bool transposed = (q->trans != 'N') == left;
    p->t = exb_pblas_op(a, transposed ? 'T' : 'N');
    p->t.conjugate = q->trans == 'C';
    p->is_lower = (q->uplo == 'L') != transposed;
    p->b = exb_pblas_op(b, left ? 'N' : 'T');
    p->order = p->t.layout.row.n;
    p->n_sides = p->b.layout.col.n;
}

/* Half of the workspace for a panel, half for sides. */
static void choose_sizes(job *p)
{
    int64_t n_members = p->is_vector ? 1 : p->call->team.n;
    int64_t share = (p->n_sides + n_members - 1) / n_members;
    int64_t most = exb_most(exb_pblas_workspace() / 2 / exb_most(p->order, 1), LEAST);
    p->height = p->in_turn ? 0 : exb_least(most, p->order);
    p->width = exb_least(most, share);
}

static exb_spread take_columns(exb_pblas_call *q, int64_t m, int64_t n)
{
    return exb_pblas_take(q, exb_axis_whole(m), exb_axis_whole(n), EXB_SIZE);
}

static bool take_memory(job *p)
{
    exb_pblas_call *q = p->call;
    choose_sizes(p);
    p->panel = take_columns(q, p->height, p->order);
    p->sides = take_columns(q, p->order, p->width);
    exb_redistribute_plan(&q->work, p->order, p->width * q->team.n, EXB_SIZE);
    if (!q->solves)
        p->product = take_columns(q, p->height, p->width).data;
    return exb_pblas_ready(q);
}

/* --- panels ------------------------------------------------------------------- */

static exb_t(triangle_rows) fetch_panel(job *p, exb_range rows)
{
    exb_pblas_call *q = p->call;
    int64_t m = rows.end - rows.begin;
    exb_range columns = p->is_lower ? (exb_range){0, rows.end} : (exb_range){rows.begin, p->order};
    exb_spread from = exb_pblas_cut(q, &p->t, rows, columns);
    exb_t(triangle_rows) t = {p->order, rows, p->is_lower, p->panel.data, m};
    p->panel.layout.row = p->is_vector ? exb_axis_on_first(m, q->team.n) : exb_axis_whole(m);
    p->panel.layout.col = exb_axis_whole(columns.end - columns.begin);
    p->panel.col_stride = m;
    exb_pblas_move(q, &from, &p->panel);
    return t;
}

static void multiply_panel(const job *p, const exb_t(triangle_rows) *t, bool unit, int64_t n_sides)
{
    int64_t m = t->rows.end - t->rows.begin;
    const exb_real *alpha = p->is_vector ? NULL : p->call->alpha;
    exb_entry(rows_multiply)(t, unit, n_sides, alpha, p->sides.data, p->order, p->product, m);
    for (int64_t j = 0; j < n_sides; j++)
        memcpy(exb_spread_at(&p->sides, t->rows.begin, j), p->product + EXB_PARTS * j * m,
               (size_t)m * EXB_SIZE);
}

static void compute_panel(job *p, exb_range rows)
{
    bool unit = p->call->diag == 'U';
    int64_t n_sides = exb_pblas_cols(p->call, &p->sides);
    exb_t(triangle_rows) t = fetch_panel(p, rows);
    if (n_sides == 0)
        return;
    if (!p->call->solves)
        multiply_panel(p, &t, unit, n_sides);
    else if (p->is_vector)
        exb_entry(rows_solve_vector)(&t, unit, p->sides.data);
    else
        exb_entry(rows_solve)(&t, unit, n_sides, exb_pblas_scalar(p->call->alpha), p->sides.data,
                              p->order);
}

/* A lower triangle is solved from its first row on and multiplied from its last one on. */
static void compute_sides(job *p, exb_range sides)
{
    exb_pblas_call *q = p->call;
    exb_range all = {0, p->order};
    exb_spread stored = exb_pblas_cut(q, &p->b, all, sides);
    int64_t n = sides.end - sides.begin;
    p->sides.layout.col =
        p->is_vector ? exb_axis_on_first(n, q->team.n) : exb_axis_shared(n, q->team.n);
    exb_pblas_move(q, &stored, &p->sides);
    for (int64_t done = 0; done < p->order; done += p->height) {
        int64_t m = exb_least(p->height, p->order - done);
        int64_t first = p->is_lower == q->solves ? done : p->order - done - m;
        compute_panel(p, (exb_range){first, first + m});
    }
    exb_pblas_move(q, &p->sides, &stored);
}

/* --- in turn ------------------------------------------------------------------ */

static bool has_whole_rows(const job *p)
{
    return p->call->grid.n_cols == 1 && p->t.row_stride == 1 && !p->t.conjugate;
}

/* All processes have all unknowns that were found; those of these rows come from their owner. */
static void solve_block(job *p, exb_range rows, bool is_own)
{
    exb_pblas_call *q = p->call;
    int64_t m = rows.end - rows.begin;
    exb_range columns = p->is_lower ? (exb_range){0, rows.end} : (exb_range){rows.begin, p->order};
    exb_spread all = {{exb_axis_whole(m), exb_axis_whole(1)}, NULL, 1, m, EXB_SIZE, false};
    all.data = exb_spread_at(&p->sides, rows.begin, 0);
    exb_spread found = all, t = exb_pblas_cut(q, &p->t, rows, columns);
    found.layout.row = exb_axis_cut(p->t.layout.row, rows.begin, m);
    exb_t(triangle_rows) own = {p->order, rows, p->is_lower, t.data, t.col_stride};
    if (is_own)
        exb_entry(rows_solve_vector)(&own, q->diag == 'U', p->sides.data);
    exb_pblas_move(q, &found, &all);
}

static void solve_in_turn(job *p)
{
    exb_pblas_call *q = p->call;
    const exb_axis *x = &p->t.layout.row;
    exb_range rows;
    int part, self = exb_pblas_part(q, x);
    exb_pblas_move(q, &p->b, &p->sides);
    for (int64_t done = 0; done < p->order; done += rows.end - rows.begin) {
        rows = exb_axis_block_at(x, p->is_lower ? done : p->order - 1 - done, &part);
        solve_block(p, rows, part == self);
    }
    exb_pblas_move(q, &p->sides, &p->b);
}

/* --- routines ----------------------------------------------------------------- */

/* This process's part. */
static void set_to_zero(exb_pblas_call *q, const exb_spread *b)
{
    int64_t m = exb_pblas_rows(q, b), n = exb_pblas_cols(q, b);
    for (int64_t j = 0; j < n && m > 0; j++)
        memset(exb_spread_at(b, 0, j), 0, (size_t)m * EXB_SIZE);
}

void driver(triangle)(exb_pblas_call *q)
{
    bool is_vector = exb_pblas_has(q, EXB_X);
    exb_spread b =
        is_vector ? exb_pblas_column(q, EXB_X, EXB_SIZE) : exb_pblas_stored(q, EXB_B, EXB_SIZE);
    job p = {.call = q, .is_vector = is_vector};
    set_operands(&p, b, is_vector || q->side == 'L');
    p.in_turn = is_vector && q->solves && has_whole_rows(&p);
    bool is_zero = !is_vector && exb_mpi_is_zero(q->alpha, EXB_PARTS); /* and A is not read */
    if (!(is_zero ? exb_pblas_ready(q) : take_memory(&p)))
        return;
    if (is_zero)
        set_to_zero(q, &b);
    else if (p.in_turn)
        solve_in_turn(&p);
    else
        for (int64_t j = 0; j < p.n_sides; j += p.width * q->team.n)
            compute_sides(&p, (exb_range){j, exb_least(j + p.width * q->team.n, p.n_sides)});
}
