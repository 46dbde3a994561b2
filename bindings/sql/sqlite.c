/* The exact aggregates as a loadable extension of SQLite: `.load exblas_sqlite`, or
 * connection.load_extension. Each is also a window function: rows that leave the frame are taken
 * away exactly. */
#include "aggregates.h"

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

static exblas_cell_wide *room(void *context)
{
    (void)context;
    return sqlite3_malloc64(sizeof(exblas_cell_wide));
}

static const sql_aggregate *aggregate_of(sqlite3_context *context)
{
    return sqlite3_user_data(context);
}

/* A group: how many of its rows have a REAL, and the sums. */
typedef struct {
    int64_t n_real;
    exblas_cell cell[];
} group;

/* The group of a call, made at its first row; NULL: there is no memory. */
static group *group_of(sqlite3_context *context, sql_kept kept)
{
    size_t n_bytes = sizeof(group) + sizeof(exblas_cell) * (size_t)sql_cells(kept);
    return sqlite3_aggregate_context(context, (int)n_bytes);
}

/* False if it is NULL. Text that looks like an integer is one, as for SQLite's own sum. */
static inline bool read_number(sqlite3_value *value, sql_number *x, bool *is_real)
{
    int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL)
        return false;
    if (type == SQLITE_TEXT)
        type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_INTEGER) {
        *x = sql_of_integer(sqlite3_value_int64(value));
    } else {
        *is_real = true;
        x->n_parts = 1;
        x->part[0] = sqlite3_value_double(value);
    }
    return true;
}

/* The arguments of a row, y before x. False if one is NULL. */
static inline bool read_row(int n, sqlite3_value **value, sql_number *x, sql_number *y,
                            bool *is_real)
{
    return (n == 1 || read_number(value[0], y, is_real)) && read_number(value[n - 1], x, is_real);
}

typedef bool change(sql_kept, exblas_cell *, const sql_number *, const sql_number *, cell_room *,
                    void *);

static inline void change_state(sqlite3_context *context, int n, sqlite3_value **value, change *by,
                                int sign)
{
    const sql_aggregate *a = aggregate_of(context);
    sql_number x, y;
    bool is_real = false;
    if (!read_row(n, value, &x, &y, &is_real))
        return;
    group *g = group_of(context, a->kept);
    if (!g || !by(a->kept, g->cell, &x, &y, room, NULL)) {
        sqlite3_result_error_nomem(context);
        return;
    }
    g->n_real += is_real ? sign : 0;
}

static void step(sqlite3_context *context, int n, sqlite3_value **value)
{
    change_state(context, n, value, sql_add, 1);
}

static void inverse(sqlite3_context *context, int n, sqlite3_value **value)
{
    change_state(context, n, value, sql_remove, -1);
}

/* Sums of integers are integers, as SQLite's own. */
static void give_integer(sqlite3_context *context, const exblas_cell *cell)
{
    sql_integer r;
    if (sql_integer_sum(cell, &r) && r >= INT64_MIN && r <= INT64_MAX)
        sqlite3_result_int64(context, (int64_t)r);
    else
        sqlite3_result_error(context,
                             "integer overflow in an exact sum: with an argument CAST to REAL it "
                             "is rounded to a double",
                             -1);
}

/* NaN becomes NULL, as with SQLite's own functions. */
static void give_result(sqlite3_context *context, const group *g)
{
    const sql_aggregate *a = aggregate_of(context);
    double r;
    if (!g || sql_result(a, g->cell, &r) != EXBLAS_OK)
        sqlite3_result_null(context);
    else if (sql_is_sum(a) && g->n_real == 0)
        give_integer(context, g->cell);
    else
        sqlite3_result_double(context, r);
}

static void value(sqlite3_context *context)
{
    give_result(context, sqlite3_aggregate_context(context, 0));
}

/* Called for every state, also when a statement ends early. */
static void final(sqlite3_context *context)
{
    group *g = sqlite3_aggregate_context(context, 0);
    give_result(context, g);
    for (int i = 0; g && i < sql_cells(aggregate_of(context)->kept); i++)
        sqlite3_free(exblas_cell_wide_part(&g->cell[i]));
}

EXBLAS_API int sqlite3_exblassqlite_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    int status = SQLITE_OK;
    (void)error;
    SQLITE_EXTENSION_INIT2(api);
    for (int i = 0; i < N_SQL_AGGREGATES && status == SQLITE_OK; i++) {
        const sql_aggregate *a = &sql_aggregates[i];
        status =
            sqlite3_create_window_function(db, a->name, sql_arguments(a->kept),
                                           SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                           (void *)a, step, final, value, inverse, NULL);
    }
    return status;
}
