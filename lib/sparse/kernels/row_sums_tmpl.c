/* Sums of short rows of a sparse matrix, whose products are split at an anchor (csr_block.h has the
 * bounds). Up to the end of the shortest of EXB_LANES rows, each has a lane; what is left of the
 * others, and rows that are long enough, go along the row, so that no row waits for another.
 * Types: s d. */
#include "core/kernel.h"
#include "sparse/kernels/anchored_terms.h"

enum { LONG = 8 * EXB_LANES };

typedef struct {
    const int32_t *start; /* of the rows */
    int32_t end;          /* of the last one */
    const exb_real *value, *x;
    const int32_t *column; /* NULL: x_k belongs to value_k */
    exb_v sigma;
} rows;

/* What comes next in the two long streams; beyond their ends it does no harm. */
EXB_INLINE void fetch_rows(const rows *k, bool has_columns, int64_t at)
{
    enum { AHEAD = 512 };
    __builtin_prefetch(k->value + at + AHEAD);
    if (has_columns)
        __builtin_prefetch(k->column + at + AHEAD);
}

/* --- along a row ------------------------------------------------------------------ */

/* n < EXB_LANES elements, the other lanes 0. What comes behind them in the block are columns, too.
 */
EXB_INLINE exb_v load_few_x(const rows *k, bool has_columns, int32_t at, int n)
{
    int32_t few[EXB_LANES];
    if (!has_columns)
        return v_load_few_real(k->x + at, n);
    const int32_t *column = k->column + at;
    if (at + EXB_LANES > k->end) {
        for (int i = 0; i < EXB_LANES; i++)
            few[i] = column[i < n ? i : 0];
        column = few;
    }
    return v_zero_lanes(v_gather_real(k->x, column), ~0u << n & ((1u << EXB_LANES) - 1));
}

/* The entries of a row from the n-th on. Apart, so that it takes no registers from the rows
 * together.
 */
static EXB_NOINLINE void add_rest(const rows *k, bool has_columns, int i, int32_t n, double *h,
                                  double *l, extremes *e)
{
    int32_t at = k->start[i] + n, end = k->start[i + 1];
    sums s = {v_zero(), v_zero()};
    for (; at + EXB_LANES <= end; at += EXB_LANES) {
        exb_v x = has_columns ? v_gather_real(k->x, k->column + at) : v_load_real(k->x + at);
        fetch_rows(k, has_columns, at);
        s = add_term(s, v_load_real(k->value + at), x, k->sigma, e);
    }
    if (at < end)
        s = add_term(s, v_load_few_real(k->value + at, end - at),
                     load_few_x(k, has_columns, at, end - at), k->sigma, e);
    h[i] += v_sum(s.q);
    l[i] += v_sum(s.r);
}

/* --- a lane each ---------------------------------------------------------------- */

EXB_INLINE int32_t shortest_of(const int32_t *start)
{
    int32_t n = start[1] - start[0];
    for (int j = 1; j < EXB_LANES; j++)
        n = start[j + 1] - start[j] < n ? start[j + 1] - start[j] : n;
    return n;
}

/* n entries of each row. Where rows begin counts as changed after each step: else the compiler
 * keeps it in bytes of values and of columns, for which there are not enough registers. */
EXB_INLINE sums add_common(const rows *k, bool has_columns, const int32_t *start, int32_t n, sums s,
                           extremes *e)
{
    const exb_real *value = k->value, *x = k->x;
    const int32_t *column = k->column;
    int64_t at[EXB_LANES];
    for (int j = 0; j < EXB_LANES; j++)
        at[j] = start[j];
    for (int32_t i = 0; i < n; i++)
        fetch_rows(k, has_columns, start[0] + EXB_LANES * i);
    for (int32_t i = 0; i < n; i++) {
        exb_v y = has_columns ? v_load_via_real(x, column, at) : v_load_at_real(x, at);
        s = add_term(s, v_load_at_real(value, at), y, k->sigma, e);
        value++;
        if (has_columns)
            column++;
        else
            x++;
        for (int j = 0; j < EXB_LANES; j++)
            __asm__("" : "+r"(at[j]));
    }
    return s;
}

EXB_INLINE void sum_rows(const rows *k, bool has_columns, int n_rows, double *h, double *l,
                         extremes *e)
{
    for (int i = 0; i < n_rows; i += EXB_LANES) {
        const int32_t *start = k->start + i;
        sums s = {v_zero(), v_zero()};
        int32_t n = i + EXB_LANES <= n_rows ? shortest_of(start) : LONG;
        n = n >= LONG ? 0 : n;
        s = add_common(k, has_columns, start, n, s, e);
        v_store(h + i, s.q);
        v_store(l + i, s.r);
        for (int j = i; j < i + EXB_LANES && j < n_rows; j++)
            if (k->start[j] + n < k->start[j + 1])
                add_rest(k, has_columns, j, n, h, l, e);
    }
}

double exb_ti(row_sums)(int n_rows, const int32_t *start, const exb_real *value,
                        const int32_t *column, const exb_real *x, double sigma, double *h,
                        double *l, double *least)
{
    rows k = {start, start[n_rows], value, x, column, v_set1(sigma)};
    extremes e = no_extremes();
    if (column)
        sum_rows(&k, true, n_rows, h, l, &e);
    else
        sum_rows(&k, false, n_rows, h, l, &e);
    *least = v_least(e.least);
    return v_largest(e.most);
}

/* --- coefficients and columns ------------------------------------------------------- */

/* The lanes in which v is no multiple of a unit, 2^52 times which s is, or no number: |v| + s
 * rounds to a multiple, and so does that minus s. */
EXB_INLINE unsigned no_multiples(exb_v v, exb_v s)
{
    exb_v m = v_abs(v);
    return ~v_equal(v_sub(v_add(m, s), s), m) & ((1u << EXB_LANES) - 1);
}

bool exb_ti(are_short)(int64_t n, const exb_real *x, double unit)
{
    exb_v s = v_set1(0x1p52 * unit);
    unsigned bad = 0;
    int64_t i = 0;
    for (; i + EXB_LANES <= n && !bad; i += EXB_LANES)
        bad = no_multiples(v_load_real(x + i), s);
    if (i < n && !bad)
        bad = no_multiples(v_load_few_real(x + i, n - i), s);
    return !bad;
}

bool exb_ti(indices_fit)(int64_t n, const int32_t *index, int32_t last)
{
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++)
        most = (uint32_t)index[i] > most ? (uint32_t)index[i] : most;
    return n == 0 || (last >= 0 && most <= (uint32_t)last);
}
