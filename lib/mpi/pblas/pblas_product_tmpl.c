/* Products with a general or a symmetric matrix, and of magnitudes. Each process computes the
 * elements of C that it has, from the rows of op(A) and the columns of op(B) that they need; in
 * Level 2 each computes its share of y, and y goes where it belongs. Types: s d c z. */
#include "level3/rows_entry.h"
#include "mpi/pblas/pblas_type.h"

#include <math.h>

/* --- factors ----------------------------------------------------------------- */

/* Some rows and columns of a matrix, in a buffer. Of a symmetric or Hermitian matrix they are what
 * is stored there, completed by what is stored in the mirror image. */
typedef struct {
    exb_spread source, direct, mirrored;
    bool symmetric, lower, hermitian;
    bool in_place; /* parts are used where they lie */
} factor;

static factor general_factor(exb_spread source)
{
    return (factor){.source = source};
}

static factor symmetric_factor(const exb_pblas_call *q)
{
    exb_spread a = exb_pblas_stored(q, EXB_A, EXB_SIZE);
    return (factor){
        .source = a, .symmetric = true, .lower = q->uplo == 'L', .hermitian = q->conjugate};
}

/* Buffers for parts of this layout, window by window, unless every process has its part already. */
static void take_factor(exb_pblas_call *q, factor *f, exb_windows row, exb_windows col,
                        bool may_stay)
{
    const exb_spread *s = &f->source;
    f->in_place = may_stay && s->row_stride == 1 && !s->conjugate &&
                  exb_axis_is_same(&s->layout.row, &row.axis) &&
                  exb_axis_is_same(&s->layout.col, &col.axis);
    if (f->in_place)
        return;
    f->direct = exb_pblas_take_windows(q, row, col, EXB_SIZE);
    if (f->symmetric)
        f->mirrored = exb_pblas_take_windows(q, row, col, EXB_SIZE);
}

/* Completes what is direct by what is mirrored. The diagonal of the matrix is in row j +
 * from_diagonal of column j. */
static void merge_triangles(exb_pblas_call *q, const factor *s, int64_t from_diagonal)
{
    const exb_layout *l = &s->direct.layout;
    int64_t m = exb_pblas_rows(q, &s->direct), n = exb_pblas_cols(q, &s->direct);
    for (int64_t j = 0; j < n; j++) {
        int64_t diagonal = exb_pblas_index(q, &l->col, j) + from_diagonal;
        int64_t above = exb_pblas_before(q, &l->row, diagonal);
        int64_t upto = exb_pblas_before(q, &l->row, diagonal + 1);
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
    if (f->in_place) {
        f->direct = from;
        return;
    }
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

/* --- products ----------------------------------------------------------------- */

/* C = alpha A B + beta C of what this process has of them, k terms. */
typedef struct {
    const exb_spread *a, *b, *c;
    int64_t m, n, k;
} part_of_product;

static part_of_product own_part(const exb_pblas_call *q, const exb_spread *a, const exb_spread *b,
                                int64_t k, const exb_spread *c)
{
    return (part_of_product){a, b, c, exb_pblas_rows(q, c), exb_pblas_cols(q, c), k};
}

static void multiply_part(const exb_pblas_call *q, const part_of_product *p)
{
    serial(gemm)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, p->m, p->n, p->k,
                 exb_pblas_scalar(q->alpha), p->a->data, exb_most(p->a->col_stride, 1), p->b->data,
                 exb_most(p->b->col_stride, 1), exb_pblas_scalar(q->beta), p->c->data,
                 p->c->col_stride);
}

static bool is_finite(const exb_spread *s, int64_t m, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const exb_real *at = exb_pblas_at(s, i, j);
            if (!isfinite(at[0]) || !isfinite(at[EXB_PARTS - 1]))
                return false;
        }
    return true;
}

#if EXB_IS_COMPLEX
/* The diagonal of a Hermitian matrix has no imaginary part, which is not the same as one of zero
 * where this meets Inf or NaN: then each row of the product (a column, if the matrix stands on the
 * right) is computed by itself. */

/* Terms may come in any order: the diagonal's comes first for a while. */
static void exchange_terms(exb_t(strided) h, exb_t(strided) b, int64_t d, int64_t n)
{
    serial(swap)(1, h.p, 1, h.p + EXB_PARTS * d * h.cs, 1);
    if (d > 0)
        serial(swap)(n, b.p, b.cs, b.p + EXB_PARTS * d * b.rs, b.cs);
}

/* Row i of the product, as rows whichever side the matrix stands on; its diagonal is element d. */
static void multiply_row(const exb_pblas_call *q, const part_of_product *p, bool left, int64_t i,
                         int64_t d)
{
    int64_t n = left ? p->n : p->m;
    exb_t(strided) h = {exb_pblas_at(p->b, 0, i), 1, 1}, c = {exb_pblas_at(p->c, 0, i), 1, 1};
    exb_t(strided) b = {p->a->data, p->a->col_stride, 1};
    if (left) {
        h = (exb_t(strided)){exb_pblas_at(p->a, i, 0), 1, p->a->col_stride};
        b = (exb_t(strided)){p->b->data, 1, p->b->col_stride};
        c = (exb_t(strided)){exb_pblas_at(p->c, i, 0), 1, p->c->col_stride};
    }
    exchange_terms(h, b, d, n);
    exb_entry(hermitian_row)(n, p->k, q->alpha, h, b, q->beta, c);
    exchange_terms(h, b, d, n);
}

/* The matrix is the factor on the left or on the right; its rows are those of C's rows or columns,
 * which begin at element `first` of the whole axis. */
static void multiply_hermitian(exb_pblas_call *q, const part_of_product *p, bool left,
                               int64_t first)
{
    const exb_axis *x = left ? &p->c->layout.row : &p->c->layout.col;
    if (left ? is_finite(p->b, p->k, p->n) : is_finite(p->a, p->m, p->k)) {
        multiply_part(q, p);
        return;
    }
    for (int64_t i = 0; i < (left ? p->m : p->n); i++)
        multiply_row(q, p, left, i, first + exb_pblas_index(q, x, i));
}
#else
static void multiply_hermitian(exb_pblas_call *q, const part_of_product *p, bool left,
                               int64_t first)
{
    (void)left, (void)first;
    multiply_part(q, p);
}
#endif

/* --- level 3 ----------------------------------------------------------------- */

typedef struct {
    factor *a, *b;
    int64_t k;
    exb_windows row, col;
} product;

/* C in a window. */
static void multiply_window(exb_pblas_call *q, const product *p, exb_range rows, exb_range cols,
                            const exb_spread *c)
{
    part_of_product part = own_part(q, &p->a->direct, &p->b->direct, p->k, c);
    if (part.m == 0 || part.n == 0)
        return;
    if (p->k > 0 && (p->a->hermitian || p->b->hermitian))
        multiply_hermitian(q, &part, p->a->hermitian, p->a->hermitian ? rows.begin : cols.begin);
    else
        multiply_part(q, &part);
}

/* The part of C in these rows, whose factor is there: window by window of columns. */
static void compute_rows(exb_pblas_call *q, const product *p, exb_range rows)
{
    exb_spread c = exb_pblas_stored(q, EXB_C, EXB_SIZE);
    for (int64_t j = 0; j < p->col.axis.n; j += p->col.length) {
        exb_range cols = exb_pblas_window_at(&p->col, j);
        exb_spread window = exb_pblas_cut(q, &c, rows, cols);
        move_factor(q, p->b, (exb_range){0, p->k}, cols, exb_axis_whole(p->k),
                    exb_axis_cut(p->col.axis, j, p->col.length));
        multiply_window(q, p, rows, cols, &window);
    }
}

static void compute_windows(exb_pblas_call *q, const product *p)
{
    exb_range terms = {0, p->k};
    for (int64_t i = 0; i < p->row.axis.n; i += p->row.length) {
        exb_range rows = exb_pblas_window_at(&p->row, i);
        move_factor(q, p->a, rows, terms, exb_axis_cut(p->row.axis, i, p->row.length),
                    exb_axis_whole(p->k));
        compute_rows(q, p, rows);
    }
}

/* Elements that factors may take: the workspace, or half of what each process has of the operands,
 * about. The same number on all. */
static int64_t elements_for(const exb_pblas_call *q, const exb_layout *c, int64_t k)
{
    int64_t n_processes = (int64_t)q->grid.n_rows * q->grid.n_cols;
    int64_t operands = (c->row.n * c->col.n + k * (c->row.n + c->col.n)) / n_processes;
    return exb_most(exb_pblas_workspace(), operands / 2);
}

/* C = alpha A B + beta C, in windows of as many rows and columns as there is room for in factors of
 * full length, three quarters of them rows, which are fetched once. Symmetric factors take twice as
 * much. */
static void compute_product(exb_pblas_call *q, factor *a, factor *b)
{
    bool scales = exb_mpi_is_zero(q->alpha, EXB_PARTS); /* and reads neither A nor B */
    exb_layout c = q->operand[EXB_C].layout;
    int64_t k = scales ? 0 : a->source.layout.col.n;
    exb_windows inner = exb_pblas_one_window(exb_axis_whole(k));
    bool symmetric = a->symmetric || b->symmetric; /* and terms are exchanged in the factors */
    int64_t elements = elements_for(q, &c, k) / (symmetric ? 8 : 4);
    product p = {a, b, k, exb_pblas_windows(c.row, 3 * elements, k),
                 exb_pblas_windows(c.col, elements, k)};
    take_factor(q, a, p.row, inner, !symmetric);
    take_factor(q, b, inner, p.col, !symmetric);
    if (exb_pblas_ready(q))
        compute_windows(q, &p);
}

void driver(product)(exb_pblas_call *q)
{
    exb_spread stored_a = exb_pblas_stored(q, EXB_A, EXB_SIZE);
    exb_spread stored_b = exb_pblas_stored(q, EXB_B, EXB_SIZE);
    factor a = q->side ? symmetric_factor(q) : general_factor(exb_pblas_op_of(stored_a, q->trans));
    factor b = general_factor(q->side ? stored_b : exb_pblas_op_of(stored_b, q->transb));
    if (q->side == 'R')
        compute_product(q, &b, &a);
    else
        compute_product(q, &a, &b);
}

/* --- level 2 ----------------------------------------------------------------- */

/* The rows of A that go with this process's share of y, and all of x. */
typedef struct {
    factor a;
    exb_spread x, y, all, share;
    bool has_elements;
} level2;

/* y has elements of y_size bytes. */
static level2 begin_level2(exb_pblas_call *q, size_t y_size)
{
    exb_spread stored = exb_pblas_stored(q, EXB_A, EXB_SIZE);
    bool symmetric = q->uplo && !q->diag;
    level2 p = {.a = symmetric ? symmetric_factor(q)
                               : general_factor(exb_pblas_op_of(stored, q->trans)),
                .x = exb_pblas_column(q, EXB_X, EXB_SIZE),
                .y = exb_pblas_column(q, EXB_Y, y_size)};
    int64_t m = p.a.source.layout.row.n, n = p.a.source.layout.col.n;
    exb_axis rows = exb_axis_shared(m, q->team.n), whole = exb_axis_whole(n),
             one = exb_axis_whole(1);
    p.has_elements = m > 0 && n > 0;
    take_factor(q, &p.a, exb_pblas_one_window(rows), exb_pblas_one_window(whole), false);
    p.all = exb_pblas_take(q, whole, one, EXB_SIZE);
    p.share = exb_pblas_take(q, rows, one, y_size);
    return p;
}

/* What is read of them. */
static void move_level2(exb_pblas_call *q, level2 *p, int n_parts)
{
    if (!exb_mpi_is_zero(q->beta, n_parts))
        exb_pblas_move(q, &p->y, &p->share);
    if (exb_mpi_is_zero(q->alpha, n_parts))
        return;
    move_whole(q, &p->a);
    exb_pblas_move(q, &p->x, &p->all);
}

static void multiply_vector(exb_pblas_call *q, const level2 *p)
{
    const exb_spread *a = &p->a.direct;
    int64_t m = exb_pblas_rows(q, a), n = a->layout.col.n;
    part_of_product part = {a, &p->all, &p->share, m, 1, n};
    if (q->conjugate && !exb_mpi_is_zero(q->alpha, EXB_PARTS) && !is_finite(&p->all, n, 1))
        multiply_hermitian(q, &part, true, 0);
    else if (m > 0)
        serial(gemv)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, m, n, exb_pblas_scalar(q->alpha), a->data,
                     a->col_stride, p->all.data, 1, exb_pblas_scalar(q->beta), p->share.data, 1);
}

void driver(vector_product)(exb_pblas_call *q)
{
    level2 p = begin_level2(q, EXB_SIZE);
    if (p.has_elements && exb_pblas_ready(q)) {
        move_level2(q, &p, EXB_PARTS);
        multiply_vector(q, &p);
        exb_pblas_move(q, &p.share, &p.y);
    }
}

/* --- magnitudes -------------------------------------------------------------- */

/* y = |alpha| |op(A)| |x| + |beta| |y| for a general, symmetric, Hermitian or triangular A, with
 * |re| + |im| for the magnitude of a complex number; alpha, beta and y are real. Each element is
 * one row of a real gemv, in which a complex product is four real ones. */
#define real_serial(name) EXB_PASTE4(excblas_, EXB_PART, name, _64)
enum { PRODUCTS = EXB_PARTS * EXB_PARTS };

static exb_real magnitude(exb_real r)
{
    return EXB_IS_S ? (exb_real)fabsf((float)r) : (exb_real)fabs((double)r);
}

/* Factors of elements begin ... end - 1 among n: |re|, |re|, |im|, |im| of one, |re|, |im|, |re|,
 * |im| of the other. */
static void write_factors(exb_range r, const exb_real *from, int64_t stride, bool pairs,
                          exb_real *to)
{
    for (int64_t i = r.begin; i < r.end; i++)
        for (int p = 0; p < PRODUCTS; p++) {
            int part = pairs ? p / EXB_PARTS : p % EXB_PARTS;
            to[i * PRODUCTS + p] = magnitude(from[i * stride * EXB_PARTS + part]);
        }
}

/* Columns of row i (in the whole matrix, counted from 0) that are terms of a triangular op(A). */
static exb_range terms_of(const exb_pblas_call *q, int64_t i, int64_t n)
{
    bool lower = (q->uplo == 'L') == (q->trans == 'N');
    return q->diag == 0 ? (exb_range){0, n} : lower ? (exb_range){0, i + 1} : (exb_range){i, n};
}

/* Own row l; the factors of x are there, those of A get their place. */
static void compute_magnitude(const exb_pblas_call *q, const exb_spread *a, int64_t l,
                              const exb_real *of_x, exb_real *of_a, exb_real *y)
{
    int64_t i = exb_pblas_index(q, &a->layout.row, l);
    exb_range terms = terms_of(q, i, a->layout.col.n);
    exb_real alpha = magnitude(*(const exb_real *)q->alpha);
    exb_real beta = magnitude(*(const exb_real *)q->beta);
    if (!exb_mpi_is_zero(&alpha, 1))
        write_factors(terms, exb_pblas_at(a, l, 0), a->col_stride, true, of_a);
    for (int part = 0; part < PRODUCTS && q->diag == 'U'; part++)
        of_a[i * PRODUCTS + part] = part / EXB_PARTS == 0;
    if (!exb_mpi_is_zero(&beta, 1))
        *y = magnitude(*y);
    real_serial(gemv)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, 1, (terms.end - terms.begin) * PRODUCTS,
                      alpha, of_a + terms.begin * PRODUCTS, 1, of_x + terms.begin * PRODUCTS, 1,
                      beta, y, 1);
}

void driver(absolute)(exb_pblas_call *q)
{
    level2 p = begin_level2(q, sizeof(exb_real));
    int64_t n = p.a.source.layout.col.n;
    size_t factors = (size_t)n * PRODUCTS * sizeof(exb_real);
    exb_real *of_a = exb_workspace_take(&q->work, factors, factors);
    exb_real *of_x = exb_workspace_take(&q->work, factors, factors);
    if (p.has_elements && exb_pblas_ready(q)) {
        move_level2(q, &p, 1);
        if (!exb_mpi_is_zero(q->alpha, 1))
            write_factors((exb_range){0, n}, p.all.data, 1, false, of_x);
        for (int64_t l = 0; l < exb_pblas_rows(q, &p.share); l++)
            compute_magnitude(q, &p.a.direct, l, of_x, of_a, (exb_real *)p.share.data + l);
        exb_pblas_move(q, &p.share, &p.y);
    }
}

/* --- rank-one updates -------------------------------------------------------- */

/* A = alpha x y^T + A: each process has its rows of x and its columns of y. */
void driver(ger)(exb_pblas_call *q)
{
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE), y = exb_pblas_column(q, EXB_Y, EXB_SIZE);
    exb_spread a = exb_pblas_stored(q, EXB_A, EXB_SIZE);
    exb_spread rows = exb_pblas_take(q, a.layout.row, exb_axis_whole(1), EXB_SIZE);
    exb_spread cols = exb_pblas_take(q, a.layout.col, exb_axis_whole(1), EXB_SIZE);
    if (!exb_pblas_ready(q))
        return;
    if (!exb_mpi_is_zero(q->alpha, EXB_PARTS)) {
        exb_pblas_move(q, &x, &rows);
        exb_pblas_move(q, &y, &cols);
    }
    int64_t n = exb_pblas_cols(q, &a), m = n > 0 ? exb_pblas_rows(q, &a) : 0;
#if EXB_IS_COMPLEX
    (q->conjugate ? serial(gerc) : serial(geru))
#else
    serial(ger)
#endif
        (EXBLAS_COL_MAJOR, m, n, exb_pblas_scalar(q->alpha), rows.data, 1, cols.data, 1, a.data,
         a.col_stride);
}
