/* Tiles of eliminations in plain arithmetic. A tile is up to
 * TILE_ROWS rows of up to TILE_VECTORS vectors, all of it in registers. */
#include "lapack/kernels/elimination_tiles.h"

#include "core/kernels/tile.h"
#include "core/partition.h"

enum { TILE_ROWS = EXB_CHAIN_COLS, TILE_VECTORS = EXB_CHAIN_VECTORS };
_Static_assert(TILE_VECTORS <= 3, "each number of vectors has a case");

/* c - a b. */
EXB_INLINE exb_v subtract_product(exb_v a, exb_v b, exb_v c)
{
#if EXB_HAVE_FMA
    return v_fma(-a, b, c);
#else
    return v_sub(c, v_mul(a, b));
#endif
}

typedef exb_v tile[TILE_ROWS][TILE_VECTORS];

EXB_INLINE void load_tile(int rows, int vectors, const double *x, int64_t ld, tile out)
{
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int j = 0; j < vectors; j++)
            out[i][j] = v_load(x + i * ld + j * EXB_LANES);
}

EXB_INLINE void store_tile(int rows, int vectors, tile in, double *x, int64_t ld)
{
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int j = 0; j < vectors; j++)
            v_store(x + i * ld + j * EXB_LANES, in[i][j]);
}

/* Sums of k products, from 0 on. */
EXB_INLINE void sum_run(int rows, int vectors, int64_t k, const double *a, int64_t lda,
                        const double *b, int64_t ldb, tile sum)
{
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int j = 0; j < vectors; j++)
            sum[i][j] = v_zero();
    for (int64_t l = 0; l < k; l++, b += ldb) {
        exb_v x[TILE_VECTORS];
#pragma GCC unroll 8
        for (int j = 0; j < vectors; j++)
            x[j] = v_load(b + j * EXB_LANES);
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) {
            exb_v y = v_set1(a[i * lda + l]);
#pragma GCC unroll 8
            for (int j = 0; j < vectors; j++)
                sum[i][j] = v_add_product(x[j], y, sum[i][j]);
        }
    }
}

/* Sums of runs before are added. */
EXB_INLINE void add_tile(int rows, int vectors, tile sum, const double *from, int64_t ld, tile out)
{
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int j = 0; j < vectors; j++)
            out[i][j] = v_add(v_load(from + i * ld + j * EXB_LANES), sum[i][j]);
}

EXB_INLINE void update(int rows, int vectors, int64_t k, const double *a, int64_t lda,
                       const double *b, int64_t ldb, double *c, int64_t ldc)
{
    enum { LD = TILE_VECTORS * EXB_LANES };
    _Alignas(64) double total[TILE_ROWS * LD];
    tile sum;
    sum_run(rows, vectors, exb_least(k, EXB_UPDATE_RUN), a, lda, b, ldb, sum);
    for (int64_t t = EXB_UPDATE_RUN; t < k; t += EXB_UPDATE_RUN) {
        store_tile(rows, vectors, sum, total, LD);
        sum_run(rows, vectors, exb_least(k - t, EXB_UPDATE_RUN), a + t, lda, b + t * ldb, ldb, sum);
        add_tile(rows, vectors, sum, total, LD, sum);
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int j = 0; j < vectors; j++) {
            double *to = c + i * ldc + j * EXB_LANES;
            v_store(to, v_sub(v_load(to), sum[i][j]));
        }
}

EXB_INLINE void update_rows(int vectors, int64_t m, int64_t k, const double *a, int64_t lda,
                            const double *b, int64_t ldb, double *c, int64_t ldc)
{
    int64_t i = 0;
    for (; i + TILE_ROWS <= m; i += TILE_ROWS)
        update(TILE_ROWS, vectors, k, a + i * lda, lda, b, ldb, c + i * ldc, ldc);
    for (; i < m; i++)
        update(1, vectors, k, a + i * lda, lda, b, ldb, c + i * ldc, ldc);
}

static void update_kernel(int64_t m, int vectors, int64_t k, const double *a, int64_t lda,
                          const double *b, int64_t ldb, double *c, int64_t ldc)
{
    if (vectors == 3)
        update_rows(TILE_VECTORS, m, k, a, lda, b, ldb, c, ldc);
    else if (vectors == 2)
        update_rows(2, m, k, a, lda, b, ldb, c, ldc);
    else
        update_rows(1, m, k, a, lda, b, ldb, c, ldc);
}

/* Rows of a tile, from the first one on: l divided out. */
EXB_INLINE void solve_lower_tile(int vectors, const double *l, int64_t ldl, double *x, int64_t ldx)
{
    tile r;
    load_tile(TILE_ROWS, vectors, x, ldx, r);
#pragma GCC unroll 8
    for (int k = 0; k < TILE_ROWS; k++)
#pragma GCC unroll 8
        for (int i = k + 1; i < TILE_ROWS; i++) {
            exb_v y = v_set1(l[i * ldl + k]);
#pragma GCC unroll 8
            for (int j = 0; j < vectors; j++)
                r[i][j] = subtract_product(y, r[k][j], r[i][j]);
        }
    store_tile(TILE_ROWS, vectors, r, x, ldx);
}

EXB_INLINE void solve_lower(int vectors, int64_t n, const double *l, int64_t ldl, double *x,
                            int64_t ldx)
{
    int64_t i = 0;
    for (; i + TILE_ROWS <= n; i += TILE_ROWS) {
        if (i > 0)
            update(TILE_ROWS, vectors, i, l + i * ldl, ldl, x, ldx, x + i * ldx, ldx);
        solve_lower_tile(vectors, l + i * ldl + i, ldl, x + i * ldx, ldx);
    }
    for (; i < n; i++)
        update(1, vectors, i, l + i * ldl, ldl, x, ldx, x + i * ldx, ldx);
}

static void solve_lower_kernel(int64_t n, int vectors, const double *l, int64_t ldl, double *x,
                               int64_t ldx)
{
    if (vectors == 3)
        solve_lower(TILE_VECTORS, n, l, ldl, x, ldx);
    else if (vectors == 2)
        solve_lower(2, n, l, ldl, x, ldx);
    else
        solve_lower(1, n, l, ldl, x, ldx);
}

/* The same from the last one up. */
EXB_INLINE void solve_upper_tile(int vectors, const double *u, int64_t ldu,
                                 const double *reciprocal, double *x, int64_t ldx)
{
    tile r;
    load_tile(TILE_ROWS, vectors, x, ldx, r);
#pragma GCC unroll 8
    for (int k = TILE_ROWS - 1; k >= 0; k--) {
        exb_v y = v_set1(reciprocal[k]);
#pragma GCC unroll 8
        for (int j = 0; j < vectors; j++)
            r[k][j] = v_mul(r[k][j], y);
#pragma GCC unroll 8
        for (int i = 0; i < k; i++) {
            exb_v z = v_set1(u[i * ldu + k]);
#pragma GCC unroll 8
            for (int j = 0; j < vectors; j++)
                r[i][j] = subtract_product(z, r[k][j], r[i][j]);
        }
    }
    store_tile(TILE_ROWS, vectors, r, x, ldx);
}

EXB_INLINE void solve_upper(int vectors, int64_t n, const double *u, int64_t ldu,
                            const double *reciprocal, double *x, int64_t ldx)
{
    int64_t i = n;
    for (; i % TILE_ROWS != 0; i--) {
        double *row = x + (i - 1) * ldx;
        if (i < n)
            update(1, vectors, n - i, u + (i - 1) * ldu + i, ldu, row + ldx, ldx, row, ldx);
        for (int j = 0; j < vectors; j++)
            v_store(row + j * EXB_LANES,
                    v_mul(v_load(row + j * EXB_LANES), v_set1(reciprocal[i - 1])));
    }
    for (; i > 0; i -= TILE_ROWS) {
        int64_t first = i - TILE_ROWS;
        if (i < n)
            update(TILE_ROWS, vectors, n - i, u + first * ldu + i, ldu, x + i * ldx, ldx,
                   x + first * ldx, ldx);
        solve_upper_tile(vectors, u + first * ldu + first, ldu, reciprocal + first, x + first * ldx,
                         ldx);
    }
}

static void solve_upper_kernel(int64_t n, int vectors, const double *u, int64_t ldu,
                               const double *reciprocal, double *x, int64_t ldx)
{
    if (vectors == 3)
        solve_upper(TILE_VECTORS, n, u, ldu, reciprocal, x, ldx);
    else if (vectors == 2)
        solve_upper(2, n, u, ldu, reciprocal, x, ldx);
    else
        solve_upper(1, n, u, ldu, reciprocal, x, ldx);
}

/* to[j * ldt + i] = from[i * ldf + j] for m times n elements, by squares in registers as far as
 * they go. */
EXB_INLINE void transpose(int64_t m, int64_t n, const double *from, int64_t ldf, double *to,
                          int64_t ldt)
{
    int64_t whole_m = m / EXB_LANES * EXB_LANES, whole_n = n / EXB_LANES * EXB_LANES;
    for (int64_t i = 0; i < whole_m; i += EXB_LANES)
        for (int64_t j = 0; j < whole_n; j += EXB_LANES) {
            exb_v x[EXB_LANES];
            for (int r = 0; r < EXB_LANES; r++)
                x[r] = v_load(from + (i + r) * ldf + j);
            v_transpose(x);
            for (int r = 0; r < EXB_LANES; r++)
                v_store(to + (j + r) * ldt + i, x[r]);
        }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = i < whole_m ? whole_n : 0; j < n; j++)
            to[j * ldt + i] = from[i * ldf + j];
}

/* Column k less the products of the k columns before it with its first k elements, which are
 * known; from row `begin` on, whole vectors. Returns the largest magnitude. */
EXB_INLINE double update_column(int k, int64_t begin, int64_t m, double *column, int64_t ld)
{
    double *x = column + k * ld;
    exb_v y[EXB_SMALL_COLUMNS], most = v_zero();
#pragma GCC unroll 8
    for (int s = 0; s < k; s++)
        y[s] = v_set1(x[s]);
    for (int64_t i = begin; i < m; i += EXB_LANES) {
        exb_v r = v_load(x + i);
#pragma GCC unroll 8
        for (int s = 0; s < k; s++)
            r = subtract_product(y[s], v_load(column + s * ld + i), r);
        v_store(x + i, r);
        most = v_max_abs(most, r);
    }
    return v_largest(most);
}

static double update_rest(int k, int64_t begin, int64_t m, double *column, int64_t ld)
{
    switch (k) {
    case 0:
        return update_column(0, begin, m, column, ld);
    case 1:
        return update_column(1, begin, m, column, ld);
    case 2:
        return update_column(2, begin, m, column, ld);
    case 3:
        return update_column(3, begin, m, column, ld);
    case 4:
        return update_column(4, begin, m, column, ld);
    case 5:
        return update_column(5, begin, m, column, ld);
    case 6:
        return update_column(6, begin, m, column, ld);
    default:
        return update_column(7, begin, m, column, ld);
    }
}

/* The same for the first rows, of which those above the diagonal are known one after the other. */
static double update_first(int k, int64_t m, double *column, int64_t ld)
{
    double *x = column + k * ld, most = 0;
    for (int s = 0; s < k; s++)
        for (int64_t i = s + 1; i < m; i++)
            x[i] -= column[s * ld + i] * x[s];
    for (int64_t i = k; i < m; i++)
        most = exb_fabs(x[i]) > most ? exb_fabs(x[i]) : most;
    return most;
}

/* The first row from `begin` on with that magnitude. */
static int64_t find_magnitude(double most, int64_t begin, int64_t m, const double *x)
{
    int64_t i = begin;
    for (; i % EXB_LANES != 0; i++)
        if (exb_fabs(x[i]) == most)
            return i;
    while (i < m && v_equal(v_abs(v_load(x + i)), v_set1(most)) == 0)
        i += EXB_LANES;
    while (exb_fabs(x[i]) != most)
        i++;
    return i;
}

/* By its reciprocal, unless that is too large. */
static void divide(int64_t begin, int64_t m, double pivot, double *x)
{
    double reciprocal = 1 / pivot;
    bool is_usual = exb_fabs(reciprocal) <= DBL_MAX;
    int64_t i = begin;
    for (; i < m && i % EXB_LANES != 0; i++)
        x[i] = is_usual ? x[i] * reciprocal : x[i] / pivot;
    for (; i < m; i += EXB_LANES) {
        exb_v r = v_load(x + i);
        v_store(x + i, is_usual ? v_mul(r, v_set1(reciprocal)) : v_div(r, v_set1(pivot)));
    }
}

static bool eliminate(int k, int n, int64_t m, int64_t padded, double *column, int64_t *pivot)
{
    int64_t first = exb_least(padded, EXB_SMALL_COLUMNS);
    double most = update_first(k, first, column, padded);
    double rest = update_rest(k, first, padded, column, padded), *x = column + k * padded;
    most = rest > most ? rest : most;
    if (!(most > 0) || most > DBL_MAX)
        return false;
    *pivot = find_magnitude(most, k, m, x);
    for (int j = 0; j < n; j++) {
        double *y = column + j * padded, old = y[k];
        y[k] = y[*pivot];
        y[*pivot] = old;
    }
    divide(k + 1, padded, x[k], x);
    return true;
}

static bool factor_kernel(int64_t m, int n, double *a, int64_t lda, double *work, int64_t *pivot)
{
    int64_t padded = exb_round_up(m, EXB_SMALL_COLUMNS);
    for (int j = 0; j < n; j++)
        for (int64_t i = m; i < padded; i++)
            work[j * padded + i] = 0;
    transpose(m, n, a, lda, work, padded);
    for (int k = 0; k < n; k++)
        if (!eliminate(k, n, m, padded, work, pivot + k))
            return false;
    transpose(n, m, work, padded, a, lda);
    return true;
}

const exb_elimination_kernels exb_isa(elimination_kernels) = {
    .lanes = EXB_LANES,
    .most_vectors = EXB_CHAIN_VECTORS,
    .update = update_kernel,
    .solve_lower = solve_lower_kernel,
    .solve_upper = solve_upper_kernel,
    .factor = factor_kernel,
};
