/* What all routines for correctly rounded solutions share.
 * Types: s d. */
#include "lapack/solution_call.h"

#include "core/fpenv.h"
#include "core/memory.h"
#include "lapack/least_squares.h"

#include <stdlib.h>

enum { MOST_UNKNOWNS = 1 << 28 }; /* so that sizes in bytes fit in 64 bits */

static exblas_status reject_call(const exb_t(solution_call) *c, int position)
{
    exb_site site = {c->routine, EXB_CALL_CBLAS, exb_report};
    exb_report(&site, (exb_fault){position, false, false});
    return EXBLAS_EINVAL;
}

/* Of the first illegal argument, 0 if there is none. */
static int illegal_position(const exb_t(solution_call) *c, bool is_legal)
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

static bool all_finite(int64_t n, const double *x)
{
    enum { LANES = 8 };
    double sum[LANES] = {0}, all = 0; /* NaN for Inf and NaN */
    for (int64_t i = 0; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += x[i + l] * 0;
    for (int64_t i = n / LANES * LANES; i < n; i++)
        all += x[i] * 0;
    for (int l = 0; l < LANES; l++)
        all += sum[l];
    return all == 0;
}

static void set_right(const exb_t(solution_call) *c, double *right)
{
    for (int64_t k = 0; k < c->nrhs; k++)
        for (int64_t i = 0; i < c->b_rows; i++)
            right[i + k * c->b_rows] = c->b[i + k * c->ldb];
}

static void write_results(const exb_t(solution_call) *c, const double *x)
{
    for (int64_t k = 0; k < c->nrhs; k++)
        for (int64_t i = 0; i < c->n; i++)
            c->x[i + k * c->ldx] = (exb_real)x[i + k * c->n];
}

static EXB_NOINLINE exblas_status solve_call(const exb_t(solution_call) *c, double *rows,
                                             double *right, double *x, exblas_solution *info)
{
    int64_t m = c->b_rows, n = c->n;
    c->set_matrix(c, rows);
    set_right(c, right);
    if (!all_finite(m * n, rows))
        return reject_call(c, c->n_before + 3);
    if (!all_finite(m * c->nrhs, right))
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
        status = (m == n ? exb_solve : exb_least_squares)(&p, x, info);
    if (status == EXBLAS_OK)
        write_results(c, x);
    return status;
}

static exblas_status run_call(const exb_t(solution_call) *c, exblas_solution *info)
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

exblas_status exb_t(solution_run)(const exb_t(solution_call) *c, bool is_legal)
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
