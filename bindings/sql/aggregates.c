#include "aggregates.h"

#include <string.h>

/* Cells of KEEP_PAIRS; the first two are those of KEEP_SQUARES, too. */
enum { X, XX, Y, YY, XY };

static exblas_status sum(const exblas_cell *c, double *r)
{
    *r = exblas_cell_to_double(c);
    return exblas_cell_count(c) > 0 ? EXBLAS_OK : EXBLAS_EINVAL;
}

static exblas_status var_pop(const exblas_cell *c, double *r)
{
    return exblas_cell_covariance(&c[X], &c[X], &c[XX], exblas_cell_count(&c[X]), r);
}

static exblas_status var_samp(const exblas_cell *c, double *r)
{
    return exblas_cell_covariance(&c[X], &c[X], &c[XX], exblas_cell_count(&c[X]) - 1, r);
}

static exblas_status stddev_pop(const exblas_cell *c, double *r)
{
    return exblas_cell_deviation(&c[X], &c[XX], exblas_cell_count(&c[X]), r);
}

static exblas_status stddev_samp(const exblas_cell *c, double *r)
{
    return exblas_cell_deviation(&c[X], &c[XX], exblas_cell_count(&c[X]) - 1, r);
}

static exblas_status covar_pop(const exblas_cell *c, double *r)
{
    return exblas_cell_covariance(&c[X], &c[Y], &c[XY], exblas_cell_count(&c[X]), r);
}

static exblas_status covar_samp(const exblas_cell *c, double *r)
{
    return exblas_cell_covariance(&c[X], &c[Y], &c[XY], exblas_cell_count(&c[X]) - 1, r);
}

static exblas_status corr(const exblas_cell *c, double *r)
{
    return exblas_cell_correlation(&c[X], &c[Y], &c[XX], &c[YY], &c[XY], r);
}

static exblas_status regr_avgx(const exblas_cell *c, double *r)
{
    return exblas_cell_mean(&c[X], r);
}

static exblas_status regr_avgy(const exblas_cell *c, double *r)
{
    return exblas_cell_mean(&c[Y], r);
}

static exblas_status regr_sxx(const exblas_cell *c, double *r)
{
    return exblas_cell_covariance(&c[X], &c[X], &c[XX], 1, r);
}

static exblas_status regr_syy(const exblas_cell *c, double *r)
{
    return exblas_cell_covariance(&c[Y], &c[Y], &c[YY], 1, r);
}

static exblas_status regr_sxy(const exblas_cell *c, double *r)
{
    return exblas_cell_covariance(&c[X], &c[Y], &c[XY], 1, r);
}

static exblas_status regr_slope(const exblas_cell *c, double *r)
{
    return exblas_cell_slope(&c[X], &c[Y], &c[XX], &c[XY], r);
}

static exblas_status regr_intercept(const exblas_cell *c, double *r)
{
    return exblas_cell_intercept(&c[X], &c[Y], &c[XX], &c[XY], r);
}

/* SQL:2003: 1 if all y are equal and not all x. */
static exblas_status regr_r2(const exblas_cell *c, double *r)
{
    exblas_status status = exblas_cell_determination(&c[X], &c[Y], &c[XX], &c[YY], &c[XY], r);
    double slope;
    if (status == EXBLAS_OK || regr_slope(c, &slope) != EXBLAS_OK)
        return status;
    *r = 1;
    return EXBLAS_OK;
}

const sql_aggregate sql_aggregates[] = {
    {"exact_sum", KEEP_SUM, false, sum},
    {"exact_avg", KEEP_SUM, false, exblas_cell_mean},
    {"exact_dot", KEEP_PRODUCT, false, sum},
    {"exact_var_pop", KEEP_SQUARES, false, var_pop},
    {"exact_var_samp", KEEP_SQUARES, false, var_samp},
    {"exact_stddev_pop", KEEP_SQUARES, false, stddev_pop},
    {"exact_stddev_samp", KEEP_SQUARES, false, stddev_samp},
    {"exact_covar_pop", KEEP_PAIRS, true, covar_pop},
    {"exact_covar_samp", KEEP_PAIRS, true, covar_samp},
    {"exact_corr", KEEP_PAIRS, true, corr},
    {"exact_regr_avgx", KEEP_PAIRS, true, regr_avgx},
    {"exact_regr_avgy", KEEP_PAIRS, true, regr_avgy},
    {"exact_regr_sxx", KEEP_PAIRS, true, regr_sxx},
    {"exact_regr_syy", KEEP_PAIRS, true, regr_syy},
    {"exact_regr_sxy", KEEP_PAIRS, true, regr_sxy},
    {"exact_regr_slope", KEEP_PAIRS, true, regr_slope},
    {"exact_regr_intercept", KEEP_PAIRS, true, regr_intercept},
    {"exact_regr_r2", KEEP_PAIRS, true, regr_r2},
};
const int n_sql_aggregates = sizeof sql_aggregates / sizeof *sql_aggregates;

int sql_cells(sql_kept kept)
{
    return kept == KEEP_PAIRS ? 5 : kept == KEEP_SQUARES ? 2 : 1;
}

int sql_arguments(sql_kept kept)
{
    return kept == KEEP_PAIRS || kept == KEEP_PRODUCT ? 2 : 1;
}

static bool widen(exblas_cell *c, sql_room *room, void *context)
{
    exblas_cell_wide *wide = room(context);
    if (wide)
        exblas_cell_widen(c, wide);
    return wide != NULL;
}

/* The terms of a row: cell i gets x, or x y. */
typedef struct {
    exblas_cell *cell;
    bool is_product;
    double x, y;
} term;

static int terms_of(sql_kept kept, exblas_cell *cells, double x, double y, term *t)
{
    int n = 0;
    if (kept == KEEP_PRODUCT) {
        t[n++] = (term){cells, true, x, y};
        return n;
    }
    t[n++] = (term){&cells[X], false, x, 0};
    if (kept != KEEP_SUM)
        t[n++] = (term){&cells[XX], true, x, x};
    if (kept == KEEP_PAIRS) {
        t[n++] = (term){&cells[Y], false, y, 0};
        t[n++] = (term){&cells[YY], true, y, y};
        t[n++] = (term){&cells[XY], true, x, y};
    }
    return n;
}

static exblas_status add_term(const term *t)
{
    return t->is_product ? exblas_cell_add_product(t->cell, t->x, t->y)
                         : exblas_cell_add(t->cell, t->x);
}

static exblas_status remove_term(const term *t)
{
    return t->is_product ? exblas_cell_sub_product(t->cell, t->x, t->y)
                         : exblas_cell_sub(t->cell, t->x);
}

bool sql_add(sql_kept kept, exblas_cell *cells, double x, double y, sql_room *room, void *context)
{
    term t[SQL_MOST_CELLS];
    if (kept == KEEP_SUM && exblas_cell_add(cells, x) == EXBLAS_OK)
        return true; /* the quickest way of the most frequent */
    int n = terms_of(kept, cells, x, y, t);
    for (int i = 0; i < n; i++)
        while (add_term(&t[i]) == EXBLAS_ENOMEM)
            if (!widen(t[i].cell, room, context))
                return false;
    return true;
}

bool sql_remove(sql_kept kept, exblas_cell *cells, double x, double y, sql_room *room,
                void *context)
{
    term t[SQL_MOST_CELLS];
    int n = terms_of(kept, cells, x, y, t);
    for (int i = 0; i < n; i++)
        while (remove_term(&t[i]) == EXBLAS_ENOMEM)
            if (!widen(t[i].cell, room, context))
                return false;
    return true;
}

/* Without a branch for each row: one state, the frequent case, is seen at the end. */
static bool all_same(int64_t n, void *const *state)
{
    if (n < 1 || state[n / 2] != state[0])
        return n < 1;
    uintptr_t first = (uintptr_t)state[0], differ[4] = {0};
    for (int64_t i = 0; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++)
            differ[j] |= (uintptr_t)state[i + j] ^ first;
    for (int64_t i = n / 4 * 4; i < n; i++)
        differ[0] |= (uintptr_t)state[i] ^ first;
    return (differ[0] | differ[1] | differ[2] | differ[3]) == 0;
}

/* Rows into cell i of their states; y is NULL for a sum of x. One state takes them as a vector. */
static bool add_column(int i, int64_t n, void *const *state, bool is_one, const double *x,
                       const double *y, sql_room *room, void *context)
{
    size_t offset = (size_t)i * sizeof(exblas_cell);
    for (int64_t k = 0; k < n;) {
        exblas_cell *c = (exblas_cell *)state[k] + i;
        if (is_one)
            k += y ? exblas_cell_add_dot(c, n - k, x + k, y + k)
                   : exblas_cell_add_vector(c, n - k, x + k);
        else
            k += y ? exblas_cell_add_each_product(n - k, state + k, offset, x + k, y + k)
                   : exblas_cell_add_each(n - k, state + k, offset, x + k);
        if (k < n && !widen((exblas_cell *)state[k] + i, room, context))
            return false;
    }
    return true;
}

bool sql_add_rows(sql_kept kept, int64_t n, void *const *state, const double *x, const double *y,
                  sql_room *room, void *context)
{
    bool is_one = all_same(n, state);
    if (kept == KEEP_PRODUCT)
        return add_column(0, n, state, is_one, x, y, room, context);
    bool good = add_column(X, n, state, is_one, x, NULL, room, context);
    if (kept != KEEP_SUM)
        good = good && add_column(XX, n, state, is_one, x, x, room, context);
    if (kept == KEEP_PAIRS)
        good = good && add_column(Y, n, state, is_one, y, NULL, room, context) &&
               add_column(YY, n, state, is_one, y, y, room, context) &&
               add_column(XY, n, state, is_one, x, y, room, context);
    return good;
}

bool sql_combine_rows(sql_kept kept, int64_t n, void *const *a, void *const *b, sql_room *room,
                      void *context)
{
    for (int i = 0; i < sql_cells(kept); i++)
        for (int64_t k = 0; k < n;) {
            k += exblas_cell_combine_each(n - k, a + k, b + k, (size_t)i * sizeof(exblas_cell));
            if (k < n && !widen((exblas_cell *)a[k] + i, room, context))
                return false;
        }
    return true;
}

exblas_status sql_result(const sql_aggregate *a, const exblas_cell *cells, double *r)
{
    return exblas_cell_count(cells) > 0 ? a->result(cells, r) : EXBLAS_EINVAL;
}
