/* verify --solve: is a saved solution the correctly rounded one? solve --least-squares: that one.
 */
#include "findings.h"

#include <stdlib.h>
#include <string.h>

#include <exblas/lapack.h>

/* The matrix by columns. */
static void *by_columns(const cli_matrix *a)
{
    size_t size = a->is_float ? sizeof(float) : sizeof(double);
    char *y = cli_allocate(a->rows * a->columns, (int64_t)size);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++)
            memcpy(y + (size_t)(i + j * a->rows) * size,
                   (const char *)a->x + (size_t)(i * a->columns + j) * size, size);
    return y;
}

/* Of A X = B, or of least squares; x has a's columns, times b's, by columns. */
static exblas_status solve(const cli_matrix *a, const void *ax, const cli_matrix *b, const void *bx,
                           void *x)
{
    int64_t m = a->rows, n = a->columns, nrhs = b->columns;
    int64_t lda = m > 1 ? m : 1, ldx = n > 1 ? n : 1;
    if (m == n)
        return a->is_float ? exblas_sgesv_64(n, nrhs, ax, lda, bx, lda, x, ldx, NULL)
                           : exblas_dgesv_64(n, nrhs, ax, lda, bx, lda, x, ldx, NULL);
    return a->is_float ? exblas_sgels_64(m, n, nrhs, ax, lda, bx, lda, x, ldx, NULL)
                       : exblas_dgels_64(m, n, nrhs, ax, lda, bx, lda, x, ldx, NULL);
}

static void require_solution(const cli_matrix *a, exblas_status status)
{
    if (status == EXBLAS_ENOMEM)
        cli_fail(CLI_RESOURCES, "out of memory");
    if (status == EXBLAS_ESINGULAR)
        cli_fail(CLI_BAD_INPUT, "%s: the system has no unique solution", a->name);
}

/* Is there an Inf or a NaN? */
static void require_finite(const cli_matrix *a)
{
    for (int64_t k = 0; k < a->rows * a->columns; k++)
        if (cli_matrix_element(a, k) - cli_matrix_element(a, k) != 0)
            cli_fail(CLI_BAD_INPUT, "%s: Inf and NaN have no exact solution", a->name);
}

/* The transpose of the solution of the system in the first two files; given: what should be it. */
static cli_matrix solve_files(const cli_request *q, const cli_matrix *given)
{
    cli_matrix a = cli_load_matrix(q, q->file[0], false), b = cli_load_matrix(q, q->file[1], true);
    cli_expect_type(&a, &b);
    if (given)
        cli_expect_type(&a, given);
    cli_expect_shape(&b, a.rows, b.columns, "right-hand side");
    if (given)
        cli_expect_shape(given, a.columns, b.columns, "solution");
    require_finite(&a);
    require_finite(&b);
    cli_matrix x = {"", b.columns, a.columns, a.is_float,
                    cli_allocate(a.columns * b.columns, sizeof(double))};
    void *ax = by_columns(&a), *bx = by_columns(&b);
    require_solution(&a, solve(&a, ax, &b, bx, x.x));
    free(a.x);
    free(b.x);
    free(ax);
    free(bx);
    return x;
}

int cli_verify_solution(const cli_request *q)
{
    cli_matrix x = cli_load_matrix(q, q->file[2], true), transposed = solve_files(q, &x);
    cli_matrix right = {"", x.rows, x.columns, x.is_float, by_columns(&transposed)};
    int status = cli_show_findings(q, &x, &right);
    free(x.x);
    free(transposed.x);
    free(right.x);
    return status;
}

int cli_least_squares(const cli_request *q)
{
    cli_matrix x = solve_files(q, NULL);
    cli_write_transpose(cli_open_output(q->output), q->output, &x);
    free(x.x);
    return CLI_OK;
}
