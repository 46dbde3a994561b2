/* Slices of a sparse matrix. All of it is gone through twice: first sizes are counted, then entries
 * are put where they belong.
 * Types: s d. */
#include "sparse/sell.h"

#include "core/memory.h"

enum {
    WINDOW = 32 * EXB_SELL_BLOCK, /* rows that may change their order */
    NARROW = 16 /* up to this width a slice may be filled up by any number of zeros */
};

/* value, column, ...: how many there are before the next slice. Without out->value they are
 * counted. */
typedef struct {
    const exb_t(csr) *a;
    exb_t(sell) *out;
    int64_t value, column, n_rest, rest_entries;
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

/* --- diagonals -------------------------------------------------------------------- */

/* Up to EXB_SELL_ROWS rows; diagonals: column less row of the entries of the k-th place. */
typedef struct {
    int n;
    int32_t row[EXB_SELL_ROWS];
    int64_t n_entries, longest;
    int n_diagonals;
    int64_t diagonal[EXB_SELL_WIDTH];
    unsigned char present[EXB_SELL_WIDTH];
} slice;

static void look_at(const exb_t(csr) *a, int n, const int32_t *row, slice *s)
{
    s->n = n;
    s->n_entries = s->longest = 0;
    for (int i = 0; i < n; i++) {
        int64_t length = length_of(a, row[i]);
        s->row[i] = row[i];
        s->n_entries += length;
        s->longest = exb_most(s->longest, length);
    }
}

/* The place of an entry of row i on a diagonal, looked for from place `from` on; n_diagonals if
 * there is none. */
static int place_of(const slice *s, int64_t diagonal, int i, int from)
{
    for (int step = 0, k = from; step < s->n_diagonals; step++, k++) {
        k = k < s->n_diagonals ? k : 0;
        if (s->diagonal[k] == diagonal && !(s->present[k] >> i & 1))
            return k;
    }
    return s->n_diagonals;
}

/* All lanes read an x that is there. */
static bool diagonals_fit(const slice *s, int64_t n)
{
    for (int k = 0; k < s->n_diagonals; k++) {
        int64_t first = s->row[0] + s->diagonal[k];
        if (first < 0 || first + EXB_SELL_ROWS > n)
            return false;
    }
    return true;
}

/* Whether the rows, which are consecutive, lie on few diagonals: places that are filled up take as
 * much memory as the columns that need not be stored. */
static bool find_diagonals(const exb_t(csr) *a, slice *s)
{
    int most = (int)exb_least(s->n_entries / 6, EXB_SELL_WIDTH); /* 4/3 of those of a row */
    s->n_diagonals = 0;
    if (s->n < EXB_SELL_ROWS)
        return false;
    for (int i = 0; i < s->n; i++) {
        int64_t begin = exb_t(csr_begin)(a, s->row[i]), n = length_of(a, s->row[i]);
        if (s->row[i] != s->row[0] + i || n > most)
            return false;
        for (int64_t e = 0, k = 0; e < n; e++, k++) {
            int64_t diagonal = exb_index_at(a->column, begin + e) - s->row[i];
            k = place_of(s, diagonal, i, (int)k);
            if (k == most)
                return false;
            if (k == s->n_diagonals) {
                s->diagonal[s->n_diagonals] = diagonal;
                s->present[s->n_diagonals++] = 0;
            }
            s->present[k] |= (unsigned char)(1 << i);
        }
    }
    return s->n_diagonals > 0 && diagonals_fit(s, a->n);
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

static void note_value(exb_sell_block *b, double value)
{
    if (value != 0)
        b->unit = fmin(b->unit, unit_of(value));
}

/* The entries of row i of the slice, to the places of its diagonals. */
static void put_on_diagonals(maker *m, slice *s, exb_sell_block *b, int i)
{
    int64_t begin = exb_t(csr_begin)(m->a, s->row[i]), n = length_of(m->a, s->row[i]);
    for (int64_t e = 0, k = 0; e < n; e++, k++) {
        int64_t diagonal = exb_index_at(m->a->column, begin + e) - s->row[i];
        k = place_of(s, diagonal, i, (int)k);
        s->present[k] |= (unsigned char)(1 << i);
        m->out->value[m->value + EXB_SELL_ROWS * k + i] = m->a->value[begin + e];
        note_value(b, (double)m->a->value[begin + e]);
    }
}

static void put_diagonals(maker *m, slice *s, exb_sell_block *b)
{
    memset(s->present, 0, (size_t)s->n_diagonals);
    for (int k = 0; k < s->n_diagonals; k++)
        m->out->column[m->column + k] = (int32_t)(s->row[0] + s->diagonal[k]);
    for (int i = 0; i < s->n; i++)
        put_on_diagonals(m, s, b, i);
    memcpy(m->out->present + m->value / EXB_SELL_ROWS, s->present, (size_t)s->n_diagonals);
}

/* Row i of the slice. What fills the slice, in column 0, is there already. */
static void put_lane(maker *m, const slice *s, exb_sell_block *b, int i)
{
    int64_t begin = exb_t(csr_begin)(m->a, s->row[i]), n = length_of(m->a, s->row[i]);
    for (int64_t k = 0; k < n; k++) {
        m->out->column[m->column + EXB_SELL_ROWS * k + i] =
            (int32_t)exb_index_at(m->a->column, begin + k);
        m->out->value[m->value + EXB_SELL_ROWS * k + i] = m->a->value[begin + k];
        m->out->present[m->value / EXB_SELL_ROWS + k] |= (unsigned char)(1 << i);
        note_value(b, (double)m->a->value[begin + k]);
    }
}

static exb_sell_block *begin_block(maker *m)
{
    exb_t(sell) *to = m->out;
    exb_sell_block *b = counts_only(m) ? NULL : &to->block[to->n_blocks];
    if (b) {
        *b = (exb_sell_block){.column_at = m->column, .in_order = true};
        b->unit = (double)INFINITY; /* of no value */
        to->value_at[to->n_blocks] = m->value;
    }
    to->n_blocks++;
    return b;
}

static void note_slice(exb_sell_block *b, const slice *s, int width, int32_t *row)
{
    for (int i = 0; i < s->n; i++) {
        row[b->n_rows + i] = s->row[i];
        b->in_order &= s->row[i] == row[0] + b->n_rows + i;
    }
    b->width[b->n_rows / EXB_SELL_ROWS] = (uint16_t)width;
    b->widest = (int)exb_most(b->widest, width);
    b->n_rows += s->n;
}

/* Slices of the rows, n of them, up to EXB_SELL_BLOCK. */
static void put_block(maker *m, int n, const int32_t *row, slice *s)
{
    exb_t(sell) *to = m->out;
    exb_sell_block *b = begin_block(m);
    for (int at = 0; at < n; at += EXB_SELL_ROWS) {
        look_at(m->a, (int)exb_least(n - at, EXB_SELL_ROWS), row + at, s);
        bool diagonal = find_diagonals(m->a, s);
        int width = diagonal ? s->n_diagonals : (int)s->longest;
        if (b && diagonal)
            put_diagonals(m, s, b);
        for (int i = 0; i < s->n && b && !diagonal; i++)
            put_lane(m, s, b, i);
        if (b) {
            b->diagonal |= (unsigned)diagonal << at / EXB_SELL_ROWS;
            note_slice(b, s, width, to->row + (to->n_blocks - 1) * EXB_SELL_BLOCK);
        }
        m->value += EXB_SELL_ROWS * width;
        m->column += diagonal ? width : EXB_SELL_ROWS * width;
    }
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
static bool are_unequal(const exb_t(csr) *a, int n, const int32_t *row, slice *s)
{
    int64_t n_entries = 0, n_places = 0;
    for (int at = 0; at < n; at += EXB_SELL_ROWS) {
        look_at(a, (int)exb_least(n - at, EXB_SELL_ROWS), row + at, s);
        n_entries += s->n_entries;
        n_places += s->longest * s->n;
    }
    return 16 * (n_places - n_entries) > n_entries;
}

/* Whether fewer than half of the slices have diagonals. */
static bool lack_diagonals(const exb_t(csr) *a, int n, const int32_t *row, slice *s)
{
    int n_slices = 0, n_diagonal = 0;
    for (int at = 0; at < n; at += EXB_SELL_ROWS, n_slices++) {
        look_at(a, (int)exb_least(n - at, EXB_SELL_ROWS), row + at, s);
        n_diagonal += find_diagonals(a, s);
    }
    return 2 * n_diagonal < n_slices;
}

/* Rows that are sorted: those that would fill more than half of their slice with zeros are put to
 * the rest. Returns how many these are. */
static int put_unequal(maker *m, int n, int32_t *row, slice *s)
{
    int n_kept = 0;
    for (int at = 0; at < n;) {
        look_at(m->a, (int)exb_least(n - at, EXB_SELL_ROWS), row + at, s);
        if (s->longest > NARROW && EXB_SELL_ROWS * s->longest > 2 * s->n_entries) {
            put_rest(m, row[at++]);
            continue;
        }
        for (int i = 0; i < s->n; i++)
            row[n_kept++] = row[at + i];
        at += s->n;
    }
    return n - n_kept;
}

static void put_window(maker *m, exb_range rows, slice *s)
{
    int32_t row[WINDOW];
    int n = 0;
    for (int64_t i = rows.begin; i < rows.end; i++)
        if (length_of(m->a, i) > EXB_SELL_WIDTH)
            put_rest(m, i);
        else
            row[n++] = (int32_t)i;
    if (are_unequal(m->a, n, row, s) && lack_diagonals(m->a, n, row, s)) {
        sort_rows(m->a, n, row);
        n -= put_unequal(m, n, row, s);
    }
    for (int at = 0; at < n; at += EXB_SELL_BLOCK)
        put_block(m, (int)exb_least(n - at, EXB_SELL_BLOCK), row + at, s);
}

/* Indices of 32 bits hold all rows and columns; otherwise all rows are rest. */
static void put_all(maker *m, slice *s)
{
    const exb_t(csr) *a = m->a;
    bool fits = a->m <= INT32_MAX && a->n <= INT32_MAX;
    m->value = m->column = m->n_rest = m->rest_entries = m->out->n_blocks = 0;
    for (int64_t i = 0; i < a->m; i += fits ? WINDOW : 1)
        if (fits)
            put_window(m, (exb_range){i, exb_least(i + WINDOW, a->m)}, s);
        else
            put_rest(m, i);
    if (!counts_only(m))
        m->out->value_at[m->out->n_blocks] = m->value;
}

/* --- memory ------------------------------------------------------------------------- */

/* All arrays in three pieces: values, indices of 32 bits and bytes, what is wider and the rest. */
static bool allocate_tables(maker *m)
{
    exb_t(sell) *to = m->out;
    size_t values = (size_t)m->value, columns = (size_t)m->column, blocks = (size_t)to->n_blocks;
    size_t rows = blocks * EXB_SELL_BLOCK, n_rest = (size_t)m->n_rest;
    size_t entries = (size_t)m->rest_entries, present = values / EXB_SELL_ROWS;
    size_t wide = blocks + 1 + 2 * n_rest + 1 + entries;
    to->memory[0] = exb_memory_get((values + entries + 1) * sizeof *to->value);
    to->memory[1] = exb_memory_get((columns + rows + 1) * sizeof *to->column + present);
    to->memory[2] = exb_memory_get(blocks * sizeof *to->block + wide * sizeof *to->value_at);
    if (!to->memory[0] || !to->memory[1] || !to->memory[2])
        return false;
    to->value = to->memory[0];
    m->rest_value = to->value + values;
    to->column = to->memory[1];
    to->row = to->column + columns;
    to->present = (unsigned char *)(to->row + rows);
    to->value_at = to->memory[2];
    m->rest_start = to->value_at + blocks + 1;
    m->rest_row = m->rest_start + n_rest + 1;
    m->rest_column = m->rest_row + n_rest;
    to->block = (exb_sell_block *)(m->rest_column + entries);
    memset(to->value, 0, values * sizeof *to->value);
    memset(to->column, 0, columns * sizeof *to->column);
    memset(to->present, 0, present);
    m->rest_start[0] = 0;
    return true;
}

exblas_status exb_t(sell_make)(const exb_t(csr) *a, exb_t(sell) *out)
{
    slice *s = exb_memory_get(sizeof *s);
    *out = (exb_t(sell)){.m = a->m, .n = a->n};
    maker m = {.a = a, .out = out};
    exblas_status status = EXBLAS_ENOMEM;
    if (s) {
        put_all(&m, s);
        if (allocate_tables(&m))
            status = EXBLAS_OK;
    }
    if (status == EXBLAS_OK) {
        put_all(&m, s);
        out->rest = (exb_t(csr)){.m = m.n_rest,
                                 .n = a->n,
                                 .row_start = {.wide = m.rest_start},
                                 .column = {.wide = m.rest_column},
                                 .value = m.rest_value};
        out->rest_row = m.rest_row;
    } else {
        exb_t(sell_free)(out);
    }
    exb_memory_put(s);
    return status;
}

void exb_t(sell_free)(exb_t(sell) *a)
{
    for (int i = 0; i < 3; i++)
        exb_memory_put(a->memory[i]);
}
