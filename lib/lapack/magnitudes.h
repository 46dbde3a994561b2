/* Products of magnitudes with vectors, rounded: each sum of n terms by at most n + 2 relative
 * errors. */
#ifndef EXB_MAGNITUDES_H
#define EXB_MAGNITUDES_H

#include "core/kernels.h"
#include "level1/kernels/plain_lines.h"

/* y += |M'| x for m rows of n elements, ld apart, and x >= 0. */
EXB_INLINE void exb_add_magnitudes(int64_t m, int64_t n, const double *rows, int64_t ld,
                                   const double *x, double *y)
{
    int64_t i = 0;
    for (; i + 4 <= m; i += 4)
        exb_kernels_current()->lines->add_magnitudes(n, rows + i * ld, ld, x + i, y);
    for (; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            y[j] += exb_fabs(rows[i * ld + j]) * x[i];
}

#endif
