#include "lossy_lanes.h"

#include "test_random.h"

double lossy_lanes(int n_lanes, double half_unit, int64_t n, double *term)
{
    double c[LOSSY_MOST_LANES] = {0};
    for (int64_t i = 0; i < n; i++) {
        double *lane = &c[i % n_lanes], w = 2 * half_ulp(*lane + half_unit / 2, FORMAT_D);
        term[i] = half_unit - w / 2 - half_unit * 0x1p-53;
        if (i == 0)
            term[i] = 1;
        else
            *lane += term[i];
    }
    for (int half = n_lanes / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            c[j] += c[j + half];
    return c[0];
}

void lossy_compensated(int n_lanes, int above, int64_t n, double *term)
{
    const double start[] = {1, 0x1p-54, 0x1p-54 + above * 0x1p-105};
    for (int64_t i = 0; i < n; i++)
        term[i] = i / n_lanes < 3 ? start[i / n_lanes] : -0x1p-106 * (1 - 0x1p-10);
}
