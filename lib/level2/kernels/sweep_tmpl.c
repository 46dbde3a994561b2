/* The column sweep of gemv (kernel_slots.h): each vector of rows keeps its
 * compensated sums in registers while four columns go by.
 * Types: s d. */
#include "core/simd/compensated_simd.h"

enum { STATES = 3, FLIGHT = 1, COLUMNS = 4 };

#include "level2/kernels/rows_sweep.h"

EXB_INLINE lanes add_product(lanes l, exb_v a, exb_v x)
{
    exb_vcomp sum = {l.v[0], l.v[1], l.v[2]};
    sum = EXB_IS_S ? v_comp_add(sum, v_mul(a, x)) : v_comp_add_product(sum, a, x);
    return (lanes){{sum.s, sum.c, sum.w}};
}

void exb_ti(sweep)(exb_numbers of, int m, int64_t n, const exb_real *a, int64_t lda,
                   const exb_real *x, double *s, double *c, double *w)
{
    sweep_matrix(of, m, n, a, lda, x, (states){s, c, w}, NULL);
}
