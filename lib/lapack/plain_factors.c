#include "lapack/plain_factors.h"

#include "core/kernels.h"
#include "core/memory.h"
#include "core/partition.h"
#include "lapack/plain_update.h"
#include "lapack/transposed.h"

#include <stdlib.h>

enum { SMALL = 8 }; /* rows or columns that are not halved */

static void swap_rows(exb_plain_factors *f, int64_t i, int64_t j)
{
    if (i == j)
        return;
    int64_t t = f->order[i];
    f->order[i] = f->order[j];
    f->order[j] = t;
    exb_kernels_current()->lines.swap(f->n, f->lu + i * f->n, f->lu + j * f->n);
}

/* The first of the largest magnitude, in eight lanes; 0 without one. NaN is none. */
static int64_t find_largest(int64_t n, const double *x)
{
    enum { LANES = 8 };
    double lane[LANES] = {0}, most = 0;
    for (int64_t i = 0; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] = exb_fabs(x[i + l]) > lane[l] ? exb_fabs(x[i + l]) : lane[l];
    for (int64_t i = n / LANES * LANES; i < n; i++)
        most = exb_fabs(x[i]) > most ? exb_fabs(x[i]) : most;
    for (int l = 0; l < LANES; l++)
        most = lane[l] > most ? lane[l] : most;
    for (int64_t i = 0; i < n; i++)
        if (exb_fabs(x[i]) == most)
            return i;
    return 0;
}

/* y -= a x. */
static void subtract_multiple(int64_t n, double a, const double *x, double *y)
{
    exb_kernels_current()->lines.subtract(n, a, x, y);
}

static void swap(double *x, double *y)
{
    double old = *x;
    *x = *y;
    *y = old;
}

/* Columns of m elements side by side: step k of an elimination. */
static bool eliminate(exb_plain_factors *f, int64_t begin, int64_t k, int64_t n_columns, int64_t m,
                      double *column)
{
    double *l = column + k * m;
    int64_t pivot = k + find_largest(m - k, l + k);
    if (!(exb_fabs(l[pivot]) > 0) || exb_fabs(l[pivot]) > DBL_MAX)
        return false;
    swap_rows(f, begin + k, begin + pivot);
    for (int64_t j = 0; j < n_columns; j++)
        swap(column + j * m + k, column + j * m + pivot);
    for (int64_t i = k + 1; i < m; i++)
        l[i] /= l[k];
    for (int64_t j = k + 1; j < n_columns; j++)
        subtract_multiple(m - k - 1, column[j * m + k], l + k + 1, column + j * m + k + 1);
    return true;
}

/* By columns that are copied side by side. */
static bool factor_small(exb_plain_factors *f, int64_t begin, int64_t end)
{
    int64_t n = f->n, m = n - begin, n_columns = end - begin;
    double *column = f->work;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n_columns; j++)
            column[j * m + i] = f->lu[(begin + i) * n + begin + j];
    for (int64_t k = 0; k < n_columns; k++)
        if (!eliminate(f, begin, k, n_columns, m, column))
            return false;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n_columns; j++)
            f->lu[(begin + i) * n + begin + j] = column[j * m + i];
    return true;
}

static void update(const exb_plain_factors *f, int64_t m, int64_t n, int64_t k, const double *a,
                   const double *b, double *c)
{
    exb_plain_update(m, n, k, a, f->n, b, f->n, c, f->n, f->work);
}

/* Rows begin ... end - 1 of x, n_columns of each: the unit lower triangle there is divided out. */
static void solve_lower(const exb_plain_factors *f, int64_t begin, int64_t end, double *x,
                        int64_t n_columns)
{
    int64_t n = f->n, middle = begin + (end - begin) / 2;
    if (end - begin > SMALL) {
        solve_lower(f, begin, middle, x, n_columns);
        update(f, end - middle, n_columns, middle - begin, f->lu + middle * n + begin,
               x + begin * n, x + middle * n);
        solve_lower(f, middle, end, x, n_columns);
        return;
    }
    for (int64_t i = begin + 1; i < end; i++)
        for (int64_t k = begin; k < i; k++)
            subtract_multiple(n_columns, f->lu[i * n + k], x + k * n, x + i * n);
}

/* Columns begin ... end - 1 of the rows from begin on. */
static bool factor(exb_plain_factors *f, int64_t begin, int64_t end)
{
    int64_t n = f->n, middle = begin + (end - begin) / 2;
    if (end - begin <= SMALL)
        return factor_small(f, begin, end);
    if (!factor(f, begin, middle))
        return false;
    solve_lower(f, begin, middle, f->lu + middle, end - middle);
    update(f, n - middle, end - middle, middle - begin, f->lu + middle * n + begin,
           f->lu + begin * n + middle, f->lu + middle * n + middle);
    return factor(f, middle, end);
}

/* Rows begin ... end - 1 of X_L, which has zeros right of the diagonal. */
static void invert_lower(const exb_plain_factors *f, int64_t begin, int64_t end)
{
    int64_t n = f->n, middle = begin + (end - begin) / 2;
    if (end - begin <= SMALL) {
        solve_lower(f, begin, end, f->lower, end);
        return;
    }
    invert_lower(f, begin, middle);
    update(f, end - middle, middle, middle - begin, f->lu + middle * n + begin,
           f->lower + begin * n, f->lower + middle * n);
    invert_lower(f, middle, end);
}

static void invert_upper_small(const exb_plain_factors *f, int64_t begin, int64_t end)
{
    int64_t n = f->n;
    for (int64_t i = end - 1; i >= begin; i--) {
        double *x = f->upper + i * n, reciprocal = 1 / f->lu[i * n + i];
        for (int64_t k = i + 1; k < end; k++)
            subtract_multiple(n - i, f->lu[i * n + k], f->upper + k * n + i, x + i);
        for (int64_t j = i; j < n; j++)
            x[j] *= reciprocal;
    }
}

/* Rows begin ... end - 1 of X_U, from the last one up. */
static void invert_upper(const exb_plain_factors *f, int64_t begin, int64_t end)
{
    int64_t n = f->n, middle = begin + (end - begin) / 2;
    if (end - begin <= SMALL) {
        invert_upper_small(f, begin, end);
        return;
    }
    invert_upper(f, middle, end);
    update(f, middle - begin, n - middle, end - middle, f->lu + begin * n + middle,
           f->upper + middle * n + middle, f->upper + begin * n + middle);
    invert_upper(f, begin, middle);
}

static void set_identity(int64_t n, double *x)
{
    memset(x, 0, (size_t)(n * n) * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i * n + i] = 1;
}

static bool allocate(exb_plain_factors *f)
{
    size_t n = (size_t)f->n, room = (size_t)exb_plain_update_room(f->n);
    f->lu = exb_memory_get((3 * n * n + room) * sizeof *f->lu);
    f->order = malloc(n * sizeof *f->order);
    if (!f->lu || !f->order)
        return false;
    f->lower = f->lu + n * n;
    f->upper = f->lower + n * n;
    f->work = f->upper + n * n;
    return true;
}

bool exb_plain_factors_init(exb_plain_factors *f, int64_t n, const double *s)
{
    *f = (exb_plain_factors){.n = n};
    bool done = allocate(f);
    if (done) {
        for (int64_t i = 0; i < n; i++)
            f->order[i] = i;
        exb_transpose(n, s, n, f->lu);
        done = factor(f, 0, n);
    }
    if (!done) {
        exb_plain_factors_free(f);
        return false;
    }
    set_identity(n, f->lower);
    set_identity(n, f->upper);
    invert_lower(f, 0, n);
    invert_upper(f, 0, n);
    return true;
}

void exb_plain_factors_free(exb_plain_factors *f)
{
    exb_memory_put(f->lu);
    free(f->order);
    *f = (exb_plain_factors){.n = 0};
}

/* T: each halving updates an element at most once, with at most half of the rows or columns, so
 * many terms at a time; then there are fewer than SMALL single products. p: a multiplication, the
 * additions of a run, and those of the runs that half of the rows or columns have. */
double exb_plain_factors_error(int64_t n)
{
    int64_t subtractions = SMALL;
    for (int64_t size = n; size > SMALL; size = (size + 1) / 2)
        subtractions += exb_tasks_of((size + 1) / 2, EXB_UPDATE_TERMS);
    int64_t additions =
        EXB_UPDATE_RUN + exb_least(EXB_UPDATE_RUNS, exb_tasks_of((n + 1) / 2, EXB_UPDATE_RUN));
    double lost = (double)(subtractions + additions) * 0x1p-53;
    return lost / (1 - lost) * (1 + 0x1p-20);
}
