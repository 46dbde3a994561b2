/* The exact aggregates as an extension of DuckDB, for FLOAT and DOUBLE: LOAD exblas. */
#include "aggregates.h"
#include "duckdb_api.h"

#include <stdlib.h>
#include <string.h>

static duckdb_functions db;

/* What a function is told about itself. */
typedef struct {
    const sql_aggregate *aggregate;
    bool is_float;
} overload;

enum { MOST_AGGREGATES = 32, N_ROWS = 2048 /* that are added at once */, AHEAD = 16 };
static overload overloads[MOST_AGGREGATES][2];

static const overload *overload_of(handle info)
{
    return db.aggregate_function_get_extra_info(info);
}

static exblas_cell_wide *room(void *context)
{
    (void)context;
    return malloc(sizeof(exblas_cell_wide));
}

static void out_of_memory(handle info)
{
    db.aggregate_function_set_error(info, "out of memory in an exact aggregate");
}

static idx_t state_size(handle info)
{
    return (idx_t)sql_cells(overload_of(info)->aggregate->kept) * sizeof(exblas_cell);
}

/* A column of the chunk. */
typedef struct {
    const void *data;
    const uint64_t *validity; /* NULL: no row is NULL */
} column;

static column column_at(handle chunk, idx_t i)
{
    handle vector = db.data_chunk_get_vector(chunk, i);
    return (column){db.vector_get_data(vector), db.vector_get_validity(vector)};
}

static bool is_valid(const column *c, idx_t row)
{
    return !c->validity || (c->validity[row / 64] >> row % 64 & 1);
}

static double number_at(const column *c, bool is_float, idx_t row)
{
    return is_float ? (double)((const float *)c->data)[row] : ((const double *)c->data)[row];
}

/* Rows without a NULL, as doubles. */
typedef struct {
    int64_t n;
    void *state[N_ROWS];
    double x[N_ROWS], y[N_ROWS];
} batch;

static void gather(batch *b, const column *x, const column *y, bool is_float, void **states,
                   idx_t begin, idx_t end)
{
    b->n = 0;
    for (idx_t row = begin; row < end; row++) {
        if (!is_valid(x, row) || (y && !is_valid(y, row)))
            continue;
        b->state[b->n] = states[row];
        b->x[b->n] = number_at(x, is_float, row);
        if (y)
            b->y[b->n] = number_at(y, is_float, row);
        b->n++;
    }
}

static bool add_gathered(sql_kept kept, const column *x, const column *y, bool is_float,
                         void **states, idx_t n)
{
    batch b;
    bool good = true;
    for (idx_t begin = 0; begin < n && good; begin += N_ROWS) {
        idx_t end = n - begin < N_ROWS ? n : begin + N_ROWS;
        gather(&b, x, y, is_float, states, begin, end);
        good = sql_add_rows(kept, b.n, b.state, b.x, b.y, room, NULL);
    }
    return good;
}

static void update(handle info, handle chunk, void **states)
{
    const overload *o = overload_of(info);
    const sql_aggregate *a = o->aggregate;
    bool has_y = sql_arguments(a->kept) == 2;
    idx_t n = db.data_chunk_get_size(chunk);
    column first = column_at(chunk, 0), second = has_y ? column_at(chunk, 1) : first;
    const column *x = a->y_first ? &second : &first, *y = a->y_first ? &first : &second;
    bool is_plain = !o->is_float && !first.validity && !second.validity;
    bool good = is_plain ? sql_add_rows(a->kept, (int64_t)n, states, x->data, y->data, room, NULL)
                         : add_gathered(a->kept, x, has_y ? y : NULL, o->is_float, states, n);
    if (!good)
        out_of_memory(info);
}

/* Both ends: a state may lie in two lines of the cache. */
static void fetch_ahead(void *const *state, idx_t i, idx_t count)
{
    const exblas_cell *cell = state[i + AHEAD < count ? i + AHEAD : i];
    __builtin_prefetch(cell);
    __builtin_prefetch(&cell->n_or_wide);
}

/* Sources stay as they are: windows use them again. */
static void combine(handle info, void **source, void **target, idx_t count)
{
    sql_kept kept = overload_of(info)->aggregate->kept;
    if (!sql_combine_rows(kept, (int64_t)count, target, source, room, NULL))
        out_of_memory(info);
}

/* DuckDB's own corr and regr_slope give NaN where SQL has NULL, but for no rows. */
static bool is_nan_where_undefined(const sql_aggregate *a)
{
    return strcmp(a->name, "exact_corr") == 0 || strcmp(a->name, "exact_regr_slope") == 0;
}

static void finalize(handle info, void **source, handle result, idx_t count, idx_t offset)
{
    const sql_aggregate *a = overload_of(info)->aggregate;
    double *out = db.vector_get_data(result);
    uint64_t *validity = NULL;
    bool keep_nan = is_nan_where_undefined(a);
    for (idx_t i = 0; i < count; i++) {
        idx_t row = offset + i;
        fetch_ahead(source, i, count);
        const exblas_cell *cells = source[i];
        if (sql_result(a, cells, &out[row]) == EXBLAS_OK ||
            (keep_nan && exblas_cell_count(cells) > 0))
            continue;
        if (!validity) {
            db.vector_ensure_validity_writable(result);
            validity = db.vector_get_validity(result);
        }
        validity[row / 64] &= ~((uint64_t)1 << row % 64);
    }
}

/* What the functions below know of the states that they are given is their size: a pair of them
 * for each number of cells. */
static void init_1(handle info, void *state)
{
    (void)info;
    memset(state, 0, sizeof(exblas_cell));
}

static void init_2(handle info, void *state)
{
    (void)info;
    memset(state, 0, 2 * sizeof(exblas_cell));
}

static void init_5(handle info, void *state)
{
    (void)info;
    memset(state, 0, 5 * sizeof(exblas_cell));
}

static void free_cells(void **states, idx_t count, int n_cells)
{
    for (idx_t i = 0; i < count; i++)
        for (int j = 0; j < n_cells; j++)
            free(exblas_cell_wide_part((exblas_cell *)states[i] + j));
}

static void destroy_1(void **states, idx_t count)
{
    free_cells(states, count, 1);
}

static void destroy_2(void **states, idx_t count)
{
    free_cells(states, count, 2);
}

static void destroy_5(void **states, idx_t count)
{
    free_cells(states, count, 5);
}

typedef struct {
    int n_cells;
    void (*init)(handle info, void *state);
    void (*destroy)(void **states, idx_t count);
} life;

static const life *life_of(int n_cells)
{
    static const life lives[] = {
        {1, init_1, destroy_1}, {2, init_2, destroy_2}, {5, init_5, destroy_5}};
    const life *l = lives;
    while (l->n_cells != n_cells)
        l++;
    return l;
}

static bool add_overload(handle set, overload *o)
{
    handle function = db.create_aggregate_function();
    handle type = db.create_logical_type(o->is_float ? DUCKDB_FLOAT : DUCKDB_DOUBLE);
    handle result = db.create_logical_type(DUCKDB_DOUBLE);
    const life *l = life_of(sql_cells(o->aggregate->kept));
    db.aggregate_function_set_name(function, o->aggregate->name);
    for (int i = 0; i < sql_arguments(o->aggregate->kept); i++)
        db.aggregate_function_add_parameter(function, type);
    db.aggregate_function_set_return_type(function, result);
    db.aggregate_function_set_functions(function, state_size, l->init, update, combine, finalize);
    db.aggregate_function_set_destructor(function, l->destroy);
    db.aggregate_function_set_extra_info(function, o, NULL);
    bool good = db.add_aggregate_function_to_set(set, function) == 0;
    db.destroy_logical_type(&type);
    db.destroy_logical_type(&result);
    db.destroy_aggregate_function(&function);
    return good;
}

static bool register_aggregate(handle connection, int i)
{
    const sql_aggregate *a = &sql_aggregates[i];
    handle set = db.create_aggregate_function_set(a->name);
    bool good = true;
    for (int is_float = 0; is_float < 2; is_float++) {
        overloads[i][is_float] = (overload){a, is_float};
        good = good && add_overload(set, &overloads[i][is_float]);
    }
    good = good && db.register_aggregate_function_set(connection, set) == 0;
    db.destroy_aggregate_function_set(&set);
    return good;
}

EXBLAS_API bool exblas_init_c_api(handle info, const duckdb_access *access)
{
    const void *const *table = access->get_api(info, DUCKDB_API_VERSION);
    handle connection;
    if (!table)
        return false; /* DuckDB says why */
    duckdb_functions_read(&db, table);
    if (db.connect(*access->get_database(info), &connection) != 0) {
        access->set_error(info, "exblas: no connection to the database");
        return false;
    }
    bool good = n_sql_aggregates <= MOST_AGGREGATES;
    for (int i = 0; i < n_sql_aggregates && good; i++)
        good = register_aggregate(connection, i);
    db.disconnect(&connection);
    if (!good)
        access->set_error(info, "exblas: an aggregate could not be registered");
    return good;
}
