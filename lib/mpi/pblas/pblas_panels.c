/* Compiled for doubles. */
#include "mpi/pblas/pblas_panels.h"

#include "mpi/pblas/pblas_type.h"

enum {
    ENOUGH_TERMS = 1024,
    TERMS_AT_ONCE = ENOUGH_TERMS / 2,
    BYTES = 24, /* of residues of an element, about: a window holds so many */
    NORMS = sizeof(exb_vector_norms)
};

static int part_of(const exb_pblas_call *q, const exb_axis *x)
{
    return exb_team_part(&q->team, x, q->team.self);
}

/* The most that any part has of an axis. */
static int64_t most_of(const exb_axis *x)
{
    int64_t most = 0;
    for (int i = 0; i < x->n_parts; i++)
        most = exb_most(most, exb_axis_count(x, i));
    return most;
}

/* --- norms -------------------------------------------------------------------- */

/* An element for each part of an axis. */
static exb_axis one_each(const exb_axis *x)
{
    return (exb_axis){x->over, x->n_parts, 0, 1, 1, 0, x->n_parts};
}

/* Of the rows of s, for those that a process has of an axis. */
static void take_norms(exb_pblas_call *q, exb_pblas_norms *n, const exb_spread *s, exb_axis needed)
{
    int n_parts = s->layout.col.n_parts;
    n->parts = exb_pblas_take(q, s->layout.row, one_each(&s->layout.col), NORMS);
    n->gathered = exb_pblas_take(q, needed, exb_axis_whole(n_parts), NORMS);
    n->gathered.row_stride = n_parts; /* those of a row side by side */
    n->gathered.col_stride = 1;
    n->all = exb_workspace_take(&q->work, (size_t)(exb_pblas_rows(q, &n->gathered) * NORMS),
                                (size_t)(needed.n * NORMS));
}

static void find_norms(exb_pblas_call *q, const exb_pblas_norms *n, const exb_spread *s)
{
    exb_panel_operand own = {s->data, s->row_stride, s->col_stride};
    const exb_vector_norms *gathered = n->gathered.data;
    int n_parts = s->layout.col.n_parts;
    exb_entry_panel_norms(exb_pblas_rows(q, s), exb_pblas_cols(q, s), own, n->parts.data);
    exb_pblas_move(q, &n->parts, &n->gathered);
    for (int64_t i = 0; i < exb_pblas_rows(q, &n->gathered); i++)
        n->all[i] = exb_entry_panel_merge_norms(n_parts, gathered + i * n_parts);
}

/* --- memory ------------------------------------------------------------------- */

/* Room for a panel of at most so many own rows and columns. */
static exb_spread take_panel(exb_pblas_call *q, exb_axis row, exb_axis col, int64_t own)
{
    exb_spread s = {{row, col}, NULL, 1, 1, EXB_SIZE, false};
    s.data =
        exb_workspace_take(&q->work, (size_t)own * EXB_SIZE, (size_t)(row.n * col.n) * EXB_SIZE);
    exb_pblas_plan(q, &s);
    return s;
}

/* Residues take as much as this process's part of C or half of its part of all operands, whichever
 * is less, or the workspace; columns come in whole rounds of blocks. Panels take the workspace, but
 * have a thousand terms, below which residues cost more to fetch than products to compute. */
static void choose_sizes(exb_pblas_panels *p)
{
    const exb_layout *l = &p->c.layout;
    int64_t m = most_of(&l->row), n = most_of(&l->col), workspace = exb_pblas_workspace();
    int64_t factors = m * p->k / l->col.n_parts + p->k * n / l->row.n_parts;
    int64_t residues = exb_most(workspace, exb_least(m * n, (m * n + factors) / 2));
    int64_t round = l->col.n_parts * l->col.block;
    int64_t columns = residues * EXB_SIZE / (BYTES * exb_most(m, 1));
    int64_t least = exb_least(ENOUGH_TERMS, exb_most(workspace / (4 * ENOUGH_TERMS), 1));
    p->length = exb_most(columns * l->col.n_parts / round, 1) * round;
    p->panel = exb_most(workspace / 2 / exb_most(m + columns, 1), least);
    p->panel = exb_least(exb_least(p->panel, 2 * ENOUGH_TERMS), p->k);
}

void exb_pblas_panels_take(exb_pblas_call *q, exb_pblas_panels *p, const exb_spread *a,
                           const exb_spread *b)
{
    exb_axis one = exb_axis_whole(1);
    exb_spread columns = exb_pblas_op(*b, 'T');
    *p = (exb_pblas_panels){.a = *a, .b = *b, .c = exb_pblas_stored(q, EXB_C, EXB_SIZE)};
    const exb_layout *c = &p->c.layout;
    p->k = a->layout.col.n;
    int64_t m = most_of(&c->row), n = most_of(&c->col);
    /* In windows of whole rows, columns would be fetched for three of them. */
    p->is_used = n > 0 && m * p->k > 2 * exb_pblas_workspace();
    if (!p->is_used)
        return;
    choose_sizes(p);
    take_norms(q, &p->rows, a, c->row);
    take_norms(q, &p->cols, &columns, c->col);
    exb_axis terms = exb_axis_whole(p->panel);
    p->a_panel = take_panel(q, c->row, terms, exb_pblas_rows(q, &p->c) * p->panel);
    p->b_panel =
        take_panel(q, terms, c->col, exb_least(exb_pblas_cols(q, &p->c), p->length) * p->panel);
    p->a_row = exb_pblas_take(q, one, exb_axis_whole(p->k), EXB_SIZE);
    p->b_col = exb_pblas_take(q, exb_axis_whole(p->k), one, EXB_SIZE);
    exb_flight_take(&q->work, &q->team, &p->a_next, m * p->panel, EXB_SIZE);
    exb_flight_take(&q->work, &q->team, &p->b_next, exb_least(n, p->length) * p->panel, EXB_SIZE);
}

/* --- a window ----------------------------------------------------------------- */

/* Terms from `at` on set out for the panel, in which the ones before may still be in use. */
static void start_panel(exb_pblas_call *q, exb_pblas_panels *p, exb_range window, int64_t at)
{
    exb_range rows = {0, p->c.layout.row.n}, terms = {at, exb_least(at + p->panel, p->k)};
    exb_axis panel = exb_axis_whole(terms.end - terms.begin);
    exb_spread from = exb_pblas_cut(q, &p->a, rows, terms), to = p->a_panel;
    to.layout.col = panel;
    to.col_stride = exb_most(exb_pblas_rows(q, &to), 1);
    exb_flight_start(&q->team, &p->a_next, &from, &to);
    from = exb_pblas_cut(q, &p->b, terms, window);
    to = p->b_panel;
    to.layout.row = panel;
    to.layout.col = exb_axis_cut(p->c.layout.col, window.begin, window.end - window.begin);
    to.col_stride = panel.n;
    exb_flight_start(&q->team, &p->b_next, &from, &to);
}

static void finish_panel(exb_pblas_call *q, exb_pblas_panels *p)
{
    exb_flight_finish(&q->team, &p->a_next);
    exb_flight_finish(&q->team, &p->b_next);
    p->a_panel = p->a_next.to;
    p->b_panel = p->b_next.to;
}

/* Rows of op(A) and columns of op(B) as they are multiplied. */
static exb_panel_operand rows_of(const exb_pblas_panels *p)
{
    return (exb_panel_operand){p->a_panel.data, 1, p->a_panel.col_stride};
}

static exb_panel_operand columns_of(const exb_pblas_panels *p)
{
    return (exb_panel_operand){p->b_panel.data, p->b_panel.col_stride, 1};
}

static void merge_least(void *into, const void *from)
{
    int64_t *a = into, b = *(const int64_t *)from;
    *a = exb_least(*a, b);
}

static void merge_sum(void *into, const void *from)
{
    *(int64_t *)into += *(const int64_t *)from;
}

/* Adds the panel that is there, some terms at a time, so that the next one comes nearer. */
static void add_panel(exb_pblas_panels *p)
{
    int64_t k = p->a_panel.layout.col.n;
    exb_panel_operand a = rows_of(p), b = columns_of(p);
    for (int64_t done = 0; done < k && p->product; done += TERMS_AT_ONCE) {
        int64_t n = exb_least(k - done, TERMS_AT_ONCE);
        exb_entry_panels_add(p->product, n, a, b);
        a.p += n * a.ls;
        b.p += n * b.ls;
        exb_flight_progress(&p->a_next);
        exb_flight_progress(&p->b_next);
    }
}

/* Opens this process's part of the window; false if not all processes can. The first panel, which
 * is there, says how many moduli are needed. */
static bool open_window(exb_pblas_call *q, exb_pblas_panels *p, const exb_spread *c)
{
    int64_t m = exb_pblas_rows(q, c), n = exb_pblas_cols(q, c), first = p->a_panel.layout.col.n;
    int64_t before =
        exb_axis_before(&p->c.layout.col, part_of(q, &p->c.layout.col), p->window.begin);
    int64_t n_moduli = exb_entry_panel_moduli(m, n, p->k, first, rows_of(p), columns_of(p));
    exb_panel_product shape = {.m = m,
                               .n = n,
                               .k = p->k,
                               .panel = p->panel,
                               .n_moduli = (int)n_moduli,
                               .rows = p->rows.all,
                               .cols = p->cols.all + before,
                               .alpha = *(const double *)q->alpha,
                               .beta = *(const double *)q->beta,
                               .c = c->data,
                               .ldc = c->col_stride};
    p->product = n_moduli > 0 && m > 0 && n > 0 ? exb_entry_panels_open(&shape) : NULL;
    int64_t good = n_moduli > 0 && (p->product || m == 0 || n == 0);
    exb_team_merge(&q->team, &good, sizeof good, merge_least);
    if (!good) {
        exb_entry_panels_close(p->product);
        p->product = NULL;
    }
    return good;
}

/* All panels, the first of which is there. */
static void add_panels(exb_pblas_call *q, exb_pblas_panels *p)
{
    for (int64_t at = p->panel; at < p->k; at += p->panel) {
        start_panel(q, p, p->window, at);
        add_panel(p);
        finish_panel(q, p);
    }
    add_panel(p);
}

bool exb_pblas_panels_next(exb_pblas_call *q, exb_pblas_panels *p)
{
    const exb_layout *l = &p->c.layout;
    exb_entry_panels_close(p->product);
    p->product = NULL;
    p->window.begin = p->window.end;
    if (!p->is_used || p->window.begin >= l->col.n)
        return false;
    if (p->window.begin == 0) {
        exb_spread columns = exb_pblas_op(p->b, 'T');
        find_norms(q, &p->rows, &p->a);
        find_norms(q, &p->cols, &columns);
    }
    exb_range window = {p->window.begin, exb_least(p->window.begin + p->length, l->col.n)};
    exb_spread c = exb_pblas_cut(q, &p->c, (exb_range){0, l->row.n}, window);
    p->window = window;
    start_panel(q, p, window, 0);
    finish_panel(q, p);
    if (!open_window(q, p, &c)) {
        p->window = (exb_range){window.begin, window.begin};
        return false;
    }
    add_panels(q, p);
    p->n_open = p->product ? exb_entry_panels_count(p->product) : 0;
    exb_team_merge(&q->team, &p->n_open, sizeof p->n_open, merge_sum);
    return true;
}

/* --- what is open ------------------------------------------------------------- */

/* An element by its place in the window of C; column first, so that places have an order. */
typedef struct {
    int64_t col, row;
} place;

static const place nowhere = {INT64_MAX, INT64_MAX};

static bool is_before(place a, place b)
{
    return a.col < b.col || (a.col == b.col && a.row < b.row);
}

static void merge_places(void *into, const void *from)
{
    place *a = into, b = *(const place *)from;
    if (is_before(b, *a))
        *a = b;
}

/* This process's open element behind its element (*i, *j). */
static place next_place(const exb_pblas_call *q, const exb_pblas_panels *p, const exb_spread *c,
                        int64_t *i, int64_t *j)
{
    const exb_layout *l = &c->layout;
    if (!p->product || !exb_entry_panels_next(p->product, i, j))
        return nowhere;
    return (place){exb_axis_index(&l->col, part_of(q, &l->col), *j),
                   exb_axis_index(&l->row, part_of(q, &l->row), *i)};
}

static void fetch_vectors(exb_pblas_call *q, exb_pblas_panels *p, place at, place last)
{
    int64_t col = p->window.begin + at.col;
    exb_range terms = {0, p->k};
    exb_spread from = exb_pblas_cut(q, &p->a, (exb_range){at.row, at.row + 1}, terms);
    exb_pblas_move(q, &from, &p->a_row);
    if (at.col == last.col)
        return;
    from = exb_pblas_cut(q, &p->b, terms, (exb_range){col, col + 1});
    exb_pblas_move(q, &from, &p->b_col);
}

/* In the order of their places: all processes fetch the row and the column of one at a time. */
void exb_pblas_panels_complete(exb_pblas_call *q, exb_pblas_panels *p)
{
    exb_spread c = exb_pblas_cut(q, &p->c, (exb_range){0, p->c.layout.row.n}, p->window);
    int64_t i = -1, j = 0;
    place mine = next_place(q, p, &c, &i, &j), last = nowhere;
    for (int64_t n = 0; n < p->n_open; n++) {
        place first = mine;
        exb_team_merge(&q->team, &first, sizeof first, merge_places);
        fetch_vectors(q, p, first, last);
        last = first;
        if (is_before(first, mine) || is_before(mine, first))
            continue;
        serial(gemm)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, 1, 1, p->k,
                     exb_pblas_scalar(q->alpha), p->a_row.data, 1, p->b_col.data, p->k,
                     exb_pblas_scalar(q->beta), exb_pblas_at(&c, i, j), exb_most(c.col_stride, 1));
        mine = next_place(q, p, &c, &i, &j);
    }
}
