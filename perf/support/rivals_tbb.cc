#include "rivals.h"

#include <functional>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

const bool rivals_have_tbb = true;

static double add(const tbb::blocked_range<const double *> &range, double sum)
{
    double lane[8] = {};
    const double *x = range.begin();
    for (; range.end() - x >= 8; x += 8)
        for (int j = 0; j < 8; j++)
            lane[j] += x[j];
    for (; x < range.end(); x++)
        sum += *x;
    for (double s : lane)
        sum += s;
    return sum;
}

double rivals_tbb(int64_t n, const double *x)
{
    tbb::blocked_range<const double *> all(x, x + n, 1024);
    return tbb::parallel_deterministic_reduce(all, 0.0, add, std::plus<double>());
}
