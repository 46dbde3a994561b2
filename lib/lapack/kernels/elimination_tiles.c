/* Tiles of eliminations in plain arithmetic. A tile is up to
 * TILE_ROWS rows of up to TILE_VECTORS vectors, all of it in registers. */
#include "lapack/kernels/elimination_tiles.h"

#include "core/kernels/tile.h"
#include "core/partition.h"

enum { TILE_ROWS = EXB_CHAIN_COLS, TILE_VECTORS = EXB_CHAIN_VECTORS, SMALL = EXB_SMALL_COLUMNS };
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

EXB_INLINE void update(int rows, int vectors, int64_t k, const double *a, int64_t lda,
                       const double *b, int64_t ldb, double *c, int64_t ldc)
{
    tile total, sum;
    sum_run(rows, vectors, exb_least(k, EXB_UPDATE_RUN), a, lda, b, ldb, total);
    for (int64_t t = EXB_UPDATE_RUN; t < k; t += EXB_UPDATE_RUN) {
        sum_run(rows, vectors, exb_least(k - t, EXB_UPDATE_RUN), a + t, lda, b + t * ldb, ldb, sum);
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
            for (int j = 0; j < vectors; j++)
                total[i][j] = v_add(total[i][j], sum[i][j]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int j = 0; j < vectors; j++) {
            double *to = c + i * ldc + j * EXB_LANES;
            v_store(to, v_sub(v_load(to), total[i][j]));
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

EXB_INLINE void multiply_row(int vectors, double factor, exb_v *x)
{
#pragma GCC unroll 8
    for (int j = 0; j < vectors; j++)
        x[j] = v_mul(x[j], v_set1(factor));
}

/* Rows of a tile, from the first one on: l divided out. */
EXB_INLINE void solve_tile(int rows, int vectors, const double *l, int64_t ldl,
                           const double *reciprocal, double *x, int64_t ldx)
{
    tile r;
    load_tile(rows, vectors, x, ldx, r);
#pragma GCC unroll 8
    for (int k = 0; k < rows; k++) {
        if (reciprocal)
            multiply_row(vectors, reciprocal[k], r[k]);
#pragma GCC unroll 8
        for (int i = k + 1; i < rows; i++) {
            exb_v y = v_set1(l[i * ldl + k]);
#pragma GCC unroll 8
            for (int j = 0; j < vectors; j++)
                r[i][j] = subtract_product(y, r[k][j], r[i][j]);
        }
    }
    store_tile(rows, vectors, r, x, ldx);
}

EXB_INLINE void substitute_rows(int rows, int vectors, int64_t i, const double *l, int64_t ldl,
                                const double *reciprocal, double *x, int64_t ldx)
{
    if (i > 0)
        update(rows, vectors, i, l + i * ldl, ldl, x, ldx, x + i * ldx, ldx);
    solve_tile(rows, vectors, l + i * ldl + i, ldl, reciprocal ? reciprocal + i : NULL, x + i * ldx,
               ldx);
}

EXB_INLINE void solve(int vectors, int64_t n, const double *l, int64_t ldl,
                      const double *reciprocal, double *x, int64_t ldx)
{
    int64_t i = 0;
    for (; i + TILE_ROWS <= n; i += TILE_ROWS)
        substitute_rows(TILE_ROWS, vectors, i, l, ldl, reciprocal, x, ldx);
    for (; i < n; i++)
        substitute_rows(1, vectors, i, l, ldl, reciprocal, x, ldx);
}

static void solve_kernel(int64_t n, int vectors, const double *l, int64_t ldl,
                         const double *reciprocal, double *x, int64_t ldx)
{
    if (vectors == 3)
        solve(TILE_VECTORS, n, l, ldl, reciprocal, x, ldx);
    else if (vectors == 2)
        solve(2, n, l, ldl, reciprocal, x, ldx);
    else
        solve(1, n, l, ldl, reciprocal, x, ldx);
}

/* Column k less the products of the columns before it with its first k elements, of which those
 * are known one after the other. Returns the largest magnitude of the rest. */
static double update_column(int k, int64_t m, double *column)
{
    double *x = column + k * m, largest = 0;
    exb_v y[SMALL], most = v_zero();
    for (int s = 0; s < k; s++) {
        y[s] = v_set1(x[s]);
        for (int64_t i = s + 1; i < SMALL; i++)
            x[i] -= column[s * m + i] * x[s];
    }
    for (int64_t i = SMALL; i < m; i += EXB_LANES) {
        exb_v r = v_load(x + i);
        for (int s = 0; s < k; s++)
            r = subtract_product(y[s], v_load(column + s * m + i), r);
        v_store(x + i, r);
        most = v_max_abs(most, r);
    }
    for (int64_t i = k; i < SMALL; i++)
        largest = exb_fabs(x[i]) > largest ? exb_fabs(x[i]) : largest;
    return v_largest(most) > largest ? v_largest(most) : largest;
}

/* Quotients by the reciprocal of the pivot, unless that is too large. */
static bool eliminate(int k, int n, int64_t m, double *column, int64_t *pivot)
{
    double most = update_column(k, m, column), *x = column + k * m;
    if (!(most > 0) || most > DBL_MAX)
        return false;
    *pivot = k;
    while (exb_fabs(x[*pivot]) != most)
        ++*pivot;
    for (int j = 0; j < n; j++) {
        double *y = column + j * m, old = y[k];
        y[k] = y[*pivot];
        y[*pivot] = old;
    }
    double reciprocal = 1 / x[k], divisor = x[k];
    bool is_usual = exb_fabs(reciprocal) <= DBL_MAX;
    for (int64_t i = k + 1; i < m; i++)
        x[i] = is_usual ? x[i] * reciprocal : x[i] / divisor;
    return true;
}

static bool factor_kernel(int64_t m, int n, double *a, int64_t lda, double *work, int64_t *pivot)
{
    int64_t padded = exb_round_up(m, SMALL);
    for (int j = 0; j < n; j++)
        memset(work + j * padded + m, 0, (size_t)(padded - m) * sizeof *work);
    exb_kernels_current()->d.transpose(n, m, a, lda, work, padded);
    for (int k = 0; k < n; k++)
        if (!eliminate(k, n, padded, work, pivot + k))
            return false;
    exb_kernels_current()->d.transpose(m, n, work, padded, a, lda);
    return true;
}

const exb_elimination_kernels exb_isa(elimination_kernels) = {
    .lanes = EXB_LANES,
    .most_vectors = EXB_CHAIN_VECTORS,
    .update = update_kernel,
    .solve = solve_kernel,
    .factor = factor_kernel,
};
