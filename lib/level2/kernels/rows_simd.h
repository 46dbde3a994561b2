/* How the kernels of products read a matrix. */
#pragma once

#include "core/simd/element_simd.h"
#include "core/kernel.h"

/* EXB_LANES rows of a column, or the n_rows that are there. */
EXB_INLINE exb_v exb_load_rows(const exb_real *a, int64_t n_rows)
{
    return n_rows >= EXB_LANES ? v_load_real(a) : v_load_few_real(a, n_rows);
}

/* What is read 2 KiB after element i of the first of EXB_ROW_GROUP rows of n elements: on past its
 * end, in the first row of the next group. */
EXB_INLINE const exb_real *exb_rows_ahead(int64_t n, const exb_real *a, int64_t lda, int64_t i)
{
    int64_t j = i + 2048 / (int64_t)sizeof *a;
    return j < n ? a + j : a + EXB_ROW_GROUP * lda + (j - n);
}
