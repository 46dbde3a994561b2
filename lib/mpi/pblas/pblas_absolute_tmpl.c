/* y = |alpha| |op(A)| |x| + |beta y| for a general, symmetric, Hermitian or triangular A, with
 * |re| + |im| for the magnitude of a complex number; alpha, beta and y are real. Each process
 * computes its share of y, row by row: RN(|alpha| sum + |beta| |y|) is one row of a real gemv, in
 * which a complex product is four real ones. Types: s d c z. */
#include "mpi/pblas/pblas_type.h"

#include <math.h>

#define real_serial(name) EXB_PASTE4(excblas_, EXB_PART, name, _64)

enum { PRODUCTS = EXB_PARTS * EXB_PARTS };

/* What of A the rows need: op(A), or the two halves of a symmetric matrix. */
typedef struct {
    exb_spread a, direct, mirrored, x, all, y, share;
    exb_real *row, *magnitudes; /* factors of the products, n of each */
} job;

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

/* The factors of own row l, row i of A. */
static void write_row(const exb_pblas_call *q, const job *p, int64_t l, int64_t i, exb_range terms)
{
    const exb_real *direct = exb_pblas_at(&p->direct, l, 0);
    int64_t step = p->direct.col_stride;
    if (p->mirrored.data) {
        bool lower = q->uplo == 'L';
        exb_range left = {0, i + 1}, right = {i + 1, terms.end};
        const exb_real *mirrored = exb_pblas_at(&p->mirrored, l, 0);
        if (!lower)
            left.end = right.begin = i;
        write_factors(left, lower ? direct : mirrored, step, true, p->row);
        write_factors(right, lower ? mirrored : direct, step, true, p->row);
#if EXB_IS_COMPLEX
        p->row[i * PRODUCTS + 2] = p->row[i * PRODUCTS + 3] = 0; /* the diagonal is real */
#endif
        return;
    }
    write_factors(terms, direct, step, true, p->row);
    for (int part = 0; part < PRODUCTS && q->diag == 'U'; part++)
        p->row[i * PRODUCTS + part] = part / EXB_PARTS == 0;
}

static void compute_row(const exb_pblas_call *q, const job *p, int64_t l)
{
    int64_t i = exb_pblas_index(q, &p->direct.layout.row, l);
    exb_range terms = terms_of(q, i, p->direct.layout.col.n);
    exb_real *y = (exb_real *)p->share.data + l;
    exb_real alpha = magnitude(*(const exb_real *)q->alpha);
    exb_real beta = magnitude(*(const exb_real *)q->beta);
    if (!exb_mpi_is_zero(&alpha, 1))
        write_row(q, p, l, i, terms);
    if (!exb_mpi_is_zero(&beta, 1))
        *y = magnitude(*y);
    real_serial(gemv)(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, 1, (terms.end - terms.begin) * PRODUCTS,
                      alpha, p->row + terms.begin * PRODUCTS, 1,
                      p->magnitudes + terms.begin * PRODUCTS, 1, beta, y, 1);
}

static void move_operands(exb_pblas_call *q, const job *p)
{
    if (!exb_mpi_is_zero(q->beta, 1))
        exb_pblas_move(q, &p->y, &p->share);
    if (exb_mpi_is_zero(q->alpha, 1))
        return;
    exb_spread mirror = exb_pblas_op_of(p->a, 'T');
    exb_pblas_move(q, &p->a, &p->direct);
    if (p->mirrored.data)
        exb_pblas_move(q, &mirror, &p->mirrored);
    exb_pblas_move(q, &p->x, &p->all);
    write_factors((exb_range){0, p->all.layout.row.n}, p->all.data, 1, false, p->magnitudes);
}

void driver(absolute)(exb_pblas_call *q)
{
    if (!exb_pblas_begin(q, false))
        return;
    job p = {.a = exb_pblas_op_of(exb_pblas_stored(q, EXB_A, EXB_SIZE), q->trans ? q->trans : 'N'),
             .x = exb_pblas_column(q, EXB_X, EXB_SIZE),
             .y = exb_pblas_column(q, EXB_Y, sizeof(exb_real))};
    int64_t m = p.a.layout.row.n, n = p.a.layout.col.n;
    exb_axis rows = exb_axis_shared(m, q->team.n), whole = exb_axis_whole(n),
             one = exb_axis_whole(1);
    if (m == 0 || n == 0)
        return;
    p.direct = exb_pblas_take(q, rows, whole, EXB_SIZE);
    if (!q->trans)
        p.mirrored = exb_pblas_take(q, rows, whole, EXB_SIZE);
    p.all = exb_pblas_take(q, whole, one, EXB_SIZE);
    p.share = exb_pblas_take(q, rows, one, sizeof(exb_real));
    size_t factors = (size_t)n * PRODUCTS * sizeof(exb_real);
    p.row = exb_workspace_take(&q->work, factors, factors);
    p.magnitudes = exb_workspace_take(&q->work, factors, factors);
    if (exb_pblas_ready(q)) {
        move_operands(q, &p);
        for (int64_t l = 0; l < exb_pblas_rows(q, &p.share); l++)
            compute_row(q, &p, l);
        exb_pblas_move(q, &p.share, &p.y);
    }
    exb_pblas_end(q);
}
