/* The structure of sparse matrices: its check, and other forms of it: counting sorts, in which
 * entries of a row keep their order.
 * Types: s d c z. */
#include "sparse/csr.h"

#include "core/check/check.h"
#include "core/memory.h"
#include "level1/reduce.h"
#include "core/thread.h"

#include <stdatomic.h>

/* --- check -------------------------------------------------------------------- */

typedef struct {
    exb_index column;
    int64_t n, begin, n_entries;
    int n_ranges;
    atomic_bool is_bad;
} columns;

static void check_range(void *ctx, int64_t i)
{
    columns *c = ctx;
    exb_range r = exb_partition_range(c->n_entries, c->n_ranges, (int)i);
    bool fit = true;
    if (c->column.narrow)
        fit = exb_t_kernels()->indices_fit(r.end - r.begin, c->column.narrow + c->begin + r.begin,
                                           (int32_t)exb_least(c->n - 1, INT32_MAX));
    else
        for (int64_t e = c->begin + r.begin; e < c->begin + r.end; e++)
            fit &= (uint64_t)c->column.wide[e] < (uint64_t)c->n;
    if (!fit)
        atomic_store(&c->is_bad, true);
}

static bool columns_are_good(const exb_t(csr) *a)
{
    columns c = {.column = a->column, .n = a->n, .begin = exb_t(csr_begin)(a, 0)};
    c.n_entries = exb_t(csr_begin)(a, a->m) - c.begin;
    if (c.n_entries == 0)
        return true;
    if (exb_index_is_none(a->column) || !a->value || a->n == 0)
        return false;
    c.n_ranges = exb_partition_count((double)c.n_entries, c.n_entries);
    exb_parallel_for(c.n_ranges, c.n_ranges, check_range, &c);
    return !c.is_bad;
}

bool exb_t(csr_is_good)(const exb_t(csr) *a)
{
    if (a->m < 0 || a->n < 0)
        return false;
    if (a->m == 0)
        return true;
    return !exb_index_is_none(a->row_start) && exb_offsets_are_good(exb_t(csr_rows)(a)) &&
           columns_are_good(a);
}

/* --- other forms ---------------------------------------------------------------- */

typedef struct {
    exb_csr_form form;
    int uplo;
    const exb_t(csr) *from;
    int64_t *row_start, *column;
    exb_real *value;
    bool counting; /* first the entries of each row, then all is put in its place */
} maker;

/* Entry e of `from` to (i, j). In the first pass row_start_{i+2} counts the entries of row i, in
 * the second row_start_{i+1} is where the next goes: in the end, where the row ends. */
static void put_entry_at(const maker *m, int64_t i, int64_t j, int64_t e, bool conjugated)
{
    if (m->counting) {
        m->row_start[i + 2]++;
        return;
    }
    int64_t at = m->row_start[i + 1]++;
    const exb_real *v = m->from->value + EXB_PARTS * e;
    exb_real *w = m->value + EXB_PARTS * at;
    m->column[at] = j;
    w[0] = v[0];
    if (EXB_IS_COMPLEX)
        w[EXB_PARTS - 1] = conjugated ? -v[EXB_PARTS - 1] : v[EXB_PARTS - 1];
    if (EXB_IS_COMPLEX && m->form == EXB_CSR_HERMITIAN && i == j)
        w[EXB_PARTS - 1] = 0;
}

/* Entry e, which is at (i, j). */
static void put_entry(const maker *m, int64_t i, int64_t j, int64_t e)
{
    if (m->form == EXB_CSR_TRANSPOSED) {
        put_entry_at(m, j, i, e, false);
        return;
    }
    if (m->uplo == EXB_UPPER ? j < i : j > i)
        return;
    put_entry_at(m, i, j, e, false);
    if (i != j)
        put_entry_at(m, j, i, e, m->form == EXB_CSR_HERMITIAN);
}

static void put_all(const maker *m)
{
    const exb_t(csr) *a = m->from;
    for (int64_t i = 0; i < a->m; i++)
        for (int64_t e = exb_t(csr_begin)(a, i); e < exb_t(csr_begin)(a, i + 1); e++)
            put_entry(m, i, exb_index_at(a->column, e), e);
}

/* Room for n_rows rows and n_entries entries: false if there is none. */
static bool allocate_arrays(maker *m, int64_t n_rows, int64_t n_entries)
{
    size_t starts = (size_t)n_rows + 2, entries = (size_t)n_entries;
    size_t element = EXB_PARTS * sizeof(exb_real);
    m->row_start = exb_memory_get((starts + entries) * sizeof(int64_t) + entries * element);
    if (!m->row_start)
        return false;
    memset(m->row_start, 0, starts * sizeof(int64_t));
    m->column = m->row_start + starts;
    m->value = (exb_real *)(m->column + entries);
    return true;
}

exblas_status exb_t(csr_make)(const exb_t(csr) *a, exb_csr_form form, int uplo, exb_t(csr) *out,
                              void **memory)
{
    maker m = {.form = form, .uplo = uplo, .from = a, .counting = true};
    int64_t n_entries = exb_t(csr_begin)(a, a->m) - exb_t(csr_begin)(a, 0);
    if (form != EXB_CSR_TRANSPOSED)
        n_entries *= 2;
    if (!allocate_arrays(&m, a->n, n_entries))
        return EXBLAS_ENOMEM;
    put_all(&m);
    for (int64_t i = 0; i < a->n; i++)
        m.row_start[i + 2] += m.row_start[i + 1];
    m.counting = false;
    put_all(&m);
    *memory = m.row_start;
    *out = (exb_t(csr)){.m = a->n,
                        .n = a->m,
                        .row_start = {.wide = m.row_start},
                        .column = {.wide = m.column},
                        .value = m.value,
                        .conjugated = a->conjugated,
                        .hermitian = form == EXB_CSR_HERMITIAN};
    return EXBLAS_OK;
}
