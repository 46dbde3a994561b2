/* Anchored sums of many rows at once (anchor.h), for matrices that are contiguous along their
 * columns or along their rows.
 * Types: s d. */
#include "core/arith/anchor.h"
#include "core/partition.h"
#include "level2/kernels/rows_simd.h"

enum {
    COLUMNS = 8,
    PAIR = 4, /* vectors of rows in flight */
};

typedef struct {
    exb_v s, c, m;
} lanes;

EXB_INLINE lanes add_product(lanes l, exb_v a, exb_v x)
{
#if EXB_HAVE_FMA
    a = v_keep(a); /* used twice; without this GCC loads it twice */
    exb_v t = v_fma(a, x, l.s);
    exb_v q = v_sub(t, l.s);
    l.c = v_add(l.c, v_fms(a, x, q));
#else /* products of floats, which are exact; those of doubles are not offered */
    exb_v p = v_mul(a, x);
    exb_v t = v_add(l.s, p);
    exb_v q = v_sub(t, l.s);
    l.c = v_add(l.c, v_sub(p, q));
#endif
    l.m = v_max_abs(l.m, q);
    l.s = t;
    return l;
}

/* n_vectors vectors of rows, of which n_rows are there, through n_columns. */
EXB_INLINE void sweep_rows(int n_vectors, int64_t n_rows, int n_columns, const exb_real *a,
                           int64_t lda, const exb_real *x, double *s, double *c, double *m)
{
    lanes l[PAIR];
    for (int v = 0; v < n_vectors; v++)
        l[v] = (lanes){v_load(s + v * EXB_LANES), v_load(c + v * EXB_LANES),
                       v_load(m + v * EXB_LANES)};
    for (int j = 0; j < n_columns; j++) {
        exb_v xj = v_set1(x[j]);
        for (int v = 0; v < n_vectors; v++)
            l[v] = add_product(l[v], exb_load_rows(a + j * lda + v * EXB_LANES, n_rows), xj);
    }
    for (int v = 0; v < n_vectors; v++) {
        v_store(s + v * EXB_LANES, l[v].s);
        v_store(c + v * EXB_LANES, l[v].c);
        v_store(m + v * EXB_LANES, l[v].m);
    }
}

EXB_INLINE void sweep_columns(int64_t n_rows, int n_columns, const exb_real *a, int64_t lda,
                              const exb_real *x, double *s, double *c, double *m)
{
    int64_t i = 0;
    for (; i + PAIR * EXB_LANES <= n_rows; i += PAIR * EXB_LANES)
        sweep_rows(PAIR, PAIR * EXB_LANES, n_columns, a + i, lda, x, s + i, c + i, m + i);
    for (; i + EXB_LANES <= n_rows; i += EXB_LANES)
        sweep_rows(1, EXB_LANES, n_columns, a + i, lda, x, s + i, c + i, m + i);
    if (i < n_rows)
        sweep_rows(1, n_rows - i, n_columns, a + i, lda, x, s + i, c + i, m + i);
}

void exb_ti(anchored_sweep)(int64_t m, int64_t n, const exb_real *a, int64_t lda, const exb_real *x,
                            double *s, double *c, double *peak)
{
    int64_t j = 0;
    for (; j + COLUMNS <= n; j += COLUMNS)
        sweep_columns(m, COLUMNS, a + j * lda, lda, x + j, s, c, peak);
    for (; j < n; j++)
        sweep_columns(m, 1, a + j * lda, lda, x + j, s, c, peak);
}

void exb_ti(column_peaks)(int64_t m, const exb_real *a, exb_real x, double *peak)
{
    exb_v xv = v_set1(x);
    for (int64_t i = 0; i < m; i += EXB_LANES)
        v_store(peak + i, v_max_abs(v_load(peak + i), v_mul(exb_load_rows(a + i, m - i), xv)));
}

/* Adds up the lanes of a row of n terms: bit patterns as integers, c by halving. */
EXB_INLINE exb_anchored collect(lanes l, int64_t n, double sigma)
{
    double s[EXB_LANES], c[EXB_LANES], m[EXB_LANES];
    int64_t n_lane = exb_tasks_of(n, EXB_LANES);
    v_store(s, l.s);
    v_store(c, l.c);
    v_store(m, l.m);
    uint64_t k = 0;
    for (int j = 0; j < EXB_LANES; j++)
        k += exb_bits(s[j]);
    for (int half = EXB_LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) {
            c[j] += c[j + half];
            m[j] = m[j + half] > m[j] ? m[j + half] : m[j];
        }
    k -= EXB_LANES * exb_bits(sigma);
    return (exb_anchored){(int64_t)k, c[0], m[0], n_lane, c[0] - c[0] == 0};
}

void exb_ti(anchored_rows)(int64_t n, const exb_real *a, int64_t lda, const exb_real *x,
                           double sigma, exb_anchored *out)
{
    lanes l[EXB_ROW_GROUP];
    int64_t i = 0;
    for (int r = 0; r < EXB_ROW_GROUP; r++)
        l[r] = (lanes){v_set1(sigma), v_zero(), v_zero()};
    for (; i + EXB_LANES <= n; i += EXB_LANES) {
        exb_v xi = v_load_real(x + i);
        const exb_real *ahead = exb_rows_ahead(n, a, lda, i);
        for (int r = 0; r < EXB_ROW_GROUP; r++) {
            __builtin_prefetch(ahead + r * lda);
            l[r] = add_product(l[r], v_load_real(a + r * lda + i), xi);
        }
    }
    if (i < n) {
        exb_v xi = v_load_few(x + i, n - i);
        for (int r = 0; r < EXB_ROW_GROUP; r++)
            l[r] = add_product(l[r], v_load_few(a + r * lda + i, n - i), xi);
    }
    for (int r = 0; r < EXB_ROW_GROUP; r++)
        out[r] = collect(l[r], n, sigma);
}
