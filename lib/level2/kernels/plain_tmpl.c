/* Plain sums of products of floats in doubles, many rows at once, and the largest magnitude
 * that each of them had.
 *
 * A product of two floats is a double, so a sum s_j = RN(s_(j-1) + p_j) is wrong by at most
 * u |s_j|, u = 2^-53 (a rounded number is at least as large as the unit below it), and n of them
 * by at most n u max |s_j|. Nothing underflows or overflows: products are 0 or lie between
 * 2^-298 and 2^256. If max |s_j| = 0, every product was 0.
 * Types: s. */
#include "level2/kernels/rows_simd.h"

#if !EXB_IS_S
#error "products of doubles are not doubles"
#endif

enum {
    COLUMNS = 8,
    FLIGHT = 4, /* vectors of rows in flight */
};

typedef struct {
    exb_v s, m;
} lanes;

EXB_INLINE lanes add_product(lanes l, exb_v a, exb_v x)
{
#if EXB_HAVE_FMA
    l.s = v_fma(a, x, l.s);
#else
    l.s = v_add(l.s, v_mul(a, x));
#endif
    l.m = v_max_abs(l.m, l.s);
    return l;
}

/* n_vectors vectors of rows, of which n_rows are there, through n_columns. */
EXB_INLINE void sweep_rows(int n_vectors, int64_t n_rows, int n_columns, const exb_real *a,
                           int64_t lda, const exb_real *x, double *s, double *m)
{
    lanes l[FLIGHT];
    for (int v = 0; v < n_vectors; v++)
        l[v] = (lanes){v_load(s + v * EXB_LANES), v_load(m + v * EXB_LANES)};
    for (int j = 0; j < n_columns; j++) {
        exb_v xj = v_set1(x[j]);
        for (int v = 0; v < n_vectors; v++)
            l[v] = add_product(l[v], exb_load_rows(a + j * lda + v * EXB_LANES, n_rows), xj);
    }
    for (int v = 0; v < n_vectors; v++) {
        v_store(s + v * EXB_LANES, l[v].s);
        v_store(m + v * EXB_LANES, l[v].m);
    }
}

EXB_INLINE void sweep_columns(int64_t n_rows, int n_columns, const exb_real *a, int64_t lda,
                              const exb_real *x, double *s, double *m)
{
    int64_t i = 0;
    for (; i + FLIGHT * EXB_LANES <= n_rows; i += FLIGHT * EXB_LANES)
        sweep_rows(FLIGHT, FLIGHT * EXB_LANES, n_columns, a + i, lda, x, s + i, m + i);
    for (; i + EXB_LANES <= n_rows; i += EXB_LANES)
        sweep_rows(1, EXB_LANES, n_columns, a + i, lda, x, s + i, m + i);
    if (i < n_rows)
        sweep_rows(1, n_rows - i, n_columns, a + i, lda, x, s + i, m + i);
}

void exb_ti(plain_sweep)(int64_t m, int64_t n, const exb_real *a, int64_t lda, const exb_real *x,
                         double *s, double *peak)
{
    int64_t j = 0;
    for (; j + COLUMNS <= n; j += COLUMNS)
        sweep_columns(m, COLUMNS, a + j * lda, lda, x + j, s, peak);
    for (; j < n; j++)
        sweep_columns(m, 1, a + j * lda, lda, x + j, s, peak);
}

/* Adds up the lanes of a row by halving; three more additions, of at most `most` altogether. */
EXB_INLINE void collect(lanes l, double *sum, double *most)
{
    double s[EXB_LANES], m[EXB_LANES];
    v_store(s, l.s);
    v_store(m, l.m);
    for (int half = EXB_LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) {
            s[j] += s[j + half];
            m[j] += m[j + half];
        }
    *sum = s[0];
    *most = m[0];
}

void exb_ti(plain_rows)(int64_t n, const exb_real *a, int64_t lda, const exb_real *x, double *sum,
                        double *most)
{
    lanes l[EXB_ROW_GROUP];
    int64_t i = 0;
    for (int r = 0; r < EXB_ROW_GROUP; r++)
        l[r] = (lanes){v_zero(), v_zero()};
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
        collect(l[r], &sum[r], &most[r]);
}
