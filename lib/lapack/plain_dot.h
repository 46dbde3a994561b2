/* Sums of products in plain arithmetic, in eight lanes: n products, each in at most n / 8 + 14
 * additions. */
#ifndef EXB_PLAIN_DOT_H
#define EXB_PLAIN_DOT_H

#include "core/arith/compiler.h"

/* About the sum of x_j y_j. */
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

#endif
