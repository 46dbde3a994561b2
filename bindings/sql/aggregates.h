/* The aggregates of all three engines: what they are called, which sums they keep, what they
 * return. An engine's file only moves arguments and results.
 *
 * A group's state is some cells (exblas/cell.h), all bytes zero at first. Arguments are doubles and
 * integers; rows with a NULL are the engine's file's to leave out. */
#pragma once

#include "cell_rows.h"

/* Which sums a state keeps, and how many cells that is. */
typedef enum {
    KEEP_SUM,     /* x */
    KEEP_PRODUCT, /* x y */
    KEEP_SQUARES, /* x, x^2 */
    KEEP_PAIRS    /* x, x^2, y, y^2, x y */
} sql_kept;

enum { SQL_MOST_CELLS = 5 };

typedef struct {
    const char *name;
    sql_kept kept; /* of two arguments the first is y */
    exblas_status (*result)(const exblas_cell *cells, double *r); /* not OK: NULL */
    /* Without `result`: the sum of products of deviations, from these cells, over that, or its
     * root. */
    int x, y, xy;
    enum { SQL_N, SQL_N_LESS_1, SQL_1 } over;
    bool is_root;
} sql_aggregate;

/* name, which sums, and how they give the result: in lines that are not to be joined */
/* clang-format off */
#define SQL_AGGREGATES(use) \
    use(sum, KEEP_SUM, .result = sum) \
    use(avg, KEEP_SUM, .result = exblas_cell_mean) \
    use(dot, KEEP_PRODUCT, .result = sum) \
    use(var_pop, KEEP_SQUARES, NULL, X, X, XX, SQL_N, false) \
    use(var_samp, KEEP_SQUARES, NULL, X, X, XX, SQL_N_LESS_1, false) \
    use(stddev_pop, KEEP_SQUARES, NULL, X, X, XX, SQL_N, true) \
    use(stddev_samp, KEEP_SQUARES, NULL, X, X, XX, SQL_N_LESS_1, true) \
    use(variance, KEEP_SQUARES, NULL, X, X, XX, SQL_N_LESS_1, false) \
    use(stddev, KEEP_SQUARES, NULL, X, X, XX, SQL_N_LESS_1, true) \
    use(covar_pop, KEEP_PAIRS, NULL, X, Y, XY, SQL_N, false) \
    use(covar_samp, KEEP_PAIRS, NULL, X, Y, XY, SQL_N_LESS_1, false) \
    use(corr, KEEP_PAIRS, .result = corr) \
    use(regr_avgx, KEEP_PAIRS, .result = exblas_cell_mean) \
    use(regr_avgy, KEEP_PAIRS, .result = regr_avgy) \
    use(regr_sxx, KEEP_PAIRS, NULL, X, X, XX, SQL_1, false) \
    use(regr_syy, KEEP_PAIRS, NULL, Y, Y, YY, SQL_1, false) \
    use(regr_sxy, KEEP_PAIRS, NULL, X, Y, XY, SQL_1, false) \
    use(regr_slope, KEEP_PAIRS, .result = regr_slope) \
    use(regr_intercept, KEEP_PAIRS, .result = regr_intercept) \
    use(regr_r2, KEEP_PAIRS, .result = regr_r2)
/* clang-format on */
#define SQL_NUMBER(name, ...) SQL_##name,
enum { SQL_AGGREGATES(SQL_NUMBER) N_SQL_AGGREGATES };

extern const sql_aggregate sql_aggregates[N_SQL_AGGREGATES];

int sql_cells(sql_kept kept);
int sql_arguments(sql_kept kept);

/* An argument: the sum of its parts, all of its sign, none 0 but that of a zero. A double is its
 * only part. */
enum { SQL_MOST_PARTS = 3 };

__extension__ typedef __int128 sql_integer;

typedef struct {
    int n_parts;
    double part[SQL_MOST_PARTS];
} sql_number;

static inline sql_number sql_of_double(double x)
{
    return (sql_number){1, {x}};
}

sql_number sql_of_long_integer(sql_integer x);

static inline sql_number sql_of_integer(sql_integer x)
{
    const int64_t most = (int64_t)1 << 53; /* to which all are doubles */
    return -most <= x && x <= most ? sql_of_double((double)(int64_t)x) : sql_of_long_integer(x);
}

/* Adds a row to a state, or takes it away again; y is read only if there are two arguments. False
 * if there was no memory, with the state unusable. */
bool sql_add(sql_kept kept, exblas_cell *cells, const sql_number *x, const sql_number *y,
             cell_room *room, void *context);
bool sql_remove(sql_kept kept, exblas_cell *cells, const sql_number *x, const sql_number *y,
                cell_room *room, void *context);

/* n rows of doubles at once, each of its own state, or all of one. */
bool sql_add_rows(sql_kept kept, int64_t n, void *const *state, const double *x, const double *y,
                  cell_room *room, void *context);

/* a_i += b_i, for n states. */
bool sql_combine_rows(sql_kept kept, int64_t n, void *const *a, void *const *b, cell_room *room,
                      void *context);

/* NULL, if not OK, where SQL has it: for no rows, a sample of one, a line through equal x. */
exblas_status sql_result(const sql_aggregate *a, const exblas_cell *cells, double *r);

/* exact_sum and exact_dot, which of integers are integers. */
bool sql_is_sum(const sql_aggregate *a);

/* A sum of integers; false if it is not in the range of sql_integer. */
bool sql_integer_sum(const exblas_cell *c, sql_integer *r);
