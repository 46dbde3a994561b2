/* The exact aggregates as an extension of DuckDB, of floating-point numbers and integers: LOAD
 * exblas. */
#include "aggregates.h"
#include "duckdb_api.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static duckdb_functions db;

/* Types of arguments. What DuckDB would round to DOUBLE without a word is refused, with advice. */
typedef struct {
    int type;
    bool is_integer;
    const char *name, *advice;
} argument;

static const argument arguments[] = {
    {DUCKDB_DOUBLE, false, "DOUBLE", NULL},
    {DUCKDB_FLOAT, false, "FLOAT", NULL},
    {DUCKDB_BIGINT, true, "BIGINT", NULL}, /* shorter ones are cast to it */
    {DUCKDB_UBIGINT, true, "UBIGINT", NULL},
    {DUCKDB_HUGEINT, true, "HUGEINT", NULL},
    {DUCKDB_UHUGEINT, false, "UHUGEINT", "cast it to HUGEINT"},
    {DUCKDB_BOOLEAN, false, "BOOLEAN", "cast it to INTEGER"},
    {DUCKDB_BIGNUM, false, "BIGNUM", "cast it to HUGEINT"},
    {DUCKDB_DECIMAL, false, "DECIMAL",
     "cast it to DOUBLE, which rounds each value (sum is exact for DECIMAL)"},
};
enum { N_ARGUMENTS = sizeof arguments / sizeof *arguments };

/* Wide parts of a database's states, which DuckDB does not count: they get a quarter of its
 * memory_limit. By default that is 80 % of the machine's memory, and both together are all. */
typedef struct {
    int64_t limit; /* bytes, as those in use */
    _Atomic int64_t used;
} budget;

typedef struct {
    budget *from;
    exblas_cell_wide wide;
} counted;

/* What a function is told about itself. */
struct loaded;
typedef struct {
    const sql_aggregate *aggregate;
    const argument *x, *y; /* as SQL has them: first and second, y NULL if there is none */
    bool gives_integer;
    struct loaded *in;
} overload;

enum { N_ROWS = 2048 /* that are added at once */, AHEAD = 16 };

/* What a database has of the extension, until its last function is gone. */
typedef struct loaded {
    budget wide;
    _Atomic int64_t n_users;
    overload overloads[N_SQL_AGGREGATES][N_ARGUMENTS][N_ARGUMENTS];
} loaded;

static void leave(loaded *in)
{
    if (atomic_fetch_sub(&in->n_users, 1) == 1)
        free(in);
}

static void leave_overload(void *o)
{
    leave(((overload *)o)->in);
}

static const overload *overload_of(handle info)
{
    return db.aggregate_function_get_extra_info(info);
}

/* False, with an error, if a type is refused. */
static bool takes(const overload *o, handle info)
{
    const argument *refused = o->x->advice ? o->x : o->y && o->y->advice ? o->y : NULL;
    char message[256];
    if (!refused)
        return true;
    snprintf(message, sizeof message, "%s does not take %s: %s", o->aggregate->name, refused->name,
             refused->advice);
    db.aggregate_function_set_error(info, message);
    return false;
}

static exblas_cell_wide *room(void *context)
{
    budget *from = context;
    int64_t n_bytes = sizeof(counted);
    counted *c = NULL;
    if (atomic_fetch_add(&from->used, n_bytes) <= from->limit - n_bytes)
        c = malloc(sizeof(counted));
    if (!c) {
        atomic_fetch_sub(&from->used, n_bytes);
        return NULL;
    }
    c->from = from;
    return &c->wide;
}

static void give_back(exblas_cell_wide *wide)
{
    if (!wide)
        return;
    counted *c = (counted *)((char *)wide - offsetof(counted, wide));
    atomic_fetch_sub(&c->from->used, (int64_t)sizeof *c);
    free(c);
}

static void out_of_memory(handle info)
{
    const budget *b = &overload_of(info)->in->wide;
    char message[256];
    snprintf(
        message, sizeof message,
        "out of memory in an exact aggregate: long sums of groups may take %lld MiB, a quarter "
        "of the memory_limit that there was at LOAD; set a larger one before LOAD",
        (long long)(b->limit >> 20));
    db.aggregate_function_set_error(info, message);
}

static size_t state_bytes(const overload *o)
{
    return (size_t)sql_cells(o->aggregate->kept) * sizeof(exblas_cell);
}

/* Asked for when a query is planned. */
static idx_t state_size(handle info)
{
    takes(overload_of(info), info);
    return state_bytes(overload_of(info));
}

/* A column of the chunk. */
typedef struct {
    const void *data;
    const uint64_t *validity; /* NULL: no row is NULL */
    const argument *kind;
} column;

static column column_at(handle chunk, idx_t i, const argument *kind)
{
    handle vector = db.data_chunk_get_vector(chunk, i);
    return (column){db.vector_get_data(vector), db.vector_get_validity(vector), kind};
}

static bool is_valid(const column *c, idx_t row)
{
    return !c->validity || (c->validity[row / 64] >> row % 64 & 1);
}

static double double_at(const column *c, idx_t row)
{
    return c->kind->type == DUCKDB_FLOAT ? (double)((const float *)c->data)[row]
                                         : ((const double *)c->data)[row];
}

/* DuckDB aligns its halves, of 64 bits. */
static sql_integer hugeint_at(const column *c, idx_t row)
{
    sql_integer x;
    memcpy(&x, (const char *)c->data + row * sizeof x, sizeof x);
    return x;
}

static sql_number number_at(const column *c, idx_t row)
{
    switch (c->kind->type) {
    case DUCKDB_BIGINT:
        return sql_of_integer(((const int64_t *)c->data)[row]);
    case DUCKDB_UBIGINT:
        return sql_of_integer(((const uint64_t *)c->data)[row]);
    case DUCKDB_HUGEINT:
        return sql_of_integer(hugeint_at(c, row));
    default:
        return sql_of_double(double_at(c, row));
    }
}

/* Whether it is one, seen without its parts: not of the largest integers. */
static inline bool is_double(const column *c, idx_t row, double *x)
{
    const uint64_t most = (uint64_t)1 << 53;
    int64_t value;
    if (!c->kind->is_integer) {
        *x = double_at(c, row);
        return true;
    }
    if (c->kind->type == DUCKDB_HUGEINT)
        return false;
    value = ((const int64_t *)c->data)[row]; /* or its bits */
    *x = (double)value;
    return c->kind->type == DUCKDB_BIGINT ? (uint64_t)value + most <= 2 * most
                                          : (uint64_t)value <= most;
}

/* Rows without a NULL that are doubles. */
typedef struct {
    int64_t n;
    void *state[N_ROWS];
    double x[N_ROWS], y[N_ROWS];
} batch;

static void gather(batch *b, const column *x, const column *y, void **states, idx_t begin,
                   idx_t end)
{
    b->n = 0;
    for (idx_t row = begin; row < end; row++) {
        if (!is_valid(x, row) || (y && !is_valid(y, row)))
            continue;
        b->state[b->n] = states[row];
        b->x[b->n] = double_at(x, row);
        if (y)
            b->y[b->n] = double_at(y, row);
        b->n++;
    }
}

/* The same where one is of integers: those that are no doubles are added at once. */
static bool gather_numbers(batch *b, const overload *o, const column *x, const column *y,
                           void **states, idx_t begin, idx_t end)
{
    bool good = true;
    b->n = 0;
    for (idx_t row = begin; row < end && good; row++) {
        if (!is_valid(x, row) || (y && !is_valid(y, row)))
            continue;
        if (is_double(x, row, &b->x[b->n]) && (!y || is_double(y, row, &b->y[b->n]))) {
            b->state[b->n++] = states[row];
        } else {
            sql_number u = number_at(x, row), v = y ? number_at(y, row) : u;
            good = sql_add(o->aggregate->kept, states[row], &u, &v, room, &o->in->wide);
        }
    }
    return good;
}

static bool add_gathered(const overload *o, const column *x, const column *y, void **states,
                         idx_t n)
{
    sql_kept kept = o->aggregate->kept;
    batch b;
    bool good = true, has_integers = x->kind->is_integer || (y && y->kind->is_integer);
    for (idx_t begin = 0; begin < n && good; begin += N_ROWS) {
        idx_t end = n - begin < N_ROWS ? n : begin + N_ROWS;
        if (has_integers)
            good = gather_numbers(&b, o, x, y, states, begin, end);
        else
            gather(&b, x, y, states, begin, end);
        good = good && sql_add_rows(kept, b.n, b.state, b.x, b.y, room, &o->in->wide);
    }
    return good;
}

static void update(handle info, handle chunk, void **states)
{
    const overload *o = overload_of(info);
    const sql_aggregate *a = o->aggregate;
    if (!takes(o, info))
        return;
    idx_t n = db.data_chunk_get_size(chunk);
    column y = column_at(chunk, 0, o->x), x = o->y ? column_at(chunk, 1, o->y) : y;
    bool is_plain = x.kind->type == DUCKDB_DOUBLE && y.kind->type == DUCKDB_DOUBLE && !x.validity &&
                    !y.validity;
    bool good = is_plain
                    ? sql_add_rows(a->kept, (int64_t)n, states, x.data, y.data, room, &o->in->wide)
                    : add_gathered(o, &x, o->y ? &y : NULL, states, n);
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
    const overload *o = overload_of(info);
    sql_kept kept = o->aggregate->kept;
    if (!sql_combine_rows(kept, (int64_t)count, target, source, room, &o->in->wide))
        out_of_memory(info);
}

/* DuckDB's own corr and regr_slope give NaN where SQL has NULL, but for no rows. */
static bool is_nan_where_undefined(const sql_aggregate *a)
{
    return a == &sql_aggregates[SQL_corr] || a == &sql_aggregates[SQL_regr_slope];
}

/* False if the result is NULL, or an error. */
static bool give_result(handle info, const overload *o, const exblas_cell *cells, void *out,
                        idx_t row)
{
    sql_integer integer;
    double r;
    exblas_status status = sql_result(o->aggregate, cells, &r);
    if (!o->gives_integer) {
        ((double *)out)[row] = r;
        return status == EXBLAS_OK ||
               (is_nan_where_undefined(o->aggregate) && exblas_cell_count(cells) > 0);
    }
    if (status != EXBLAS_OK)
        return false;
    if (!sql_integer_sum(cells, &integer)) {
        db.aggregate_function_set_error(info, "an exact sum is out of range of HUGEINT: of an "
                                              "argument cast to DOUBLE it is rounded");
        return false;
    }
    memcpy((char *)out + row * sizeof integer, &integer, sizeof integer);
    return true;
}

static void finalize(handle info, void **source, handle result, idx_t count, idx_t offset)
{
    const overload *o = overload_of(info);
    void *out = db.vector_get_data(result);
    uint64_t *validity = NULL;
    for (idx_t i = 0; i < count; i++) {
        idx_t row = offset + i;
        fetch_ahead(source, i, count);
        if (give_result(info, o, source[i], out, row))
            continue;
        if (!validity) {
            db.vector_ensure_validity_writable(result);
            validity = db.vector_get_validity(result);
        }
        validity[row / 64] &= ~((uint64_t)1 << row % 64);
    }
}

static void init(handle info, void *state)
{
    memset(state, 0, state_bytes(overload_of(info)));
}

/* What a function knows of the states that it is given is their size: one for each number of
 * cells. */
static void free_cells(void **states, idx_t count, int n_cells)
{
    for (idx_t i = 0; i < count; i++)
        for (int j = 0; j < n_cells; j++)
            give_back(exblas_cell_wide_part((exblas_cell *)states[i] + j));
}

#define DESTROY(n)                                                                                 \
    static void destroy_##n(void **states, idx_t count)                                            \
    {                                                                                              \
        free_cells(states, count, n);                                                              \
    }
DESTROY(1)
DESTROY(2)
DESTROY(5)
static destroy_fn *const destroy[] = {[1] = destroy_1, [2] = destroy_2, [5] = destroy_5};

static void add_parameter(handle function, const argument *a)
{
    /* A DECIMAL has a width and a scale: those of any are cast to this one, if it is planned. */
    handle type =
        a->type == DUCKDB_DECIMAL ? db.create_decimal_type(38, 0) : db.create_logical_type(a->type);
    db.aggregate_function_add_parameter(function, type);
    db.destroy_logical_type(&type);
}

static bool add_overload(handle set, overload *o)
{
    handle function = db.create_aggregate_function();
    handle result = db.create_logical_type(o->gives_integer ? DUCKDB_HUGEINT : DUCKDB_DOUBLE);
    db.aggregate_function_set_name(function, o->aggregate->name);
    add_parameter(function, o->x);
    if (o->y)
        add_parameter(function, o->y);
    db.aggregate_function_set_return_type(function, result);
    db.aggregate_function_set_functions(function, state_size, init, update, combine, finalize);
    db.aggregate_function_set_destructor(function, destroy[sql_cells(o->aggregate->kept)]);
    atomic_fetch_add(&o->in->n_users, 1);
    db.aggregate_function_set_extra_info(function, o, leave_overload);
    bool good = db.add_aggregate_function_to_set(set, function) == 0;
    db.destroy_logical_type(&result);
    db.destroy_aggregate_function(&function);
    return good;
}

/* An overload for each type, or each two types, of arguments. */
static bool register_aggregate(handle connection, loaded *in, int i)
{
    const sql_aggregate *a = &sql_aggregates[i];
    int n_second = sql_arguments(a->kept) == 2 ? N_ARGUMENTS : 1;
    handle set = db.create_aggregate_function_set(a->name);
    bool good = true;
    for (int j = 0; j < N_ARGUMENTS * n_second && good; j++) {
        const argument *x = &arguments[j / n_second], *y = &arguments[j % n_second];
        overload *o = &in->overloads[i][j / n_second][j % n_second];
        bool all_integer = x->is_integer && (n_second == 1 || y->is_integer);
        *o = (overload){a, x, n_second == 1 ? NULL : y, sql_is_sum(a) && all_integer, in};
        good = add_overload(set, o);
    }
    good = good && db.register_aggregate_function_set(connection, set) == 0;
    db.destroy_aggregate_function_set(&set);
    return good;
}

/* DuckDB's memory_limit, in bytes; the largest number if it cannot be read. */
static double memory_limit(handle connection)
{
    static const char sql[] =
        "SELECT split_part(s, ' ', 1)::DOUBLE * 1024.0 ** (list_position(['bytes', 'KiB', 'MiB', "
        "'GiB', 'TiB', 'PiB', 'EiB'], split_part(s, ' ', 2)) - 1) "
        "FROM (SELECT current_setting('memory_limit') AS s)";
    double limit = (double)INT64_MAX;
    duckdb_result result;
    if (db.query(connection, sql, &result) == 0) {
        handle chunk = db.fetch_chunk(result);
        handle vector = chunk ? db.data_chunk_get_vector(chunk, 0) : NULL;
        const uint64_t *validity = vector ? db.vector_get_validity(vector) : NULL;
        if (vector && (!validity || (validity[0] & 1)))
            limit = *(const double *)db.vector_get_data(vector);
        if (chunk)
            db.destroy_data_chunk(&chunk);
    }
    db.destroy_result(&result);
    return limit;
}

static bool load(handle connection)
{
    loaded *in = calloc(1, sizeof *in);
    bool good = true;
    if (!in)
        return false;
    in->n_users = 1;
    in->wide.limit = (int64_t)(memory_limit(connection) / 4);
    for (int i = 0; i < N_SQL_AGGREGATES && good; i++)
        good = register_aggregate(connection, in, i);
    leave(in);
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
    bool good = load(connection);
    db.disconnect(&connection);
    if (!good)
        access->set_error(info, "exblas: an aggregate could not be registered");
    return good;
}
