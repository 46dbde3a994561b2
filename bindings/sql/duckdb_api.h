/* What this extension uses of DuckDB's C extension API: the table of functions that DuckDB hands
 * to an extension, whose first part has been fixed since API version v1.2.0. Source: DuckDB's
 * documentation of the C API (duckdb.org/docs/stable/clients/c/api) and the order of members in
 * its header; the numbers are positions in that order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DUCKDB_API_VERSION "v1.2.0"

typedef uint64_t idx_t;
typedef void *handle; /* duckdb_connection, duckdb_vector, ...: all pointers */

typedef enum {
    DUCKDB_BOOLEAN = 1,
    DUCKDB_BIGINT = 5,
    DUCKDB_UBIGINT = 9,
    DUCKDB_FLOAT = 10,
    DUCKDB_DOUBLE = 11,
    DUCKDB_HUGEINT = 16, /* the two halves of an integer of 128 bits, the lower one first */
    DUCKDB_DECIMAL = 19,
    DUCKDB_UHUGEINT = 32,
    DUCKDB_BIGNUM = 35
} duckdb_type;

typedef struct {
    void (*set_error)(handle info, const char *error);
    handle *(*get_database)(handle info);
    const void *const *(*get_api)(handle info, const char *version);
} duckdb_access;

typedef struct {
    idx_t obsolete_numbers[3];
    void *obsolete_columns;
    char *obsolete_error;
    void *internal;
} duckdb_result;

typedef idx_t state_size_fn(handle info);
typedef void init_fn(handle info, void *state);
typedef void update_fn(handle info, handle chunk, void **states);
typedef void combine_fn(handle info, void **source, void **target, idx_t count);
typedef void finalize_fn(handle info, void **source, handle result, idx_t count, idx_t offset);
typedef void destroy_fn(void **states, idx_t count);

/* position, name, result, parameters: in lines that are not to be joined */
/* clang-format off */
#define DUCKDB_FUNCTIONS(use) \
    use(3, connect, int, (handle database, handle *connection)) \
    use(6, disconnect, void, (handle *connection)) \
    use(13, query, int, (handle connection, const char *sql, duckdb_result *result)) \
    use(14, destroy_result, void, (duckdb_result *result)) \
    use(156, create_logical_type, handle, (int type)) \
    use(165, create_decimal_type, handle, (uint8_t width, uint8_t scale)) \
    use(184, destroy_logical_type, void, (handle *type)) \
    use(187, destroy_data_chunk, void, (handle *chunk)) \
    use(190, data_chunk_get_vector, handle, (handle chunk, idx_t column)) \
    use(191, data_chunk_get_size, idx_t, (handle chunk)) \
    use(194, vector_get_data, void *, (handle vector)) \
    use(195, vector_get_validity, uint64_t *, (handle vector)) \
    use(196, vector_ensure_validity_writable, void, (handle vector)) \
    use(226, create_aggregate_function, handle, (void)) \
    use(227, destroy_aggregate_function, void, (handle *function)) \
    use(228, aggregate_function_set_name, void, (handle function, const char *name)) \
    use(229, aggregate_function_add_parameter, void, (handle function, handle type)) \
    use(230, aggregate_function_set_return_type, void, (handle function, handle type)) \
    use(231, aggregate_function_set_functions, void, \
        (handle function, state_size_fn *, init_fn *, update_fn *, combine_fn *, finalize_fn *)) \
    use(232, aggregate_function_set_destructor, void, (handle function, destroy_fn *)) \
    use(235, aggregate_function_set_extra_info, void, \
        (handle function, void *extra, void (*destroy)(void *))) \
    use(236, aggregate_function_get_extra_info, void *, (handle info)) \
    use(237, aggregate_function_set_error, void, (handle info, const char *error)) \
    use(238, create_aggregate_function_set, handle, (const char *name)) \
    use(239, destroy_aggregate_function_set, void, (handle *set)) \
    use(240, add_aggregate_function_to_set, int, (handle set, handle function)) \
    use(241, register_aggregate_function_set, int, (handle connection, handle set)) \
    use(306, fetch_chunk, handle, (duckdb_result result))
/* clang-format on */

typedef struct {
#define DUCKDB_MEMBER(position, name, result, parameters) result(*name) parameters;
    DUCKDB_FUNCTIONS(DUCKDB_MEMBER)
#undef DUCKDB_MEMBER
} duckdb_functions;

/* From DuckDB's table. */
static inline void duckdb_functions_read(duckdb_functions *f, const void *const *table)
{
#define DUCKDB_READ(position, name, result, parameters) *(const void **)&f->name = table[position];
    DUCKDB_FUNCTIONS(DUCKDB_READ)
#undef DUCKDB_READ
}
