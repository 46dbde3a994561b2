#include "lapack/approximate_inverse.h"

#include "core/partition.h"
#include "lapack/plain_update.h"

#include <stdlib.h>

enum { BLOCK = 48 }; /* columns of a panel */

typedef struct {
    int64_t n;
    double *lu;     /* n rows of n: L below the diagonal, U on it and above */
    int64_t *order; /* row i of L U is row order[i] of A */
} factors;

static void swap_rows(factors *f, int64_t i, int64_t j)
{
    if (i == j)
        return;
    int64_t t = f->order[i];
    f->order[i] = f->order[j];
    f->order[j] = t;
    double *x = f->lu + i * f->n, *y = f->lu + j * f->n;
    for (int64_t k = 0; k < f->n; k++) {
        double old = x[k];
        x[k] = y[k];
        y[k] = old;
    }
}

static int64_t find_pivot(const factors *f, int64_t k)
{
    int64_t best = k;
    for (int64_t i = k + 1; i < f->n; i++)
        if (exb_fabs(f->lu[i * f->n + k]) > exb_fabs(f->lu[best * f->n + k]))
            best = i;
    return best;
}

/* y -= a x. */
static void subtract_multiple(int64_t n, double a, const double *x, double *y)
{
    for (int64_t j = 0; j < n; j++)
        y[j] -= a * x[j];
}

/* Columns begin ... end - 1 of the rows from begin on. */
static bool factor_panel(factors *f, int64_t begin, int64_t end)
{
    for (int64_t k = begin; k < end; k++) {
        swap_rows(f, k, find_pivot(f, k));
        const double *pivot = f->lu + k * f->n;
        if (!(exb_fabs(pivot[k]) > 0) || exb_fabs(pivot[k]) > DBL_MAX)
            return false;
        for (int64_t i = k + 1; i < f->n; i++) {
            double *row = f->lu + i * f->n;
            row[k] /= pivot[k];
            subtract_multiple(end - k - 1, row[k], pivot + k + 1, row + k + 1);
        }
    }
    return true;
}

static bool factor(factors *f)
{
    int64_t n = f->n;
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        int64_t end = exb_least(begin + BLOCK, n), rest = n - end;
        if (!factor_panel(f, begin, end))
            return false;
        for (int64_t i = begin + 1; i < end; i++)
            for (int64_t k = begin; k < i; k++)
                subtract_multiple(rest, f->lu[i * n + k], f->lu + k * n + end, f->lu + i * n + end);
        exb_plain_update(rest, rest, end - begin, f->lu + end * n + begin, n,
                         f->lu + begin * n + end, n, f->lu + end * n + end, n);
    }
    return true;
}

/* r = 1 / L, whose columns right of a block are 0 in its rows. */
static void invert_lower(const factors *f, double *r)
{
    int64_t n = f->n;
    memset(r, 0, (size_t)(n * n) * sizeof *r);
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        int64_t end = exb_least(begin + BLOCK, n);
        for (int64_t i = begin; i < end; i++) {
            r[i * n + i] = 1;
            for (int64_t k = begin; k < i; k++)
                subtract_multiple(end, f->lu[i * n + k], r + k * n, r + i * n);
        }
        exb_plain_update(n - end, end, end - begin, f->lu + end * n + begin, n, r + begin * n, n,
                         r + end * n, n);
    }
}

/* r = 1 / U times r. */
static void solve_upper(const factors *f, double *r)
{
    int64_t n = f->n;
    for (int64_t begin = (n - 1) / BLOCK * BLOCK; begin >= 0; begin -= BLOCK) {
        int64_t end = exb_least(begin + BLOCK, n);
        for (int64_t i = end - 1; i >= begin; i--) {
            double reciprocal = 1 / f->lu[i * n + i];
            for (int64_t k = i + 1; k < end; k++)
                subtract_multiple(n, f->lu[i * n + k], r + k * n, r + i * n);
            for (int64_t j = 0; j < n; j++)
                r[i * n + j] *= reciprocal;
        }
        exb_plain_update(begin, n, end - begin, f->lu + begin, n, r + begin * n, n, r, n);
    }
}

/* Column j of 1 / (L U) belongs to row order[j] of A. */
static void restore_columns(const factors *f, double *r, double *row)
{
    for (int64_t i = 0; i < f->n; i++) {
        memcpy(row, r + i * f->n, (size_t)f->n * sizeof *row);
        for (int64_t j = 0; j < f->n; j++)
            r[i * f->n + f->order[j]] = row[j];
    }
}

bool exb_approximate_inverse(int64_t n, const double *a, double *r, double *work)
{
    factors f = {n, work, malloc((size_t)n * sizeof *f.order)};
    if (!f.order)
        return false;
    for (int64_t i = 0; i < n; i++)
        f.order[i] = i;
    memcpy(work, a, (size_t)(n * n) * sizeof *work);
    bool done = factor(&f);
    if (done) {
        invert_lower(&f, r);
        solve_upper(&f, r);
        restore_columns(&f, r, work);
    }
    free(f.order);
    return done;
}
