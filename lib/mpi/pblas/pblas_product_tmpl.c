/* Products with a general or a symmetric matrix. Each process computes the elements of C that it
 * has, from the rows of op(A) and the columns of op(B) that they need; in Level 2 each computes its
 * share of y, and y goes where it belongs. Types: s d c z. */
#include "mpi/pblas/pblas_type.h"

#include <math.h>

/* --- a symmetric matrix in full ---------------------------------------------- */

/* Some rows and columns of a symmetric or Hermitian matrix: what is stored there, and what is
 * stored in the mirror image. */
typedef struct {
    exb_spread stored, direct, mirrored;
    bool lower, hermitian;
} symmetric;

static symmetric take_symmetric(exb_pblas_call *q, exb_axis row, exb_axis col, bool hermitian)
{
    symmetric s = {.lower = q->uplo == 'L', .hermitian = hermitian};
    s.stored = exb_pblas_stored(q, EXB_A, EXB_SIZE);
    s.direct = exb_pblas_take(q, row, col, EXB_SIZE);
    s.mirrored = exb_pblas_take(q, row, col, EXB_SIZE);
    return s;
}

/* Completes what is direct by what is mirrored. */
static void merge_triangles(exb_pblas_call *q, const symmetric *s)
{
    const exb_layout *l = &s->direct.layout;
    int64_t m = exb_pblas_rows(q, &s->direct), n = exb_pblas_cols(q, &s->direct);
    int row_part = exb_team_part(&q->team, &l->row, q->team.self);
    int col_part = exb_team_part(&q->team, &l->col, q->team.self);
    for (int64_t j = 0; j < n; j++) {
        int64_t column = exb_axis_index(&l->col, col_part, j);
        int64_t above = exb_axis_before(&l->row, row_part, column);
        int64_t upto = exb_axis_before(&l->row, row_part, column + 1);
        exb_range other = s->lower ? (exb_range){0, above} : (exb_range){upto, m};
        serial(copy)(exb_most(other.end - other.begin, 0),
                     exb_pblas_at(&s->mirrored, other.begin, j), 1,
                     exb_pblas_at(&s->direct, other.begin, j), 1);
        if (EXB_IS_COMPLEX && s->hermitian && upto > above)
            exb_pblas_at(&s->direct, above, j)[EXB_PARTS - 1] = 0;
    }
}

static void move_symmetric(exb_pblas_call *q, const symmetric *s)
{
    exb_spread mirror = exb_pblas_op_of(s->stored, s->hermitian ? 'C' : 'T');
    exb_pblas_move(q, &s->stored, &s->direct);
    exb_pblas_move(q, &mirror, &s->mirrored);
    merge_triangles(q, s);
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
    serial(hemm)(EXBLAS_COL_MAJOR, left ? EXBLAS_LEFT : EXBLAS_RIGHT,
                 q->uplo == 'L' ? EXBLAS_LOWER : EXBLAS_UPPER, exb_pblas_rows(q, &own_c),
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
    serial(hemv)(EXBLAS_COL_MAJOR, q->uplo == 'L' ? EXBLAS_LOWER : EXBLAS_UPPER,
                 exb_pblas_rows(q, &own_y), q->alpha, all.data, all.col_stride, own_x.data, 1,
                 q->beta, own_y.data, 1);
    exb_pblas_move(q, &own_y, &y);
    exb_pblas_end(q);
}
#endif

/* --- level 3 ----------------------------------------------------------------- */

/* This process's part of C = alpha A B + beta C. Without elements it may have any leading
 * dimension. */
static void multiply(exb_pblas_call *q, const exb_spread *a, const exb_spread *b,
                     const exb_spread *c)
{
    if (exb_pblas_own(q, c) == 0)
        return;
    serial(gemm)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, exb_pblas_rows(q, c),
                 exb_pblas_cols(q, c), a->layout.col.n, exb_pblas_scalar(q->alpha), a->data,
                 a->col_stride, b->data, b->col_stride, exb_pblas_scalar(q->beta), c->data,
                 c->col_stride);
}

void driver(gemm)(exb_pblas_call *q)
{
    if (!exb_pblas_begin(q, false))
        return;
    bool scales = exb_pblas_is_zero(q->alpha, EXB_PARTS); /* and reads neither A nor B */
    exb_axis inner = exb_axis_whole(scales ? 0 : q->k);
    exb_spread a = exb_pblas_op_of(exb_pblas_stored(q, EXB_A, EXB_SIZE), q->trans);
    exb_spread b = exb_pblas_op_of(exb_pblas_stored(q, EXB_B, EXB_SIZE), q->transb);
    exb_spread c = exb_pblas_stored(q, EXB_C, EXB_SIZE);
    exb_spread rows = exb_pblas_take(q, c.layout.row, inner, EXB_SIZE);
    exb_spread cols = exb_pblas_take(q, inner, c.layout.col, EXB_SIZE);
    if (exb_pblas_ready(q)) {
        if (!scales) {
            exb_pblas_move(q, &a, &rows);
            exb_pblas_move(q, &b, &cols);
        }
        multiply(q, &rows, &cols, &c);
    }
    exb_pblas_end(q);
}

static void compute_symm(exb_pblas_call *q, bool hermitian)
{
    if (!exb_pblas_begin(q, false))
        return;
    bool left = q->side == 'L', scales = exb_pblas_is_zero(q->alpha, EXB_PARTS);
    exb_axis inner = exb_axis_whole(scales ? 0 : left ? q->m : q->n);
    exb_spread b = exb_pblas_stored(q, EXB_B, EXB_SIZE), c = exb_pblas_stored(q, EXB_C, EXB_SIZE);
#if EXB_IS_COMPLEX
    if (hermitian && !scales && has_specials(q, &b)) {
        hemm_by_columns(q);
        return;
    }
#endif
    symmetric s =
        take_symmetric(q, left ? c.layout.row : inner, left ? inner : c.layout.col, hermitian);
    exb_spread other =
        exb_pblas_take(q, left ? inner : c.layout.row, left ? c.layout.col : inner, EXB_SIZE);
    if (exb_pblas_ready(q)) {
        if (!scales) {
            move_symmetric(q, &s);
            exb_pblas_move(q, &b, &other);
        }
        multiply(q, left ? &s.direct : &other, left ? &other : &s.direct, &c);
    }
    exb_pblas_end(q);
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
    exb_axis rows = exb_pblas_shared(q, q->n);
    symmetric s = take_symmetric(q, rows, exb_axis_whole(q->n), hermitian);
    vectors v = take_vectors(q, rows, q->n);
    if (exb_pblas_ready(q)) {
        if (!exb_pblas_is_zero(q->alpha, EXB_PARTS))
            move_symmetric(q, &s);
        multiply_vector(q, &s.direct, &v);
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
static exb_spread take_factor(exb_pblas_call *q, exb_axis along)
{
    return exb_pblas_take(q, along, exb_axis_whole(1), EXB_SIZE);
}

static bool begin_ger(exb_pblas_call *q, exb_spread *a, exb_spread *rows, exb_spread *cols)
{
    if (!exb_pblas_begin(q, false))
        return false;
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE), y = exb_pblas_column(q, EXB_Y, EXB_SIZE);
    *a = exb_pblas_stored(q, EXB_A, EXB_SIZE);
    *rows = take_factor(q, a->layout.row);
    *cols = take_factor(q, a->layout.col);
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
