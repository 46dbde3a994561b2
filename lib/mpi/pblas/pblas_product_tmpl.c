/* Products with a general or a symmetric matrix, and of magnitudes. Each process computes the
 * elements of C that it has, from the rows of op(A) and the columns of op(B) that they need; in
 * Level 2 each computes its share of y, and y goes where it belongs. Types: s d c z. */
#include "level3/rows_entry.h"
#include "mpi/pblas/pblas_factor.h"
#include "mpi/pblas/pblas_type.h"

#include <math.h>

/* --- products ----------------------------------------------------------------- */

/* Whether n vectors are the rows of a matrix stored by columns, not its columns. */
static bool are_rows(const exb_spread *s, int64_t n)
{
    return s->row_stride == 1 && s->col_stride >= n;
}

static int64_t ld_of(const exb_spread *s, int64_t n)
{
    return exb_most(are_rows(s, n) ? s->col_stride : s->row_stride, 1);
}

/* C = alpha A B' + beta C of m x n elements. */
static void multiply_part(const exb_pblas_call *q, const exb_factors *p, const exb_spread *c,
                          int64_t m, int64_t n)
{
    const exb_spread *a = &p->a.here, *b = &p->b.here;
    int64_t k = p->a.k;
    int transa = are_rows(a, m) ? EXBLAS_NO_TRANS : EXBLAS_TRANS;
    int transb = are_rows(b, n) ? EXBLAS_TRANS : EXBLAS_NO_TRANS;
    if (n == 1 && k > 0) {
        bool rows = transa == EXBLAS_NO_TRANS;
        serial(gemv)(EXBLAS_COL_MAJOR, transa, rows ? m : k, rows ? k : m,
                     exb_pblas_scalar(q->alpha), a->data, ld_of(a, m), b->data, b->col_stride,
                     exb_pblas_scalar(q->beta), c->data, 1);
        return;
    }
    serial(gemm)(EXBLAS_COL_MAJOR, transa, transb, m, n, k, exb_pblas_scalar(q->alpha), a->data,
                 ld_of(a, m), b->data, ld_of(b, n), exb_pblas_scalar(q->beta), c->data,
                 c->col_stride);
}

#if EXB_IS_COMPLEX
/* The diagonal of a Hermitian matrix has no imaginary part, which is not the same as one of zero
 * where this meets Inf or NaN: then each row of the product (a column, if the matrix stands on the
 * right) is computed by itself. */

static bool is_finite(const exb_spread *s, int64_t m, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const exb_real *at = exb_spread_at(s, i, j);
            if (!isfinite(at[0]) || !isfinite(at[EXB_PARTS - 1]))
                return false;
        }
    return true;
}

/* Terms may come in any order: the diagonal's comes first for a while. */
static void exchange_terms(exb_t(strided) h, exb_t(strided) b, int64_t d, int64_t n)
{
    serial(swap)(1, h.p, 1, h.p + EXB_PARTS * d * h.cs, 1);
    if (d > 0)
        serial(swap)(n, b.p, b.cs, b.p + EXB_PARTS * d * b.rs, b.cs);
}

/* The matrix is the factor on the left or on the right; its vectors are those of C's n_rows rows or
 * columns, which begin at element `first` of the whole axis. Each times all n of the other factor,
 * with its diagonal as term d. */
static void multiply_hermitian(exb_pblas_call *q, const exb_factors *p, const exb_spread *to,
                               bool left, int64_t n_rows, int64_t n, int64_t first)
{
    const exb_spread *matrix = left ? &p->a.here : &p->b.here;
    const exb_spread *other = left ? &p->b.here : &p->a.here;
    exb_t(strided) b = {other->data, other->col_stride, other->row_stride};
    for (int64_t i = 0; i < n_rows; i++) {
        int64_t d = first + exb_pblas_index(q, left ? &to->layout.row : &to->layout.col, i);
        exb_t(strided) h = {exb_spread_at(matrix, i, 0), 1, matrix->col_stride};
        exb_t(strided) c = {exb_spread_at(to, left ? i : 0, left ? 0 : i), 1,
                            left ? to->col_stride : 1};
        exchange_terms(h, b, d, n);
        exb_entry(hermitian_row)(n, p->a.k, q->alpha, h, b, q->beta, c);
        exchange_terms(h, b, d, n);
    }
}
#endif

/* --- level 3 ----------------------------------------------------------------- */

/* C in a window. */
static void multiply_window(exb_pblas_call *q, const exb_factors *p, const exb_spread *c,
                            exb_range rows, exb_range cols)
{
    int64_t m = exb_pblas_rows(q, c), n = exb_pblas_cols(q, c);
    if (m == 0 || n == 0)
        return;
#if EXB_IS_COMPLEX
    if (p->a.hermitian && !is_finite(&p->b.here, n, p->a.k))
        multiply_hermitian(q, p, c, true, m, n, rows.begin);
    else if (p->b.hermitian && !is_finite(&p->a.here, m, p->a.k))
        multiply_hermitian(q, p, c, false, n, m, cols.begin);
    else
#endif
        multiply_part(q, p, c, m, n);
    (void)rows, (void)cols;
}

void driver(product)(exb_pblas_call *q)
{
    exb_spread a = exb_pblas_stored(q, EXB_A, EXB_SIZE), b = exb_pblas_stored(q, EXB_B, EXB_SIZE);
    exb_factors p = {.c = exb_pblas_stored(q, EXB_C, EXB_SIZE), .compute = multiply_window};
    if (q->side == 'R') {
        p.a.source = b;
        p.b = exb_factor_symmetric(q, true, EXB_SIZE);
    } else if (q->side) {
        p.a = exb_factor_symmetric(q, false, EXB_SIZE);
        p.b.source = exb_pblas_op(b, 'T');
    } else {
        p.a.source = exb_pblas_op(a, q->trans);
        p.b.source = exb_pblas_op(exb_pblas_op(b, q->transb), 'T');
    }
    bool may_stay = !q->side; /* terms of Hermitian factors are exchanged */
    if (exb_factors_take(q, &p, exb_mpi_is_zero(q->alpha, EXB_PARTS), may_stay))
        exb_factors_compute(q, &p);
}

/* --- level 2 ----------------------------------------------------------------- */

/* As if y were C, in shares of the processes: elements of y_size bytes, and for them alpha and beta
 * of n_parts. */
static void compute_shares(exb_pblas_call *q, exb_factors *p, size_t y_size, int n_parts)
{
    bool symmetric = q->uplo && !q->diag;
    exb_spread a = exb_pblas_op(exb_pblas_stored(q, EXB_A, EXB_SIZE), q->trans);
    exb_spread y = exb_pblas_column(q, EXB_Y, y_size);
    exb_axis rows = exb_axis_shared(a.layout.row.n, q->team.n);
    p->a = symmetric ? exb_factor_symmetric(q, false, EXB_SIZE) : (exb_factor){.source = a};
    p->b.source = exb_pblas_op(exb_pblas_column(q, EXB_X, EXB_SIZE), 'T');
    p->c = exb_pblas_take(q, rows, exb_axis_whole(1), y_size);
    if (a.layout.row.n > 0 && a.layout.col.n > 0 &&
        exb_factors_take(q, p, exb_mpi_is_zero(q->alpha, n_parts), false)) {
        if (!exb_mpi_is_zero(q->beta, n_parts))
            exb_pblas_move(q, &y, &p->c);
        exb_factors_compute(q, p);
        exb_pblas_move(q, &p->c, &y);
    }
}

void driver(vector_product)(exb_pblas_call *q)
{
    exb_factors p = {.compute = multiply_window};
    compute_shares(q, &p, EXB_SIZE, EXB_PARTS);
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

typedef struct {
    exb_factors factors;
    exb_real *of_a, *of_x; /* of a row, and of x */
} magnitudes;

/* Own row l of a, which is row i of the matrix; the factors of x are there. */
static void compute_magnitude(const exb_pblas_call *q, const magnitudes *p, int64_t l, int64_t i,
                              exb_real *y)
{
    exb_range terms = terms_of(q, i, p->factors.a.source.layout.col.n);
    exb_real alpha = magnitude(*(const exb_real *)q->alpha);
    exb_real beta = magnitude(*(const exb_real *)q->beta);
    const exb_spread *a = &p->factors.a.here;
    if (!exb_mpi_is_zero(&alpha, 1))
        write_factors(terms, exb_spread_at(a, l, 0), a->col_stride, true, p->of_a);
    for (int part = 0; part < PRODUCTS && q->diag == 'U'; part++)
        p->of_a[i * PRODUCTS + part] = part / EXB_PARTS == 0;
    if (!exb_mpi_is_zero(&beta, 1))
        *y = magnitude(*y);
    real_serial(gemv)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, 1, (terms.end - terms.begin) * PRODUCTS,
                      alpha, p->of_a + terms.begin * PRODUCTS, 1, p->of_x + terms.begin * PRODUCTS,
                      1, beta, y, 1);
}

static void compute_magnitudes(exb_pblas_call *q, const exb_factors *factors, const exb_spread *y,
                               exb_range rows, exb_range cols)
{
    const magnitudes *p = (const magnitudes *)factors;
    const exb_spread *x = &factors->b.here;
    (void)cols;
    write_factors((exb_range){0, factors->b.k}, x->data, x->col_stride, false, p->of_x);
    for (int64_t l = 0; l < exb_pblas_rows(q, y); l++)
        compute_magnitude(q, p, l, rows.begin + exb_pblas_index(q, &y->layout.row, l),
                          (exb_real *)y->data + l);
}

void driver(absolute)(exb_pblas_call *q)
{
    exb_spread x = exb_pblas_column(q, EXB_X, EXB_SIZE);
    size_t bytes = (size_t)x.layout.row.n * PRODUCTS * sizeof(exb_real);
    magnitudes p = {.factors = {.compute = compute_magnitudes}};
    p.of_a = exb_workspace_take(&q->work, bytes, bytes);
    p.of_x = exb_workspace_take(&q->work, bytes, bytes);
    compute_shares(q, &p.factors, sizeof(exb_real), 1);
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
