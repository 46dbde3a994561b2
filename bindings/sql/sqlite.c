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

/* The arguments of a row as (x, y). False if one is NULL. */
static bool read_row(sqlite3_context *context, int n, sqlite3_value **value, double *x, double *y)
{
    bool y_first = aggregate_of(context)->y_first;
    for (int i = 0; i < n; i++) {
        if (sqlite3_value_type(value[i]) == SQLITE_NULL)
            return false;
        *((i == 0) == y_first ? y : x) = sqlite3_value_double(value[i]);
    }
    return true;
}

typedef bool change(sql_kept, exblas_cell *, double, double, sql_room *, void *);

static void change_state(sqlite3_context *context, int n, sqlite3_value **value, change *by)
{
    sql_kept kept = aggregate_of(context)->kept;
    double x = 0, y = 0;
    if (!read_row(context, n, value, &x, &y))
        return;
    exblas_cell *cells =
        sqlite3_aggregate_context(context, (int)sizeof(exblas_cell) * sql_cells(kept));
    if (!cells || !by(kept, cells, x, y, room, NULL))
        sqlite3_result_error_nomem(context);
}

static void step(sqlite3_context *context, int n, sqlite3_value **value)
{
    change_state(context, n, value, sql_add);
}

static void inverse(sqlite3_context *context, int n, sqlite3_value **value)
{
    change_state(context, n, value, sql_remove);
}

/* NaN becomes NULL, as with SQLite's own functions. */
static void give_result(sqlite3_context *context, const exblas_cell *cells)
{
    double r;
    if (cells && sql_result(aggregate_of(context), cells, &r) == EXBLAS_OK)
        sqlite3_result_double(context, r);
    else
        sqlite3_result_null(context);
}

static void value(sqlite3_context *context)
{
    give_result(context, sqlite3_aggregate_context(context, 0));
}

/* Called for every state, also when a statement ends early. */
static void final(sqlite3_context *context)
{
    exblas_cell *cells = sqlite3_aggregate_context(context, 0);
    give_result(context, cells);
    for (int i = 0; cells && i < sql_cells(aggregate_of(context)->kept); i++)
        sqlite3_free(exblas_cell_wide_part(&cells[i]));
}

EXBLAS_API int sqlite3_exblassqlite_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    int status = SQLITE_OK;
    (void)error;
    SQLITE_EXTENSION_INIT2(api);
    for (int i = 0; i < n_sql_aggregates && status == SQLITE_OK; i++) {
        const sql_aggregate *a = &sql_aggregates[i];
        status =
            sqlite3_create_window_function(db, a->name, sql_arguments(a->kept),
                                           SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                           (void *)a, step, final, value, inverse, NULL);
    }
    return status;
}
