/* How the kernels of products read a matrix. */
#pragma once

#include "core/kernel.h"
#include "core/simd/element_simd.h"

/* EXB_LANES rows of a column, or the n_rows that are there. */
EXB_INLINE exb_v exb_load_rows(const exb_real *a, int64_t n_rows)
{
    return n_rows >= EXB_LANES ? v_load_real(a) : v_load_few_real(a, n_rows);
}

/* Element i of a matrix of such numbers. */
EXB_INLINE const void *exb_element_at(exb_numbers of, const void *a, int64_t i)
{
    return (const char *)a + i * (int64_t)(of > EXB_OF_REALS ? 2 : sizeof(exb_real));
}

/* The same of EXB_LANES elements, or the n that are there, and zeros. */
EXB_INLINE exb_v exb_load_elements(exb_numbers of, const void *a, int64_t n)
{
    uint16_t few[EXB_LANES] = {0};
    if (of <= EXB_OF_REALS)
        return exb_load_rows(a, n);
    for (int64_t i = 0; n < EXB_LANES && i < n; i++)
        few[i] = ((const uint16_t *)a)[i];
    return v_load_half(of == EXB_OF_B, n < EXB_LANES ? few : a);
}

/* The number of what a group of rows of n elements comes to after another 8 KiB of reals, when it
 * is at element i of each: of the first row, or on past its end, of the first one of the next
 * group. */
EXB_INLINE int64_t exb_rows_ahead(int n_rows, int64_t n, int64_t lda, int64_t i)
{
    int64_t j = i + 8192 / n_rows / (int64_t)sizeof(exb_real);
    return j < n ? j : n_rows * lda + (j - n);
}
