/* Sums over plain numbers. */
#pragma once

#include "core/kernels.h"
#include "level1/kernels/plain_lines.h"

/* About the sum of x_j y_j in plain arithmetic, in eight lanes: each product in at most n / 8 + 14
 * additions. */
EXB_INLINE double exb_plain_dot(int64_t n, const double *x, const double *y)
{
    enum { LANES = 8 };
    double sum[LANES] = {0};
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += x[j + l] * y[j + l];
    for (; j < n; j++)
        sum[0] += x[j] * y[j];
    for (int l = 1; l < LANES; l++)
        sum[0] += sum[l];
    return sum[0];
}

/* y += |M'| x for m rows of n elements, ld apart, and x >= 0, rounded: each sum by at most n + 2
 * relative errors. */
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

/* Are all magnitudes below that? False for NaN. */
EXB_INLINE bool exb_all_below(int64_t n, const double *x, double limit)
{
    uint64_t beyond = 0;
    for (int64_t i = 0; i < n; i++)
        beyond |= !(exb_fabs(x[i]) < limit);
    return beyond == 0;
}
