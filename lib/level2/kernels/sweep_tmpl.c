/* The column sweep of gemv (kernels.h): each vector of rows keeps its
 * compensated sums in registers while four columns go by.
 * Types: s d. */
#include "core/simd/compensated_simd.h"
#include "core/simd/element_simd.h"
#include "core/kernel.h"

enum { COLUMNS = 4 };

EXB_INLINE exb_vcomp step(exb_vcomp acc, exb_v a, exb_v x)
{
    return EXB_IS_S ? v_comp_add(acc, v_mul(a, x)) : v_comp_add_product(acc, a, x);
}

/* One vector of rows (n_rows <= EXB_LANES of them) through n_columns. */
EXB_INLINE void sweep_vector(int64_t n_rows, int n_columns, const exb_real *a, int64_t lda,
                             const exb_real *x, double *s, double *c, double *w)
{
    exb_vcomp acc = v_comp_load(s, c, w);
    for (int j = 0; j < n_columns; j++) {
        const exb_real *p = a + j * lda;
        exb_v column = n_rows == EXB_LANES ? v_load_real(p) : v_load_few(p, n_rows);
        acc = step(acc, column, v_set1(x[j]));
    }
    v_comp_store(acc, s, c, w);
}

EXB_INLINE void sweep_columns(int m, int n_columns, const exb_real *a, int64_t lda,
                              const exb_real *x, double *s, double *c, double *w)
{
    int i = 0;
    for (; i + EXB_LANES <= m; i += EXB_LANES)
        sweep_vector(EXB_LANES, n_columns, a + i, lda, x, s + i, c + i, w + i);
    if (i < m)
        sweep_vector(m - i, n_columns, a + i, lda, x, s + i, c + i, w + i);
}

void exb_ti(sweep)(int m, int64_t n, const exb_real *a, int64_t lda, const exb_real *x, double *s,
                   double *c, double *w)
{
    int64_t j = 0;
    for (; j + COLUMNS <= n; j += COLUMNS)
        sweep_columns(m, COLUMNS, a + j * lda, lda, x + j, s, c, w);
    for (; j < n; j++)
        sweep_columns(m, 1, a + j * lda, lda, x + j, s, c, w);
}
