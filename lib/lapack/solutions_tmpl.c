/* gesv, posv, gels: correctly rounded solutions of general and of symmetric positive definite
 * systems, least squares and least norms. Arguments are checked, the system is made of doubles,
 * solved, and written if it could be.
 * Types: s d. */
#include "core/check/check_rules.h"
#include "core/fpenv.h"
#include "core/kernels.h"
#include "core/memory.h"
#include "core/type.h"
#include "exblas/lapack.h"
#include "lapack/definite.h"
#include "lapack/linear_problem.h"
#include "lapack/plain_sums.h"

#include <stdlib.h>

typedef struct call {
    const char *routine;     /* for xerbla */
    int64_t b_rows, n, nrhs; /* A and B have b_rows rows, X has n rows and nrhs columns */
    const exb_real *a;
    int64_t lda;
    const exb_real *b;
    int64_t ldb;
    exb_real *x;
    int64_t ldx;
    exblas_solution *info; /* or NULL */
    int n_before;          /* arguments before n, nrhs, a, lda, b, ldb, x, ldx */
    int uplo;              /* the triangle, where only that is read */

    /* A as an exb_problem has it. */
    void (*set_matrix)(const struct call *c, double *rows);
    /* If not NULL: whether the system is as the routine asks; EXBLAS_OK or another status. */
    exblas_status (*check)(int64_t n, const double *rows);
} call;

enum { MOST_UNKNOWNS = 1 << 28 }; /* so that sizes in bytes fit in 64 bits */

static exblas_status reject_call(const call *c, int position)
{
    exb_site site = {c->routine, EXB_CALL_CBLAS, exb_report};
    exb_report(&site, (exb_fault){position, false, false});
    return EXBLAS_EINVAL;
}

/* Of the first illegal argument, 0 if there is none. */
static int illegal_position(const call *c, bool is_legal)
{
    int64_t least = exb_at_least_one(c->b_rows);
    int position = c->n < 0                          ? 1
                   : c->nrhs < 0                     ? 2
                   : c->lda < least                  ? 4
                   : c->ldb < least                  ? 6
                   : c->ldx < exb_at_least_one(c->n) ? 8
                                                     : 0;
    return !is_legal ? 1 : position ? position + c->n_before : 0;
}

static void set_right(const call *c, double *right)
{
    for (int64_t k = 0; k < c->nrhs; k++)
        for (int64_t i = 0; i < c->b_rows; i++)
            right[i + k * c->b_rows] = c->b[i + k * c->ldb];
}

static void write_results(const call *c, const double *x)
{
    for (int64_t k = 0; k < c->nrhs; k++)
        for (int64_t i = 0; i < c->n; i++)
            c->x[i + k * c->ldx] = (exb_real)x[i + k * c->n];
}

static EXB_NOINLINE exblas_status solve_call(const call *c, double *rows, double *right, double *x,
                                             exblas_solution *info)
{
    int64_t m = c->b_rows, n = c->n;
    c->set_matrix(c, rows);
    set_right(c, right);
    if (!exb_all_below(m * n, rows, INFINITY))
        return reject_call(c, c->n_before + 3);
    if (!exb_all_below(m * c->nrhs, right, INFINITY))
        return reject_call(c, c->n_before + 5);
    exblas_status status = c->check ? c->check(n, rows) : EXBLAS_OK;
    exb_problem p = {.m = m,
                     .n = n,
                     .n_right = c->nrhs,
                     .has_info = c->info != NULL,
                     .format = EXB_IS_S ? exb_format_s() : exb_format_d(),
                     .a = rows,
                     .b = right};
    if (status == EXBLAS_OK)
        status = exb_solve(&p, x, info);
    if (status == EXBLAS_OK)
        write_results(c, x);
    return status;
}

static exblas_status run_call(const call *c, exblas_solution *info)
{
    size_t m = (size_t)c->b_rows, n = (size_t)c->n, n_right = (size_t)c->nrhs;
    double *rows = exb_memory_get((m * n + 1) * sizeof *rows);
    double *right = malloc((m * n_right + 1) * sizeof *right);
    double *x = malloc(n * n_right * sizeof *x);
    exblas_status status = EXBLAS_ENOMEM;
    if (rows && right && x)
        EXB_GUARDED(status = solve_call(c, rows, right, x, info));
    exb_memory_put(rows);
    free(right);
    free(x);
    return status;
}

/* is_legal: the argument before n, if there is one. */
static exblas_status solve(const call *c, bool is_legal)
{
    int position = illegal_position(c, is_legal);
    exblas_solution info = {.condition = 0};
    if (position)
        return reject_call(c, position);
    exblas_status status = EXBLAS_OK;
    if (c->n > MOST_UNKNOWNS || c->b_rows > MOST_UNKNOWNS)
        status = EXBLAS_ENOMEM;
    else if (c->n > 0 && c->nrhs > 0)
        status = run_call(c, &info);
    if (c->info)
        *c->info = info;
    return status;
}

/* --- routines ----------------------------------------------------------------- */

static void set_general(const call *c, double *rows)
{
    exb_kernels_current()->EXB_TYPE.transpose(c->n, c->n, c->a, c->lda, rows, c->n);
}

static void set_symmetric(const call *c, double *rows)
{
    bool upper = c->uplo == EXB_UPPER;
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t i = j; i < c->n; i++) {
            double x = upper ? c->a[j + i * c->lda] : c->a[i + j * c->lda];
            rows[i * c->n + j] = rows[j * c->n + i] = x;
        }
}

static void set_rectangle(const call *c, double *rows)
{
    int64_t m = c->b_rows, row_step = m > c->n ? 1 : c->n, column_step = m > c->n ? m : 1;
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t i = 0; i < m; i++)
            rows[i * row_step + j * column_step] = c->a[i + j * c->lda];
}

/* As the entries call what all of them have. */
#define MATRICES nrhs, a, lda, b, ldb, x, ldx, info

exblas_status exblas_t(gesv_64)(exblas_int64 n, exblas_int64 nrhs, const exb_real *a,
                                exblas_int64 lda, const exb_real *b, exblas_int64 ldb, exb_real *x,
                                exblas_int64 ldx, exblas_solution *info)
{
    call c = {EXB_STRING(exblas_t(gesv)), n, n, MATRICES, 0, 0, set_general, NULL};
    return solve(&c, true);
}

exblas_status exblas_t(posv_64)(int uplo, exblas_int64 n, exblas_int64 nrhs, const exb_real *a,
                                exblas_int64 lda, const exb_real *b, exblas_int64 ldb, exb_real *x,
                                exblas_int64 ldx, exblas_solution *info)
{
    call c = {EXB_STRING(exblas_t(posv)), n, n, MATRICES, 1, uplo, set_symmetric,
              exb_check_definite};
    return solve(&c, exb_is_uplo(uplo));
}

exblas_status exblas_t(gels_64)(exblas_int64 m, exblas_int64 n, exblas_int64 nrhs,
                                const exb_real *a, exblas_int64 lda, const exb_real *b,
                                exblas_int64 ldb, exb_real *x, exblas_int64 ldx,
                                exblas_solution *info)
{
    call c = {EXB_STRING(exblas_t(gels)), m, n, MATRICES, 1, 0, set_rectangle, NULL};
    return solve(&c, m >= 0);
}
