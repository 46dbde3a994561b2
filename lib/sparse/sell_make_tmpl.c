/* Slices of a sparse matrix. All of it is gone through twice: first sizes are counted, then entries
 * are put where they belong.
 * Types: s d. */
#include "sparse/sell.h"

#include "core/memory.h"

enum {
    WINDOW = 32 * EXB_SELL_BLOCK, /* rows that may change their order */
    NARROW = 16 /* up to this width a slice may be filled up by any number of zeros */
};

/* value, n_rest, ...: how many there are so far. Without out->value they are counted. */
typedef struct {
    const exb_t(csr) *a;
    exb_t(sell) *out;
    int64_t value, n_rest, rest_entries;
    int64_t *rest_start, *rest_column, *rest_row;
    exb_real *rest_value;
} maker;

static int64_t length_of(const exb_t(csr) *a, int64_t i)
{
    return exb_t(csr_begin)(a, i + 1) - exb_t(csr_begin)(a, i);
}

static bool counts_only(const maker *m)
{
    return !m->out->value;
}

/* --- rows that stay as they are --------------------------------------------------- */

static void put_rest(maker *m, int64_t i)
{
    int64_t begin = exb_t(csr_begin)(m->a, i), n = length_of(m->a, i);
    if (!counts_only(m)) {
        for (int64_t e = 0; e < n; e++)
            m->rest_column[m->rest_entries + e] = exb_index_at(m->a->column, begin + e);
        if (n > 0)
            memcpy(m->rest_value + m->rest_entries, m->a->value + begin,
                   (size_t)n * sizeof *m->rest_value);
        m->rest_row[m->n_rest] = i;
        m->rest_start[m->n_rest + 1] = m->rest_entries + n;
    }
    m->n_rest++;
    m->rest_entries += n;
}

/* --- slices ------------------------------------------------------------------------- */

/* The largest power of two of which the value is a multiple; 0 if it is no number or below all that
 * exactness could use. */
static double unit_of(double value)
{
    uint64_t bits = exb_bits(value), fraction = bits & 0xfffffffffffffu;
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff || exponent <= 52 + 1)
        return 0;
    return exb_pow2(exponent - 1023 - 52 + __builtin_ctzll(fraction | (uint64_t)1 << 52));
}

/* Row i to a lane of the slice. What fills the slice, in column 0, is there already. */
static void put_lane(const maker *m, exb_sell_block *b, int64_t i, int lane)
{
    int64_t begin = exb_t(csr_begin)(m->a, i), n = length_of(m->a, i);
    for (int64_t k = 0, at = m->value + lane; k < n; k++, at += EXB_SELL_ROWS) {
        exb_real value = m->a->value[begin + k];
        m->out->column[at] = (int32_t)exb_index_at(m->a->column, begin + k);
        m->out->value[at] = value;
        if (value != 0)
            b->unit = fmin(b->unit, unit_of((double)value));
    }
}

/* Up to EXB_SELL_ROWS rows. */
typedef struct {
    int n;
    int64_t n_entries, longest;
} slice;

static slice look_at(const exb_t(csr) *a, int n, const int32_t *row)
{
    slice s = {.n = (int)exb_least(n, EXB_SELL_ROWS)};
    for (int i = 0; i < s.n; i++) {
        s.n_entries += length_of(a, row[i]);
        s.longest = exb_most(s.longest, length_of(a, row[i]));
    }
    return s;
}

/* Slices of the rows, n of them, up to EXB_SELL_BLOCK. */
static void put_block(maker *m, int n, const int32_t *row)
{
    exb_t(sell) *to = m->out;
    exb_sell_block b = {.unit = (double)INFINITY /* of no value */, .n_rows = n, .in_order = true};
    if (!counts_only(m))
        to->value_at[to->n_blocks] = m->value;
    for (int at = 0; at < n; at += EXB_SELL_ROWS) {
        slice s = look_at(m->a, n - at, row + at);
        for (int i = 0; i < s.n && !counts_only(m); i++) {
            to->row[to->n_blocks * EXB_SELL_BLOCK + at + i] = row[at + i];
            b.in_order &= row[at + i] == row[0] + at + i;
            b.length[at + i] = (uint16_t)length_of(m->a, row[at + i]);
            put_lane(m, &b, row[at + i], i);
        }
        b.width[at / EXB_SELL_ROWS] = (uint16_t)s.longest;
        b.widest = (int)exb_most(b.widest, s.longest);
        m->value += EXB_SELL_ROWS * s.longest;
    }
    if (!counts_only(m))
        to->block[to->n_blocks] = b;
    to->n_blocks++;
}

/* --- windows ------------------------------------------------------------------------ */

/* The rows by length, the longest first, equal ones as they were. */
static void sort_rows(const exb_t(csr) *a, int n, int32_t *row)
{
    int32_t sorted[WINDOW];
    int count[EXB_SELL_WIDTH + 2] = {0};
    for (int i = 0; i < n; i++)
        count[EXB_SELL_WIDTH - length_of(a, row[i]) + 1]++;
    for (int k = 0; k <= EXB_SELL_WIDTH; k++)
        count[k + 1] += count[k];
    for (int i = 0; i < n; i++)
        sorted[count[EXB_SELL_WIDTH - length_of(a, row[i])]++] = row[i];
    memcpy(row, sorted, (size_t)n * sizeof *row);
}

/* Whether the rows as they are would be filled up by more than a sixteenth. */
static bool are_unequal(const exb_t(csr) *a, int n, const int32_t *row)
{
    int64_t n_entries = 0, n_places = 0;
    for (int at = 0; at < n; at += EXB_SELL_ROWS) {
        slice s = look_at(a, n - at, row + at);
        n_entries += s.n_entries;
        n_places += s.longest * s.n;
    }
    return 16 * (n_places - n_entries) > n_entries;
}

/* Rows that are sorted: those that would fill more than half of their slice with zeros are put to
 * the rest. Returns how many these are. */
static int put_unequal(maker *m, int n, int32_t *row)
{
    int n_kept = 0;
    for (int at = 0; at < n;) {
        slice s = look_at(m->a, n - at, row + at);
        if (s.longest > NARROW && EXB_SELL_ROWS * s.longest > 2 * s.n_entries) {
            put_rest(m, row[at++]);
            continue;
        }
        for (int i = 0; i < s.n; i++)
            row[n_kept++] = row[at + i];
        at += s.n;
    }
    return n - n_kept;
}

static void put_window(maker *m, exb_range rows)
{
    int32_t row[WINDOW];
    int n = 0;
    for (int64_t i = rows.begin; i < rows.end; i++)
        if (length_of(m->a, i) > EXB_SELL_WIDTH)
            put_rest(m, i);
        else
            row[n++] = (int32_t)i;
    if (are_unequal(m->a, n, row)) {
        sort_rows(m->a, n, row);
        n -= put_unequal(m, n, row);
    }
    for (int at = 0; at < n; at += EXB_SELL_BLOCK)
        put_block(m, (int)exb_least(n - at, EXB_SELL_BLOCK), row + at);
}

/* Indices of 32 bits hold all rows and columns; otherwise all rows are rest. */
static void put_all(maker *m)
{
    const exb_t(csr) *a = m->a;
    bool fits = a->m <= INT32_MAX && a->n <= INT32_MAX;
    m->value = m->n_rest = m->rest_entries = m->out->n_blocks = 0;
    for (int64_t i = 0; i < a->m; i += fits ? WINDOW : 1)
        if (fits)
            put_window(m, (exb_range){i, exb_least(i + WINDOW, a->m)});
        else
            put_rest(m, i);
    if (!counts_only(m))
        m->out->value_at[m->out->n_blocks] = m->value;
}

/* --- memory ------------------------------------------------------------------------- */

/* All arrays are in one piece of memory, values at its start. */
static bool allocate_tables(maker *m)
{
    exb_t(sell) *to = m->out;
    size_t values = (size_t)m->value, blocks = (size_t)to->n_blocks, n_rest = (size_t)m->n_rest;
    size_t entries = (size_t)m->rest_entries, wide = blocks + 1 + 2 * n_rest + 1 + entries;
    to->memory = exb_memory_get(blocks * sizeof *to->block + wide * sizeof *to->value_at +
                                (values + entries) * sizeof *to->value +
                                (values + blocks * EXB_SELL_BLOCK) * sizeof *to->column);
    if (!to->memory)
        return false;
    to->value = to->memory;
    to->block = (exb_sell_block *)(to->value + values);
    to->value_at = (int64_t *)(to->block + blocks);
    m->rest_start = to->value_at + blocks + 1;
    m->rest_row = m->rest_start + n_rest + 1;
    m->rest_column = m->rest_row + n_rest;
    to->column = (int32_t *)(m->rest_column + entries);
    to->row = to->column + values;
    m->rest_value = (exb_real *)(to->row + blocks * EXB_SELL_BLOCK);
    memset(to->value, 0, values * sizeof *to->value);
    memset(to->column, 0, values * sizeof *to->column);
    m->rest_start[0] = 0;
    return true;
}

exblas_status exb_t(sell_make)(const exb_t(csr) *a, exb_t(sell) *out)
{
    *out = (exb_t(sell)){.m = a->m, .n = a->n};
    maker m = {.a = a, .out = out};
    put_all(&m);
    if (!allocate_tables(&m))
        return EXBLAS_ENOMEM;
    put_all(&m);
    out->rest = exb_t(csr_of)(m.n_rest, a->n, (exb_index){.wide = m.rest_start},
                              (exb_index){.wide = m.rest_column}, m.rest_value);
    out->rest_row.wide = m.rest_row;
    return EXBLAS_OK;
}
