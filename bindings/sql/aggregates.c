#include "aggregates.h"

#include <float.h>
#include <math.h>

/* Cells of KEEP_PAIRS; the first two are those of KEEP_SQUARES, too. */
enum { X, XX, Y, YY, XY };

static exblas_status sum(const exblas_cell *c, double *r)
{
    *r = exblas_cell_to_double(c);
    return exblas_cell_count(c) > 0 ? EXBLAS_OK : EXBLAS_EINVAL;
}

static exblas_status corr(const exblas_cell *c, double *r)
{
    return exblas_cell_correlation(&c[X], &c[Y], &c[XX], &c[YY], &c[XY], r);
}

static exblas_status regr_avgy(const exblas_cell *c, double *r)
{
    return exblas_cell_mean(&c[Y], r);
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

#define AGGREGATE(name, ...) {"exact_" #name, __VA_ARGS__},
const sql_aggregate sql_aggregates[N_SQL_AGGREGATES] = {SQL_AGGREGATES(AGGREGATE)};

int sql_cells(sql_kept kept)
{
    return kept == KEEP_PAIRS ? 5 : kept == KEEP_SQUARES ? 2 : 1;
}

int sql_arguments(sql_kept kept)
{
    return kept == KEEP_PAIRS || kept == KEEP_PRODUCT ? 2 : 1;
}

/* The leading bits first. */
sql_number sql_of_long_integer(sql_integer x)
{
    sql_number r = {0, {0}};
    __extension__ unsigned __int128 left = x < 0 ? -(unsigned __int128)x : (unsigned __int128)x;
    do {
        int above = 0; /* bits that are not in a double */
        while (left >> above >> DBL_MANT_DIG)
            above++;
        double part = (double)(left >> above << above);
        r.part[r.n_parts++] = x < 0 ? -part : part;
        left -= left >> above << above;
    } while (left);
    return r;
}

/* y is NULL for a term x. */
static exblas_status change_term(exblas_cell *c, int sign, double x, const double *y)
{
    if (y)
        return sign > 0 ? exblas_cell_add_product(c, x, *y) : exblas_cell_sub_product(c, x, *y);
    return sign > 0 ? exblas_cell_add(c, x) : exblas_cell_sub(c, x);
}

/* c += sign x y, or x if y is NULL: one term, of as many as there are parts. Zeros of the other
 * sign set its count right; they need no memory. */
static bool change_cell(exblas_cell *c, int sign, const sql_number *x, const sql_number *y,
                        cell_room *room, void *context)
{
    int n_terms = x->n_parts * (y ? y->n_parts : 1);
    for (int i = 0; i < n_terms; i++) {
        const double *by = y ? &y->part[i / x->n_parts] : NULL;
        while (change_term(c, sign, x->part[i % x->n_parts], by) == EXBLAS_ENOMEM)
            if (!cell_widen(c, room, context))
                return false;
    }
    for (int i = 1; i < n_terms; i++)
        change_term(c, -sign, 0, NULL);
    return true;
}

static bool change(sql_kept kept, exblas_cell *cells, int sign, const sql_number *x,
                   const sql_number *y, cell_room *room, void *context)
{
    if (kept == KEEP_PRODUCT)
        return change_cell(cells, sign, x, y, room, context);
    bool good = change_cell(&cells[X], sign, x, NULL, room, context);
    if (kept != KEEP_SUM)
        good = good && change_cell(&cells[XX], sign, x, x, room, context);
    if (kept == KEEP_PAIRS)
        good = good && change_cell(&cells[Y], sign, y, NULL, room, context) &&
               change_cell(&cells[YY], sign, y, y, room, context) &&
               change_cell(&cells[XY], sign, x, y, room, context);
    return good;
}

bool sql_add(sql_kept kept, exblas_cell *cells, const sql_number *x, const sql_number *y,
             cell_room *room, void *context)
{
    if (kept == KEEP_SUM && x->n_parts == 1 && exblas_cell_add(cells, x->part[0]) == EXBLAS_OK)
        return true; /* the quickest way of the most frequent */
    return change(kept, cells, 1, x, y, room, context);
}

bool sql_remove(sql_kept kept, exblas_cell *cells, const sql_number *x, const sql_number *y,
                cell_room *room, void *context)
{
    return change(kept, cells, -1, x, y, room, context);
}

/* Without a branch for each row: one state, the frequent case, is seen at the end. */
static bool all_same(int64_t n, void *const *state)
{
    if (state[n / 2] != state[0])
        return false;
    uintptr_t first = (uintptr_t)state[0], differ[4] = {0};
    for (int64_t i = 0; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++)
            differ[j] |= (uintptr_t)state[i + j] ^ first;
    for (int64_t i = n / 4 * 4; i < n; i++)
        differ[0] |= (uintptr_t)state[i] ^ first;
    return (differ[0] | differ[1] | differ[2] | differ[3]) == 0;
}

bool sql_add_rows(sql_kept kept, int64_t n, void *const *state, const double *x, const double *y,
                  cell_room *room, void *context)
{
    exblas_cell *one = n > 0 && all_same(n, state) ? state[0] : NULL;
    if (kept == KEEP_PRODUCT)
        return cells_add_rows(0, n, state, one, x, y, room, context);
    bool good = cells_add_rows(X, n, state, one, x, NULL, room, context);
    if (kept != KEEP_SUM)
        good = good && cells_add_rows(XX, n, state, one, x, x, room, context);
    if (kept == KEEP_PAIRS)
        good = good && cells_add_rows(Y, n, state, one, y, NULL, room, context) &&
               cells_add_rows(YY, n, state, one, y, y, room, context) &&
               cells_add_rows(XY, n, state, one, x, y, room, context);
    return good;
}

bool sql_combine_rows(sql_kept kept, int64_t n, void *const *a, void *const *b, cell_room *room,
                      void *context)
{
    return cells_combine_rows(sql_cells(kept), n, a, b, room, context);
}

exblas_status sql_result(const sql_aggregate *a, const exblas_cell *cells, double *r)
{
    int64_t n = exblas_cell_count(cells),
            over = a->over == SQL_1 ? 1 : n - (a->over == SQL_N_LESS_1);
    if (n == 0)
        return EXBLAS_EINVAL;
    if (a->result)
        return a->result(cells, r);
    if (a->is_root)
        return exblas_cell_deviation(&cells[a->x], &cells[a->xy], over, r);
    return exblas_cell_covariance(&cells[a->x], &cells[a->y], &cells[a->xy], over, r);
}

bool sql_is_sum(const sql_aggregate *a)
{
    return a->result == sum;
}

/* The sum's leading 53 bits, those of what is left, and so on: all integers. Only the first may be
 * out of range by more than its rounding, so that modulo 2^128 the sign shows what is. */
bool sql_integer_sum(const exblas_cell *c, sql_integer *r)
{
    exblas_acc left;
    exblas_acc_init(&left);
    exblas_cell_add_to(c, &left);
    double first = exblas_acc_to_double(&left);
    *r = 0;
    if (!(fabs(first) <= 0x1p127))
        return false;
    __extension__ unsigned __int128 total = 0;
    for (double part = first; part != 0; part = exblas_acc_to_double(&left)) {
        __extension__ unsigned __int128 magnitude = (unsigned __int128)fabs(part);
        total += part < 0 ? -magnitude : magnitude;
        exblas_acc_sub(&left, part);
    }
    *r = (sql_integer)total;
    return first < 0 ? *r < 0 : first > 0 ? *r > 0 : true;
}
