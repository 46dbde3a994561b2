/* The exact aggregates as an extension of PostgreSQL, and the type exact_accumulator, whose values
 * are canonical bytes of a cell (exblas/cell.h). exblas--*.sql declare all of it to SQL: the first
 * version, and what each later one added. */
#include "postgres.h"

#include "aggregates.h"
#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h" /* VARDATA and the like, once in the first header above */
#endif

#include <math.h>

PG_MODULE_MAGIC;

#define FUNCTION(name)                                                                             \
    PG_FUNCTION_INFO_V1(name);                                                                     \
    Datum name

/* A group's state. Wide parts lie in the same memory context. */
typedef struct {
    sql_kept kept;
    exblas_cell cell[FLEXIBLE_ARRAY_MEMBER];
} exact_state;

static exblas_cell_wide *room(void *context)
{
    return MemoryContextAlloc(context, sizeof(exblas_cell_wide));
}

static exact_state *new_state(MemoryContext context, sql_kept kept)
{
    Size n_bytes = offsetof(exact_state, cell) + sql_cells(kept) * sizeof(exblas_cell);
    exact_state *state = MemoryContextAllocZero(context, n_bytes);
    state->kept = kept;
    return state;
}

static MemoryContext context_of(FunctionCallInfo fcinfo)
{
    MemoryContext context;
    if (!AggCheckCallContext(fcinfo, &context))
        elog(ERROR, "exact aggregate's function called outside of an aggregate");
    return context;
}

/* Argument 0, or a new state. */
static exact_state *state_of(FunctionCallInfo fcinfo, sql_kept kept)
{
    return PG_ARGISNULL(0) ? new_state(context_of(fcinfo), kept)
                           : (exact_state *)PG_GETARG_POINTER(0);
}

/* The same in the context of an aggregate, which is asked for only here: rows are many. */
static exblas_cell_wide *room_of_aggregate(void *fcinfo)
{
    return room(context_of(fcinfo));
}

typedef bool change(sql_kept, exblas_cell *, const sql_number *, const sql_number *, cell_room *,
                    void *);
typedef sql_number read_number(FunctionCallInfo fcinfo, int i);

static sql_number read_double(FunctionCallInfo fcinfo, int i)
{
    return sql_of_double(PG_GETARG_FLOAT8(i));
}

/* Argument i of a function that is declared for several types. What would be rounded to a double
 * without a word is refused. */
static sql_number read_any(FunctionCallInfo fcinfo, int i)
{
    Oid type = get_fn_expr_argtype(fcinfo->flinfo, i);
    if (type == INT8OID)
        return sql_of_integer(PG_GETARG_INT64(i));
    if (type == FLOAT8OID)
        return read_double(fcinfo, i);
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("this exact aggregate does not take %s", format_type_be(type)),
                    errhint("Cast it to double precision, which rounds each value. exact_sum, "
                            "exact_avg and exact_dot take it as it is.")));
}

/* Arguments 1 and 2 are x, or y and x; (x, y) of a dot product may come in either order. */
static inline Datum change_state(FunctionCallInfo fcinfo, sql_kept kept, change *by,
                                 read_number *read)
{
    exact_state *state = state_of(fcinfo, kept);
    bool has_y = sql_arguments(kept) == 2;
    if (!PG_ARGISNULL(1) && !(has_y && PG_ARGISNULL(2))) {
        sql_number first = read(fcinfo, 1), second = has_y ? read(fcinfo, 2) : first;
        by(kept, state->cell, &second, &first, room_of_aggregate, fcinfo);
    }
    PG_RETURN_POINTER(state);
}

#define STATE_FUNCTION(name, kept, by, read)                                                       \
    FUNCTION(name)(PG_FUNCTION_ARGS)                                                               \
    {                                                                                              \
        return change_state(fcinfo, kept, by, read);                                               \
    }
#define STATE_FUNCTIONS(name, kept)                                                                \
    STATE_FUNCTION(exact_add_##name, kept, sql_add, read_double)                                   \
    STATE_FUNCTION(exact_remove_##name, kept, sql_remove, read_double)                             \
    STATE_FUNCTION(exact_add_any_##name, kept, sql_add, read_any)                                  \
    STATE_FUNCTION(exact_remove_any_##name, kept, sql_remove, read_any)
STATE_FUNCTIONS(sum, KEEP_SUM)
STATE_FUNCTIONS(product, KEEP_PRODUCT)
STATE_FUNCTIONS(squares, KEEP_SQUARES)
STATE_FUNCTIONS(pairs, KEEP_PAIRS)

FUNCTION(exact_combine)(PG_FUNCTION_ARGS)
{
    MemoryContext context = context_of(fcinfo);
    if (PG_ARGISNULL(1)) {
        if (PG_ARGISNULL(0))
            PG_RETURN_NULL();
        PG_RETURN_POINTER(PG_GETARG_POINTER(0));
    }
    exact_state *other = (exact_state *)PG_GETARG_POINTER(1);
    exact_state *state = state_of(fcinfo, other->kept);
    void *target = state->cell, *source = other->cell;
    sql_combine_rows(state->kept, 1, &target, &source, room, context);
    PG_RETURN_POINTER(state);
}

/* Which sums, then for each cell the length of its bytes, and these. */
FUNCTION(exact_serialize)(PG_FUNCTION_ARGS)
{
    exact_state *state = (exact_state *)PG_GETARG_POINTER(0);
    StringInfoData out;
    pq_begintypsend(&out);
    pq_sendbyte(&out, (uint8)state->kept);
    for (int i = 0; i < sql_cells(state->kept); i++) {
        unsigned char bytes[EXBLAS_CELL_BYTES];
        size_t n_bytes = exblas_cell_export(&state->cell[i], bytes);
        pq_sendint32(&out, (uint32)n_bytes);
        pq_sendbytes(&out, (char *)bytes, (int)n_bytes);
    }
    PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

/* Not with PostgreSQL's own word for it, which differs between versions. */
_Noreturn static void corrupted(void)
{
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("corrupted exact_accumulator"),
                    errdetail("The bytes are damaged, or of another format or version.")));
}

static void read_cell(exblas_cell *c, MemoryContext context, const void *bytes, size_t n_bytes)
{
    exblas_status status = exblas_cell_import(c, bytes, n_bytes);
    if (status == EXBLAS_ENOMEM) {
        exblas_cell_widen(c, room(context));
        status = exblas_cell_import(c, bytes, n_bytes);
    }
    if (status != EXBLAS_OK)
        corrupted();
}

FUNCTION(exact_deserialize)(PG_FUNCTION_ARGS)
{
    bytea *in = PG_GETARG_BYTEA_PP(0);
    StringInfoData bytes;
    context_of(fcinfo);
    initStringInfo(&bytes);
    appendBinaryStringInfo(&bytes, VARDATA_ANY(in), (int)VARSIZE_ANY_EXHDR(in));
    int kept = pq_getmsgbyte(&bytes);
    if (kept > (int)KEEP_PAIRS)
        corrupted();
    exact_state *state = new_state(CurrentMemoryContext, (sql_kept)kept);
    for (int i = 0; i < sql_cells(state->kept); i++) {
        int n_bytes = (int)pq_getmsgint(&bytes, 4);
        read_cell(&state->cell[i], CurrentMemoryContext, pq_getmsgbytes(&bytes, n_bytes), n_bytes);
    }
    pq_getmsgend(&bytes);
    PG_RETURN_POINTER(state);
}

static bool all_finite(const exact_state *state)
{
    for (int i = 0; i < sql_cells(state->kept); i++)
        if (!exblas_cell_is_finite(&state->cell[i]))
            return false;
    return true;
}

/* As the server's own functions do, numbers of which none is infinite do not give Inf. */
static double in_range(double r, bool is_finite)
{
    if (isinf(r) && is_finite)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("value out of range: overflow")));
    return r;
}

static Datum finish(FunctionCallInfo fcinfo, const sql_aggregate *a)
{
    double r;
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    exact_state *state = (exact_state *)PG_GETARG_POINTER(0);
    if (sql_result(a, state->cell, &r) != EXBLAS_OK)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(in_range(r, all_finite(state)));
}

#define FINAL_FUNCTION(name, ...)                                                                  \
    FUNCTION(exact_##name##_final)(PG_FUNCTION_ARGS)                                               \
    {                                                                                              \
        return finish(fcinfo, &sql_aggregates[SQL_##name]);                                        \
    }
SQL_AGGREGATES(FINAL_FUNCTION)

/* exact_accumulator. */

static bytea *write_cell(const exblas_cell *c)
{
    unsigned char bytes[EXBLAS_CELL_BYTES];
    size_t n_bytes = exblas_cell_export(c, bytes);
    bytea *out = palloc(VARHDRSZ + n_bytes);
    SET_VARSIZE(out, VARHDRSZ + n_bytes);
    memcpy(VARDATA(out), bytes, n_bytes);
    return out;
}

static exblas_cell *argument_cell(FunctionCallInfo fcinfo, int i)
{
    bytea *in = PG_GETARG_BYTEA_PP(i);
    exblas_cell *c = palloc0(sizeof *c);
    read_cell(c, CurrentMemoryContext, VARDATA_ANY(in), VARSIZE_ANY_EXHDR(in));
    return c;
}

/* Hexadecimal digits. */
FUNCTION(exact_accumulator_in)(PG_FUNCTION_ARGS)
{
    const char *text = PG_GETARG_CSTRING(0);
    size_t n_digits = strlen(text);
    unsigned char bytes[EXBLAS_CELL_BYTES];
    exblas_cell c = {.n_or_wide = 0};
    if (n_digits > 2 * sizeof bytes || strspn(text, "0123456789abcdefABCDEF") != n_digits ||
        n_digits % 2 != 0)
        corrupted();
    hex_decode(text, n_digits, (char *)bytes);
    read_cell(&c, CurrentMemoryContext, bytes, n_digits / 2);
    PG_RETURN_BYTEA_P(write_cell(&c));
}

FUNCTION(exact_accumulator_out)(PG_FUNCTION_ARGS)
{
    bytea *in = PG_GETARG_BYTEA_PP(0);
    size_t n_bytes = VARSIZE_ANY_EXHDR(in);
    char *text = palloc(2 * n_bytes + 1);
    text[hex_encode(VARDATA_ANY(in), n_bytes, text)] = '\0';
    PG_RETURN_CSTRING(text);
}

FUNCTION(exact_accumulator_recv)(PG_FUNCTION_ARGS)
{
    StringInfo in = (StringInfo)PG_GETARG_POINTER(0);
    int n_bytes = in->len - in->cursor;
    exblas_cell c = {.n_or_wide = 0};
    read_cell(&c, CurrentMemoryContext, pq_getmsgbytes(in, n_bytes), (size_t)n_bytes);
    PG_RETURN_BYTEA_P(write_cell(&c));
}

FUNCTION(exact_accumulator_send)(PG_FUNCTION_ARGS)
{
    PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P_COPY(0));
}

FUNCTION(exact_value)(PG_FUNCTION_ARGS)
{
    exblas_cell *c = argument_cell(fcinfo, 0);
    PG_RETURN_FLOAT8(in_range(exblas_cell_to_double(c), exblas_cell_is_finite(c)));
}

FUNCTION(exact_count)(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT64(exblas_cell_count(argument_cell(fcinfo, 0)));
}

/* Of a stored accumulator, without memory that an index would have to give back. */
typedef struct {
    bytea *bytes;
    exblas_cell cell;
    exblas_cell_wide wide;
} opened;

static void open_argument(FunctionCallInfo fcinfo, int i, opened *o)
{
    o->bytes = PG_GETARG_BYTEA_PP(i);
    o->cell = (exblas_cell){.n_or_wide = 0};
    exblas_cell_widen(&o->cell, &o->wide);
    read_cell(&o->cell, NULL, VARDATA_ANY(o->bytes), VARSIZE_ANY_EXHDR(o->bytes));
}

/* 0 for a finite sum, -1 and 1 for infinite ones, 2 for NaN, which is last. */
static int class_of(const exblas_cell *c)
{
    double r = exblas_cell_to_double(c);
    return exblas_cell_is_finite(c) ? 0 : isnan(r) ? 2 : r > 0 ? 1 : -1;
}

static int compare_sums(const exblas_cell *a, const exblas_cell *b)
{
    int class = class_of(a), other = class_of(b);
    exblas_acc difference;
    if (class != other || class != 0)
        return class - other;
    exblas_acc_init(&difference);
    exblas_cell_add_to(b, &difference);
    exblas_acc_negate(&difference);
    exblas_cell_add_to(a, &difference);
    return exblas_acc_sign(&difference);
}

static int compare_bytes(const bytea *a, const bytea *b)
{
    size_t n_a = VARSIZE_ANY_EXHDR(a), n_b = VARSIZE_ANY_EXHDR(b);
    int order = memcmp(VARDATA_ANY(a), VARDATA_ANY(b), Min(n_a, n_b));
    return order ? order : n_a < n_b ? -1 : n_a > n_b;
}

/* By the exact sum, then by the number of rows; 0 only for equal bytes, as of =. */
static int compare(FunctionCallInfo fcinfo)
{
    opened a, b;
    open_argument(fcinfo, 0, &a);
    open_argument(fcinfo, 1, &b);
    int order = compare_sums(&a.cell, &b.cell);
    int64 n_a = exblas_cell_count(&a.cell), n_b = exblas_cell_count(&b.cell);
    if (order == 0)
        order = n_a < n_b ? -1 : n_a > n_b;
    if (order == 0)
        order = compare_bytes(a.bytes, b.bytes);
    PG_FREE_IF_COPY(a.bytes, 0);
    PG_FREE_IF_COPY(b.bytes, 1);
    return order;
}

FUNCTION(exact_accumulator_cmp)(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT32(compare(fcinfo));
}

#define COMPARISON(name, relation)                                                                 \
    FUNCTION(exact_accumulator_##name)(PG_FUNCTION_ARGS)                                           \
    {                                                                                              \
        PG_RETURN_BOOL(compare(fcinfo) relation 0);                                                \
    }
COMPARISON(lt, <)
COMPARISON(le, <=)
COMPARISON(gt, >)
COMPARISON(ge, >=)

typedef exblas_status merge_fn(exblas_cell *, const exblas_cell *);

static void merge(exblas_cell *a, const exblas_cell *b, merge_fn *by, MemoryContext context)
{
    while (by(a, b) == EXBLAS_ENOMEM)
        exblas_cell_widen(a, room(context));
}

FUNCTION(exact_accumulator_plus)(PG_FUNCTION_ARGS)
{
    exblas_cell *a = argument_cell(fcinfo, 0);
    merge(a, argument_cell(fcinfo, 1), exblas_cell_combine, CurrentMemoryContext);
    PG_RETURN_BYTEA_P(write_cell(a));
}

FUNCTION(exact_accumulator_minus)(PG_FUNCTION_ARGS)
{
    exblas_cell *a = argument_cell(fcinfo, 0);
    merge(a, argument_cell(fcinfo, 1), exblas_cell_subtract, CurrentMemoryContext);
    PG_RETURN_BYTEA_P(write_cell(a));
}

static Datum merge_state(FunctionCallInfo fcinfo, merge_fn *by)
{
    MemoryContext context = context_of(fcinfo);
    exact_state *state = state_of(fcinfo, KEEP_SUM);
    if (!PG_ARGISNULL(1))
        merge(state->cell, argument_cell(fcinfo, 1), by, context);
    PG_RETURN_POINTER(state);
}

/* Aggregates of stored accumulators. */
FUNCTION(exact_merge_step)(PG_FUNCTION_ARGS)
{
    return merge_state(fcinfo, exblas_cell_combine);
}

FUNCTION(exact_merge_inverse)(PG_FUNCTION_ARGS)
{
    return merge_state(fcinfo, exblas_cell_subtract);
}

/* The accumulator of a group; of no rows it is empty. */
FUNCTION(exact_accumulate_final)(PG_FUNCTION_ARGS)
{
    exblas_cell empty = {.n_or_wide = 0};
    exact_state *state = PG_ARGISNULL(0) ? NULL : (exact_state *)PG_GETARG_POINTER(0);
    PG_RETURN_BYTEA_P(write_cell(state ? state->cell : &empty));
}
