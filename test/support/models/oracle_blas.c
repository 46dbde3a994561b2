/* Whole routines on the oracle's sums, written as their definitions read. */
#include "oracle.h"

#include <stdlib.h>

static double level1(const blas_case *c, oracle *s)
{
    number_format f = blas_output_format(c);
    if (c->op == OP_SDSDOT && c->n <= 0)
        return c->alpha;
    if (c->op == OP_SDSDOT)
        oracle_add(s, c->alpha);
    for (int64_t i = 0; i < c->n; i++) {
        double x = c->x[i];
        switch (c->op) {
        case OP_SUM:
            oracle_add(s, x);
            break;
        case OP_ASUM:
            oracle_add(s, x < 0 ? -x : x);
            break;
        case OP_NRM2:
            oracle_add_product(s, x, x);
            break;
        default:
            oracle_add_product(s, x, c->y[i]);
        }
    }
    return c->op == OP_NRM2 ? oracle_root(s, f) : oracle_round(s, f);
}

/* Element (row, col) of op(a), a stored with n_rows rows. */
static double element(const double *a, int64_t n_rows, char trans, int64_t row, int64_t col)
{
    return trans == 'n' ? a[col * n_rows + row] : a[row * n_rows + col];
}

/* RN(alpha S + beta c); with alpha = 0 or no terms S does not take part, and
 * with beta = 1 as well BLAS does not touch c. */
static double finish(const blas_case *c, const oracle *s, int64_t n_terms, double old)
{
    bool without_sum = c->alpha == 0 || n_terms == 0;
    if (without_sum && c->beta == 1)
        return old;
    return oracle_scaled(s, without_sum ? 0 : c->alpha, c->beta, old, blas_output_format(c));
}

static void gemv(const blas_case *c, oracle *s, double *result)
{
    int64_t n_terms = blas_x_length(c), n_results = blas_y_length(c);
    for (int64_t i = 0; i < n_results; i++) {
        oracle_reset(s);
        for (int64_t j = 0; c->alpha != 0 && j < n_terms; j++)
            oracle_add_product(s, element(c->a, c->m, c->transa, i, j), c->x[j]);
        result[i] = n_terms == 0 ? c->y[i] : finish(c, s, n_terms, c->y[i]);
    }
}

static void gemm_element(const blas_case *c, oracle *s, int64_t i, int64_t j, double *result)
{
    int64_t a_rows = blas_a_shape(c).n_rows, b_rows = blas_b_shape(c).n_rows;
    oracle_reset(s);
    for (int64_t l = 0; c->alpha != 0 && l < c->k; l++)
        oracle_add_product(s, element(c->a, a_rows, c->transa, i, l),
                           element(c->b, b_rows, c->transb, l, j));
    result[j * c->m + i] = finish(c, s, c->k, c->c[j * c->m + i]);
}

static void syrk_element(const blas_case *c, oracle *s, int64_t i, int64_t j, double *result)
{
    int64_t a_rows = blas_a_shape(c).n_rows;
    oracle_reset(s);
    for (int64_t l = 0; c->alpha != 0 && l < c->k; l++)
        oracle_add_product(s, element(c->a, a_rows, c->transa, i, l),
                           element(c->a, a_rows, c->transa, j, l));
    result[j * c->n + i] = finish(c, s, c->k, c->c[j * c->n + i]);
}

static void level3(const blas_case *c, oracle *s, double *result)
{
    matrix_shape shape = blas_c_shape(c);
    for (int64_t j = 0; j < shape.n_cols; j++)
        for (int64_t i = 0; i < shape.n_rows; i++) {
            if (!shape_contains(shape, i, j))
                continue;
            if (c->op == OP_GEMM)
                gemm_element(c, s, i, j, result);
            else
                syrk_element(c, s, i, j, result);
        }
}

/* Row i of op(t) x = b, where the unknowns `from` to `to` - 1 are known. */
static void solve_row(const blas_case *c, oracle *s, int64_t i, int64_t from, int64_t to, double *x)
{
    oracle_reset(s);
    oracle_add(s, c->x[i]);
    for (int64_t j = from; j < to; j++)
        oracle_add_product(s, -element(c->a, c->n, c->transa, i, j), x[j]);
    number_format f = blas_output_format(c);
    x[i] = c->diag == 'u' ? oracle_round(s, f) : oracle_quotient(s, c->a[i * c->n + i], f);
}

static void trsv(const blas_case *c, oracle *s, double *x)
{
    bool forward = (c->uplo == 'l') == (c->transa == 'n');
    for (int64_t step = 0; step < c->n; step++) {
        int64_t i = forward ? step : c->n - 1 - step;
        solve_row(c, s, i, forward ? 0 : i + 1, forward ? i : c->n, x);
    }
}

void oracle_blas(const blas_case *c, double *result)
{
    oracle s;
    oracle_init(&s);
    switch (c->op) {
    case OP_GEMV:
        gemv(c, &s, result);
        break;
    case OP_TRSV:
        trsv(c, &s, result);
        break;
    case OP_GEMM:
    case OP_SYRK:
        level3(c, &s, result);
        break;
    default:
        *result = level1(c, &s);
    }
    oracle_clear(&s);
}
