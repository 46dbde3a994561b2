/* Plain sums of products of floats in doubles, many rows at once, and the largest magnitude
 * that each of them had (plain.h): a product of two floats is a double. The matrix may have numbers
 * of 16 bits, which are floats.
 * Types: s. */
#include "core/simd/element_simd.h"

#if !EXB_IS_S
#error "products of doubles are not doubles"
#endif

enum { STATES = 2, FLIGHT = 4, COLUMNS = 6 };

#include "level2/kernels/rows_sweep.h"

/* The states of a plain sum. */
enum { S, M };

EXB_INLINE lanes add_product(lanes l, exb_v a, exb_v x)
{
#if EXB_HAVE_FMA
    l.v[S] = v_fma(a, x, l.v[S]);
#else
    l.v[S] = v_add(l.v[S], v_mul(a, x));
#endif
    l.v[M] = v_max_abs(l.v[M], l.v[S]);
    return l;
}

void exb_ti(plain_sweep)(exb_numbers of, int64_t m, int64_t n, const void *a, int64_t lda,
                         const exb_real *x, double *s, double *peak)
{
    if (of == EXB_OF_B)
        sweep_columns_of(EXB_OF_B, m, n, a, lda, x, (states){s, peak}, NULL);
    else if (of == EXB_OF_H)
        sweep_columns_of(EXB_OF_H, m, n, a, lda, x, (states){s, peak}, NULL);
    else
        sweep_matrix(of, m, n, a, lda, x, (states){s, peak}, NULL);
}

void exb_ti(plain_rows)(exb_numbers of, int64_t n, const void *a, int64_t lda, int64_t growth,
                        const exb_real *x, const exb_real *y, double *sum, double *most)
{
    lanes l[EXB_ROW_GROUP];
    for (int r = 0; r < EXB_ROW_GROUP; r++)
        l[r] = (lanes){{v_zero(), v_zero()}};
    if (of == EXB_OF_B)
        sweep_row_group(EXB_OF_B, 1, n, a, lda, growth, x, x, l);
    else if (of == EXB_OF_H)
        sweep_row_group(EXB_OF_H, 1, n, a, lda, growth, x, x, l);
    else if (y)
        sweep_row_group(EXB_OF_REALS, 2, n, a, lda, growth, x, y, l);
    else
        sweep_row_group(EXB_OF_REALS, 1, n, a, lda, growth, x, x, l);
    for (int r = 0; r < EXB_ROW_GROUP; r++) { /* no more than three additions, of at most `most` */
        sum[r] = v_sum(l[r].v[S]);
        most[r] = v_sum(l[r].v[M]);
    }
}
