/* Products with a general or a symmetric matrix. Each process computes the elements of C that it
 * has, from the rows of op(A) and the columns of op(B) that they need; in Level 2 each computes its
 * share of y, and y goes where it belongs. Types: s d c z. */
#include "mpi/pblas/pblas_panels.h"
#include "mpi/pblas/pblas_type.h"

#include <math.h>

#define EXB_IS_PANELLED (!EXB_IS_S && !EXB_IS_COMPLEX)

/* --- factors ----------------------------------------------------------------- */

/* Some rows and columns of a matrix, in a buffer. Of a symmetric or Hermitian matrix they are what
 * is stored there, completed by what is stored in the mirror image. */
typedef struct {
    exb_spread source, direct, mirrored;
    bool symmetric, lower, hermitian;
} factor;

static factor general_factor(exb_spread source)
{
    return (factor){.source = source};
}

static factor symmetric_factor(const exb_pblas_call *q, bool hermitian)
{
    exb_spread a = exb_pblas_stored(q, EXB_A, EXB_SIZE);
    return (factor){
        .source = a, .symmetric = true, .lower = q->uplo == 'L', .hermitian = hermitian};
}

/* An axis in windows of `length` elements; one window may be the whole. */
typedef struct {
    exb_axis axis;
    int64_t length;
} windows;

static windows one_window(exb_axis x)
{
    return (windows){x, x.n};
}

/* The most elements that this process has of a window. */
static int64_t most_own(const exb_pblas_call *q, const windows *w)
{
    int64_t most = 0;
    int part = exb_team_part(&q->team, &w->axis, q->team.self);
    for (int64_t i = 0; i < w->axis.n; i += w->length) {
        exb_axis x = exb_axis_cut(w->axis, i, w->length);
        most = exb_most(most, exb_axis_count(&x, part));
    }
    return most;
}

static exb_spread take_windows(exb_pblas_call *q, windows row, windows col)
{
    int64_t m = exb_least(row.length, row.axis.n), n = exb_least(col.length, col.axis.n);
    size_t own = (size_t)(most_own(q, &row) * most_own(q, &col)) * EXB_SIZE;
    exb_spread s = {{row.axis, col.axis}, NULL, 1, exb_most(most_own(q, &row), 1), EXB_SIZE, false};
    s.data = exb_workspace_take(&q->work, own, (size_t)(m * n) * EXB_SIZE);
    exb_redistribute_plan(&q->work, m, n, EXB_SIZE);
    return s;
}

/* Buffers for parts of this layout, window by window. */
static void take_factor(exb_pblas_call *q, factor *f, windows row, windows col)
{
    f->direct = take_windows(q, row, col);
    if (f->symmetric)
        f->mirrored = take_windows(q, row, col);
}

static int64_t within(const exb_axis *x, int64_t i)
{
    return i < 0 ? 0 : exb_least(i, x->n);
}

/* Completes what is direct by what is mirrored. The diagonal of the matrix is in row j +
 * from_diagonal of column j. */
static void merge_triangles(exb_pblas_call *q, const factor *s, int64_t from_diagonal)
{
    const exb_layout *l = &s->direct.layout;
    int64_t m = exb_pblas_rows(q, &s->direct), n = exb_pblas_cols(q, &s->direct);
    int row_part = exb_team_part(&q->team, &l->row, q->team.self);
    int col_part = exb_team_part(&q->team, &l->col, q->team.self);
    for (int64_t j = 0; j < n; j++) {
        int64_t diagonal = exb_axis_index(&l->col, col_part, j) + from_diagonal;
        int64_t above = exb_axis_before(&l->row, row_part, within(&l->row, diagonal));
        int64_t upto = exb_axis_before(&l->row, row_part, within(&l->row, diagonal + 1));
        exb_range other = s->lower ? (exb_range){0, above} : (exb_range){upto, m};
        serial(copy)(exb_most(other.end - other.begin, 0),
                     exb_pblas_at(&s->mirrored, other.begin, j), 1,
                     exb_pblas_at(&s->direct, other.begin, j), 1);
        if (EXB_IS_COMPLEX && s->hermitian && upto > above)
            exb_pblas_at(&s->direct, above, j)[EXB_PARTS - 1] = 0;
    }
}

/* Brings rows and columns into buffers that were taken for a layout with as many. */
static void move_factor(exb_pblas_call *q, factor *f, exb_range rows, exb_range cols, exb_axis row,
                        exb_axis col)
{
    exb_spread from = exb_pblas_cut(q, &f->source, rows, cols);
    f->direct.layout = f->mirrored.layout = (exb_layout){row, col};
    f->direct.col_stride = f->mirrored.col_stride = exb_most(exb_pblas_rows(q, &f->direct), 1);
    exb_pblas_move(q, &from, &f->direct);
    if (f->symmetric) {
        exb_spread mirror = exb_pblas_op_of(f->source, f->hermitian ? 'C' : 'T');
        from = exb_pblas_cut(q, &mirror, rows, cols);
        exb_pblas_move(q, &from, &f->mirrored);
        merge_triangles(q, f, cols.begin - rows.begin);
    }
}

/* All of it. */
static void move_whole(exb_pblas_call *q, factor *f)
{
    exb_layout l = f->direct.layout;
    move_factor(q, f, (exb_range){0, l.row.n}, (exb_range){0, l.col.n}, l.row, l.col);
}

/* --- a Hermitian matrix and vectors that are not finite ------------------------- */

#if EXB_IS_COMPLEX
static void merge_found(void *into, const void *from)
{
    *(bool *)into |= *(const bool *)from;
}

/* Whether an element is Inf or NaN on any process. The diagonal of a Hermitian matrix has no
 * imaginary part, which is not the same as one of zero times Inf. For finite factors it is. */
static bool has_specials(exb_pblas_call *q, const exb_spread *s)
{
    bool found = false;
    for (int64_t j = 0; j < exb_pblas_cols(q, s) && !found; j++)
        for (int64_t i = 0; i < exb_pblas_rows(q, s) && !found; i++) {
            const exb_real *at = exb_pblas_at(s, i, j);
            found = !isfinite(at[0]) || !isfinite(at[1]);
        }
    exb_team_merge(&q->team, &found, sizeof found, merge_found);
    return found;
}

/* With the serial routine: each process has all of A, and some columns of B and C whole (A on
 * the right: some rows). */
static void hemm_by_columns(exb_pblas_call *q)
{
    bool left = q->side == 'L';
    exb_axis along = exb_axis_whole(left ? q->m : q->n);
    exb_axis others = exb_pblas_shared(q, left ? q->n : q->m);
    exb_axis row = left ? along : others, col = left ? others : along;
    exb_spread a = exb_pblas_stored(q, EXB_A, EXB_SIZE), b = exb_pblas_stored(q, EXB_B, EXB_SIZE);
    exb_spread c = exb_pblas_stored(q, EXB_C, EXB_SIZE);
    exb_spread all = exb_pblas_take(q, along, along, EXB_SIZE);
    exb_spread own_b = exb_pblas_take(q, row, col, EXB_SIZE);
    exb_spread own_c = exb_pblas_take(q, row, col, EXB_SIZE);
    if (!exb_pblas_ready(q))
        return;
    exb_pblas_move(q, &a, &all);
    exb_pblas_move(q, &b, &own_b);
    exb_pblas_move(q, &c, &own_c);
    serial(hemm)(EXBLAS_COL_MAJOR, exb_pblas_side(q), exb_pblas_uplo(q), exb_pblas_rows(q, &own_c),
                 exb_pblas_cols(q, &own_c), q->alpha, all.data, all.col_stride, own_b.data,
                 own_b.col_stride, q->beta, own_c.data, own_c.col_stride);
    exb_pblas_move(q, &own_c, &c);
    exb_pblas_end(q);
}

/* With the serial routine, on the first process. */
static void hemv_on_first(exb_pblas_call *q)
{
    exb_axis rows = exb_pblas_on_first(q, q->n), whole = exb_axis_whole(q->n);
    exb_axis one = exb_axis_whole(1);
    exb_spread a = exb_pblas_stored(q, EXB_A, EXB_SIZE),
               all = exb_pblas_take(q, rows, whole, EXB_SIZE);
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE),
               own_x = exb_pblas_take(q, rows, one, EXB_SIZE);
    exb_spread y = exb_pblas_column(q, EXB_Y, EXB_SIZE),
               own_y = exb_pblas_take(q, rows, one, EXB_SIZE);
    if (!exb_pblas_ready(q))
        return;
    exb_pblas_move(q, &a, &all);
    exb_pblas_move(q, &x, &own_x);
    exb_pblas_move(q, &y, &own_y);
    serial(hemv)(EXBLAS_COL_MAJOR, exb_pblas_uplo(q), exb_pblas_rows(q, &own_y), q->alpha, all.data,
                 all.col_stride, own_x.data, 1, q->beta, own_y.data, 1);
    exb_pblas_move(q, &own_y, &y);
    exb_pblas_end(q);
}
#endif

/* --- level 3 ----------------------------------------------------------------- */

/* This process's part of C = alpha A B + beta C. Without elements it may have any leading
 * dimension. */
static void multiply(exb_pblas_call *q, const exb_spread *a, const exb_spread *b, int64_t k,
                     const exb_spread *c)
{
    if (exb_pblas_own(q, c) == 0)
        return;
    serial(gemm)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, exb_pblas_rows(q, c),
                 exb_pblas_cols(q, c), k, exb_pblas_scalar(q->alpha), a->data, a->col_stride,
                 b->data, b->col_stride, exb_pblas_scalar(q->beta), c->data, c->col_stride);
}

/* C is computed in windows: as many rows and columns at once as the workspace holds in factors of
 * full length, at least LEAST of each, three quarters of them rows, which are fetched once. In
 * whole rounds of blocks, so that all processes work. */
enum { LEAST = 8 };

static windows windows_of(exb_axis x, int64_t elements, int64_t k)
{
    int64_t own = exb_most(elements / exb_most(k, 1), LEAST), round = x.n_parts * x.block;
    return (windows){x, exb_most(own * x.n_parts / round, 1) * round};
}

/* Factors of C, and what of it is to be computed: all, or what panels left open. */
typedef struct {
    factor *a, *b;
    int64_t k;
    windows row, col;
    const exb_pblas_panels *panels;
} product;

/* Elements that are open in a window. */
static void multiply_open(exb_pblas_call *q, const product *p, exb_range rows, exb_range cols,
                          const exb_spread *c)
{
#if EXB_IS_PANELLED
    const exb_layout *l = &q->operand[EXB_C].layout;
    int row_part = exb_team_part(&q->team, &l->row, q->team.self);
    int col_part = exb_team_part(&q->team, &l->col, q->team.self);
    int64_t first = exb_axis_before(&l->row, row_part, rows.begin), m = exb_pblas_rows(q, c);
    int64_t left = exb_axis_before(&l->col, col_part, cols.begin) -
                   exb_axis_before(&l->col, col_part, p->panels->window.begin);
    int64_t i = -1, j = left, ld = exb_most(c->col_stride, 1);
    while (p->panels->product && exb_entry_panels_next(p->panels->product, &i, &j) &&
           j < left + exb_pblas_cols(q, c))
        if (i >= first && i < first + m)
            serial(gemm)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, 1, 1, p->k,
                         exb_pblas_scalar(q->alpha), exb_pblas_at(&p->a->direct, i - first, 0),
                         p->a->direct.col_stride, exb_pblas_at(&p->b->direct, 0, j - left), p->k,
                         exb_pblas_scalar(q->beta), exb_pblas_at(c, i - first, j - left), ld);
#else
    (void)q, (void)p, (void)rows, (void)cols, (void)c;
#endif
}

/* The part of C in these rows, whose factor is there: window by window of columns. */
static void compute_rows(exb_pblas_call *q, const product *p, exb_range rows, exb_range cols)
{
    exb_spread c = exb_pblas_stored(q, EXB_C, EXB_SIZE);
    for (int64_t j = cols.begin; j < cols.end; j += p->col.length) {
        exb_range some = {j, exb_least(j + p->col.length, cols.end)};
        exb_spread window = exb_pblas_cut(q, &c, rows, some);
        move_factor(q, p->b, (exb_range){0, p->k}, some, exb_axis_whole(p->k),
                    exb_axis_cut(p->col.axis, j, some.end - j));
        if (p->panels)
            multiply_open(q, p, rows, some, &window);
        else
            multiply(q, &p->a->direct, &p->b->direct, p->k, &window);
    }
}

static void compute_columns(exb_pblas_call *q, const product *p, exb_range cols)
{
    exb_range terms = {0, p->k};
    for (int64_t i = 0; i < p->row.axis.n && cols.begin < cols.end; i += p->row.length) {
        exb_range rows = {i, exb_least(i + p->row.length, p->row.axis.n)};
        move_factor(q, p->a, rows, terms, exb_axis_cut(p->row.axis, i, p->row.length),
                    exb_axis_whole(p->k));
        compute_rows(q, p, rows, cols);
    }
}

#if EXB_IS_PANELLED
static void take_panels(exb_pblas_call *q, exb_pblas_panels *panels, const product *p)
{
    panels->is_used = p->k > 0 && !p->a->symmetric && !p->b->symmetric;
    if (panels->is_used)
        exb_pblas_panels_take(q, panels, &p->a->source, &p->b->source);
}

/* Returns how many columns are done. */
static int64_t compute_in_panels(exb_pblas_call *q, exb_pblas_panels *panels, product *p)
{
    while (exb_pblas_panels_next(q, panels)) {
        p->panels = panels;
        if (panels->n_open <= EXB_FEW_OPEN)
            exb_pblas_panels_complete(q, panels);
        else
            compute_columns(q, p, panels->window);
        p->panels = NULL;
    }
    return panels->window.end;
}
#else
static void take_panels(exb_pblas_call *q, exb_pblas_panels *panels, const product *p)
{
    (void)q, (void)panels, (void)p;
}

static int64_t compute_in_panels(exb_pblas_call *q, exb_pblas_panels *panels, product *p)
{
    (void)q, (void)panels, (void)p;
    return 0;
}
#endif

/* C = alpha A B + beta C. */
static void compute_product(exb_pblas_call *q, factor *a, factor *b)
{
    bool scales = exb_pblas_is_zero(q->alpha, EXB_PARTS); /* and reads neither A nor B */
    exb_layout c = q->operand[EXB_C].layout;
    int64_t k = scales ? 0 : a->source.layout.col.n;
    windows inner = one_window(exb_axis_whole(k));
    exb_pblas_panels panels = {0};
    product p = {a,
                 b,
                 k,
                 windows_of(c.row, exb_pblas_workspace() / 4 * 3, k),
                 windows_of(c.col, exb_pblas_workspace() / 4, k),
                 NULL};
    take_factor(q, a, p.row, inner);
    take_factor(q, b, inner, p.col);
    take_panels(q, &panels, &p);
    if (!exb_pblas_ready(q))
        return;
    int64_t done = compute_in_panels(q, &panels, &p);
    compute_columns(q, &p, (exb_range){done, c.col.n});
    exb_pblas_end(q);
}

void driver(gemm)(exb_pblas_call *q)
{
    if (!exb_pblas_begin(q, false))
        return;
    factor a = general_factor(exb_pblas_op_of(exb_pblas_stored(q, EXB_A, EXB_SIZE), q->trans));
    factor b = general_factor(exb_pblas_op_of(exb_pblas_stored(q, EXB_B, EXB_SIZE), q->transb));
    compute_product(q, &a, &b);
}

static void compute_symm(exb_pblas_call *q, bool hermitian)
{
    if (!exb_pblas_begin(q, false))
        return;
    exb_spread b = exb_pblas_stored(q, EXB_B, EXB_SIZE);
#if EXB_IS_COMPLEX
    if (hermitian && !exb_pblas_is_zero(q->alpha, EXB_PARTS) && has_specials(q, &b)) {
        hemm_by_columns(q);
        return;
    }
#endif
    factor symmetric = symmetric_factor(q, hermitian), other = general_factor(b);
    bool left = q->side == 'L';
    compute_product(q, left ? &symmetric : &other, left ? &other : &symmetric);
}

void driver(symm)(exb_pblas_call *q)
{
    compute_symm(q, false);
}

#if EXB_IS_COMPLEX
void driver(hemm)(exb_pblas_call *q)
{
    compute_symm(q, true);
}
#endif

/* --- level 2 ----------------------------------------------------------------- */

/* What goes with the rows of a matrix: all of x, and a share of y. */
typedef struct {
    exb_spread x, y, all, share;
} vectors;

static vectors take_vectors(exb_pblas_call *q, exb_axis rows, int64_t n)
{
    vectors v = {.x = exb_pblas_column(q, EXB_X, EXB_SIZE),
                 .y = exb_pblas_column(q, EXB_Y, EXB_SIZE)};
    v.all = exb_pblas_take(q, exb_axis_whole(n), exb_axis_whole(1), EXB_SIZE);
    v.share = exb_pblas_take(q, rows, exb_axis_whole(1), EXB_SIZE);
    return v;
}

static void multiply_vector(exb_pblas_call *q, const exb_spread *a, const vectors *v)
{
    if (!exb_pblas_is_zero(q->alpha, EXB_PARTS))
        exb_pblas_move(q, &v->x, &v->all);
    if (!exb_pblas_is_zero(q->beta, EXB_PARTS))
        exb_pblas_move(q, &v->y, &v->share);
    int64_t m = exb_pblas_rows(q, a);
    if (m > 0)
        serial(gemv)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, m, a->layout.col.n,
                     exb_pblas_scalar(q->alpha), a->data, a->col_stride, v->all.data, 1,
                     exb_pblas_scalar(q->beta), v->share.data, 1);
    exb_pblas_move(q, &v->share, &v->y);
}

void driver(gemv)(exb_pblas_call *q)
{
    if (!exb_pblas_begin(q, false) || q->m == 0 || q->n == 0)
        return;
    exb_spread a = exb_pblas_op_of(exb_pblas_stored(q, EXB_A, EXB_SIZE), q->trans);
    exb_axis rows = exb_pblas_shared(q, a.layout.row.n);
    exb_spread mine = exb_pblas_take(q, rows, exb_axis_whole(a.layout.col.n), EXB_SIZE);
    vectors v = take_vectors(q, rows, a.layout.col.n);
    if (exb_pblas_ready(q)) {
        if (!exb_pblas_is_zero(q->alpha, EXB_PARTS))
            exb_pblas_move(q, &a, &mine);
        multiply_vector(q, &mine, &v);
    }
    exb_pblas_end(q);
}

static void compute_symv(exb_pblas_call *q, bool hermitian)
{
    if (!exb_pblas_begin(q, false))
        return;
#if EXB_IS_COMPLEX
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE);
    if (hermitian && !exb_pblas_is_zero(q->alpha, EXB_PARTS) && has_specials(q, &x)) {
        hemv_on_first(q);
        return;
    }
#endif
    factor a = symmetric_factor(q, hermitian);
    exb_axis rows = exb_pblas_shared(q, q->n);
    take_factor(q, &a, one_window(rows), one_window(exb_axis_whole(q->n)));
    vectors v = take_vectors(q, rows, q->n);
    if (exb_pblas_ready(q)) {
        if (!exb_pblas_is_zero(q->alpha, EXB_PARTS))
            move_whole(q, &a);
        multiply_vector(q, &a.direct, &v);
    }
    exb_pblas_end(q);
}

#if EXB_IS_COMPLEX
void driver(hemv)(exb_pblas_call *q)
{
    compute_symv(q, true);
}
#else
void driver(symv)(exb_pblas_call *q)
{
    compute_symv(q, false);
}
#endif

/* --- rank-one updates -------------------------------------------------------- */

/* A = alpha x y^T + A: each process has its rows of x and its columns of y. */
static exb_spread take_vector(exb_pblas_call *q, exb_axis along)
{
    return exb_pblas_take(q, along, exb_axis_whole(1), EXB_SIZE);
}

static bool begin_ger(exb_pblas_call *q, exb_spread *a, exb_spread *rows, exb_spread *cols)
{
    if (!exb_pblas_begin(q, false))
        return false;
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE), y = exb_pblas_column(q, EXB_Y, EXB_SIZE);
    *a = exb_pblas_stored(q, EXB_A, EXB_SIZE);
    *rows = take_vector(q, a->layout.row);
    *cols = take_vector(q, a->layout.col);
    if (!exb_pblas_ready(q))
        return false;
    if (!exb_pblas_is_zero(q->alpha, EXB_PARTS)) {
        exb_pblas_move(q, &x, rows);
        exb_pblas_move(q, &y, cols);
    }
    return true;
}

static void compute_ger(exb_pblas_call *q, bool conjugate)
{
    exb_spread a, x, y;
    if (!begin_ger(q, &a, &x, &y))
        return;
    int64_t n = exb_pblas_cols(q, &a), m = n > 0 ? exb_pblas_rows(q, &a) : 0;
    exb_scalar alpha = exb_pblas_scalar(q->alpha);
#if EXB_IS_COMPLEX
    if (conjugate)
        serial(gerc)(EXBLAS_COL_MAJOR, m, n, alpha, x.data, 1, y.data, 1, a.data, a.col_stride);
    else
        serial(geru)(EXBLAS_COL_MAJOR, m, n, alpha, x.data, 1, y.data, 1, a.data, a.col_stride);
#else
    (void)conjugate;
    serial(ger)(EXBLAS_COL_MAJOR, m, n, alpha, x.data, 1, y.data, 1, a.data, a.col_stride);
#endif
    exb_pblas_end(q);
}

#if EXB_IS_COMPLEX
void driver(geru)(exb_pblas_call *q)
{
    compute_ger(q, false);
}

void driver(gerc)(exb_pblas_call *q)
{
    compute_ger(q, true);
}
#else
void driver(ger)(exb_pblas_call *q)
{
    compute_ger(q, false);
}
#endif
