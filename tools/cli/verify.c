/* verify: is a saved product the correctly rounded one? */
#include "findings.h"
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include <exblas/exblas.h>

static double scalar(const char *option, const char *text, double otherwise, bool is_float)
{
    double x = otherwise;
    if (text && cli_parse_number(text, is_float, &x) != CLI_NUMBER)
        cli_fail(CLI_BAD_INPUT, "%s %s: not a number%s", option, text,
                 is_float ? " that fits a float" : "");
    return x;
}

/* C0 -> alpha A B + beta C0. */
static void multiply(const cli_matrix *a, const cli_matrix *b, double alpha, double beta, void *c)
{
    int64_t m = a->rows, n = b->columns, k = a->columns;
    int64_t lda = k ? k : 1, ldc = n ? n : 1;
    if (a->is_float)
        excblas_sgemm_64(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, m, n, k, (float)alpha,
                         (float *)a->x, lda, (float *)b->x, ldc, (float)beta, c, ldc);
    else
        excblas_dgemm_64(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, m, n, k, alpha, a->x,
                         lda, b->x, ldc, beta, c, ldc);
}

static int verify_product(const cli_request *q)
{
    cli_matrix a = cli_load_matrix(q, q->file[0], false), b = cli_load_matrix(q, q->file[1], false),
               c = cli_load_matrix(q, q->file[2], false);
    if (a.columns != b.rows)
        cli_fail(CLI_BAD_INPUT, "%s has %lld columns, %s has %lld rows", a.name,
                 (long long)a.columns, b.name, (long long)b.rows);
    cli_expect_type(&a, &b);
    cli_expect_type(&a, &c);
    cli_expect_shape(&c, a.rows, b.columns, "product");
    double alpha = scalar("--alpha", q->alpha, 1, a.is_float);
    double beta = scalar("--beta", q->beta, 0, a.is_float);
    if (!q->c0 && beta != 0)
        cli_fail(CLI_BAD_INPUT, "--beta needs --c0");
    cli_matrix right = {"", c.rows, c.columns, c.is_float, NULL};
    if (q->c0) {
        right = cli_load_matrix(q, q->c0, false);
        cli_expect_type(&a, &right);
        cli_expect_shape(&right, c.rows, c.columns, "product");
    } else {
        right.x = cli_allocate(c.rows * c.columns, sizeof(double));
        memset(right.x, 0, (size_t)(c.rows * c.columns) * sizeof(double));
    }
    multiply(&a, &b, alpha, beta, right.x);
    int status = cli_show_findings(q, &c, &right);
    free(a.x);
    free(b.x);
    free(c.x);
    free(right.x);
    return status;
}

int cli_verify(const cli_request *q)
{
    if (q->n_files != 3)
        cli_fail(CLI_BAD_INPUT, "verify needs three files: %s", q->solve ? "A B X" : "A B C");
    return q->solve ? cli_verify_solution(q) : verify_product(q);
}
