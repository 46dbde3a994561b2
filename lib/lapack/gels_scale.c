#include "lapack/gels_scale.h"

#include "core/arith/bits.h"
#include "lapack/plain_dot.h"

#include <stdlib.h>

/* The n vectors of m numbers, m >= n, along the longer side of A, one after the other. */
static void gather(int64_t m, int64_t n, const double *a, int64_t row_step, int64_t column_step,
                   double *v)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            v[j * m + i] = a[i * row_step + j * column_step];
}

/* The least length of a vector orthogonal to those before it (modified Gram-Schmidt): near the
 * least singular value, unless the columns are built to deceive. */
static double least_length(int64_t m, int64_t n, double *v)
{
    double least = INFINITY;
    for (int64_t j = 0; j < n; j++) {
        double *x = v + j * m, square = exb_plain_dot(m, x, x);
        least = square < least ? square : least;
        for (int64_t k = j + 1; k < n; k++) {
            double *y = v + k * m, part = exb_plain_dot(m, x, y) / square;
            for (int64_t i = 0; i < m; i++)
                y[i] -= part * x[i];
        }
    }
    return sqrt(least);
}

double exb_gels_scale(int64_t m, int64_t n, const double *a, int64_t lda)
{
    double *v = malloc(((size_t)m * (size_t)n + 1) * sizeof *v);
    double length = 1;
    if (v) {
        bool tall = m >= n;
        int64_t longer = tall ? m : n, shorter = tall ? n : m;
        gather(longer, shorter, a, tall ? lda : 1, tall ? 1 : lda, v);
        length = least_length(longer, shorter, v);
    }
    free(v);
    if (!(length > 0x1p-300 && length < 0x1p300))
        return 1;
    return exb_from_bits(exb_bits(length) & 0x7ff0000000000000u);
}
