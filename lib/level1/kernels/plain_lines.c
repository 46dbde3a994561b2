/* Lines of doubles in plain arithmetic, each operation rounded. */
#include "level1/kernels/plain_lines.h"

#include "core/kernels/tile.h"

static void add_magnitudes(int64_t n, const double *m, int64_t ld, const double *x, double *y)
{
    const double *a = m, *b = a + ld, *c = b + ld, *d = c + ld;
    for (int64_t j = 0; j < n; j++)
        y[j] += (exb_fabs(a[j]) * x[0] + exb_fabs(b[j]) * x[1]) +
                (exb_fabs(c[j]) * x[2] + exb_fabs(d[j]) * x[3]);
}

static void add_products(int64_t n, const double *m, int64_t ld, const double *x, double *y)
{
    const double *a = m, *b = a + ld, *c = b + ld, *d = c + ld;
    for (int64_t j = 0; j < n; j++)
        y[j] += (a[j] * x[0] + b[j] * x[1]) + (c[j] * x[2] + d[j] * x[3]);
}

static void swap(int64_t n, double *restrict x, double *restrict y)
{
    for (int64_t j = 0; j < n; j++) {
        double old = x[j];
        x[j] = y[j];
        y[j] = old;
    }
}

const exb_line_kernels exb_isa(line_kernels) = {
    .add_magnitudes = add_magnitudes,
    .add_products = add_products,
    .swap = swap,
};
