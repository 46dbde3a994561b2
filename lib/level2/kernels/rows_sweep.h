/* How a matrix goes by the sums of its rows, for every kind of sum. Before it is included:
 *
 *   STATES    vectors of numbers that a vector of sums consists of, the last its largest magnitude
 *   FLIGHT    vectors of rows in registers at once
 *   COLUMNS   that go by before the sums return to memory: fewer than the ways of a cache, since
 *             columns are often a power of two apart
 *
 * and after it add_product(), which adds the products a x to a vector of sums. */
#pragma once

#include "level2/kernels/rows_simd.h"
#include "level2/view.h"

enum {
    LINE = 64 / sizeof(exb_real), /* rows of a line of the cache */
    AHEAD = 12 * LINE,            /* that are fetched early: each column is a run of its own */
    FAR = 24 * LINE,              /* or, where the matrix fills far caches, so many */
    MANY = 1 << 20,               /* elements then, of one call */
    PANEL = 512,                  /* rows whose sums leave room in the first-level cache */
    LONG_PANEL = 2048,            /* or, where columns come from memory, which likes long runs, */
    VAST = 6 << 20                /* that is so many elements apart, in the second-level one */
};

typedef struct {
    exb_v v[STATES];
} lanes;

EXB_INLINE lanes add_product(lanes l, exb_v a, exb_v x);

/* What a vector of rows is multiplied by. Those of complex numbers have real parts in lanes of even
 * number, ar xr - ai xi, and imaginary ones in the others, ai xr + ar xi; the conjugates of a have
 * other signs where ai is. */
EXB_INLINE exb_v own_factor(exb_numbers of, const exb_real *x, int j)
{
    static const double signs[8] = {1, -1, 1, -1, 1, -1, 1, -1};
    exb_v xr = v_set1(x[of >= EXB_OF_REALS ? j : 2 * j]);
    return of == EXB_OF_CONJUGATES ? v_mul(xr, v_load(signs)) : xr;
}

/* And what they are with their parts exchanged. */
EXB_INLINE exb_v other_factor(exb_numbers of, const exb_real *x, int j)
{
    static const double signs[8] = {-1, 1, -1, 1, -1, 1, -1, 1};
    exb_v xi = v_set1(x[of >= EXB_OF_REALS ? j : 2 * j + 1]);
    return of == EXB_OF_COMPLEX ? v_mul(xi, v_load(signs)) : xi;
}

/* State k of row i at state[k][i]. */
typedef double *const states[STATES];

/* n_vectors vectors of rows from `row` on, of which n_rows are there, through n_columns; what
 * lies at `ahead` in the same columns is fetched. seen: takes the columns' largest magnitudes,
 * which are fewer to look at than those of sums and need fewer registers; NULL: sums have their
 * own. */
EXB_INLINE void sweep_rows(exb_numbers of, int n_vectors, int64_t n_rows, int n_columns,
                           const void *a, int64_t lda, const exb_real *x, states state, int64_t row,
                           int64_t ahead, exb_v *seen)
{
    const int n_states = seen ? STATES - 1 : STATES;
    lanes l[FLIGHT];
    for (int v = 0; v < n_vectors; v++) {
        l[v].v[STATES - 1] = v_zero();
        for (int k = 0; k < n_states; k++)
            l[v].v[k] = v_load(state[k] + row + v * EXB_LANES);
    }
    for (int j = 0; j < n_columns; j++) {
        exb_v own = own_factor(of, x, j), other = other_factor(of, x, j);
        for (int v = 0; v < n_vectors; v++) {
            int64_t at = j * lda + v * EXB_LANES;
            if (v * EXB_LANES % LINE == 0)
                __builtin_prefetch(exb_element_at(of, a, ahead + at));
            exb_v aj = v_keep(exb_load_elements(of, exb_element_at(of, a, row + at), n_rows));
            if (seen)
                seen[j] = v_max_abs(seen[j], aj);
            l[v] = add_product(l[v], aj, own);
            if (of < EXB_OF_REALS)
                l[v] = add_product(l[v], v_swap(aj, 1), other);
        }
    }
    for (int v = 0; v < n_vectors; v++)
        for (int k = 0; k < n_states; k++)
            v_store(state[k] + row + v * EXB_LANES, l[v].v[k]);
}

/* After the end of a column come the first rows of the column that takes its place. */
EXB_INLINE int64_t row_ahead(int64_t early, int64_t n_rows, int n_columns, int64_t lda, int64_t row)
{
    int64_t ahead = row + early;
    return ahead < n_rows ? ahead : n_columns * lda + (ahead - n_rows);
}

/* largest: takes the lanes' largest products, or NULL. */
EXB_INLINE void sweep_columns(exb_numbers of, int64_t early, int64_t n_rows, int n_columns,
                              const void *a, int64_t lda, const exb_real *x, states state,
                              exb_v *largest)
{
    exb_v of_columns[COLUMNS], *seen = largest ? of_columns : NULL;
    int64_t i = 0;
    for (int j = 0; j < n_columns; j++)
        of_columns[j] = v_zero();
    for (; i + FLIGHT * EXB_LANES <= n_rows; i += FLIGHT * EXB_LANES)
        sweep_rows(of, FLIGHT, FLIGHT * EXB_LANES, n_columns, a, lda, x, state, i,
                   row_ahead(early, n_rows, n_columns, lda, i), seen);
    for (; i + EXB_LANES <= n_rows; i += EXB_LANES)
        sweep_rows(of, 1, EXB_LANES, n_columns, a, lda, x, state, i,
                   row_ahead(early, n_rows, n_columns, lda, i), seen);
    if (i < n_rows)
        sweep_rows(of, 1, n_rows - i, n_columns, a, lda, x, state, i, i, seen);
    for (int j = 0; largest && j < n_columns; j++) {
        exb_v factor = v_max_abs(v_abs(own_factor(of, x, j)), other_factor(of, x, j));
        *largest = v_max_abs(*largest, v_mul(seen[j], factor));
    }
}

/* Columns that are contiguous: m rows, n columns, of one kind of numbers. */
EXB_INLINE void sweep_columns_of(exb_numbers of, int64_t m, int64_t n, const void *a, int64_t lda,
                                 const exb_real *x, states state, exb_v *largest)
{
    int64_t early = m * n < MANY ? AHEAD : FAR, panel = lda * n < VAST ? PANEL : LONG_PANEL;
    int parts = of >= EXB_OF_REALS ? 1 : 2;
    for (int64_t i = 0; i < m; i += panel) {
        int64_t rows = m - i < panel ? m - i : panel, j = 0;
        double *part[STATES];
        for (int k = 0; k < STATES; k++)
            part[k] = state[k] ? state[k] + i : NULL;
        for (; j + COLUMNS <= n; j += COLUMNS)
            sweep_columns(of, early, rows, COLUMNS, exb_element_at(of, a, i + j * lda), lda,
                          x + parts * j, part, largest);
        for (; j + 4 <= n; j += 4)
            sweep_columns(of, early, rows, 4, exb_element_at(of, a, i + j * lda), lda,
                          x + parts * j, part, largest);
        for (; j < n; j++)
            sweep_columns(of, early, rows, 1, exb_element_at(of, a, i + j * lda), lda,
                          x + parts * j, part, largest);
    }
}

EXB_INLINE void sweep_matrix(exb_numbers of, int64_t m, int64_t n, const void *a, int64_t lda,
                             const exb_real *x, states state, exb_v *largest)
{
    if (of == EXB_OF_REALS)
        sweep_columns_of(EXB_OF_REALS, m, n, a, lda, x, state, largest);
    else if (of == EXB_OF_COMPLEX)
        sweep_columns_of(EXB_OF_COMPLEX, m, n, a, lda, x, state, largest);
    else
        sweep_columns_of(EXB_OF_CONJUGATES, m, n, a, lda, x, state, largest);
}

/* Rows that are contiguous, of n elements each, lda apart, and growth more from row to row. Their
 * products with `parts` vectors, x or x and y, have a vector of sums each: of row r from l[parts r]
 * on, EXB_ROW_GROUP in all. */
EXB_INLINE void sweep_row_group(exb_numbers of, int parts, int64_t n, const void *a, int64_t lda,
                                int64_t growth, const exb_real *x, const exb_real *y, lanes *l)
{
    const int n_rows = EXB_ROW_GROUP / parts;
    int64_t i = 0;
    for (; i + EXB_LANES <= n; i += EXB_LANES) {
        exb_v xi = v_load_real(x + i), yi = parts == 2 ? v_load_real(y + i) : xi;
        int64_t ahead = exb_rows_ahead(n_rows, n, lda, i);
        for (int r = 0; r < n_rows; r++) {
            __builtin_prefetch(exb_element_at(of, a, ahead + exb_progression(r, lda, growth)));
            const void *p = exb_element_at(of, a, i + exb_progression(r, lda, growth));
            exb_v ai = v_keep(exb_load_elements(of, p, EXB_LANES));
            l[parts * r] = add_product(l[parts * r], ai, xi);
            if (parts == 2)
                l[parts * r + 1] = add_product(l[parts * r + 1], ai, yi);
        }
    }
    for (int r = 0; i < n && r < EXB_ROW_GROUP; r++) {
        const void *p = exb_element_at(of, a, i + exb_progression(r / parts, lda, growth));
        const exb_real *other = r % parts == 0 ? x : y;
        l[r] =
            add_product(l[r], exb_load_elements(of, p, n - i), v_load_few_real(other + i, n - i));
    }
}
