/* coo_to_csr and csr_transpose.
 * Types: s d c z. */
#include "indexed.h"
#include "sparse/csr.h"

#include "core/arith/compensated.h"
#include "core/fpenv.h"
#include "core/memory.h"

/* --- entries in any order ------------------------------------------------------- */

typedef struct {
    int64_t m, n, n_entries;
    exb_index row, column;
    const exb_real *value;
    exb_index_target row_start, to_column;
    exb_real *to_value;
} coordinates;

/* order = the n_entries numbers in `before` (NULL: 0, 1, ...) by their keys, equal ones as they
 * were. count has room for n_keys + 1 numbers. */
static void sort_by(exb_index key, int64_t n_keys, int64_t n_entries, const int64_t *before,
                    int64_t *count, int64_t *order)
{
    memset(count, 0, ((size_t)n_keys + 1) * sizeof *count);
    for (int64_t e = 0; e < n_entries; e++)
        count[exb_index_at(key, e) + 1]++;
    for (int64_t i = 0; i < n_keys; i++)
        count[i + 1] += count[i];
    for (int64_t at = 0; at < n_entries; at++) {
        int64_t e = before ? before[at] : at;
        order[count[exb_index_at(key, e)]++] = e;
    }
}

/* The sum of the entries order[0 ... n - 1], which have one place. */
static EXB_NOINLINE void put_sum(const coordinates *c, int64_t n, const int64_t *order,
                                 exb_real *to)
{
    for (int k = 0; k < EXB_PARTS; k++) {
        exb_comp sum = {0, 0, 0};
        for (int64_t i = 0; i < n; i++)
            sum = exb_comp_add(sum, c->value[EXB_PARTS * order[i] + k], 0);
        exb_enclosure v = exb_compensated_enclosure(sum.s, sum.c, sum.w, n, true);
        if (n <= EXB_COMPENSATED_MOST && exb_round_enclosure(v, &to[k]))
            continue;
        exb_product_acc storage;
        exb_superacc *acc = exb_product_acc_init(&storage);
        for (int64_t i = 0; i < n; i++)
            exb_superacc_add(acc, c->value[EXB_PARTS * order[i] + k]);
        to[k] = exb_round_superacc(acc);
    }
}

static bool same_place(const coordinates *c, int64_t e, int64_t f)
{
    return exb_index_at(c->row, e) == exb_index_at(c->row, f) &&
           exb_index_at(c->column, e) == exb_index_at(c->column, f);
}

/* Writes the result; order is by rows, then by columns. */
static EXB_NOINLINE void put_rows(const coordinates *c, const int64_t *order)
{
    int64_t at = 0, i = 0;
    for (int64_t e = 0, next; e < c->n_entries; e = next, at++) {
        for (next = e + 1; next < c->n_entries && same_place(c, order[e], order[next]); next++)
            ;
        for (; i <= exb_index_at(c->row, order[e]); i++)
            exb_index_put(c->row_start, i, at);
        exb_index_put(c->to_column, at, exb_index_at(c->column, order[e]));
        exb_real *to = c->to_value + EXB_PARTS * at; /* one entry alone keeps its bits */
        memcpy(to, c->value + EXB_PARTS * order[e], EXB_PARTS * sizeof *to);
        if (next - e > 1)
            put_sum(c, next - e, order + e, to);
    }
    for (; i <= c->m; i++)
        exb_index_put(c->row_start, i, at);
}

static bool coordinates_are_good(const coordinates *c)
{
    if (c->m < 0 || c->n < 0 || c->n_entries < 0 || exb_index_has_no_target(c->row_start))
        return false;
    if (c->n_entries == 0)
        return true;
    return !exb_index_is_none(c->row) && !exb_index_is_none(c->column) && c->value && c->to_value &&
           !exb_index_has_no_target(c->to_column) &&
           exb_indices_are_inside(c->row, c->n_entries, c->m) &&
           exb_indices_are_inside(c->column, c->n_entries, c->n);
}

static exblas_status sort_entries(const coordinates *c)
{
    size_t n = (size_t)c->n_entries, n_keys = (size_t)exb_most(c->m, c->n) + 1;
    int64_t *order = exb_memory_get((2 * n + n_keys) * sizeof *order);
    if (!order)
        return EXBLAS_ENOMEM;
    sort_by(c->column, c->n, c->n_entries, NULL, order + 2 * n, order + n);
    sort_by(c->row, c->m, c->n_entries, order + n, order + 2 * n, order);
    EXB_GUARDED(put_rows(c, order));
    exb_memory_put(order);
    return EXBLAS_OK;
}

exblas_status exb_t(coo_to_csr)(int64_t m, int64_t n, int64_t n_entries, exb_index row,
                                exb_index column, const exb_real *value, exb_index_target row_start,
                                exb_index_target to_column, exb_real *to_value)
{
    const coordinates c = {m, n, n_entries, row, column, value, row_start, to_column, to_value};
    return coordinates_are_good(&c) ? sort_entries(&c) : EXBLAS_EINVAL;
}

/* --- the transpose --------------------------------------------------------------- */

exblas_status exb_t(csr_transpose)(int64_t m, int64_t n, exb_index row_start, exb_index column,
                                   const exb_real *value, exb_index_target to_row_start,
                                   exb_index_target to_column, exb_real *to_value)
{
    const exb_t(csr) a = exb_t(csr_of)(m, n, row_start, column, value);
    exb_t(csr) t;
    void *memory;
    if (!exb_t(csr_is_good)(&a) || exb_index_has_no_target(to_row_start))
        return EXBLAS_EINVAL;
    int64_t n_entries = exb_t(csr_begin)(&a, m) - exb_t(csr_begin)(&a, 0);
    if (n_entries > 0 && (exb_index_has_no_target(to_column) || !to_value))
        return EXBLAS_EINVAL;
    exblas_status status = exb_t(csr_make)(&a, EXB_CSR_TRANSPOSED, 0, &t, &memory);
    if (status != EXBLAS_OK)
        return status;
    for (int64_t i = 0; i <= n; i++)
        exb_index_put(to_row_start, i, t.row_start.wide[i]);
    for (int64_t e = 0; e < n_entries; e++)
        exb_index_put(to_column, e, t.column.wide[e]);
    if (n_entries > 0)
        memcpy(to_value, t.value, (size_t)n_entries * EXB_PARTS * sizeof *to_value);
    exb_memory_put(memory);
    return EXBLAS_OK;
}
